// Garmin's rear radars, and those that speak their service. Nothing is specified: this is what independent readers of the
// stream agree on. A packet is a list of what is seen now; one without entries is the heartbeat of an empty road, and only
// a packet says `clear`. Never heard together from a device, but described twice: more than six targets come in two pieces.
//
// The third byte of a target is disputed (0.25 m/s, km/h, no speed at all on a RearVue 820, which sends 0 and 1 only).
// A timed pass settled on 0.25 m/s; the byte itself is always published. The radar sends no threat level over Bluetooth:
// level 2 stands for an approach above 14 m/s. Identifiers are opaque, and used again for another car; low ones, which one
// source drops, are kept, for to hide a car is the worse error. A greeting (`03 FE`) and sector packets (0x06) have a
// single source each and are refused as unknown. That an entry at 255 m, or at 0 m without a speed, stands for no car has a
// single source too. The newer stream 6A4E3204 and the tail light are left alone.

public import SensorKit

public struct VariaRadarPlugin: SensorPlugin {
  private static let service = BluetoothUUID(maker: "6a4e3200-667b-11e3-949a-0800200c9a66")
  private static let targets = BluetoothUUID(maker: "6a4e3203-667b-11e3-949a-0800200c9a66")
  /// Of all of Garmin's, so that only the name tells a radar from a watch before it is connected.
  private static let garmin = BluetoothUUID(0xfe1f)

  public static let info = SensorInfo(
    id: "varia_radar", title: "Garmin Varia radar", services: [service],
    announcements: ["RTL", "RVR", "RCT", "eRTL", "RearVue"].map { Announcement(of: garmin, namePrefix: $0) },
    characteristics: [.subscribed(targets, of: service)],
    kinds: [.radar], silence: Silence(staleAfter: .milliseconds(1500), reconnectAfter: .seconds(6)))

  private enum Piece {
    static let complete: UInt8 = 2
    static let first: UInt8 = 0
    /// Pieces farther apart than this, in seconds, are not of one packet.
    static let longestGap = 0.25
  }

  /// A first piece whose second may come.
  private struct FirstPiece {
    var isWaiting = false
    var counter: UInt8 = 0
    var time = MonotonicTime(nanoseconds: 0)
    var targets = VariaTargets()
  }

  private var first = FirstPiece()

  public init(settings: SensorSettings) {}

  public mutating func disconnected() {
    first.isWaiting = false
  }

  @inline(__always)
  public mutating func decode(
    _ value: Span<UInt8>, from source: Source, at time: MonotonicTime, into batch: inout Batch
  ) throws(DecodeError) {
    var cursor = ByteCursor()
    let header = try cursor.uint8(value)
    let counter = header >> 4
    let piece = header & 0x0f
    guard piece == Piece.complete || piece == Piece.first else { throw DecodeError(.unknownFrame, at: 0) }
    try VariaTargets.checkLength(value)
    if piece == Piece.first {
      first.isWaiting = true
      first.counter = counter
      first.time = time
      first.targets.keep(value)
    } else if takeFirst(counter, at: time) {
      batch.radar(isClear: first.targets.isEmpty && VariaTargets.isClear(value))
      first.targets.append(to: &batch, completedBy: value)
    } else {
      batch.radar(isClear: VariaTargets.isClear(value))
      VariaTargets.each(in: value) { target in target.append(to: &batch) }
    }
  }

  /// Whether there is a first piece of the packet that this one completes; any other is of a packet that was lost.
  private mutating func takeFirst(_ counter: UInt8, at time: MonotonicTime) -> Bool {
    guard first.isWaiting else { return false }
    first.isWaiting = false
    return first.counter == counter && time.seconds(since: first.time) <= Piece.longestGap
  }
}

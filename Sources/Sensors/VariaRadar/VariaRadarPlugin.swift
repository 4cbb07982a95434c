// Garmin's rear radars, and those that speak their service. Nothing is specified: this is what independent readers of the
// stream agree on. A packet is a list of what is seen now; one without entries is the heartbeat of an empty road, and only
// a packet says `clear`. Never heard together from a device, but described twice: more than six targets come in two pieces.
// A first piece is shown alone when the second does not come: to hide a car is the worse error.
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
    /// Pieces farther apart than this are not of one packet.
    static let longestGap = Duration.milliseconds(250)
  }

  /// A first piece whose second may come.
  private struct FirstPiece {
    var isWaiting = false
    var counter: UInt8 = 0
    /// Its second piece does not come later.
    var end = MonotonicTime(nanoseconds: 0)
    var targets = VariaTargets()
  }

  private var first = FirstPiece()
  /// When the first piece is published alone. A piece without a car never is: only a whole packet says that the road is clear.
  public private(set) var deadline: MonotonicTime?

  public init(settings: SensorSettings) {}

  public mutating func disconnected() {
    first.isWaiting = false
    deadline = nil
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
      publishFirst(into: &batch)
      keep(value, counter, at: time)
    } else if takeFirst(counter, at: time, into: &batch) {
      batch.radar(isClear: first.targets.isEmpty && VariaTargets.isClear(value))
      first.targets.append(to: &batch, completedBy: value)
    } else {
      batch.radar(isClear: VariaTargets.isClear(value))
      VariaTargets.each(in: value) { target in target.append(to: &batch) }
    }
  }

  public mutating func tick(at time: MonotonicTime, into batch: inout Batch) {
    guard let deadline, deadline <= time else { return }
    publishFirst(into: &batch)
  }

  private mutating func keep(_ value: Span<UInt8>, _ counter: UInt8, at time: MonotonicTime) {
    first.isWaiting = true
    first.counter = counter
    first.end = time + Piece.longestGap
    first.targets.keep(value)
    deadline = first.targets.isEmpty ? nil : first.end
  }

  /// Publishes the first piece that is held alone.
  private mutating func publishFirst(into batch: inout Batch) {
    first.isWaiting = false
    guard deadline != nil else { return }
    deadline = nil
    batch.radar(isClear: false)
    first.targets.append(to: &batch)
  }

  /// Whether this packet completes the first piece. If not, the first piece is published: its second was lost.
  private mutating func takeFirst(_ counter: UInt8, at time: MonotonicTime, into batch: inout Batch) -> Bool {
    guard first.isWaiting else { return false }
    first.isWaiting = false
    if first.counter == counter, time <= first.end {
      deadline = nil
      return true
    }
    publishFirst(into: &batch)
    return false
  }
}

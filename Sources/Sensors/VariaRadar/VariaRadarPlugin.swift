// Garmin's rear radars and others that use their service. There is no specification; this is what
// independent readers of the stream agree on. A packet lists the targets seen now. An empty packet
// is the heartbeat of a clear road, and only a packet can set `clear`.
//
// More than six targets come in two pieces. That is described by two sources, but was never
// captured. If the second piece does not arrive, the first is published alone, because hiding a car
// is the worse error.
//
// The third byte of a target is disputed: 0.25 m/s, km/h, or no speed at all on a RearVue 820,
// which only sends 0 and 1. A timed pass confirmed 0.25 m/s. The byte itself is always published.
// The radar sends no threat level over Bluetooth; level 2 means an approach above 14 m/s.
//
// Target ids are opaque and are reused. One source drops low ids; here they are kept, because
// hiding a car is the worse error. A greeting (`03 FE`) and sector packets (0x06) have a single
// source each and are rejected. Entries at 255 m, or at 0 m without a speed, are placeholders
// according to a single source. The newer stream 6A4E3204 and the tail light are not used.

public import SensorKit

public struct VariaRadarPlugin: SensorPlugin {
  private static let service = BluetoothUUID(maker: "6a4e3200-667b-11e3-949a-0800200c9a66")
  private static let targets = BluetoothUUID(maker: "6a4e3203-667b-11e3-949a-0800200c9a66")
  /// Shared by all Garmin devices, so only the name tells a radar from a watch before connecting.
  private static let garmin = BluetoothUUID(0xfe1f)

  public static let info = SensorInfo(
    id: "varia_radar", title: "Garmin Varia radar", services: [service],
    announcements: ["RTL", "RVR", "RCT", "eRTL", "RearVue"].map { Announcement(of: garmin, namePrefix: $0) },
    characteristics: [.subscribed(targets, of: service)],
    kinds: [.radar], silence: Silence(staleAfter: .milliseconds(1500), reconnectAfter: .seconds(6)))

  private enum Piece {
    static let complete: UInt8 = 2
    static let first: UInt8 = 0
    /// Pieces further apart do not belong together.
    static let longestGap = Duration.milliseconds(250)
  }

  /// A first piece that waits for its second.
  private struct FirstPiece {
    var isWaiting = false
    var counter: UInt8 = 0
    /// The latest time for its second piece.
    var end = MonotonicTime(nanoseconds: 0)
    var targets = VariaTargets()
  }

  private var first = FirstPiece()
  /// When the first piece is published alone. A piece without cars never is, because only a whole
  /// packet shows that the road is clear.
  public private(set) var deadline: MonotonicTime?

  public init(settings: SensorSettings) {}

  public mutating func disconnected() {
    first.isWaiting = false
    deadline = nil
  }

  @inline(__always)
  public mutating func decode(
    _ value: Span<UInt8>, from source: PacketSource, at time: MonotonicTime, into batch: inout Batch
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

  /// Publishes a waiting first piece alone.
  private mutating func publishFirst(into batch: inout Batch) {
    first.isWaiting = false
    guard deadline != nil else { return }
    deadline = nil
    batch.radar(isClear: false)
    first.targets.append(to: &batch)
  }

  /// Whether this packet completes the first piece. If not, the second one was lost, and the first
  /// is published.
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

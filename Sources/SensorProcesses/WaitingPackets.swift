// The packets whose answers are still of use, in the order in which they were sent. A packet that waited too
// long, or that newer ones pushed out, is removed: its answer is ignored when it comes.

public import SensorKit
public import Time

/// A packet that the program has, or has answered.
public struct ProcessPacket: Sendable {
  public let session: Int
  /// Among the packets of the file.
  public let packet: Int
  public let origin: PacketSource.Origin
  /// When it arrived from the sensor.
  public let time: MonotonicTime

  public init(session: Int, packet: Int, origin: PacketSource.Origin, time: MonotonicTime) {
    self.session = session
    self.packet = packet
    self.origin = origin
    self.time = time
  }
}

struct WaitingPackets {
  private struct Item {
    let number: Int
    let sentAt: MonotonicTime
    let packet: ProcessPacket
  }

  private var items: [Item] = []

  init() {
    // A busy conversation has a few sessions.
    items.reserveCapacity(256)
  }

  var count: Int { items.count }

  var oldestSentAt: MonotonicTime? { items.first?.sentAt }

  /// Returns true if this pushed out the oldest packet of its session.
  mutating func append(_ packet: ProcessPacket, number: Int, at time: MonotonicTime, most: Int) -> Bool {
    var isFull = false
    if items.count(where: { $0.packet.session == packet.session }) >= most,
      let oldest = items.firstIndex(where: { $0.packet.session == packet.session })
    {
      items.remove(at: oldest)
      isFull = true
    }
    items.append(Item(number: number, sentAt: time, packet: packet))
    return isFull
  }

  /// Nil if its answer comes too late.
  mutating func remove(_ number: Int) -> ProcessPacket? {
    guard let index = items.firstIndex(where: { $0.number == number }) else { return nil }
    return items.remove(at: index).packet
  }

  /// Removes the oldest packet if it was sent at `time` or before.
  mutating func removeOldest(sentUntil time: MonotonicTime) -> ProcessPacket? {
    guard let first = items.first, first.sentAt <= time else { return nil }
    return items.removeFirst().packet
  }

  mutating func removeAll(of session: Int) {
    items.removeAll { $0.packet.session == session }
  }
}

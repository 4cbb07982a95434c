// Reads a rolling counter of distance without a clock of its own: its increase since the last
// change. It rolls over after 429,497 km, so an apparent roll-over is a restart or a bad packet;
// the highest plausible speed decides. As with revolutions, a restart needs a second packet that
// follows from the first.

public import Time

public struct OdometerDelta: Sendable {
  public enum Status: String, CaseIterable, Sendable {
    case first, hold, update
    /// An older packet arrived late or again.
    case older
    /// It does not follow from the last count; the next packet decides.
    case unconfirmed
  }

  public struct Reading: Equatable, Sendable {
    public let status: Status
    /// What this packet added, in units.
    public let amount: Double

    public init(_ status: Status, amount: Double = 0) {
      self.status = status
      self.amount = amount
    }
  }

  /// Seconds by which packets may be late.
  private static let lateness = 5.0

  private var unit: Double
  /// Selects the counter's bits.
  private let mask: UInt32
  private let fastest: Double
  private var anchor: Anchor?
  private var candidate: Anchor?

  private struct Anchor {
    let count: UInt32
    let time: MonotonicTime
  }

  public var hasStarted: Bool { anchor != nil }

  /// One count is worth `unit`; `fastest` is the highest plausible rate, in units per second.
  public init(unit: Double, fastest: Double, bits: Int = 32) {
    self.unit = unit
    mask = UInt32.max >> UInt32(32 - bits)
    self.fastest = fastest
  }

  /// Reads a packet whose counts are worth something else from now on.
  public mutating func read(_ count: UInt32, at time: MonotonicTime, unit: Double) -> Reading {
    self.unit = unit
    return read(count & mask, at: time)
  }

  public mutating func read(_ count: UInt32, at time: MonotonicTime) -> Reading {
    let packet = Anchor(count: count, time: time)
    guard let last = anchor else {
      anchor = packet
      return Reading(.first)
    }
    if count == last.count {
      candidate = nil
      return Reading(.hold)
    }
    if let amount = amount(from: last, to: packet) { return accept(packet, amount) }
    if isOlder(packet, than: last) { return Reading(.older) }
    guard let first = candidate, first.count != count else {
      candidate = candidate ?? packet
      return Reading(.unconfirmed)
    }
    if let amount = amount(from: first, to: packet) { return accept(packet, amount) }
    candidate = packet
    return Reading(.unconfirmed)
  }

  /// The count was set by a command, so the next packet is the first.
  public mutating func forget() {
    anchor = nil
    candidate = nil
  }

  private mutating func accept(_ packet: Anchor, _ amount: Double) -> Reading {
    (anchor, candidate) = (packet, nil)
    return Reading(.update, amount: amount)
  }

  /// Nil if no runner covers that distance in that time.
  private func amount(from earlier: Anchor, to later: Anchor) -> Double? {
    let amount = Double((later.count &- earlier.count) & mask) * unit
    return amount <= fastest * (later.time.seconds(since: earlier.time) + Self.lateness) ? amount : nil
  }

  /// Whether it is a count of at most a few seconds before.
  private func isOlder(_ packet: Anchor, than last: Anchor) -> Bool {
    let late = Self.lateness - packet.time.seconds(since: last.time)
    return late > 0 && Double((last.count &- packet.count) & mask) * unit <= fastest * late
  }
}

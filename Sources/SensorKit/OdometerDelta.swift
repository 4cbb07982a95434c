// What a rolling counter of distance says that comes without a clock of its own: how far it went since it last changed. It
// rolls over after 429,497 km, so what looks like a roll-over is a sensor that began anew; the fastest runner tells.

public struct OdometerDelta: Sendable {
  public enum Status: String, CaseIterable, Sendable {
    case first, hold, reset, update
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

  /// Packets come late by up to so many seconds.
  private static let lateness = 5.0

  private let unit: Double
  private let fastest: Double
  private var anchor: (count: UInt32, time: MonotonicTime)?

  public var hasStarted: Bool { anchor != nil }

  /// One count is worth `unit`; `fastest` is the highest rate to believe, in units a second.
  public init(unit: Double, fastest: Double) {
    self.unit = unit
    self.fastest = fastest
  }

  public mutating func read(_ count: UInt32, at time: MonotonicTime) -> Reading {
    guard let last = anchor else {
      anchor = (count, time)
      return Reading(.first)
    }
    let counts = count &- last.count
    if counts == 0 { return Reading(.hold) }
    anchor = (count, time)
    let amount = Double(counts) * unit
    let isPossible = amount <= fastest * (time.seconds(since: last.time) + Self.lateness)
    return isPossible ? Reading(.update, amount: amount) : Reading(.reset)
  }

  /// The count was set from outside: the next packet is the first.
  public mutating func forget() {
    anchor = nil
  }
}

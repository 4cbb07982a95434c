// What a rolling counter of revolutions says: how far it went since the last event that was accepted, and how fast. It is
// the only place where such counters are subtracted. Rates come from the sensor's clock alone, for the radio delays and
// repeats packets; the time of receiving only tells whether the sensor's clock can be believed, because that clock wraps
// unseen every 32 or 64 s. The rules run in the order of `Status`; the first that fits decides.

public struct CounterDelta: Sendable {
  public enum Status: String, CaseIterable, Sendable {
    /// There was nothing to compare with.
    case first
    /// No revolution for `standstill`: the one zero there is.
    case stopped
    /// No new revolution yet; several packets tell of the same one.
    case hold
    /// The sensor's clock has wrapped unseen: the revolutions count, a rate cannot be told.
    case resync
    /// The sensor began to count anew.
    case reset
    /// The count moved at a clock that stood still.
    case inconsistent
    /// Faster than anybody rides: a switch that bounced, a packet gone wrong.
    case implausible
    case update
  }

  public struct Reading: Equatable, Sendable {
    public let status: Status
    /// In units a second; nil where none may be published.
    public let rate: Double?
    /// What this packet added, in units.
    public let amount: Double

    public init(_ status: Status, rate: Double? = nil, amount: Double = 0) {
      self.status = status
      self.rate = rate
      self.amount = amount
    }
  }

  public enum Width: UInt32, Sendable {
    case bits16 = 0xffff
    case bits32 = 0xffff_ffff
  }

  /// Without a revolution for so long, seconds, it stands still.
  private static let standstill = 3.0
  /// How far the sensor's clock and the receiver's may differ, seconds: notifications are late by less, a wrap is more.
  private static let clockTolerance = 5.0

  /// Of the counter's bits.
  private let mask: UInt32
  /// Clocks tick a power of two times a second: multiplying with this is as exact as dividing, and takes less time.
  private let secondsPerTick: Double
  private let fastest: Double
  private var anchor: Anchor?
  /// The last accepted rate; kept apart from the unit, which the user may change.
  private var pace: Pace?

  private struct Anchor {
    let count: UInt32
    let eventTime: UInt16
    let time: MonotonicTime
  }

  private struct Pace {
    let revolutions: Double
    let seconds: Double

    func rate(_ unit: Double) -> Double { revolutions * unit / seconds }
  }

  /// `fastest` is the highest rate to believe, in units a second.
  public init(_ width: Width, ticksPerSecond: Double, fastest: Double) {
    mask = width.rawValue
    secondsPerTick = 1 / ticksPerSecond
    self.fastest = fastest
  }

  /// Takes the count and the sensor's clock of a packet; `unit` is what one revolution is worth: metres, or 60 for rpm.
  @inline(__always)
  public mutating func read(
    _ count: UInt32, eventTime: UInt16, at time: MonotonicTime, unit: Double
  ) -> Reading {
    guard let anchor else { return settle(.first, count, eventTime, time) }
    let revolutions = Double((count &- anchor.count) & mask)
    let seconds = Double(eventTime &- anchor.eventTime) * secondsPerTick
    let gap = time.seconds(since: anchor.time)

    if revolutions == 0 {
      return gap >= Self.standstill ? Reading(.stopped, rate: 0) : Reading(.hold, rate: pace?.rate(unit))
    }
    if gap - seconds > Self.clockTolerance {
      let isPossible = revolutions * unit <= fastest * gap
      return settle(isPossible ? .resync : .reset, count, eventTime, time, isPossible ? revolutions * unit : 0)
    }
    if seconds - gap > Self.clockTolerance { return settle(.reset, count, eventTime, time) }
    if seconds == 0 { return Reading(.inconsistent, rate: pace?.rate(unit)) }
    let next = Pace(revolutions: revolutions, seconds: seconds)
    if next.rate(unit) > fastest {
      return settle(count < anchor.count ? .reset : .implausible, count, eventTime, time)
    }
    let reading = settle(.update, count, eventTime, time, revolutions * unit)
    pace = next
    return Reading(reading.status, rate: next.rate(unit), amount: reading.amount)
  }

  /// The count was set from outside: the next packet is the first.
  public mutating func forget() {
    anchor = nil
    pace = nil
  }

  /// Starts from this packet, without a rate.
  private mutating func settle(
    _ status: Status, _ count: UInt32, _ eventTime: UInt16, _ time: MonotonicTime, _ amount: Double = 0
  ) -> Reading {
    anchor = Anchor(count: count, eventTime: eventTime, time: time)
    pace = nil
    return Reading(status, amount: amount)
  }
}

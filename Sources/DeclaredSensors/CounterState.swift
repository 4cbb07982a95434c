// A counter of one sensor: the meter that judges its packets, and the total of the session.

internal import SensorKit

struct CounterState: Sendable {
  private var revolutions: CounterDelta?
  private var odometer: OdometerDelta?
  private var total = 0.0

  /// What a packet gave; NaN where nothing is known.
  struct Result {
    var rate = Double.nan
    var delta = Double.nan
    var total: Double
    var isStopped: Double = .nan
  }

  init(_ program: CounterProgram) {
    if let clock = program.clock {
      revolutions = CounterDelta(
        bits: program.bits, clockBits: clock.bits, ticksPerSecond: clock.ticksPerSecond, fastest: program.fastest)
    } else {
      odometer = OdometerDelta(unit: 1, fastest: program.fastest, bits: program.bits)
    }
  }

  mutating func read(_ count: UInt32, _ eventTime: UInt32, at time: MonotonicTime, unit: Double) -> Result {
    if revolutions != nil { return readRevolutions(count, eventTime, at: time, unit: unit) }
    guard let reading = odometer?.read(count, at: time, unit: unit) else { return Result(total: total) }
    add(reading.amount)
    switch reading.status {
    case .first, .older, .unconfirmed: return Result(total: total)
    case .hold, .update: return Result(delta: Self.finite(reading.amount), total: total)
    }
  }

  /// A total that is too large for a double stays as it is.
  private mutating func add(_ amount: Double) {
    if (total + amount).isFinite { total += amount }
  }

  /// Infinity is not a value of the language.
  private static func finite(_ value: Double) -> Double { value.isFinite ? value : .nan }

  private mutating func readRevolutions(
    _ count: UInt32, _ eventTime: UInt32, at time: MonotonicTime, unit: Double
  ) -> Result {
    guard let reading = revolutions?.read(count, eventTime: eventTime, at: time, unit: unit) else {
      return Result(total: total)
    }
    add(reading.amount)
    var result = Result(
      rate: Self.finite(reading.rate ?? .nan), total: total, isStopped: reading.status == .stopped ? 1 : 0)
    switch reading.status {
    case .first, .older, .bounced, .unconfirmed: break
    case .inconsistent where reading.rate == nil: break
    case .stopped, .hold, .resync, .inconsistent, .update: result.delta = Self.finite(reading.amount)
    }
    return result
  }
}

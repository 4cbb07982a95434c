// Speed and distance from wheel counters, cadence from crank counters, for all services that send
// them. Without a circumference, a wheel has revolutions but no speed.

public import Time
import Vocabulary

public struct WheelMeter: Sendable {
  private var counter: CounterDelta
  private var circumference: Double?
  private var distance = 0.0
  private var lastStatus: CounterDelta.Status?

  /// Used to judge plausibility while the size is unknown, in metres: 622 mm rims with 25 mm tires.
  private static let typicalCircumference = 2.105
  /// 50 m/s: no descent is faster.
  private static let fastest = 50.0

  /// `ticksPerSecond`: the clock of the events, 1,024 in the speed service and 2,048 in the power
  /// service.
  public init(ticksPerSecond: Double, settings: SensorSettings) {
    counter = CounterDelta(.bits32, ticksPerSecond: ticksPerSecond, fastest: Self.fastest)
    settingsChanged(settings)
  }

  /// The last packet showed that the wheel stands.
  public var isStopped: Bool { lastStatus == .stopped }

  /// Revolutions and distance continue. A held rate is converted to the new size.
  public mutating func settingsChanged(_ settings: SensorSettings) {
    circumference = settings.circumferenceMM.flatMap { $0 > 0 && $0.isFinite ? $0 / 1000 : nil }
  }

  /// The sensor's count was set by a command.
  public mutating func forget() {
    counter.forget()
  }

  public mutating func read(_ count: UInt32, eventTime: UInt16, at time: MonotonicTime, into batch: inout Batch) {
    let reading = counter.read(
      count, eventTime: eventTime, at: time, unit: circumference ?? Self.typicalCircumference)
    lastStatus = reading.status
    switch reading.status {
    case .first, .older, .bounced, .unconfirmed: return
    case .inconsistent where reading.rate == nil: return
    case .stopped, .hold, .resync, .inconsistent, .update: break
    }
    batch.sample(.speed)
    if circumference != nil {
      distance += reading.amount
      if let rate = reading.rate {
        batch.set([
          (.speedMps, rate), (.distanceDeltaM, reading.amount), (.distanceM, distance), (.wheelRevs, Double(count)),
        ])
      } else {
        batch.set([(.distanceDeltaM, reading.amount), (.distanceM, distance), (.wheelRevs, Double(count))])
      }
    } else {
      batch.set(.wheelRevs, count)
    }
  }
}

public struct CrankMeter: Sendable {
  /// The clock has 1,024 ticks per second in every service; no rider pedals faster than 255 rpm.
  private var counter = CounterDelta(.bits16, ticksPerSecond: 1024, fastest: 255)
  private var lastStatus: CounterDelta.Status?

  public init() {}

  /// The last packet showed that the crank stands.
  public var isStopped: Bool { lastStatus == .stopped }

  public mutating func read(_ count: UInt16, eventTime: UInt16, at time: MonotonicTime, into batch: inout Batch) {
    let reading = counter.read(UInt32(count), eventTime: eventTime, at: time, unit: 60)
    lastStatus = reading.status
    guard let rate = reading.rate else { return }
    batch.sample(.cadence)
    batch.set([(.cadenceRpm, rate), (.crankRevs, Double(count))])
  }
}

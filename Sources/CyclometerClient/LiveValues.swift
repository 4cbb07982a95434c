// The current values for a display. A sample is current while the daemon is connected, the sensor
// is streaming, and the sample is young enough for its kind. Pass every update, and the result of a
// `sensors` request after each connection.

public import JSON
public import Linux
public import Time
public import Wire

public struct LiveValues: Sendable {
  public struct Value: Equatable, Sendable {
    /// The last sample while it is current, otherwise nil.
    public let current: SampleRecord?
    /// The age of the last sample, current or not; nil if there is none.
    public let age: Duration?
    /// The sensor's state, such as `streaming` or `stale`; `disconnected` without a daemon,
    /// `unknown` at the start.
    public let state: String
    /// The last sample, however old.
    public let last: SampleRecord?
  }

  /// The greatest age of a current sample if the daemon does not send `stale_after_ms`. Other kinds
  /// use `defaultLimit`.
  static let limits: [String: Duration] = [
    "heart_rate": .seconds(5), "speed": .seconds(3), "cadence": .seconds(3), "power": .seconds(3),
    "radar": .milliseconds(1500), "trainer": .seconds(3), "rowing": .seconds(3), "oxygen": .seconds(5),
    "tire_pressure": .seconds(900), "body_temperature": .seconds(10), "muscle_oxygen": .seconds(10), "ecg": .seconds(5),
    "acceleration": .seconds(5), "position": .seconds(5), "hrv": .seconds(10),
  ]
  static let defaultLimit = Duration.seconds(5)
  /// Current for as long as the sensor is streaming.
  static let unlimited: Set = ["battery", "environment", "trainer_status", "wheel", "bike"]

  private static let ride = "ride"
  /// The only source of the ride that is not a sensor, so it has no state.
  private static let receiver = "gps"
  private static let longestAgeMS = 1 << 40

  private struct Key: Hashable {
    let sensor: String
    let kind: String
  }

  private var samples: [Key: (sample: SampleRecord, measured: MonotonicTime, connection: Int)] = [:]
  private var states: [String: String] = [:]
  /// The limits sent by the daemon, by sensor.
  private var saidLimits: [String: KindLimits] = [:]
  private var isConnected = false
  private var connection = 0

  public init() {}

  public mutating func add(_ update: Update, at time: MonotonicTime = .now) {
    switch update {
    case .connected:
      isConnected = true
      connection += 1
    case .disconnected:
      isConnected = false
      states = [:]
    case .record(let record): add(record, at: time)
    case .gap, .lag, .answer: break
    }
  }

  /// The result of a `sensors` request.
  public mutating func add(sensors result: JSONValue) {
    guard let reply = SensorsReply(result) else { return }
    for sensor in reply.sensors { learn(sensor) }
    learn(reply.ride.staleAfterMS, of: Self.ride)
  }

  private mutating func learn(_ sensor: SensorRecord) {
    states[sensor.id] = sensor.state?.text
    learn(sensor.staleAfterMS, of: sensor.id)
  }

  private mutating func learn(_ limits: KindLimits, of sensor: String) {
    // Earlier releases of the daemon do not send them.
    if !limits.all.isEmpty { saidLimits[sensor] = limits }
  }

  /// Nil if a sample holds until the next one.
  private func limit(of kind: String, _ sensor: String) -> Duration? {
    if let limits = saidLimits[sensor] {
      return limits[kind].map { .milliseconds($0) }
    }
    return Self.unlimited.contains(kind) ? nil : Self.limits[kind] ?? Self.defaultLimit
  }

  private mutating func add(_ record: ReceivedRecord, at time: MonotonicTime) {
    switch record.message {
    case .sample(let sample):
      let age = Int64(max(0, min(sample.ageMS, Self.longestAgeMS)))
      let measured = MonotonicTime(nanoseconds: time.nanoseconds - age * 1_000_000)
      samples[Key(sensor: sample.sensor, kind: sample.kind)] = (sample, measured, connection)
    case .state(let state): states[state.sensor] = state.state.text
    case .sensor(let change) where change.change.known == .removed:
      states[change.sensor.id] = nil
      forget(change.sensor.id)
    case .sensor(let change): learn(change.sensor)
    default: break
    }
  }

  /// Another sensor may reuse the id.
  private mutating func forget(_ id: String) {
    samples = samples.filter { $0.key.sensor != id && $0.value.sample.source != id }
  }

  /// Without `sensor`, the ride's value or, before a ride begins, the newest of any sensor.
  public func value(_ kind: String, of sensor: String? = nil, at time: MonotonicTime = .now) -> Value {
    if let sensor { return only(kind, sensor, time) }
    let ride = only(kind, Self.ride, time)
    let sensors = samples.keys.filter { $0.kind == kind && $0.sensor != Self.ride }
    let best = sensors.map { only(kind, $0.sensor, time) }.min { a, b in
      (a.current == nil ? 1 : 0, a.age ?? .zero) < (b.current == nil ? 1 : 0, b.age ?? .zero)
    }
    return ride.current == nil ? best ?? ride : ride
  }

  private func only(_ kind: String, _ sensor: String, _ time: MonotonicTime) -> Value {
    let entry = samples[Key(sensor: sensor, kind: kind)]
    let state = isConnected ? state(of: sensor, entry?.sample) : "disconnected"
    guard let entry else { return Value(current: nil, age: nil, state: state, last: nil) }
    let age = time - entry.measured
    let isYoung = limit(of: kind, sensor).map { age <= $0 } ?? true
    let isCurrent = state == "streaming" && isYoung && entry.connection == connection
    return Value(current: isCurrent ? entry.sample : nil, age: age, state: state, last: entry.sample)
  }

  /// For a value of the ride, the state of the source that the sample names. A value without a
  /// source is derived from several sensors.
  private func state(of sensor: String, _ sample: SampleRecord?) -> String {
    let isOfRide = sensor == Self.ride && sample != nil
    let counts = isOfRide ? sample?.source ?? Self.receiver : sensor
    return counts == Self.receiver ? "streaming" : states[counts] ?? "unknown"
  }
}

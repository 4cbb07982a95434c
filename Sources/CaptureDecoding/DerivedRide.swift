// The ride that a capture was: what its sensors said goes through Metrics as in the daemon, and once a second of the file the ride is
// told. A sensor that falls silent is not there to say so; what is derived finds out by its silence.

internal import Metrics
internal import PositionReports
internal import SensorKit
internal import Wire

final class DerivedRide {
  private var metrics = RideMetrics()
  private var out = Batch()
  private var sequences = SequenceCounts()
  private var nextTick: MonotonicTime?
  /// By source. The receiver is a source of its own, so sources are not numbered without gaps.
  private var sensors: [Int: RideMetrics.Sensor] = [:]
  /// Whether its size is to be measured, where the file says so.
  private var isMeasured: [Int: Bool] = [:]
  private var rider = Rider()
  private var reader = FixReader()

  /// The number by which a device's samples are handed over.
  func enter(_ device: String) -> Int {
    var sensor = RideMetrics.Sensor(id: device)
    // Where the file says no size, what is measured is the only one.
    sensor.usesMeasuredSize = true
    let source = metrics.enter(sensor)
    if sensors[source] == nil { sensors[source] = sensor }
    return source
  }

  /// What its plugin reckons with from now on; nil where what the file said stands.
  func measuredMM(of source: Int) -> Double? {
    guard sensors[source]?.usesMeasuredSize ?? false else { return nil }
    return metrics.circumferenceM(of: source).map { $0 * 1000 }
  }

  func take(
    _ entry: Batch.Entry, of batch: borrowing Batch, from source: Int, at time: MonotonicTime,
    into output: any DecodedOutput
  ) {
    out.removeAll()
    metrics.take(entry, of: batch, from: source, at: time, into: &out)
    if nextTick == nil { nextTick = time + .seconds(1) }
    write(at: time, into: output)
  }

  /// The fix in a report of gpsd's, if it has one.
  func fix(in report: String, at time: MonotonicTime) throws(CaptureError) -> Fix? {
    try reader.take(report, at: time)
  }

  func take(_ fix: Fix, at time: MonotonicTime, into output: any DecodedOutput) {
    out.removeAll()
    metrics.take(fix, into: &out)
    if nextTick == nil, fix.mode > .none { nextTick = time + .seconds(1) }
    write(at: time, into: output)
  }

  /// Tells every second up to a time; of a long silence only as much as it takes until nothing is known any more.
  func advance(to time: MonotonicTime, into output: any DecodedOutput) {
    while let next = [nextTick, metrics.nextDeadline].compactMap({ $0 }).min(), next <= time {
      out.removeAll()
      metrics.tick(at: next, into: &out)
      if nextTick.map({ $0 <= next }) ?? false { nextTick = metrics.isQuiet ? nil : next + .seconds(1) }
      write(at: next, into: output)
    }
  }

  private func write(at time: MonotonicTime, into output: any DecodedOutput) {
    for index in out.entryIndices {
      let entry = out.entry(index)
      switch entry.kind {
      case .sample(let kind):
        let header = SampleHeader(sensor: "ride", sequence: sequences.next(kind), time: time)
        output.sample(kind, header, entry, of: out)
      case .event(let name): output.event(name, time: time, entry, of: out)
      case .fact, .answer: break
      }
    }
  }
}

// MARK: Settings

extension DerivedRide {
  /// Of a sensor, or of whoever wore it; what is neither is another release's.
  func set(_ key: String, to value: String, of source: Int) throws(CaptureError) {
    guard var sensor = sensors[source] else { return }
    if let expected = setRider(key, to: value) ?? set(key, to: value, of: &sensor, source) {
      throw CaptureError("\(expected), not \"\(value)\"")
    }
    sensors[source] = sensor
    _ = metrics.enter(sensor)
    metrics.apply(rider)
  }

  private func set(_ key: String, to value: String, of sensor: inout RideMetrics.Sensor, _ source: Int) -> String? {
    let number = Double(value).flatMap { $0.isFinite ? $0 : nil }
    switch key {
    // What is no role of a bike is another release's.
    case "role": sensor.role = RideMetrics.Sensor.Role(rawValue: value)
    case "circumference_mm":
      sensor.circumferenceM = number.map { $0 / 1000 }
      sensor.usesMeasuredSize = isMeasured[source] ?? (number == nil)
    case "wheel_size":
      guard ["user", "measured"].contains(value) else { return "\(key) is user or measured" }
      isMeasured[source] = value == "measured"
      sensor.usesMeasuredSize = value == "measured"
    case "priority":
      guard let number, -100...100 ~= number else { return "\(key) is -100 to 100" }
      sensor.priority = Int(number)
    case "target_pressure_pa": return setTire(\.targetPressurePa, key, value, of: &sensor)
    case "lowest_pressure_pa": return setTire(\.lowestPressurePa, key, value, of: &sensor)
    case "highest_pressure_pa": return setTire(\.highestPressurePa, key, value, of: &sensor)
    case "highest_temperature_c": return setTire(\.highestCelsius, key, value, of: &sensor)
    default: break
    }
    return nil
  }

  private func setTire(
    _ place: WritableKeyPath<TireSettings, Double?>, _ key: String, _ value: String,
    of sensor: inout RideMetrics.Sensor
  ) -> String? {
    let number = value.isEmpty ? nil : Double(value)
    guard value.isEmpty || number.map({ $0.isFinite && $0 > 0 }) ?? false else { return "\(key) is a number above 0" }
    var tire = sensor.tire
    tire[keyPath: place] = number
    if let problem = tire.contradiction() { return problem }
    sensor.tire = tire
    return nil
  }

  /// What was expected instead, where the key is the rider's and the value does not fit.
  private func setRider(_ key: String, to value: String) -> String? {
    // As captures have always called it.
    guard let key = RiderKey(rawValue: key == "max_heart_rate" ? RiderKey.maximum.rawValue : key) else { return nil }
    if key == .sex { return rider.set(sex: value) }
    let words = value.split(separator: ",", omittingEmptySubsequences: false)
    let numbers = words.compactMap { Double($0) }
    guard numbers.count == words.count else { return key.expectation }
    return rider.set(key, numbers)
  }
}

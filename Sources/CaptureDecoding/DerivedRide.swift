// The ride of a capture: samples go through Metrics as in the daemon, and the ride is published
// once per second of the file. A capture has no sessions that report lost sensors, so Metrics finds
// out by their silence.

import CaptureFormat
import JSON
internal import Metrics
internal import PositionReports
import SampleLines
internal import SensorKit
import Time

final class DerivedRide {
  private var metrics = RideMetrics()
  private var out = Batch()
  private var sequences = SequenceCounts()
  private var nextTick: MonotonicTime?
  /// By source. The indices have gaps, because the receiver is a source too.
  private var sensors: [Int: RideSensor] = [:]
  /// Whether the size is measured, if the file has that setting.
  private var isMeasured: [Int: Bool] = [:]
  private var rider = Rider()
  private var reader = FixReader()

  /// The index for the samples of a device.
  func enter(_ device: String) -> Int {
    var sensor = RideSensor(id: device)
    // Without a size in the file, only a measured one is available.
    sensor.usesMeasuredSize = true
    let source = metrics.register(sensor)
    if sensors[source] == nil { sensors[source] = sensor }
    return source
  }

  /// The measured size for the plugin from now on; nil if the one in the file applies.
  func measuredMM(of source: Int) -> Double? {
    guard sensors[source]?.usesMeasuredSize ?? false else { return nil }
    return metrics.circumferenceM(of: source).map { $0 * 1000 }
  }

  func take(
    _ entry: Batch.Entry, of batch: borrowing Batch, from source: Int, at time: MonotonicTime,
    into output: any DecodedOutput
  ) {
    out.removeAll()
    metrics.add(entry, of: batch, from: source, at: time, into: &out)
    if nextTick == nil { nextTick = time + .seconds(1) }
    write(at: time, into: output)
  }

  /// The fix in a report of gpsd, if any.
  func fix(in report: String, at time: MonotonicTime) throws(CaptureError) -> Fix? {
    try reader.take(report, at: time)
  }

  func take(_ fix: Fix, at time: MonotonicTime, into output: any DecodedOutput) {
    out.removeAll()
    metrics.add(fix, into: &out)
    if nextTick == nil, fix.mode > .none { nextTick = time + .seconds(1) }
    write(at: time, into: output)
  }

  /// Publishes once per second up to a time. During a long silence this stops once every value is
  /// unknown.
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
      case .event(let name): output.event(name, sensor: nil, time: time, entry, of: out)
      case .fact, .answer: break
      }
    }
  }
}

// MARK: Settings

extension DerivedRide {
  /// Sets a setting of a sensor or of its rider. Unknown keys are ignored, because they may come
  /// from another release.
  func set(_ key: String, to value: String, of source: Int) throws(CaptureError) {
    guard var sensor = sensors[source] else { return }
    if let expected = setRider(key, to: value) ?? set(key, to: value, of: &sensor, source) {
      throw CaptureError("\(expected), not \"\(value)\"")
    }
    sensors[source] = sensor
    _ = metrics.register(sensor)
    metrics.apply(rider)
  }

  private func set(_ key: String, to value: String, of sensor: inout RideSensor, _ source: Int) -> String? {
    let number = Double(value).flatMap { $0.isFinite ? $0 : nil }
    switch key {
    // Unknown roles are ignored, because they may come from another release.
    case Setting.role.key: sensor.role = SensorRole(rawValue: value)
    case Setting.circumference.key:
      sensor.circumferenceM = number.map { $0 / 1000 }
      sensor.usesMeasuredSize = isMeasured[source] ?? (number == nil)
    case Setting.wheelSize.key:
      guard ["user", "measured"].contains(value) else { return "\(key) is user or measured" }
      isMeasured[source] = value == "measured"
      sensor.usesMeasuredSize = value == "measured"
    case Setting.priority.key:
      guard let number, -100...100 ~= number else { return "\(key) is -100 to 100" }
      sensor.priority = Int(number)
    case Setting.targetPressure.key: return setTire(\.targetPressurePa, key, value, of: &sensor)
    case Setting.lowestPressure.key: return setTire(\.lowestPressurePa, key, value, of: &sensor)
    case Setting.highestPressure.key: return setTire(\.highestPressurePa, key, value, of: &sensor)
    case Setting.highestTemperature.key: return setTire(\.highestCelsius, key, value, of: &sensor)
    default: break
    }
    return nil
  }

  private func setTire(
    _ place: WritableKeyPath<TireSettings, Double?>, _ key: String, _ value: String,
    of sensor: inout RideSensor
  ) -> String? {
    let number = value.isEmpty ? nil : Double(value)
    guard value.isEmpty || number.map({ $0.isFinite && $0 > 0 }) ?? false else { return "\(key) is a number above 0" }
    var tire = sensor.tire
    tire[keyPath: place] = number
    if let problem = tire.contradiction() { return problem }
    sensor.tire = tire
    return nil
  }

  /// Returns what is expected if the key is the rider's and the value is invalid.
  private func setRider(_ key: String, to value: String) -> String? {
    // The name of this key in captures.
    let name = key == "max_heart_rate" ? Setting.maximumHeartRate.key : key
    guard let setting = Setting.ofRider.first(where: { $0.key == name }) else { return nil }
    let value: JSONValue? =
      switch setting.form {
      case .risingNumbers:
        .array(value.split(separator: ",", omittingEmptySubsequences: false).map { .number(Double($0) ?? .nan) })
      case .number: Double(value).map(JSONValue.number) ?? .string(value)
      default: .string(value)
      }
    return rider.set(setting, to: value) ? nil : "\(setting.key) is \(setting.expected)"
  }
}

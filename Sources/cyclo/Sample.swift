// A sample record as shown to people: the main value first, then the rest.

import JSON
import Text
import Vocabulary
import Wire

struct Sample {
  /// Nil for a kind without any sample.
  let record: SampleRecord?
  let sensor: String
  let kind: String
  /// Its age in seconds when it was received.
  let age: Double
  private(set) var fields: [JSONValue.Member]
  var style: Style

  // Functions instead of dictionaries, whose construction would take longer than the rest of `get`.

  /// Kinds whose main field is not the first one; the first of these that the sample has counts.
  static func headlines(_ kind: String) -> [Word] {
    switch kind {
    case "heart_rate": ["bpm"]
    case "speed": ["speed_mps", "wheel_revs"]
    case "cadence": ["cadence_rpm", "cadence_per_min"]
    case "power": ["power_w"]
    case "battery": ["battery_pct"]
    case "tire_pressure": ["pressure_gauge_pa"]
    case "oxygen": ["spo2_pct"]
    case "muscle_oxygen": ["smo2_pct"]
    case "body_temperature": ["core_temperature_c"]
    case "environment": ["temperature_c", "humidity_pct"]
    case "rowing": ["stroke_rate_spm", "stroke_count"]
    case "trainer": ["resistance_level", "inclination_pct", "total_distance_m"]
    case "trainer_status": ["event"]
    case "ecg": ["microvolts"]
    case "acceleration": ["milli_g"]
    case "ride": ["distance_m"]
    case "route": ["distance_to_go_m"]
    case "segment": ["time_s", "start_distance_m"]
    case "coach": ["target_per_min"]
    case "grade": ["grade_pct"]
    case "hrv": ["rmssd_ms"]
    case "averages", "lap_averages": ["speed_avg_mps"]
    default: []
    }
  }

  /// Kinds with several candidates for the main field, so its label is shown.
  private static func isAmbiguous(_ kind: String) -> Bool {
    kind == "trainer" || kind == "rowing" || kind == "environment"
  }

  init(_ record: SampleRecord, _ style: Style = .plain) {
    self.record = record
    sensor = record.sensor
    kind = record.kind
    self.style = style
    age = Double(min(max(0, record.ageMS), 1_000_000_000_000)) / 1000
    fields = record.fields
  }

  /// Of a kind without any sample.
  init(awaiting kind: String, from sensor: String, _ style: Style) {
    (self.sensor, self.kind, self.style) = (sensor, kind, style)
    record = nil
    age = 0
    fields = []
  }

  /// `142 bpm`
  var headline: String {
    if let radar { return valueText(style, radar.writeHeadline) }
    guard let field = headlineField else { return "" }
    return valueText(style) { $0.headline(field.name, field.value, in: ParsedValues()) }
  }

  /// What the headline means, if the kind does not tell: `resistance level`.
  var headlineLabel: String? {
    guard radar == nil, let field = headlineField else { return nil }
    let isUsual = Self.headlines(kind).contains { $0.description == field.name }
    return isUsual && !Self.isAmbiguous(kind) ? nil : printable(Quantity.label(field.name))
  }

  /// `142 bpm`, `resistance level 12`
  var summary: String {
    guard let headlineLabel, let field = headlineField, field.value.number != nil else { return headline }
    return "\(headlineLabel) \(headline)"
  }

  /// `rr 421.9 423.8 ms, sensor contact detected`
  var details: String {
    if let radar { return valueText(style, radar.writeDetails) }
    return details { _ in true }
  }

  func details(_ isWanted: (JSONValue.Member) -> Bool) -> String {
    let named = headlineField?.name
    let wanted = JSONValue.object(fields.filter(isWanted))
    return valueText(style) { $0.details(of: wanted, in: ParsedValues()) { $0 != named } }
  }

  var radar: RadarPicture? {
    kind == "radar" ? RadarPicture(.object(fields), in: ParsedValues()) : nil
  }

  private func has(_ field: String) -> Bool { fields.contains { $0.name == field } }

  /// Of the ride or the guide, not of a sensor.
  var isDerived: Bool { sensor == SensorID.ride || sensor == SensorID.guide }

  /// The sensor that the value comes from.
  var origin: String { sensor == SensorID.ride ? record?.source ?? sensor : sensor }

  /// The main field.
  var headlineField: JSONValue.Member? {
    headlineIndex(of: .object(fields), Self.headlines(kind), in: ParsedValues()).map { fields[$0] }
  }

  /// Merges an earlier sample's fields: some sensors send each field in its own sample.
  func completed(by earlier: Sample) -> Sample {
    var whole = self
    whole.fields = fields + earlier.fields.filter { !has($0.name) }
    return whole
  }
}

// The entities of each kind of sample. A kind that is not here, and is not one of a declared sensor,
// has none: lists and words are for other programs.

extension Entity {
  /// The entities of a kind. `fields` are those that samples of a kind of a declared sensor had.
  static func all(ofKind kind: String, fields: Set<String>) -> [Entity] {
    if let known = ofKinds[kind] { return known }
    if kindsWithoutEntities.contains(kind) { return [] }
    return fields.sorted().compactMap { Entity(ofDeclared: $0, kind) }
  }

  /// By kind. The names of the fields are those of docs/schema/kind.json.
  static let ofKinds: [String: [Entity]] = Dictionary(grouping: rows, by: \.kind).mapValues { $0.map(\.entity) }

  /// Kinds of the daemon and the guide that have no entities, such as positions, which are private.
  static let kindsWithoutEntities: Set<String> = [
    "acceleration", "averages", "bike", "coach", "ecg", "grade", "hrv", "lap_averages", "position", "power_zones",
    "route", "rowing", "segment", "trainer_status", "training", "wheel", "zones",
  ]

  private typealias Row = (kind: String, entity: Entity)

  private static let rows: [Row] =
    [
      (
        "heart_rate",
        Entity(
          source: .sample(kind: "heart_rate"), key: "bpm", name: "Heart rate", form: .measured(Measure(nil, "bpm")),
          template: .value(of: "bpm"), icon: "mdi:heart-pulse")
      ),
      row("speed", "speed_mps", "Speed", .measured(.speed)),
      row("speed", "distance_m", "Distance", .counted(.distance)),
      row("cadence", "cadence_rpm", "Cadence", .measured(Measure(nil, "rpm"))),
      row("cadence", "cadence_per_min", "Running cadence", .measured(Measure(nil, "/min"))),
      row("power", "power_w", "Power", .measured(.power)),
      row("ride", "distance_m", "Distance", .counted(.distance)),
      row("ride", "work_j", "Work", .counted(.energy)),
      row("ride", "ride_time_s", "Ride time", .counted(.duration)),
      row("ride", "moving_time_s", "Moving time", .counted(.duration)),
      row("tire_pressure", "pressure_gauge_pa", "Tire pressure", .measured(.pressure)),
      row("tire_pressure", "temperature_c", "Tire temperature", .measured(.temperature)),
      row("tire_pressure", "battery_pct", "Battery", .measured(.battery), isDiagnostic: true),
      row("tire_pressure", "battery_v", "Battery voltage", .measured(.voltage), isDiagnostic: true),
      row("environment", "temperature_c", "Temperature", .measured(.temperature)),
      row("environment", "humidity_pct", "Humidity", .measured(.humidity)),
      row("environment", "pressure_pa", "Air pressure", .measured(.atmosphericPressure)),
      row("body_temperature", "core_temperature_c", "Core temperature", .measured(.temperature)),
      row("body_temperature", "skin_temperature_c", "Skin temperature", .measured(.temperature)),
      (
        "battery",
        Entity(
          source: .sample(kind: "battery"), key: "battery", name: "Battery", form: .measured(.battery),
          template: .value(of: "battery_pct"), isDiagnostic: true)
      ),
      row("oxygen", "spo2_pct", "Blood oxygen", .measured(.percentage)),
      row("muscle_oxygen", "smo2_pct", "Muscle oxygen", .measured(.percentage)),
      row("muscle_oxygen", "thb_g_per_dl", "Hemoglobin", .measured(Measure(nil, "g/dL"))),
      row("glucose", "glucose_mg_per_dl", "Glucose", .measured(.glucose)),
      row("trainer", "resistance_level", "Resistance", .measured(Measure(nil, nil))),
      row("trainer", "inclination_pct", "Incline", .measured(.percentage)),
    ] + radar

  private static let radar: [Row] = [
    (
      "radar",
      Entity(
        source: .sample(kind: "radar"), key: "radar_clear", name: "Traffic", form: .isOn(deviceClass: "motion"),
        // A dictionary of Python has a method `clear`, so the member needs brackets.
        template: "{{ 'OFF' if value_json['clear'] else 'ON' }}")
    ),
    (
      "radar",
      Entity(
        source: .sample(kind: "radar"), key: "radar_targets", name: "Nearest vehicle", form: .measured(.distance),
        // Without targets, `min` gives nothing.
        template: "{{ value_json.targets|map(attribute='distance_m')|select('number')|min|default(none) }}")
    ),
  ]

  private static func row(
    _ kind: String, _ field: String, _ name: String, _ form: Form, isDiagnostic: Bool = false
  ) -> Row {
    let template = kindsInPieces.contains(kind) ? String.lastValue(of: field) : .value(of: field)
    return (
      kind,
      Entity(
        source: .sample(kind: kind), key: "\(kind)_\(field)", name: name, form: form, template: template,
        isDiagnostic: isDiagnostic)
    )
  }

  /// Kinds of which a sensor sends each value in a sample of its own. A sample without a value says
  /// nothing about it then.
  private static let kindsInPieces: Set<String> = ["environment", "trainer"]
}

// MARK: Kinds of declared sensors

extension Entity {
  /// Nil if the name does not end in a known unit. The name comes from a file or a program.
  init?(ofDeclared field: String, _ kind: String) {
    guard field.isPlainName, kind.isPlainName, let measure = Self.measure(ofDeclared: field) else { return nil }
    self.init(
      source: .sample(kind: kind), key: "\(kind)_\(field)", name: Self.title(field, in: kind), form: .measured(measure),
      template: .lastValue(of: field), isDiagnostic: Self.fieldsOfBatteries[field] != nil)
  }

  static func measure(ofDeclared field: String) -> Measure? {
    if let measure = fieldsOfBatteries[field] { return measure }
    let words = field.split(separator: "_")
    guard words.count > 1, let unit = words.last else { return nil }
    return measuresByUnit[String(unit)]
  }

  private static let fieldsOfBatteries: [String: Measure] = ["battery_pct": .battery, "battery_v": .voltage]

  /// By the last word of the field's name.
  private static let measuresByUnit: [String: Measure] = [
    "c": .temperature, "pa": .pressure, "pct": .percentage, "v": .voltage, "w": .power, "m": .distance, "mps": .speed,
    "s": .duration, "ppm": Measure(nil, "ppm"),
  ]

  /// `Air quality co2` of `co2_ppm` of the kind `air_quality`.
  private static func title(_ field: String, in kind: String) -> String {
    let words = kind.split(separator: "_") + field.split(separator: "_").dropLast()
    let text = words.joined(separator: " ")
    return text.prefix(1).uppercased() + text.dropFirst()
  }
}

extension String {
  /// The value of a field of the message. A message without it means that the value is unknown.
  static func value(of field: String) -> String { "{{ value_json.\(field)|default(none) }}" }

  /// The same, but a message without the field leaves the value as it is.
  static func lastValue(of field: String) -> String { "{{ value_json.\(field)|default('') }}" }

  /// Small letters, digits and underscores, with a letter first: a name that can be part of a topic
  /// and of a template.
  var isPlainName: Bool {
    guard let first = utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first), utf8.count <= 64 else {
      return false
    }
    return utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
      default: false
      }
    }
  }
}

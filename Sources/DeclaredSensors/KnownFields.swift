// The fields of the sample catalogue, by form. The catalogue itself is not linked, because its texts
// would make the programs larger. DeclaredSensorsTests compares the two.

public enum KnownFields {
  public enum Form: String, Sendable {
    case number, numbers, flag, text, words, objects

    /// For problems.
    var text: String {
      switch self {
      case .number: "a number"
      case .numbers: "a list of numbers"
      case .flag: "a flag"
      case .text: "a word or a text"
      case .words: "a list of words"
      case .objects: "a list of objects"
      }
    }
  }

  /// Nil if the catalogue does not have the field. The kind of objects in a list is the kind of the
  /// sample, a point, and the name of the list.
  public static func form(of field: String, in kind: String) -> Form? {
    forms[kind]?[field]
  }

  /// The fields of a kind in the order of their names; nil if the catalogue does not have the kind.
  static func names(in kind: String) -> [String]? { forms[kind].map { $0.keys.sorted() } }

  /// Whether any kind has this field.
  static func isField(_ name: String) -> Bool { forms.values.contains { $0[name] != nil } }

  /// The kinds of the ride, the position and the guide. Files must not publish these.
  public static let kindsOfServices: Set<String> = [
    "averages", "bike", "coach", "grade", "hrv", "lap_averages", "position", "power_zones", "ride", "route", "segment",
    "training", "wheel", "zones",
  ]

  static func isKind(_ name: String) -> Bool { forms[name] != nil }

  /// Of samples, in the order of their names.
  static var kinds: [String] { forms.keys.filter { !$0.utf8.contains(UInt8(ascii: ".")) }.sorted() }

  /// The fields of each kind. Divided once, because all files ask for every field that they publish.
  private static let forms: [String: [String: Form]] = table.mapValues { rows in
    var forms: [String: Form] = [:]
    for row in rows.utf8.split(separator: UInt8(ascii: "\n")) {
      let names = row.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
      let form = Form(rawValue: String(names[0].dropLast()))
      for name in names.dropFirst() { forms[name] = form }
    }
    return forms
  }

  private static let table: [String: String] = [
    "heart_rate": """
    number: bpm energy_expended_j
    numbers: rr_ms
    text: sensor_contact body_location
    """,
    "speed": """
    number: speed_mps pace_s_per_km distance_delta_m distance_m wheel_revs
    """,
    "cadence": """
    number: cadence_rpm crank_revs cadence_per_min stride_length_m
    flag: is_running
    """,
    "power": """
    number: power_w pedal_balance_pct accumulated_torque_nm accumulated_energy_j max_force_n min_force_n
    number: max_torque_nm min_torque_nm max_angle_deg min_angle_deg top_dead_spot_deg bottom_dead_spot_deg
    number: first_crank_angle_deg
    numbers: force_n torque_nm
    flag: offset_compensation
    text: pedal_balance_reference torque_source direction
    """,
    "radar": """
    flag: clear
    objects: targets
    """,
    "radar.targets": """
    number: id distance_m speed_raw approach_speed_mps level
    text: side
    """,
    "tire_pressure": """
    number: pressure_gauge_pa pressure_absolute_pa temperature_c battery_pct battery_v status_raw wheel_index
    number: pressure_gauge_pa_variant_a pressure_pa_variant_b
    flag: alarm
    text: sensor_id sensor_address wheel
    """,
    "trainer": """
    number: total_distance_m average_speed_mps average_cadence_rpm average_power_w resistance_level
    number: inclination_pct ramp_angle_deg elevation_gain_m elevation_loss_m pace_s_per_500m average_pace_s_per_500m
    number: belt_force_n step_rate_spm average_step_rate_spm stride_count floor_count step_count energy_total_kcal
    number: energy_per_hour_kcal energy_per_minute_kcal metabolic_equivalent elapsed_s remaining_s
    text: movement_direction
    """,
    "trainer_status": """
    number: target_speed_mps target_incline_pct target_resistance_level target_power_w target_heart_rate_bpm
    number: wheel_circumference_m target_cadence_rpm wind_speed_mps grade_pct rolling_resistance wind_resistance_kg_per_m
    text: event action spin_down
    """,
    "rowing": """
    number: stroke_rate_spm stroke_count average_stroke_rate_spm pace_s_per_500m average_pace_s_per_500m
    """,
    "battery": """
    number: battery_pct
    """,
    "oxygen": """
    number: spo2_pct pulse_bpm spo2_fast_pct pulse_fast_bpm spo2_slow_pct pulse_slow_bpm pulse_amplitude_index_pct
    number: measurement_status device_status
    flag: device_clock_set
    text: timestamp
    """,
    "environment": """
    number: temperature_c humidity_pct pressure_pa elevation_m
    """,
    "body_temperature": """
    number: core_temperature_c skin_temperature_c heat_strain_index
    text: quality heart_rate_state
    """,
    "muscle_oxygen": """
    number: smo2_pct thb_g_per_dl smo2_previous_pct message_count
    """,
    "ecg": """
    number: timestamp_ns
    numbers: microvolts
    """,
    "acceleration": """
    number: timestamp_ns
    numbers: milli_g
    """,
  ]
}

// The entities of the ride, of the receiver, and one that every sensor has.

extension Entity {
  /// In the samples of `ride`, what the best source sends, and the ride's own totals.
  static let ofRide: [Entity] = [
    ("ride", nil), ("speed", "speed_speed_mps"), ("cadence", "cadence_cadence_rpm"),
    ("cadence", "cadence_cadence_per_min"), ("power", nil), ("heart_rate", nil),
  ].flatMap { (kind: String, key: String?) in
    (ofKinds[kind] ?? []).filter { key == nil || $0.key == key }
  }

  static let signal = Entity(
    source: .sensor, key: "rssi", name: "Signal", form: .measured(.signal), template: .value(of: "rssi_dbm"),
    isDiagnostic: true)

  static let ofReceiver: [Entity] = [
    Entity(
      source: .status, key: "connectivity", name: "Connection", form: .isOn(deviceClass: "connectivity"),
      template: "{{ 'ON' if value_json.state == 'online' else 'OFF' }}", isDiagnostic: true),
    Entity(
      source: .status, key: "sensors", name: "Sensors", form: .measured(Measure(nil, nil)),
      template: .nested("counts", "sensors"), isDiagnostic: true),
    Entity(
      source: .status, key: "sensors_streaming", name: "Sensors with data", form: .measured(Measure(nil, nil)),
      template: .nested("counts", "streaming"), isDiagnostic: true),
    Entity(
      source: .status, key: "spool_records", name: "Records to send", form: .measured(Measure(nil, nil)),
      template: .nested("spool", "records"), isDiagnostic: true),
  ]
}

extension String {
  /// A member of a member that a last will does not have.
  fileprivate static func nested(_ object: String, _ member: String) -> String {
    "{{ (value_json.\(object)|default({})).\(member)|default(none) }}"
  }
}

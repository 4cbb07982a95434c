// The saved data of a paired sensor.

import JSON
import Metrics
import Radio
import SensorKit
import Vocabulary

struct PairedSensor: Equatable, Sendable {
  /// Made when the sensor is paired; never changes.
  let id: String
  var address: DeviceAddress
  var name: String
  /// The advertised name, if the user chose another: plugins recognize some sensors by it.
  var deviceName: String?
  /// The ids of the plugins that matched when it was last connected.
  var plugins: [String]
  /// With those plugins, all its values came in adverts.
  var isBroadcaster = false
  var isEnabled = true
  /// BlueZ had a bond with it when it last worked.
  var isBonded = false
  /// Those of `Setting.ofSensor`.
  var values = SettingValues()
}

extension PairedSensor {
  var role: SensorRole? { values.word(.role).flatMap(SensorRole.init) }

  /// By default, a circumference set by the user is used, and otherwise the measured one.
  var usesMeasuredSize: Bool {
    (values.word(.wheelSize) ?? (values[.circumference] == nil ? "measured" : "user")) == "measured"
  }

  var tire: TireSettings { TireSettings(values, .ofSensor) }

  mutating func setTire(_ tire: TireSettings) {
    values.set(.targetPressure, toNumber: tire.targetPressurePa)
    values.set(.lowestPressure, toNumber: tire.lowestPressurePa)
    values.set(.highestPressure, toNumber: tire.highestPressurePa)
    values.set(.highestTemperature, toNumber: tire.highestCelsius)
  }

  var settings: SensorSettings { SensorSettings(circumferenceMM: values.number(.circumference), role: role) }

  /// Whether the setting has an effect on a sensor with these plugins.
  static func uses(_ setting: Setting, _ infos: [SensorInfo]) -> Bool {
    switch setting.use {
    case .everything: true
    case .wheels: infos.contains(where: \.countsWheel)
    case .kinds(let kinds): infos.contains { !Set($0.kinds).isDisjoint(with: kinds) }
    }
  }
}

extension PairedSensor {
  /// What a reader knows of its plugins.
  mutating func update(plugins infos: [SensorInfo], isBroadcaster: Bool) {
    plugins = infos.map(\.id)
    self.isBroadcaster = isBroadcaster
  }

  mutating func update(deviceName: String) {
    self.deviceName = deviceName == name || deviceName.isEmpty ? nil : deviceName
  }
}

extension PairedSensor {
  /// A readable and unique id: the letters and digits of the name, then the end of the address.
  /// `ride` and an empty id are never made.
  static func makeID(name: String?, address: DeviceAddress, fallback: String, taken: (String) -> Bool) -> String {
    let words = (name ?? "").lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
    let stem = words.isEmpty ? fallback.split(separator: "_").joined(separator: "-") : words.joined(separator: "-")
    let short = "\(stem.prefix(40))-\(address.tail)"
    return taken(short) ? "\(stem.prefix(40))-\(address.text.lowercased().split(separator: ":").joined())" : short
  }
}

extension PairedSensor {
  /// Nil if a required member is missing.
  init?(_ json: JSONValue) {
    guard let id = json["id"]?.text, let address = json["address"]?.text.flatMap({ DeviceAddress($0) }) else {
      return nil
    }
    self.id = id
    self.address = address
    name = json["name"]?.text ?? id
    plugins = json["plugins"]?.texts ?? []
    isBroadcaster = json["broadcasts"]?.bool ?? false
    deviceName = json["device_name"]?.text
    isEnabled = json["enabled"]?.bool ?? true
    isBonded = json["bonded"]?.bool ?? false
    for setting in Setting.ofSensor { _ = values.set(setting, to: json[setting.key]) }
    if tire.contradiction() != nil {
      for bound in [Setting.lowestPressure, .highestPressure] { values.set(bound, toNumber: nil) }
    }
  }

  /// `measuredMM` is written in exports only.
  func write(into writer: inout JSONWriter, measuredMM: Double? = nil) {
    writer.beginObject()
    writer.member("id", id)
    writer.member("address", address.text)
    writer.member("name", name)
    writer.member("plugins", plugins)
    if isBroadcaster { writer.member("broadcasts", true) }
    writer.member("device_name", deviceName)
    writer.member("enabled", isEnabled)
    if isBonded { writer.member("bonded", true) }
    for setting in Setting.ofSensor { writer.member(setting.key, values[setting]) }
    writer.member(Backup.measuredKey, measuredMM)
    writer.endObject()
  }
}

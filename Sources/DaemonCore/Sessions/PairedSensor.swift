// The saved data of a paired sensor.

import CaptureFormat
import JSON
import Metrics
import Radio
import SensorKit
import Wire

struct PairedSensor: Equatable, Sendable {
  /// Made when the sensor is paired; never changes.
  let id: String
  var address: DeviceAddress
  var name: String
  /// The advertised name, if the user chose another: plugins recognise some sensors by it.
  var deviceName: String?
  /// The ids of the plugins that matched when it was last connected.
  var plugins: [String]
  var role: SensorRole?
  var isEnabled = true
  /// BlueZ had a bond with it when it last worked.
  var isBonded = false
  var circumferenceMM: Double?
  /// Whether to use the user's or the measured circumference, if the user chose.
  var wheelSize: WheelSizeSource?
  /// If several sensors measure the same, the one with the highest priority is used.
  var priority: Double?
  var tire = TireSettings()

  enum WheelSizeSource: String, Sendable { case user, measured }

  /// By default, a circumference set by the user is used, and otherwise the measured one.
  var usesMeasuredSize: Bool { (wheelSize ?? (circumferenceMM == nil ? .measured : .user)) == .measured }

  var settings: SensorSettings { SensorSettings(circumferenceMM: circumferenceMM, role: role?.rawValue) }
}

extension PairedSensor {
  mutating func note(deviceName: String) {
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
    deviceName = json["device_name"]?.text
    isEnabled = json["enabled"]?.bool ?? true
    isBonded = json["bonded"]?.bool ?? false
    for setting in SensorSetting.all { _ = setting.apply(json[setting.key], to: &self) }
    if tire.contradiction() != nil { (tire.lowestPressurePa, tire.highestPressurePa) = (nil, nil) }
  }

  /// `measuredMM` is written in exports only.
  func write(into writer: inout JSONWriter, measuredMM: Double? = nil) {
    writer.beginObject()
    writer.member("id", id)
    writer.member("address", address.text)
    writer.member("name", name)
    writer.member("plugins", plugins)
    writer.member("device_name", deviceName)
    writer.member("enabled", isEnabled)
    if isBonded { writer.member("bonded", true) }
    for setting in SensorSetting.all { writer.member(setting.key, setting.read(self)) }
    writer.member(Backup.measuredKey, measuredMM)
    writer.endObject()
  }
}

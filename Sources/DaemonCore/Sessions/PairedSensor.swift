// What is remembered of a paired sensor.

import Metrics
import SensorKit
import Wire

struct PairedSensor: Equatable, Sendable {
  /// Made when it is paired; never changes after.
  let id: String
  var address: DeviceAddress
  var name: String
  /// What it calls itself, where the user calls it otherwise: some sensors are recognised by their names.
  var deviceName: String?
  /// The ids of the plugins that understood it when it was connected last.
  var plugins: [String]
  var role: SensorRole?
  var isEnabled = true
  /// BlueZ had a bond with it when it worked last.
  var isBonded = false
  var circumferenceMM: Double?
  /// Whether the size of its wheel is the user's or the one that was measured, where the user has said so.
  var wheelSize: WheelSizeSource?
  /// Of several sensors that say the same, which one is asked first.
  var priority: Double?
  var tire = TireSettings()

  enum WheelSizeSource: String, Sendable { case user, measured }

  /// What the user said stands, unless the user wants it measured.
  var usesMeasuredSize: Bool { (wheelSize ?? (circumferenceMM == nil ? .measured : .user)) == .measured }

  var settings: SensorSettings { SensorSettings(circumferenceMM: circumferenceMM, role: role?.rawValue) }
}

extension PairedSensor {
  mutating func note(deviceName: String) {
    self.deviceName = deviceName == name || deviceName.isEmpty ? nil : deviceName
  }
}

extension PairedSensor {
  /// An id that says what it is and cannot be mistaken for another: the name's letters and digits, then the end of the
  /// address. `ride` and the empty name are never made.
  static func makeID(name: String?, address: DeviceAddress, fallback: String, taken: (String) -> Bool) -> String {
    let words = (name ?? "").lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
    let stem = words.isEmpty ? fallback.split(separator: "_").joined(separator: "-") : words.joined(separator: "-")
    let short = "\(stem.prefix(40))-\(address.tail)"
    return taken(short) ? "\(stem.prefix(40))-\(address.text.lowercased().split(separator: ":").joined())" : short
  }
}

extension PairedSensor {
  /// Longer than any that is made, and short enough for a line with all of them.
  private static let longestID = 64

  /// Ids go into records and to people's scripts; `ride` is the daemon's own, and `gps` is no sensor.
  static func isID(_ text: String) -> Bool {
    let isPlain = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
      default: false
      }
    }
    return isPlain && (1...longestID).contains(text.utf8.count)
      && ![RideKeeper.name, CaptureLine.positionName].contains(text)
  }
}

extension PairedSensor {
  /// Nil for an entry that lacks what a sensor needs.
  init?(_ json: JSON) {
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

  /// `measuredMM` goes out with an export only.
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
    writer.member(Learned.measuredKey, measuredMM)
    writer.endObject()
  }
}

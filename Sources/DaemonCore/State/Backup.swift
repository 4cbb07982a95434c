// The content of an export: everything the daemon was taught, so that it can move to another
// computer. An import is checked completely before anything is changed.

import JSON
import Metrics
import Radio
import Ride
import Text
import Vocabulary
import Wire

struct Backup {
  static let version = 1
  var sensors: [PairedSensor]?
  /// Measured circumferences, by the address of the sensor.
  private(set) var measuredMM: [DeviceAddress: Double] = [:]
  var rider: Rider?
  var rideSettings: RideOverrides?
  /// With the sensor ids of the exporting daemon.
  var bikes: [Bike]?

  /// Missing members stay nil, and the import does not change what they stand for.
  init(_ json: JSONValue) throws(Refusal) {
    guard let version = json["version"]?.integer, version > 0 else {
      throw Refusal(.badRequest, "version is missing or not a number: this is not an export of Cyclometer")
    }
    guard version <= Self.version else {
      throw Refusal(
        .badRequest,
        "a newer release wrote this export (format \(version), this release reads \(Self.version)): upgrade Cyclometer"
      )
    }
    sensors = try Self.list("sensors", json["sensors"]) { entry throws(Refusal) in try Self.sensor(entry) }
    for (sensor, entry) in zip(sensors ?? [], json["sensors"]?.items ?? []) {
      measuredMM[sensor.address] = entry[Self.measuredKey]?.number
    }
    try rejectDuplicates()
    if let list = json["bikes"], list != .null {
      bikes = try Bike.list(list)
    }
    if let profile = json["rider"], profile != .null {
      guard let members = profile.members else { throw Refusal(.badRequest, "rider is an object") }
      var rider = Rider()
      if let problem = rider.apply(members) { throw Refusal(.badRequest, "rider: \(problem)") }
      self.rider = rider
    }
    if let settings = json["ride_settings"], settings != .null {
      guard let members = settings.members else { throw Refusal(.badRequest, "ride_settings is an object") }
      var overrides = RideOverrides()
      if let problem = overrides.apply(members) { throw Refusal(.badRequest, "ride_settings: \(problem)") }
      rideSettings = overrides
    }
  }

  private static func list<Entry>(
    _ name: String, _ json: JSONValue?, _ read: (JSONValue) throws(Refusal) -> Entry
  ) throws(Refusal) -> [Entry]? {
    guard let json, json != .null else { return nil }
    guard let items = json.items else { throw Refusal(.badRequest, "\(name) is a list") }
    var entries: [Entry] = []
    for (index, item) in items.enumerated() {
      do throws(Refusal) {
        entries.append(try read(item))
      } catch {
        throw Refusal(.badRequest, "\(name)[\(index)]: \(error.message)")
      }
    }
    return entries
  }

  static let measuredKey = "measured_circumference_mm"
  /// The maximum length of a Bluetooth device name, in bytes.
  private static let longestDeviceName = 248
  private static let mostPlugins = 32

  /// Stricter than reading the roster file: a bad setting is an error and is not dropped silently.
  private static func sensor(_ json: JSONValue) throws(Refusal) -> PairedSensor {
    guard var sensor = PairedSensor(json) else {
      throw Refusal(.badRequest, "a sensor needs an id and an address like A0:9E:1A:00:00:01")
    }
    guard SensorID.isValid(sensor.id) else {
      throw Refusal(.badRequest, "id can have a to z, 0 to 9 and -, and cannot be ride or gps")
    }
    guard sensor.name.isName else { throw Refusal(.badRequest, "name is \(String.nameRule)") }
    let deviceName = sensor.deviceName ?? ""
    guard deviceName.utf8.count <= longestDeviceName, !deviceName.unicodeScalars.contains(where: \.isUnprintable) else {
      throw Refusal(
        .badRequest,
        "device_name is at most \(longestDeviceName) bytes, without control, direction and separator characters")
    }
    if let size = json[measuredKey], size != .null, !Setting.circumference.fits(size) {
      throw Refusal(.badRequest, "\(measuredKey) is the measured size of its wheel, 300 to 4000 mm")
    }
    guard sensor.plugins.count <= mostPlugins, sensor.plugins.allSatisfy(\.isPluginID) else {
      throw Refusal(.badRequest, "plugins is a list of at most \(mostPlugins) names of a to z, 0 to 9 and _")
    }
    for setting in Setting.ofSensor {
      guard let value = json[setting.key], value != .null else { continue }
      guard sensor.values.set(setting, to: value) else {
        throw Refusal(.badRequest, "\(setting.key) is \(setting.expected)")
      }
    }
    if let problem = sensor.tire.contradiction() { throw Refusal(.badRequest, problem) }
    return sensor
  }

  private func rejectDuplicates() throws(Refusal) {
    let sensors = sensors ?? []
    for (index, sensor) in sensors.enumerated() {
      for other in sensors[..<index] where other.id == sensor.id || other.address == sensor.address {
        throw Refusal(.badRequest, "sensors[\(index)]: \(sensor.id) (\(sensor.address)) is listed twice")
      }
    }
  }
}

extension String {
  fileprivate var isPluginID: Bool {
    let isPlain = utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
      default: false
      }
    }
    return isPlain && !isEmpty && utf8.count <= 64
  }
}

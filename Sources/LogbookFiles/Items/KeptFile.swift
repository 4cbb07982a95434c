// What a file says about an activity and the tables have no columns for. It is stored as JSON, so
// that a file that was imported can be exported again with all its messages.

import ActivityFiles
import JSON
import LogbookWire
import Wire

/// The member `file` of the column `activity.detail`.
struct KeptFile: WireObject {
  var sportCode: Int?
  var subSportCode: Int?
  /// The word that the import made of the codes. They hold while the activity has this sport.
  var sport = ""
  var recorder = KeptLabel()
  var rider: KeptRider?
  var hasBarometer = false
  var devices: [KeptDevice] = []
  var zones: [KeptZones] = []
  var summary: KeptSummary?

  init() {}

  init(_ header: ActivityHeader, sport: String) {
    sportCode = header.sport.map { Int($0.rawValue) }
    subSportCode = header.subSport.map { Int($0.rawValue) }
    self.sport = sport
    recorder = KeptLabel(header.recorder)
    rider = header.rider.map(KeptRider.init)
    hasBarometer = header.hasBarometer
  }

  mutating func visit(_ members: inout Members) {
    members.member("sport_code", &sportCode)
    members.member("sub_sport_code", &subSportCode)
    members.member("sport", &sport)
    members.member("recorder", &recorder, unless: KeptLabel())
    members.member("rider", &rider)
    members.member("barometer", &hasBarometer, unless: false)
    members.member("devices", &devices, unless: [])
    members.member("zones", &zones, unless: [])
    members.member("summary", &summary)
  }

  var codes: SportCodes { SportCodes(sport: code(sportCode), subSport: code(subSportCode)) }

  static func inDetail(_ detail: String?) -> KeptFile? {
    detail.flatMap { try? JSONValue.parse($0) }?["file"].flatMap { KeptFile($0) }
  }
}

func code<Code: NamedCode>(_ number: Int?) -> Code? { number.flatMap(UInt8.init(exactly:)).map(Code.init(rawValue:)) }

struct KeptLabel: WireObject {
  private var name: String?
  private var manufacturer: Int?
  private var product: Int?
  private var serial: Int?
  private var softwareVersion: Double?

  init() {}

  init(_ label: DeviceLabel) {
    name = label.name
    manufacturer = label.manufacturer.map(Int.init)
    product = label.product.map(Int.init)
    serial = label.serial.map(Int.init)
    softwareVersion = label.softwareVersion
  }

  mutating func visit(_ members: inout Members) {
    members.member("name", &name)
    members.member("manufacturer", &manufacturer)
    members.member("product", &product)
    members.member("serial", &serial)
    members.member("software_version", &softwareVersion)
  }

  var label: DeviceLabel {
    var label = DeviceLabel(name: name)
    label.manufacturer = manufacturer.flatMap(UInt16.init(exactly:))
    label.product = product.flatMap(UInt16.init(exactly:))
    label.serial = serial.flatMap(UInt32.init(exactly:))
    label.softwareVersion = softwareVersion
    return label
  }
}

struct KeptRider: WireObject {
  private var name: String?
  private var sex: Int?
  private var age: Int?
  private var heightM: Double?
  private var weightKg: Double?
  private var restingBpm: Int?
  private var maxBpm: Int?

  init() {}

  init(_ rider: ActivityRider) {
    (name, sex, age) = (rider.name, rider.sex.map { Int($0.rawValue) }, rider.age)
    (heightM, weightKg) = (rider.heightMetres, rider.weightKilograms)
    (restingBpm, maxBpm) = (rider.restingHeartRate, rider.maxHeartRate)
  }

  mutating func visit(_ members: inout Members) {
    members.member("name", &name)
    members.member("sex", &sex)
    members.member("age", &age)
    members.member("height_m", &heightM)
    members.member("weight_kg", &weightKg)
    members.member("resting_bpm", &restingBpm)
    members.member("max_bpm", &maxBpm)
  }

  var rider: ActivityRider {
    var rider = ActivityRider()
    rider.name = name
    rider.sex = sex.flatMap(UInt8.init(exactly:)).flatMap(ActivityRider.Sex.init(rawValue:))
    (rider.age, rider.heightMetres, rider.weightKilograms) = (age, heightM, weightKg)
    (rider.restingHeartRate, rider.maxHeartRate) = (restingBpm, maxBpm)
    return rider
  }
}

/// With the place in the sequence of items: after the point of that second.
struct KeptDevice: WireObject {
  private(set) var after = -1
  private var t = 0
  private var index = 0
  private var kind = 0
  private var label = KeptLabel()
  private var batteryPercent: Int?
  private var batteryVolts: Double?

  init() {}

  init(_ device: ActivityDevice, after: Int) {
    self.after = after
    (t, index) = (device.t, Int(device.index))
    kind = ActivityDevice.Kind.allCases.firstIndex(of: device.kind) ?? 0
    label = KeptLabel(device.label)
    (batteryPercent, batteryVolts) = (device.batteryPercent, device.batteryVolts)
  }

  mutating func visit(_ members: inout Members) {
    members.needed("after", &after)
    members.needed("t", &t)
    members.needed("index", &index)
    members.needed("kind", &kind)
    members.member("label", &label, unless: KeptLabel())
    members.member("battery_pct", &batteryPercent)
    members.member("battery_v", &batteryVolts)
  }

  var device: ActivityDevice {
    let kinds = ActivityDevice.Kind.allCases
    var device = ActivityDevice(
      t: t, index: UInt8(clamping: index), kind: kinds.indices.contains(kind) ? kinds[kind] : .other,
      label: label.label)
    (device.batteryPercent, device.batteryVolts) = (batteryPercent, batteryVolts)
    return device
  }
}

struct KeptZones: WireObject {
  private var lap: Int?
  private var heartRate: KeptTimes?
  private var power: KeptTimes?
  private var maxBpm: Int?
  private var restingBpm: Int?
  private var thresholdBpm: Int?
  private var thresholdPowerW: Int?

  init() {}

  init(_ zones: ActivityZones) {
    if case .lap(let index) = zones.span { lap = index }
    (heartRate, power) = (zones.heartRate.map(KeptTimes.init), zones.power.map(KeptTimes.init))
    (maxBpm, restingBpm) = (zones.maxHeartRate, zones.restingHeartRate)
    (thresholdBpm, thresholdPowerW) = (zones.thresholdHeartRate, zones.thresholdPower)
  }

  mutating func visit(_ members: inout Members) {
    members.member("lap", &lap)
    members.member("heart_rate", &heartRate)
    members.member("power", &power)
    members.member("max_bpm", &maxBpm)
    members.member("resting_bpm", &restingBpm)
    members.member("threshold_bpm", &thresholdBpm)
    members.member("threshold_power_w", &thresholdPowerW)
  }

  var zones: ActivityZones {
    var zones = ActivityZones(span: lap.map { .lap($0) } ?? .activity)
    (zones.heartRate, zones.power) = (heartRate?.times, power?.times)
    (zones.maxHeartRate, zones.restingHeartRate) = (maxBpm, restingBpm)
    (zones.thresholdHeartRate, zones.thresholdPower) = (thresholdBpm, thresholdPowerW)
    return zones
  }
}

struct KeptTimes: WireObject {
  private var seconds: [Double] = []
  private var upperBounds: [Double] = []

  init() {}

  init(_ times: ActivityZones.Times) { (seconds, upperBounds) = (times.seconds, times.upperBounds) }

  mutating func visit(_ members: inout Members) {
    members.needed("seconds", &seconds)
    members.member("upper_bounds", &upperBounds, unless: [])
  }

  var times: ActivityZones.Times { ActivityZones.Times(seconds: seconds, upperBounds: upperBounds) }
}

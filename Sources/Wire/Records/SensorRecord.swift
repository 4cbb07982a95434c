// What there is to say of a paired sensor (SENSOR in the contract), of a change to the list of them, and of a device that
// a scan found.

/// A paired sensor. Members that are not known are left out.
public struct SensorRecord: Equatable, Sendable {
  public var id: String
  public var name: String
  public var address: String
  public var plugins: [String]
  public var kinds: [String]
  /// Nil until the sensor was connected: its plugins alone do not decide.
  public var commands: [String]?
  public var state: SensorState?
  public var reason: StateReason?
  public var role: String?
  public var batteryPct: Double?
  public var rssiDBm: Int?
  public var settings: JSON
  public var facts: JSON
  public var link: JSON

  public init(
    id: String, name: String, address: String, plugins: [String] = [], kinds: [String] = [],
    commands: [String]? = nil, state: SensorState? = nil, reason: StateReason? = nil, role: String? = nil,
    batteryPct: Double? = nil,
    rssiDBm: Int? = nil, settings: JSON = .object([]), facts: JSON = .object([]), link: JSON = .object([])
  ) {
    self.id = id
    self.name = name
    self.address = address
    self.plugins = plugins
    self.kinds = kinds
    self.commands = commands
    self.state = state
    self.reason = reason
    self.role = role
    self.batteryPct = batteryPct
    self.rssiDBm = rssiDBm
    self.settings = settings
    self.facts = facts
    self.link = link
  }

  public func write(into writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("id", id)
    writer.member("name", name)
    writer.member("address", address)
    writer.member("plugins", plugins)
    writer.member("kinds", kinds)
    writer.member("commands", commands)
    writer.member("state", state?.rawValue)
    writer.member("reason", reason?.rawValue)
    writer.member("role", role)
    writer.member("battery_pct", batteryPct)
    writer.member("rssi_dbm", rssiDBm)
    for (name, value) in [("settings", settings), ("facts", facts), ("link", link)] where value != .object([]) {
      writer.member(name, value)
    }
    writer.endObject()
  }

  public init?(_ json: JSON) {
    guard let id = json["id"]?.text else { return nil }
    self.init(
      id: id, name: json["name"]?.text ?? id, address: json["address"]?.text ?? "",
      plugins: json["plugins"]?.texts ?? [], kinds: json["kinds"]?.texts ?? [],
      commands: json["commands"]?.texts,
      state: json["state"]?.text.flatMap(SensorState.init), reason: json["reason"]?.text.flatMap(StateReason.init),
      role: json["role"]?.text, batteryPct: json["battery_pct"]?.number, rssiDBm: json["rssi_dbm"]?.integer,
      settings: json["settings"] ?? .object([]), facts: json["facts"] ?? .object([]),
      link: json["link"] ?? .object([]))
  }
}

/// The list of paired sensors changed, or what is known of one of them.
public struct SensorChangeRecord: Record {
  public static let className = "sensor"

  public enum Change: String, CaseIterable, Sendable {
    case added, changed, removed
  }

  public let change: Change
  public let sensor: SensorRecord

  public init(_ change: Change, _ sensor: SensorRecord) {
    self.change = change
    self.sensor = sensor
  }

  public func writeMembers(into writer: inout JSONWriter) {
    writer.member("change", change.rawValue)
    writer.member("sensor")
    sensor.write(into: &writer)
  }

  public init?(_ json: JSON) {
    guard let change = json["change"]?.text.flatMap(Change.init), let sensor = json["sensor"].flatMap(SensorRecord.init)
    else { return nil }
    self.init(change, sensor)
  }
}

/// A device that a scan heard of. `id` is that of the paired sensor, or the one it would get.
public struct FoundRecord: Record {
  public static let className = "found"
  public var id: String
  public var address: String
  public var name: String?
  public var rssiDBm: Int?
  public var kinds: [String]
  public var plugins: [String]
  public var isPaired: Bool

  public init(
    id: String, address: String, name: String? = nil, rssiDBm: Int? = nil, kinds: [String] = [],
    plugins: [String] = [], isPaired: Bool = false
  ) {
    self.id = id
    self.address = address
    self.name = name
    self.rssiDBm = rssiDBm
    self.kinds = kinds
    self.plugins = plugins
    self.isPaired = isPaired
  }

  public func writeMembers(into writer: inout JSONWriter) {
    writer.member("id", id)
    writer.member("address", address)
    writer.member("name", name)
    writer.member("rssi_dbm", rssiDBm)
    writer.member("kinds", kinds)
    writer.member("plugins", plugins)
    writer.member("paired", isPaired)
  }

  public init?(_ json: JSON) {
    guard let id = json["id"]?.text, let address = json["address"]?.text else { return nil }
    self.init(
      id: id, address: address, name: json["name"]?.text, rssiDBm: json["rssi_dbm"]?.integer,
      kinds: json["kinds"]?.texts ?? [], plugins: json["plugins"]?.texts ?? [],
      isPaired: json["paired"]?.bool ?? false)
  }
}

// Records of a paired sensor (SENSOR in the protocol), of changes to the list of sensors, and of
// devices that a scan found.

public import JSON
public import Vocabulary

/// A paired sensor. Unknown members are omitted.
public struct SensorRecord: Equatable, Sendable {
  public var id: String
  public var name: String
  public var address: String
  public var plugins: [String]
  public var kinds: [String]
  /// The commands it supports. Nil until it was connected, because its plugins alone do not decide.
  public var commands: [CommandInfo]?
  /// The keys of `set` that have an effect on it.
  public var settingKeys: [String]
  /// How long a sample stays current, by kind. A kind without a limit is current while the sensor
  /// streams.
  public var staleAfterMS: [KindLimit]
  public var state: SensorState?
  public var reason: StateReason?
  public var role: String?
  public var batteryPct: Double?
  public var rssiDBm: Int?
  public var settings: JSONValue
  public var facts: JSONValue
  public var link: JSONValue

  public init(
    id: String, name: String, address: String, plugins: [String] = [], kinds: [String] = [],
    commands: [CommandInfo]? = nil, settingKeys: [String] = [], staleAfterMS: [KindLimit] = [],
    state: SensorState? = nil, reason: StateReason? = nil, role: String? = nil,
    batteryPct: Double? = nil,
    rssiDBm: Int? = nil, settings: JSONValue = .object([]), facts: JSONValue = .object([]),
    link: JSONValue = .object([])
  ) {
    self.id = id
    self.name = name
    self.address = address
    self.plugins = plugins
    self.kinds = kinds
    self.commands = commands
    self.settingKeys = settingKeys
    self.staleAfterMS = staleAfterMS
    self.state = state
    self.reason = reason
    self.role = role
    self.batteryPct = batteryPct
    self.rssiDBm = rssiDBm
    self.settings = settings
    self.facts = facts
    self.link = link
  }

  /// `isBrief`: omits facts, setting keys, and all of commands but their names, to fit many sensors
  /// into one line.
  public func write(into writer: inout JSONWriter, isBrief: Bool = false) {
    writer.beginObject()
    writer.member("id", id)
    writer.member("name", name)
    writer.member("address", address)
    writer.member("plugins", plugins)
    writer.member("kinds", kinds)
    if let commands { writer.member("commands", commands, namesOnly: isBrief) }
    if !isBrief, !settingKeys.isEmpty { writer.member("setting_keys", settingKeys) }
    if !staleAfterMS.isEmpty { writer.member("stale_after_ms", staleAfterMS) }
    writer.member("state", state?.rawValue)
    writer.member("reason", reason?.rawValue)
    writer.member("role", role)
    writer.member("battery_pct", batteryPct)
    writer.member("rssi_dbm", rssiDBm)
    let details = [("settings", settings), ("facts", isBrief ? .object([]) : facts), ("link", link)]
    for (name, value) in details where value != .object([]) {
      writer.member(name, value)
    }
    writer.endObject()
  }

  public init?(_ json: JSONValue) {
    guard let id = json["id"]?.text else { return nil }
    self.init(
      id: id, name: json["name"]?.text ?? id, address: json["address"]?.text ?? "",
      plugins: json["plugins"]?.texts ?? [], kinds: json["kinds"]?.texts ?? [],
      commands: json["commands"]?.items?.compactMap(CommandInfo.init),
      settingKeys: json["setting_keys"]?.texts ?? [], staleAfterMS: KindLimit.all(in: json["stale_after_ms"]),
      state: json["state"]?.text.flatMap(SensorState.init), reason: json["reason"]?.text.flatMap(StateReason.init),
      role: json["role"]?.text, batteryPct: json["battery_pct"]?.number, rssiDBm: json["rssi_dbm"]?.integer,
      settings: json["settings"] ?? .object([]), facts: json["facts"] ?? .object([]),
      link: json["link"] ?? .object([]))
  }
}

/// How old a sample of a kind may be and still be current.
public struct KindLimit: Equatable, Sendable {
  public let kind: String
  public let milliseconds: Int

  public init(_ kind: String, milliseconds: Int) {
    self.kind = kind
    self.milliseconds = milliseconds
  }

  public static func all(in json: JSONValue?) -> [KindLimit] {
    (json?.members ?? []).compactMap { member in
      member.value.integer.map { KindLimit(member.name, milliseconds: $0) }
    }
  }
}

/// A change to the list of paired sensors or to one of them.
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

  public init?(_ json: JSONValue) {
    guard let change = json["change"]?.text.flatMap(Change.init), let sensor = json["sensor"].flatMap(SensorRecord.init)
    else { return nil }
    self.init(change, sensor)
  }
}

/// A device that a scan found. `id` is that of the paired sensor, or the one that the device would
/// get.
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

  public init?(_ json: JSONValue) {
    guard let id = json["id"]?.text, let address = json["address"]?.text else { return nil }
    self.init(
      id: id, address: address, name: json["name"]?.text, rssiDBm: json["rssi_dbm"]?.integer,
      kinds: json["kinds"]?.texts ?? [], plugins: json["plugins"]?.texts ?? [],
      isPaired: json["paired"]?.bool ?? false)
  }
}

/// An advert of a sensor that a client keeps disabled and listens to.
public struct AdvertRecord: Record {
  public static let className = "advert"
  public let sensor: String
  public let rssiDBm: Int
  /// When it arrived.
  public let t: Double

  public init(sensor: String, rssiDBm: Int, t: Double) {
    self.sensor = sensor
    self.rssiDBm = rssiDBm
    self.t = t
  }

  public func writeMembers(into writer: inout JSONWriter) {
    writer.member("sensor", sensor)
    writer.member("rssi_dbm", rssiDBm)
    writer.member("t", t)
  }

  public init?(_ json: JSONValue) {
    guard let sensor = json["sensor"]?.text, let rssi = json["rssi_dbm"]?.integer, let t = json["t"]?.number else {
      return nil
    }
    self.init(sensor: sensor, rssiDBm: rssi, t: t)
  }
}

// MARK: Parts of SENSOR

extension JSONWriter {
  /// How long samples stay current, in milliseconds, by kind.
  public mutating func member(_ name: String, _ limits: [KindLimit]) {
    member(name)
    beginObject()
    for limit in limits { member(limit.kind, limit.milliseconds) }
    endObject()
  }

  fileprivate mutating func member(_ name: String, _ commands: [CommandInfo], namesOnly: Bool) {
    member(name)
    beginArray()
    for command in commands {
      beginObject()
      member("name", command.name)
      if !namesOnly {
        member("summary", command.summary)
        if !command.preparation.isEmpty { member("preparation", command.preparation) }
        if !command.parameters.isEmpty { member("parameters", command.parameters) }
      }
      endObject()
    }
    endArray()
  }

  private mutating func member(_ name: String, _ parameters: [CommandInfo.Parameter]) {
    member(name)
    beginArray()
    for parameter in parameters {
      beginObject()
      member("name", parameter.name)
      member("summary", parameter.summary)
      member("unit", parameter.unit)
      member("minimum", parameter.range.lowerBound)
      member("maximum", parameter.range.upperBound)
      member("required", parameter.isRequired)
      endObject()
    }
    endArray()
  }
}

extension CommandInfo {
  public init?(_ json: JSONValue) {
    guard let name = json["name"]?.text else { return nil }
    self.init(
      name, json["summary"]?.text ?? "", json["parameters"]?.items?.compactMap(Parameter.init) ?? [],
      preparation: json["preparation"]?.text ?? "")
  }
}

extension CommandInfo.Parameter {
  public init?(_ json: JSONValue) {
    guard let name = json["name"]?.text, let minimum = json["minimum"]?.number, let maximum = json["maximum"]?.number,
      minimum <= maximum
    else { return nil }
    self.init(
      name, json["summary"]?.text, in: minimum...maximum, json["unit"]?.text,
      required: json["required"]?.bool ?? false)
  }
}

// Records of a paired sensor (SENSOR in the protocol), of changes to the list of sensors, and of
// devices that a scan found.

public import JSON
public import Vocabulary

/// A paired sensor. Unknown members are omitted.
public struct SensorRecord: WireObject {
  public var id = ""
  public var name = ""
  public var address = ""
  public var plugins: [String] = []
  public var kinds: [String] = []
  /// The commands it supports. Nil until it was connected, because its plugins alone do not decide.
  public var commands: [CommandInfo]?
  /// The keys of `set` that have an effect on it.
  public var settingKeys: [String] = []
  /// How long a sample stays current, by kind. A kind without a limit is current while the sensor
  /// streams.
  public var staleAfterMS = KindLimits()
  public var state: WireWord<SensorState>?
  public var reason: WireWord<StateReason>?
  public var role: WireWord<SensorRole>?
  /// It has a bond with this computer.
  public var isBonded = false
  /// Its values come in adverts, without a connection.
  public var isBroadcaster = false
  public var batteryPct: Double?
  public var rssiDBm: Int?
  /// By key.
  public var settings = JSONValue.object([])
  /// What the sensor says about itself.
  public var facts = JSONValue.object([])
  public var link: LinkRecord?
  /// The programs that decode for it, one for each of its plugins that needs one.
  public var programs: [ProgramRecord] = []
  /// Members of a later release.
  public private(set) var others: [JSONValue.Member] = []

  public init() {}

  public init(id: String, name: String, address: String) {
    (self.id, self.name, self.address) = (id, name, address)
  }

  public mutating func visit(_ members: inout Members) {
    members.needed("id", &id)
    members.member("name", &name)
    members.member("address", &address)
    members.member("plugins", &plugins)
    members.member("kinds", &kinds)
    members.member("commands", &commands)
    members.member("setting_keys", &settingKeys, unless: [])
    members.member("stale_after_ms", &staleAfterMS, unless: KindLimits())
    members.member("state", &state)
    members.member("reason", &reason)
    members.member("role", &role)
    members.member("bonded", &isBonded, unless: false)
    members.member("broadcasts", &isBroadcaster, unless: false)
    members.member("battery_pct", &batteryPct)
    members.member("rssi_dbm", &rssiDBm)
    members.member("settings", &settings, unless: .object([]))
    members.member("facts", &facts, unless: .object([]))
    members.member("link", &link)
    members.member("programs", &programs, unless: [])
    members.others(&others)
  }

  /// Without facts, setting keys, programs, and all of commands but their names, to fit many sensors
  /// into one line.
  public var brief: SensorRecord {
    var brief = self
    brief.commands = commands.map { $0.map { CommandInfo($0.name, "") } }
    brief.settingKeys = []
    brief.facts = .object([])
    brief.programs = []
    return brief
  }
}

/// The program that decodes for a plugin.
public struct ProgramRecord: WireObject {
  public private(set) var plugin = ""
  /// Whose program may decode.
  public private(set) var user = ""
  /// The number of its process; nil while it is not connected.
  public private(set) var pid: Int?
  /// Members of a later release.
  public private(set) var others: [JSONValue.Member] = []

  public init() {}

  public init(plugin: String, user: String, pid: Int?) {
    (self.plugin, self.user, self.pid) = (plugin, user, pid)
  }

  public mutating func visit(_ members: inout Members) {
    members.needed("plugin", &plugin)
    members.needed("user", &user)
    members.member("pid", &pid)
    members.others(&others)
  }
}

/// How well a sensor's link holds, since the daemon's start.
public struct LinkRecord: WireObject {
  /// How often it was lost.
  public private(set) var reconnects = 0
  /// How often the daemon ended it because the sensor was silent.
  public private(set) var silentReconnects = 0
  /// The longest time between two values with a lost link in between.
  public private(set) var longestGapS: Double?
  public private(set) var packets: Int?
  /// Packets that should have come in between.
  public private(set) var missed: Int?
  /// Members of a later release.
  public private(set) var others: [JSONValue.Member] = []

  public init() {}

  public init(reconnects: Int, silentReconnects: Int, longestGapS: Double?, packets: Int?, missed: Int?) {
    self.reconnects = reconnects
    self.silentReconnects = silentReconnects
    self.longestGapS = longestGapS
    self.packets = packets
    self.missed = missed
  }

  public mutating func visit(_ members: inout Members) {
    members.member("reconnects", &reconnects)
    members.member("silent_reconnects", &silentReconnects, unless: 0)
    members.member("longest_gap_s", &longestGapS)
    members.member("packets", &packets)
    members.member("missed", &missed)
    members.others(&others)
  }
}

/// How old a sample may be and still be current, in milliseconds by kind.
public struct KindLimits: WireValue {
  public private(set) var all: [(kind: String, milliseconds: Int)] = []

  public init(_ limits: [(kind: String, milliseconds: Int)] = []) { all = limits }

  public init?(wire json: JSONValue) {
    guard let members = json.members else { return nil }
    all = members.compactMap { member in member.value.integer.map { (member.name, $0) } }
  }

  public subscript(kind: String) -> Int? { all.first { $0.kind == kind }?.milliseconds }

  public static func == (left: KindLimits, right: KindLimits) -> Bool {
    left.all.elementsEqual(right.all, by: ==)
  }

  public func write(into writer: inout JSONWriter) {
    writer.beginObject()
    for (kind, milliseconds) in all { writer.member(kind, milliseconds) }
    writer.endObject()
  }
}

/// A change to the list of paired sensors or to one of them.
public struct SensorChangeRecord: Record, WireObject {
  public static let className = "sensor"

  public enum Change: String, CaseIterable, Sendable {
    case added, changed, removed
  }

  public private(set) var change = WireWord<Change>()
  public private(set) var sensor = SensorRecord()

  public init() {}

  public init(_ change: Change, _ sensor: SensorRecord) {
    self.change = WireWord(change)
    self.sensor = sensor
  }

  public mutating func visit(_ members: inout Members) {
    members.needed("change", &change)
    members.needed("sensor", &sensor)
  }
}

/// A device that a scan found. `id` is that of the paired sensor, or the one that the device would
/// get.
public struct FoundRecord: Record, WireObject {
  public static let className = "found"
  public var id = ""
  public var address = ""
  public var name: String?
  public var rssiDBm: Int?
  public var kinds: [String] = []
  public var plugins: [String] = []
  public var isPaired = false

  public init() {}

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

  public mutating func visit(_ members: inout Members) {
    members.needed("id", &id)
    members.needed("address", &address)
    members.member("name", &name)
    members.member("rssi_dbm", &rssiDBm)
    members.member("kinds", &kinds)
    members.member("plugins", &plugins)
    members.member("paired", &isPaired)
  }
}

/// An advert of a sensor that a client keeps disabled and listens to.
public struct AdvertRecord: Record, WireObject {
  public static let className = "advert"
  public private(set) var sensor = ""
  public private(set) var rssiDBm = 0
  /// When it arrived.
  public private(set) var t = 0.0

  public init() {}

  public init(sensor: String, rssiDBm: Int, t: Double) {
    self.sensor = sensor
    self.rssiDBm = rssiDBm
    self.t = t
  }

  public mutating func visit(_ members: inout Members) {
    members.needed("sensor", &sensor)
    members.needed("rssi_dbm", &rssiDBm)
    members.needed("t", &t)
  }
}

// MARK: Commands

extension CommandInfo: WireValue {
  public init?(wire json: JSONValue) { self.init(json) }

  public init?(_ json: JSONValue) {
    guard let name = json["name"]?.text else { return nil }
    self.init(
      name, json["summary"]?.text ?? "", json["parameters"]?.items?.compactMap { Parameter(wire: $0) } ?? [],
      preparation: json["preparation"]?.text ?? "")
  }

  /// Without its summary, only its name.
  public func write(into writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("name", name)
    if !summary.isEmpty { writer.member("summary", summary) }
    if !preparation.isEmpty { writer.member("preparation", preparation) }
    if !parameters.isEmpty {
      writer.member("parameters")
      parameters.write(into: &writer)
    }
    writer.endObject()
  }
}

extension CommandInfo.Parameter: WireValue {
  public init?(wire json: JSONValue) {
    guard let name = json["name"]?.text, let minimum = json["minimum"]?.number, let maximum = json["maximum"]?.number,
      minimum <= maximum
    else { return nil }
    self.init(
      name, json["summary"]?.text, in: minimum...maximum, json["unit"]?.text,
      required: json["required"]?.bool ?? false)
  }

  public func write(into writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("name", name)
    writer.member("summary", summary)
    writer.member("unit", unit)
    writer.member("minimum", range.lowerBound)
    writer.member("maximum", range.upperBound)
    writer.member("required", isRequired)
    writer.endObject()
  }
}

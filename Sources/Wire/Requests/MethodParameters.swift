// The parameters of each method: the daemon reads them and a client writes them.

public import JSON
import Text
public import Vocabulary

/// Which samples and events a client subscribes to. `kinds` and `sensors` filter both; nil passes
/// all.
public struct Filter: Equatable, Sendable {
  public var kinds: [String]?
  public var sensors: [String]?
  public var events: Bool
  public var maxHz: Double?
  /// Whether to send the last sample of each kind first, with its age.
  public var snapshot: Bool

  public init(
    kinds: [String]? = nil, sensors: [String]? = nil, events: Bool = true, maxHz: Double? = nil,
    snapshot: Bool = true
  ) {
    self.kinds = kinds
    self.sensors = sensors
    self.events = events
    self.maxHz = maxHz
    self.snapshot = snapshot
  }

  /// Whether samples of that sensor and kind pass. Events pass if `events` is true as well.
  public func passes(sensor: String, kind: String) -> Bool {
    (kinds?.contains(kind) ?? true) && (sensors?.contains(sensor) ?? true)
  }

  init(_ parameters: Parameters) throws(Refusal) {
    kinds = try parameters.names("kinds")
    sensors = try parameters.names("sensors")
    events = try parameters.bool("events") ?? true
    maxHz = try parameters.positive("max_hz")
    snapshot = try parameters.bool("snapshot") ?? true
  }

  func write(into writer: inout JSONWriter) {
    writer.member("kinds", kinds)
    writer.member("sensors", sensors)
    if !events { writer.member("events", false) }
    writer.member("max_hz", maxHz)
    if !snapshot { writer.member("snapshot", false) }
  }
}

public struct ScanParameters: Equatable, Sendable {
  /// Duration of the scan; nil for the daemon's default.
  public var seconds: Double?
  public static let longest = 3600.0
  /// Also report devices that no plugin supports.
  public var all: Bool

  public init(seconds: Double? = nil, all: Bool = false) {
    self.seconds = seconds
    self.all = all
  }

  init(_ parameters: Parameters) throws(Refusal) {
    seconds = try parameters.positive("seconds", atMost: Self.longest)
    all = try parameters.bool("all") ?? false
  }

  func write(into writer: inout JSONWriter) {
    writer.member("seconds", seconds)
    if all { writer.member("all", true) }
  }
}

public struct DisableParameters: Equatable, Sendable {
  public var sensor: String
  /// The sensor is enabled again when the client disconnects. Nothing is saved.
  public var whileConnected: Bool
  /// Report the sensor's adverts to the client meanwhile.
  public var listen: Bool

  public init(sensor: String, whileConnected: Bool = false, listen: Bool = false) {
    self.sensor = sensor
    self.whileConnected = whileConnected
    self.listen = listen
  }

  init(_ parameters: Parameters) throws(Refusal) {
    sensor = try parameters.sensor()
    whileConnected = try parameters.bool("while_connected") ?? false
    listen = try parameters.bool("listen") ?? false
    if listen, !whileConnected { throw parameters.refuse("listen", "for while_connected only") }
  }

  func write(into writer: inout JSONWriter) {
    writer.member("sensor", sensor)
    if whileConnected { writer.member("while_connected", true) }
    if listen { writer.member("listen", true) }
  }
}

/// An action of the rider on the ride.
public enum RideAction: String, CaseIterable, Sendable {
  case new, lap, pause, resume, end
}

public struct RideParameters: Equatable, Sendable {
  public var action: RideAction
  /// For a new ride only; nil to derive it from the sensors.
  public var sport: Sport?

  public init(_ action: RideAction, sport: Sport? = nil) {
    self.action = action
    self.sport = sport
  }

  init(_ parameters: Parameters) throws(Refusal) {
    action = try parameters.needed(parameters.word("action"), "action", Parameters.choice(of: RideAction.self))
    sport = try parameters.word("sport")
    if sport != nil, action != .new { throw parameters.refuse("sport", "for the action new only") }
  }

  func write(into writer: inout JSONWriter) {
    writer.member("action", action.rawValue)
    writer.member("sport", sport?.rawValue)
  }
}

public struct PairParameters: Equatable, Sendable {
  public var address: String
  public var name: String?
  public var role: SensorRole?

  public init(address: String, name: String? = nil, role: SensorRole? = nil) {
    self.address = address
    self.name = name
    self.role = role
  }

  init(_ parameters: Parameters) throws(Refusal) {
    address = try parameters.needed(parameters.text("address"), "address", "a Bluetooth address")
    name = try parameters.text("name")
    if let name, !name.isName { throw parameters.refuse("name", String.nameRule) }
    let role = try parameters.text("role")
    self.role = role.flatMap(SensorRole.init)
    if role != nil, self.role == nil { throw parameters.refuse("role", "front, rear, left or right") }
  }

  func write(into writer: inout JSONWriter) {
    writer.member("address", address)
    writer.member("name", name)
    writer.member("role", role?.rawValue)
  }
}

/// A device to connect to for a while, and for how long to record what it sends.
public struct InspectParameters: Equatable, Sendable {
  public var address: String
  /// From the connection on; nil for the daemon's default.
  public var seconds: Double?
  public static let longest = 600.0

  public init(address: String, seconds: Double? = nil) {
    self.address = address
    self.seconds = seconds
  }

  init(_ parameters: Parameters) throws(Refusal) {
    address = try parameters.needed(parameters.text("address"), "address", "a Bluetooth address")
    seconds = try parameters.positive("seconds", atMost: Self.longest)
  }

  func write(into writer: inout JSONWriter) {
    writer.member("address", address)
    writer.member("seconds", seconds)
  }
}

/// Changes to a bike. Without a name, the request only reads the bikes.
public struct BikeParameters: Equatable, Sendable {
  public var name: String?
  public var newName: String?
  /// Sensor ids.
  public var sensors: [String]?
  /// Settings by key; an empty string clears one.
  public var settings: [JSONValue.Member]
  public var isRemoved: Bool

  public init(
    name: String? = nil, newName: String? = nil, sensors: [String]? = nil, settings: [JSONValue.Member] = [],
    isRemoved: Bool = false
  ) {
    self.name = name
    self.newName = newName
    self.sensors = sensors
    self.settings = settings
    self.isRemoved = isRemoved
  }

  init(_ parameters: Parameters) throws(Refusal) {
    newName = try parameters.text("rename")
    sensors = try parameters.names("sensors")
    settings = Setting.ofBike.compactMap { setting in
      parameters.given(setting.key).map { JSONValue.Member(setting.key, $0) }
    }
    isRemoved = try parameters.bool("remove") ?? false
    name = try parameters.text("name")
    for (member, name) in [("name", name), ("rename", newName)] {
      if let name, !name.isName { throw parameters.refuse(member, String.nameRule) }
    }
    let isChange = newName != nil || sensors != nil || isRemoved || !settings.isEmpty
    if isChange { _ = try parameters.needed(name, "name", "the bike's name, a string") }
  }

  func write(into writer: inout JSONWriter) {
    writer.member("name", name)
    writer.member("rename", newName)
    writer.member("sensors", sensors)
    for setting in settings { writer.member(setting.name, setting.value) }
    if isRemoved { writer.member("remove", true) }
  }
}

/// The user's answer to a `prompt`.
public struct AnswerParameters: Equatable, Sendable {
  public var prompt: String
  /// The digits of a passkey, or `yes` or `no` for a confirmation.
  public var value: String

  public init(prompt: String, value: String) {
    self.prompt = prompt
    self.value = value
  }

  init(_ parameters: Parameters) throws(Refusal) {
    prompt = try parameters.needed(parameters.text("prompt"), "prompt", "the prompt's name, a string")
    let expected = "a passkey of up to six digits, or true or false"
    switch try parameters.needed(parameters.value("value"), "value", expected) {
    case .string(let text): value = text
    case .bool(let flag): value = flag ? "yes" : "no"
    case .number(let number) where number >= 0 && number <= 999_999 && number == number.rounded():
      value = String(Int(number))
    default: throw parameters.refuse("value", expected)
    }
  }

  func write(into writer: inout JSONWriter) {
    writer.member("prompt", prompt)
    switch value {
    case "yes": writer.member("value", true)
    case "no": writer.member("value", false)
    default: writer.member("value", value)
    }
  }
}

public struct SettingParameters: Equatable, Sendable {
  public var sensor: String
  public var key: String
  /// Nil clears the setting.
  public var value: JSONValue?

  public init(sensor: String, key: String, value: JSONValue?) {
    self.sensor = sensor
    self.key = key
    self.value = value
  }

  init(_ parameters: Parameters) throws(Refusal) {
    sensor = try parameters.sensor()
    key = try parameters.needed(parameters.text("key"), "key", "a string")
    value = parameters.value("value")
  }

  func write(into writer: inout JSONWriter) {
    writer.member("sensor", sensor)
    writer.member("key", key)
    writer.member("value", value)
  }
}

/// A command to a sensor.
public struct CommandParameters: Equatable, Sendable {
  public var sensor: String
  public var name: String
  /// The command's numbers by name. A single number is called `value`.
  public var numbers: [String: Double]

  public init(sensor: String, name: String, numbers: [String: Double] = [:]) {
    self.sensor = sensor
    self.name = name
    self.numbers = numbers
  }

  init(_ parameters: Parameters) throws(Refusal) {
    sensor = try parameters.sensor()
    name = try parameters.needed(parameters.text("name"), "name", "the command's name, a string")
    numbers = try parameters.numbers("params")
  }

  func write(into writer: inout JSONWriter) {
    writer.member("sensor", sensor)
    writer.member("name", name)
    guard !numbers.isEmpty else { return }
    writer.member("params")
    writer.beginObject()
    for (name, number) in numbers.sorted(by: { $0.key < $1.key }) { writer.member(name, number) }
    writer.endObject()
  }
}

/// A piece of a capture. A header line starts a new replay; pieces without one continue the last.
public struct ReplayParameters: Equatable, Sendable {
  public var lines: [String]
  /// A factor: 2 plays twice as fast as recorded.
  public var speed: Double
  /// At the limits, an hour takes weeks or a ride is over in seconds.
  static let speeds = 0.001...1000.0

  public init(lines: [String], speed: Double = 1) {
    self.lines = lines
    self.speed = speed
  }

  init(_ parameters: Parameters) throws(Refusal) {
    lines = try parameters.needed(parameters.texts("lines"), "lines", "the lines of a capture, an array of strings")
    speed = try parameters.number("speed", in: Self.speeds) ?? 1
  }

  func write(into writer: inout JSONWriter) {
    writer.member("lines", lines)
    if speed != 1 { writer.member("speed", speed) }
  }
}

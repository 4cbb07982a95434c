// The parameters of the methods, each read with its type and refused by its name.

/// Reads members of `params`: nil where one is left out, `bad_request` where it is of another type.
struct Parameters {
  private let id: RequestID
  private let values: JSON

  init(of request: Request, _ values: JSON) {
    id = request.id
    self.values = values
  }

  func refuse(_ name: String, _ expected: String) -> ErrorRecord {
    ErrorRecord(id: id, .badRequest, "\(name) is \(expected)")
  }

  func needed<Value>(_ value: Value?, _ name: String, _ expected: String) throws(ErrorRecord) -> Value {
    guard let value else { throw ErrorRecord(id: id, .badRequest, "\(name) is missing: \(expected)") }
    return value
  }

  func text(_ name: String) throws(ErrorRecord) -> String? {
    try read(name, "a string") { $0.text }
  }

  func texts(_ name: String) throws(ErrorRecord) -> [String]? {
    try read(name, "an array of strings") { $0.texts }
  }

  func bool(_ name: String) throws(ErrorRecord) -> Bool? {
    try read(name, "true or false") { $0.bool }
  }

  func positive(_ name: String) throws(ErrorRecord) -> Double? {
    try read(name, "a number above 0") { $0.number.flatMap { $0 > 0 ? $0 : nil } }
  }

  private func read<Value>(
    _ name: String, _ expected: String, _ convert: (JSON) -> Value?
  ) throws(ErrorRecord) -> Value? {
    guard let json = values[name], json != .null else { return nil }
    guard let value = convert(json) else { throw refuse(name, expected) }
    return value
  }
}

/// What a subscriber wants to hear. `kinds` and `sensors` speak of samples only; nil lets all of them pass.
public struct Filter: Equatable, Sendable {
  public var kinds: [String]?
  public var sensors: [String]?
  public var events: Bool
  public var maxHz: Double?
  /// Whether the last sample of each kind comes first, with its age.
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

  /// Whether samples of that sensor and kind pass.
  public func passes(sensor: String, kind: String) -> Bool {
    (kinds?.contains(kind) ?? true) && (sensors?.contains(sensor) ?? true)
  }

  init(_ parameters: Parameters) throws(ErrorRecord) {
    kinds = try parameters.texts("kinds")
    sensors = try parameters.texts("sensors")
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
  /// How long to look; nil leaves it to the daemon.
  public var seconds: Double?
  /// Also devices that no plugin knows.
  public var all: Bool

  public init(seconds: Double? = nil, all: Bool = false) {
    self.seconds = seconds
    self.all = all
  }

  init(_ parameters: Parameters) throws(ErrorRecord) {
    seconds = try parameters.positive("seconds")
    all = try parameters.bool("all") ?? false
  }

  func write(into writer: inout JSONWriter) {
    writer.member("seconds", seconds)
    if all { writer.member("all", true) }
  }
}

/// Where on the bike a sensor sits, where there can be two of its sort.
public enum SensorRole: String, CaseIterable, Sendable {
  case front, rear, left, right
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

  init(_ parameters: Parameters) throws(ErrorRecord) {
    address = try parameters.needed(parameters.text("address"), "address", "a Bluetooth address")
    name = try parameters.text("name")
    if let name, !name.isName { throw parameters.refuse("name", "1 to 64 characters, and no control character") }
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

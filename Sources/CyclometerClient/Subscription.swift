// What a client subscribes to. Empty lists mean everything.

public import JSON

public struct Subscription: Equatable, Sendable {
  public var kinds: [String]
  /// Sensor ids; `ride` means derived values.
  public var sensors: [String]
  /// The most samples per second of each sensor and kind. Omitted samples do not count as lost.
  public var maxHz: Double?
  /// Whether to begin with the last sample of each sensor and kind, with its age.
  public var snapshot: Bool
  public var events: Bool

  public init(
    kinds: [String] = [], sensors: [String] = [], maxHz: Double? = nil, snapshot: Bool = true, events: Bool = true
  ) {
    self.kinds = kinds
    self.sensors = sensors
    self.maxHz = maxHz
    self.snapshot = snapshot
    self.events = events
  }

  public var parameters: JSONValue {
    var members: [JSONValue.Member] = []
    if !kinds.isEmpty { members.append(JSONValue.Member("kinds", .array(kinds.map { .string($0) }))) }
    if !sensors.isEmpty { members.append(JSONValue.Member("sensors", .array(sensors.map { .string($0) }))) }
    if let maxHz, maxHz.isFinite { members.append(JSONValue.Member("max_hz", .number(maxHz))) }
    if !snapshot { members.append(JSONValue.Member("snapshot", false)) }
    if !events { members.append(JSONValue.Member("events", false)) }
    return .object(members)
  }
}

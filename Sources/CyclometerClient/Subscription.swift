// What a client wants to hear. Nothing named means everything.

public import Wire

public struct Subscription: Equatable, Sendable {
  public var kinds: [String]
  /// Their ids; `ride` stands for what is derived.
  public var sensors: [String]
  /// At most so many samples a second of each sensor and kind. Those left out are no loss, and no gap is told.
  public var maxHz: Double?
  /// Whether the last sample of each comes first, with its age.
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

  /// The parameters of the `subscribe` request.
  public var parameters: JSON {
    var members: [JSON.Member] = []
    if !kinds.isEmpty { members.append(JSON.Member("kinds", .array(kinds.map { .string($0) }))) }
    if !sensors.isEmpty { members.append(JSON.Member("sensors", .array(sensors.map { .string($0) }))) }
    if let maxHz, maxHz.isFinite { members.append(JSON.Member("max_hz", .number(maxHz))) }
    if !snapshot { members.append(JSON.Member("snapshot", false)) }
    if !events { members.append(JSON.Member("events", false)) }
    return .object(members)
  }
}

// A bike: a named set of sensors, and what the user has said of its wheel and its tires.

public struct Bike: Equatable, Sendable {
  public var name: String
  /// Ids, as the user named them.
  public var sensors: [String] = []
  /// Of its wheels.
  public var circumferenceMM: Double?
  /// What the tires should have, as pascal above the air's.
  public var frontPressurePa: Double?
  public var rearPressurePa: Double?

  public init(name: String) { self.name = name }
}

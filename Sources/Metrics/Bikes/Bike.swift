// A bike: a named set of sensors, and what the user has said of its wheel and its tires.

public struct Bike: Equatable, Sendable {
  public var name: String
  /// Ids, as the user named them.
  public var sensors: [String] = []
  /// Of its wheels.
  public var circumferenceMM: Double?
  /// The highest temperature is of both.
  public var frontTire = TireSettings()
  public var rearTire = TireSettings()
  public var highestCelsius: Double?

  public init(name: String) { self.name = name }
}

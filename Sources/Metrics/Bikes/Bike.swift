// A bike: a named set of sensors, with the wheel and tire settings that they share.

public struct Bike: Equatable, Sendable {
  public var name: String
  /// Ids as the user wrote them; they need not be paired.
  public var sensors: [String] = []
  public var circumferenceMM: Double?
  /// The highest temperature applies to both tires.
  public var frontTire = TireSettings()
  public var rearTire = TireSettings()
  public var highestCelsius: Double?

  public init(name: String) { self.name = name }
}

// A bike: a named set of sensors, with the wheel and tire settings that they share.

public import Vocabulary

public struct Bike: Equatable, Sendable {
  public var name: String
  /// Ids as the user wrote them; they need not be paired.
  public var sensors: [String] = []
  /// Those of `Setting.ofBike`.
  public var settings = SettingValues()

  public init(name: String) { self.name = name }

  /// The highest temperature applies to both tires.
  public func tire(_ role: SensorRole?) -> TireSettings {
    switch role {
    case .front: TireSettings(settings, .ofFront)
    case .rear: TireSettings(settings, .ofRear)
    case .left, .right, nil: TireSettings(settings, nil)
    }
  }
}

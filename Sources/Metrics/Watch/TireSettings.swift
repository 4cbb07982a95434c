// The pressure that a tire should have, and the limits for warnings.

public import Vocabulary

/// Gauge pressures in pascal. Missing limits are derived from the target; without one they are not
/// watched.
public struct TireSettings: Equatable, Sendable {
  public var targetPressurePa: Double?
  public var lowestPressurePa: Double?
  public var highestPressurePa: Double?
  public var highestCelsius: Double?

  public init() {}

  /// Which settings they are.
  public struct Names: Sendable {
    let target: Setting
    let lowest: Setting
    let highest: Setting

    public static let ofSensor = Names(target: .targetPressure, lowest: .lowestPressure, highest: .highestPressure)
    public static let ofFront = Names(
      target: .frontPressure, lowest: .frontLowestPressure, highest: .frontHighestPressure)
    public static let ofRear = Names(target: .rearPressure, lowest: .rearLowestPressure, highest: .rearHighestPressure)
  }

  /// Without names, only the temperature is read.
  public init(_ values: SettingValues, _ names: Names?) {
    targetPressurePa = names.flatMap { values.number($0.target) }
    lowestPressurePa = names.flatMap { values.number($0.lowest) }
    highestPressurePa = names.flatMap { values.number($0.highest) }
    highestCelsius = values.number(.highestTemperature)
  }

  /// A sentence if the settings contradict each other.
  public func contradiction(_ names: Names = .ofSensor) -> String? {
    if let lowestPressurePa, let highestPressurePa, lowestPressurePa >= highestPressurePa {
      return "\(names.lowest.key) has to be below \(names.highest.key)"
    }
    if let lowestPressurePa, let targetPressurePa, targetPressurePa < lowestPressurePa {
      return "\(names.target.key) cannot be below \(names.lowest.key)"
    }
    if let highestPressurePa, let targetPressurePa, targetPressurePa > highestPressurePa {
      return "\(names.target.key) cannot be above \(names.highest.key)"
    }
    return nil
  }

  /// Fills missing settings from another set. Its pressures are not used if they would contradict
  /// these.
  public func filled(from other: TireSettings) -> TireSettings {
    var filled = self
    filled.targetPressurePa = targetPressurePa ?? other.targetPressurePa
    filled.lowestPressurePa = lowestPressurePa ?? other.lowestPressurePa
    filled.highestPressurePa = highestPressurePa ?? other.highestPressurePa
    if filled.contradiction() != nil { filled = self }
    filled.highestCelsius = highestCelsius ?? other.highestCelsius
    return filled
  }
}

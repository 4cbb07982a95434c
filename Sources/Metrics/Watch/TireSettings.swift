// The pressure that a tire should have, and the limits for warnings.

/// Gauge pressures in pascal. Missing limits are derived from the target; without one they are not
/// watched.
public struct TireSettings: Equatable, Sendable {
  public var targetPressurePa: Double?
  public var lowestPressurePa: Double?
  public var highestPressurePa: Double?
  public var highestCelsius: Double?

  public init() {}

  /// The names of the settings in messages.
  public struct Names: Sendable {
    let target: String
    let lowest: String
    let highest: String

    public init(target: String, lowest: String, highest: String) {
      (self.target, self.lowest, self.highest) = (target, lowest, highest)
    }

    public static let ofSensor = Names(
      target: "target_pressure_pa", lowest: "lowest_pressure_pa", highest: "highest_pressure_pa")
  }

  /// A sentence if the settings contradict each other.
  public func contradiction(_ names: Names = .ofSensor) -> String? {
    if let lowestPressurePa, let highestPressurePa, lowestPressurePa >= highestPressurePa {
      return "\(names.lowest) has to be below \(names.highest)"
    }
    if let lowestPressurePa, let targetPressurePa, targetPressurePa < lowestPressurePa {
      return "\(names.target) cannot be below \(names.lowest)"
    }
    if let highestPressurePa, let targetPressurePa, targetPressurePa > highestPressurePa {
      return "\(names.target) cannot be above \(names.highest)"
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

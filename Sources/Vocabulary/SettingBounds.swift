// What a setting may be, wherever it is set.

public enum SettingBounds {
  /// The distance of one wheel revolution.
  public static let circumferenceMM = 300.0...4000
  /// Of a tire, above the air's.
  public static let pressurePa = 20_000.0...2_000_000
  public static let temperatureC = 20.0...150
}

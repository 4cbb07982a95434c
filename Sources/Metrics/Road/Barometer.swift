// The height of a pressure in the standard atmosphere (ISO 2533, below 11 km). Differences in
// height are wrong by 0.4 % per kelvin by which the air differs from it.

internal import CMath

enum Barometer {
  /// From the Dead Sea at high pressure to above every road; other values are not air pressure.
  private static let pressures = 30_000.0...111_000

  static func height(pascals: Double) -> Double? {
    guard pressures.contains(pascals) else { return nil }
    return 44_330.77 * (1 - pow(pascals / 101_325, 0.190_263_2))
  }
}

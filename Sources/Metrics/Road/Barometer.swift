// The height that a pressure means in the standard atmosphere (ISO 2533, below 11 km). How much higher one place is than
// another is true within what the air is warmer or colder than in it: 0.4 % a kelvin.

internal import CMath

enum Barometer {
  /// From the Dead Sea in a high to above every road; what says otherwise is no pressure of the air.
  private static let pressures = 30_000.0...111_000

  static func height(pascals: Double) -> Double? {
    guard pressures.contains(pascals) else { return nil }
    return 44_330.77 * (1 - pow(pascals / 101_325, 0.190_263_2))
  }
}

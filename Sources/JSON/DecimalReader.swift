// Converts decimal digits to a double. If the digits are at most 2^53 and the power of ten at most
// 10^22, both are exact doubles, and one operation rounds correctly (Clinger's fast path). That
// covers every number that Cyclometer itself writes. The standard library converts the rest.

struct DecimalReader {
  private var isNegative = false
  private var digits: UInt64 = 0
  private var exponent = 0
  private var isExact = true

  private static let powers: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
  ]

  mutating func negate() { isNegative = true }

  mutating func append(_ digit: UInt8, isFraction: Bool) {
    guard digits <= 900_000_000_000_000 else {
      isExact = false
      return
    }
    digits = digits * 10 + UInt64(digit)
    if isFraction { exponent -= 1 }
  }

  mutating func addExponent(_ other: DecimalReader, isNegative: Bool) {
    guard other.isExact, other.digits < 1000 else {
      isExact = false
      return
    }
    exponent += isNegative ? -Int(other.digits) : Int(other.digits)
  }

  /// The number, if one operation on doubles rounds it correctly.
  var exactValue: Double? {
    guard isExact, -22...22 ~= exponent else { return nil }
    let magnitude =
      exponent < 0 ? Double(digits) / Self.powers[-exponent] : Double(digits) * Self.powers[exponent]
    return isNegative ? -magnitude : magnitude
  }
}

// The 16-bit float of medical devices, SFLOAT of IEEE 11073-20601: a signed decimal exponent in the
// upper four bits and a signed mantissa in the lower twelve. Five bit patterns are not numbers and
// are treated as unknown.

import SensorKit

extension ByteCursor {
  private static let specials: ClosedRange<UInt16> = 0x07fe...0x0802

  /// Nil for NaN, NRes (not at this resolution), the infinities and the reserved pattern.
  mutating func medicalFloat(_ bytes: Span<UInt8>) throws(DecodeError) -> Double? {
    let raw = try uint16(bytes)
    if Self.specials.contains(raw) { return nil }
    let exponent = Int16(bitPattern: raw) >> 12
    let mantissa = Int16(bitPattern: raw << 4) >> 4
    var power = 1.0
    for _ in 0..<exponent.magnitude { power *= 10 }
    return exponent < 0 ? Double(mantissa) / power : Double(mantissa) * power
  }
}

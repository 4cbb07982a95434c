// The 16-bit number of medical devices, SFLOAT of IEEE 11073-20601: a signed exponent of ten in the upper four bits, a
// signed mantissa in the lower twelve. Five patterns are no numbers; they are not known, whatever the reason.

import SensorKit

extension ByteCursor {
  private static let specials: ClosedRange<UInt16> = 0x07fe...0x0802

  /// Nil for not a number, not at this resolution, either infinity and the reserved pattern.
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

// The 16-bit float of medical devices, SFLOAT of IEEE 11073-20601: a signed decimal exponent in the
// upper four bits and a signed mantissa in the lower twelve.

/// Nil for the five patterns that are not numbers: NaN, NRes (not at this resolution), the infinities
/// and a reserved one.
@inlinable
public func medicalFloat(_ raw: UInt16) -> Double? {
  if 0x07fe...0x0802 ~= raw { return nil }
  let exponent = Int16(bitPattern: raw) >> 12
  let mantissa = Int16(bitPattern: raw << 4) >> 4
  var power = 1.0
  for _ in 0..<exponent.magnitude { power *= 10 }
  return exponent < 0 ? Double(mantissa) / power : Double(mantissa) * power
}

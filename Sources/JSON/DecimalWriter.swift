// Numbers of the protocol: plain decimals with at most six decimals, without trailing zeros,
// exponent or negative zero. The exact value of the double is rounded, ties to even, like C's
// "%.6f". No second double is involved.

extension Double {
  /// The value that a client reads for this number: the double nearest to its six decimals.
  package var asPublished: Double {
    // From here on, neighbouring doubles are farther apart than a millionth, so the decimals lead
    // back to the same one.
    guard magnitude < 0x1p33 else { return self }
    let whole = UInt64(magnitude)
    let millionths = whole * 1_000_000 + [UInt8].millionths(ofFraction: magnitude - Double(whole))
    let published = Double(millionths) / 1_000_000
    return self < 0 && millionths != 0 ? -published : published
  }
}

extension [UInt8] {
  @usableFromInline
  package mutating func appendDecimal(_ number: Double) {
    precondition(number.isFinite, "a number that is not finite has no place in JSON")
    let magnitude = number.magnitude
    guard magnitude < 0x1p63 else {
      if number < 0 { append(UInt8(ascii: "-")) }
      return appendHugeDecimal(magnitude)
    }
    var whole = UInt64(magnitude)
    var millionths = Self.millionths(ofFraction: magnitude - Double(whole))
    if millionths == 1_000_000 {
      whole += 1
      millionths = 0
    }
    if number < 0, whole != 0 || millionths != 0 { append(UInt8(ascii: "-")) }
    appendDecimal(whole)
    appendFraction(millionths)
  }

  /// Seconds from nanoseconds, without a double in between.
  package mutating func appendSeconds(nanoseconds: Int64) {
    let microseconds = Self.microseconds(nanoseconds)
    if nanoseconds < 0, microseconds != 0 { append(UInt8(ascii: "-")) }
    appendDecimal(microseconds / 1_000_000)
    appendFraction(microseconds % 1_000_000)
  }

  /// The magnitude of a time, rounded to microseconds as in records.
  package static func microseconds(_ nanoseconds: Int64) -> UInt64 {
    nanoseconds.magnitude / 1000 + (nanoseconds.magnitude % 1000 >= 500 ? 1 : 0)
  }

  @usableFromInline
  package mutating func appendDecimal(_ number: UInt64) {
    appendPadded(number, width: 1)
  }

  /// Works in place; reversing a slice would copy the buffer.
  private mutating func reverse(from start: Int) {
    var low = start
    var high = count - 1
    while low < high {
      swapAt(low, high)
      low += 1
      high -= 1
    }
  }

  /// Appends a number, padded with zeros to `width` digits.
  package mutating func appendPadded(_ number: UInt64, width: Int) {
    var digits = InlineArray<20, UInt8>(repeating: 0)
    var rest = number
    var start = digits.count
    while rest != 0 || digits.count - start < width {
      start -= 1
      digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
    for place in start..<digits.count { append(digits[place]) }
  }

  private mutating func appendFraction(_ millionths: UInt64) {
    guard millionths != 0 else { return }
    append(UInt8(ascii: "."))
    var digits = millionths
    var width = 6
    while digits % 10 == 0 {
      digits /= 10
      width -= 1
    }
    appendPadded(digits, width: width)
  }

  /// The fraction, from 0 to below 1, in millionths: 0 to 1,000,000.
  fileprivate static func millionths(ofFraction fraction: Double) -> UInt64 {
    // Below 2^-21 it is less than half of one. Above, the shift stays under 75 bits and the product
    // under 73.
    guard fraction >= 0x1p-21 else { return 0 }
    let shift = 52 - fraction.exponent
    let product = UInt128(fraction.significandBitPattern | 1 << 52) * 1_000_000
    let quotient = UInt64(truncatingIfNeeded: product >> UInt128(shift))
    let rest = product & (1 << UInt128(shift) - 1)
    let half: UInt128 = 1 << UInt128(shift - 1)
    let roundsUp = rest > half || (rest == half && quotient & 1 == 1)
    return quotient + (roundsUp ? 1 : 0)
  }

  /// From 2^63 on, a double is a whole number. Its bits are converted by repeated division, nine
  /// digits at a time.
  private mutating func appendHugeDecimal(_ magnitude: Double) {
    var limbs = InlineArray<32, UInt32>(repeating: 0)
    let shift = Int(magnitude.exponent) - 52
    let bits = UInt128(magnitude.significandBitPattern | 1 << 52) << UInt128(shift % 32)
    for index in 0..<3 where shift / 32 + index < 32 {
      limbs[shift / 32 + index] = UInt32(truncatingIfNeeded: bits >> UInt128(32 * index))
    }
    let start = count
    var top = 31
    while true {
      while top >= 0, limbs[top] == 0 { top -= 1 }
      guard top >= 0 else { break }
      var remainder: UInt64 = 0
      for index in stride(from: top, through: 0, by: -1) {
        let part = remainder << 32 | UInt64(limbs[index])
        limbs[index] = UInt32(part / 1_000_000_000)
        remainder = part % 1_000_000_000
      }
      for _ in 0..<9 {
        append(UInt8(ascii: "0") + UInt8(remainder % 10))
        remainder /= 10
      }
    }
    while last == UInt8(ascii: "0") { removeLast() }
    reverse(from: start)
  }
}

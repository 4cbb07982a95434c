// A number as the daemon writes it: digits and a point, without an exponent. Stored as a whole
// number and a count of decimals, it comes back exactly.

struct Decimal: Equatable {
  var mantissa: Int64
  var decimals: Int

  static let mostDecimals = 15
  private static let powers: InlineArray<19, Int64> = {
    var powers = InlineArray<19, Int64>(repeating: 1)
    for index in 1..<19 { powers[index] = powers[index - 1] * 10 }
    return powers
  }()

  init(mantissa: Int64, decimals: Int) {
    self.mantissa = mantissa
    self.decimals = decimals
  }

  /// Nil for anything but a plain decimal of at most 18 digits. `isExact` refuses what would not come
  /// back in the same digits: -0, and zeros before the first one or after the last decimal.
  init?(_ line: Span<UInt8>, _ token: Range<Int>, isExact: Bool = true) {
    var place = token.lowerBound
    let isNegative = place < token.upperBound && line[place] == UInt8(ascii: "-")
    if isNegative { place += 1 }
    let first = place
    var mantissa: Int64 = 0
    var digits = 0
    var point: Int?
    while place < token.upperBound {
      let byte = line[place]
      if byte == UInt8(ascii: "."), point == nil, digits > 0 {
        point = place
      } else {
        guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9"), digits < 18 else { return nil }
        mantissa = mantissa * 10 + Int64(byte - UInt8(ascii: "0"))
        digits += 1
      }
      place += 1
    }
    guard digits > 0 else { return nil }
    let decimals = point.map { token.upperBound - $0 - 1 } ?? 0
    let isPadded = line[first] == UInt8(ascii: "0") && digits - decimals > 1
    let endsInZero = point != nil && (decimals == 0 || line[token.upperBound - 1] == UInt8(ascii: "0"))
    let isChanged = isPadded || endsInZero || mantissa == 0 && isNegative
    guard decimals <= Self.mostDecimals, !isExact || !isChanged else { return nil }
    self.mantissa = isNegative ? -mantissa : mantissa
    self.decimals = decimals
  }

  var doubleValue: Double { Double(mantissa) / Double(Self.powers[decimals]) }

  /// The mantissa with more decimals; nil if it becomes too large.
  func mantissa(with decimals: Int) -> Int64? {
    guard decimals >= self.decimals, decimals < 19 else { return nil }
    let (product, overflow) = mantissa.multipliedReportingOverflow(by: Self.powers[decimals - self.decimals])
    return overflow || product.magnitude >= UInt64(Self.powers[18]) ? nil : product
  }

  /// The nearest whole number of units of that many decimals.
  func rounded(to decimals: Int) -> Int64? {
    if decimals >= self.decimals { return mantissa(with: decimals) }
    let divisor = Self.powers[self.decimals - decimals]
    let half = divisor / 2
    return (mantissa + (mantissa < 0 ? -half : half)) / divisor
  }

  /// Appends the number without zeros at its end.
  func write(into bytes: inout [UInt8]) {
    var (mantissa, decimals) = (mantissa.magnitude, decimals)
    if self.mantissa < 0 { bytes.append(UInt8(ascii: "-")) }
    while decimals > 0, mantissa % 10 == 0 {
      mantissa /= 10
      decimals -= 1
    }
    var text = InlineArray<20, UInt8>(repeating: UInt8(ascii: "0"))
    var count = 0
    while mantissa > 0 || count <= decimals {
      text[count] = UInt8(ascii: "0") + UInt8(mantissa % 10)
      mantissa /= 10
      count += 1
    }
    for index in stride(from: count - 1, through: 0, by: -1) {
      bytes.append(text[index])
      if index == decimals, index > 0 { bytes.append(UInt8(ascii: ".")) }
    }
  }
}

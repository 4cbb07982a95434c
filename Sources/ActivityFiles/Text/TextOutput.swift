// Pieces of text formats: numbers with a point and no exponent, dates in UTC, escaped XML.

import Earth
import JSON
import Time

extension [UInt8] {
  mutating func append(text: String) {
    append(contentsOf: text.utf8)
  }

  /// Without trailing zeros. Appends nothing if no measurement has such a size.
  mutating func append(number: Double, decimals: Int) {
    guard let rounded = number.rounded(decimals: decimals) else { return }
    appendDecimal(rounded)
  }

  /// Seven decimals, which is a centimetre.
  mutating func append(degrees: Double) {
    let parts = (degrees * 1e7).roundedInteger ?? 0
    if parts < 0 { append(UInt8(ascii: "-")) }
    appendPadded(UInt64(parts.magnitude) / 10_000_000, width: 1)
    append(UInt8(ascii: "."))
    appendPadded(UInt64(parts.magnitude) % 10_000_000, width: 7)
  }

  mutating func append(date: WallTime) {
    append(text: date.dateText)
  }

  /// Escapes what has a meaning in XML, and drops what it forbids.
  mutating func append(xml text: String) {
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": append(text: "&amp;")
      case "<": append(text: "&lt;")
      case ">": append(text: "&gt;")
      case "\"": append(text: "&quot;")
      case "\t", "\n", "\r": append(UInt8(ascii: scalar))
      case "\u{0}"..<" ", "\u{fffe}", "\u{ffff}": continue
      default: append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
      }
    }
  }

  mutating func append(element name: String, xml text: String?) {
    guard let text else { return }
    append(text: "<\(name)>")
    append(xml: text)
    append(text: "</\(name)>")
  }

  mutating func append(element name: String, number: Double?, decimals: Int = 0) {
    guard let number, number.rounded(decimals: decimals) != nil else { return }
    append(text: "<\(name)>")
    append(number: number, decimals: decimals)
    append(text: "</\(name)>")
  }

  mutating func append(element name: String, date: WallTime) {
    append(text: "<\(name)>\(date.dateText)</\(name)>")
  }
}

extension Double {
  /// nil if the number is far beyond what is measured. Never a negative zero.
  func rounded(decimals: Int) -> Double? {
    guard magnitude < 1e12 else { return nil }
    let scale: Double = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000][Swift.min(Swift.max(0, decimals), 6)]
    return (self * scale).rounded() / scale + 0
  }

  /// nil outside of the range.
  func rounded(within range: ClosedRange<Double>) -> Double? {
    let whole = rounded()
    return range.contains(whole) ? whole + 0 : nil
  }
}

extension Coordinate {
  /// XML formats end before 180 degrees.
  var writtenLongitude: Double { longitude > 179.999_999_95 ? -180 : longitude }
}

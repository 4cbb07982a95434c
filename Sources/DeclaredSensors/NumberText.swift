// The numbers of the language: `12`, `-3`, `0.5` and `0x1f`, without an exponent.

import JSON

enum NumberText {
  static func number(_ text: some StringProtocol) -> Double? {
    var digits = Substring(text)
    let isNegative = digits.utf8.first == UInt8(ascii: "-")
    if isNegative { digits = Substring(digits.utf8.dropFirst()) }
    guard let magnitude = magnitude(digits) else { return nil }
    return isNegative ? -magnitude : magnitude
  }

  static func whole(_ text: some StringProtocol, in range: ClosedRange<Int>) -> Int? {
    number(text).flatMap { Int(exactly: $0) }.flatMap { range.contains($0) ? $0 : nil }
  }

  /// Pairs of hex digits.
  static func bytes(_ text: some StringProtocol) -> [UInt8]? {
    text.isEmpty ? nil : JSON.bytes(ofHex: text)
  }

  /// As a file has it.
  static func text(_ number: Double) -> String { Int(exactly: number).map(String.init) ?? "\(number)" }

  private static func magnitude(_ text: Substring) -> Double? {
    if text.utf8.starts(with: "0x".utf8) {
      let digits = text.utf8.dropFirst(2).map(hexDigit)
      guard 1...12 ~= digits.count else { return nil }
      return digits.reduce(Optional(0)) { number, digit in number.flatMap { n in digit.map { n * 16 + Double($0) } } }
    }
    let parts = text[...].parts(at: ".")
    guard 1...2 ~= parts.count, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { decimalDigit($0) != nil } })
    else { return nil }
    return Double(text)
  }
}

// A device address as bytes, last byte first, as text, and as a number.

import JSON
internal import SensorKit

enum DeviceAddress {
  /// With colons and small letters.
  static func text(_ bytes: Span<UInt8>) -> InlineArray<17, UInt8> {
    var text = InlineArray<17, UInt8>(repeating: UInt8(ascii: ":"))
    for index in 0..<6 {
      let byte = bytes[5 - index]
      text[3 * index] = hexLetter(byte >> 4)
      text[3 * index + 1] = hexLetter(byte & 0xf)
    }
    return text
  }

  /// The number that a `u48` reads from the bytes of an address. NaN for an empty text; no address has
  /// the number of another text.
  static func number(_ text: String) -> Double {
    if text.isEmpty { return .nan }
    var number = 0.0
    var count = 0
    for byte in text.utf8 {
      count += 1
      if count % 3 == 0, byte == UInt8(ascii: ":") { continue }
      guard count % 3 != 0, let digit = hexDigit(byte) else { return -1 }
      number = number * 16 + Double(digit)
    }
    return count == 17 ? number : -1
  }
}

// A device address as bytes, last byte first, and as text.

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

  /// Also if the sender has no address, as in some captures.
  static func isEqual(_ bytes: Span<UInt8>, _ address: String) -> Bool {
    guard bytes.count == 6 else { return false }
    if address.isEmpty { return true }
    let text = text(bytes)
    var index = 0
    for byte in address.utf8 {
      let letter = UInt8(ascii: "A")...UInt8(ascii: "F") ~= byte ? byte + 32 : byte
      guard index < text.count, text[index] == letter else { return false }
      index += 1
    }
    return index == text.count
  }
}

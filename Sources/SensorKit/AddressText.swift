// The text of a device address that a sensor sends as six bytes, the last one first.

import JSON

/// With colons and small letters.
public func addressText(_ bytes: Span<UInt8>) -> InlineArray<17, UInt8> {
  var text = InlineArray<17, UInt8>(repeating: UInt8(ascii: ":"))
  for index in 0..<6 {
    let byte = bytes[5 - index]
    text[3 * index] = hexLetter(byte >> 4)
    text[3 * index + 1] = hexLetter(byte & 0xf)
  }
  return text
}

// Bytes of text that have a meaning in JSON, and in the other formats that are read bytewise.

/// White space as JSON defines it.
package func isSpace(_ byte: UInt8) -> Bool {
  byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d
}

package func decimalDigit(_ byte: UInt8) -> UInt8? {
  UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte ? byte - UInt8(ascii: "0") : nil
}

package func hexDigit(_ byte: UInt8) -> UInt8? {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
  default: nil
  }
}

/// The lower-case hexadecimal digit.
package func hexLetter(_ digit: UInt8) -> UInt8 {
  digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
}

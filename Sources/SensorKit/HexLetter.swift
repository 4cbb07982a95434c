// Hexadecimal text.

/// The lower-case hexadecimal digit.
public func hexLetter(_ digit: UInt8) -> UInt8 {
  digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
}

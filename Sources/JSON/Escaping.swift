// Writes strings: escapes where RFC 8259 requires them, and never a byte that is not UTF-8.

@inline(__always)
func needsEscape(_ byte: UInt8) -> Bool {
  byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
}

extension [UInt8] {
  @inline(__always)
  mutating func appendEscaped(_ byte: UInt8) {
    if needsEscape(byte) { appendEscape(byte) } else { append(byte) }
  }

  /// Passes on each byte of the text, and appends U+FFFD for each byte that is not valid UTF-8.
  mutating func appendRepaired(_ text: Span<UInt8>, _ appendByte: (inout [UInt8], UInt8) -> Void) {
    var index = 0
    while index < text.count {
      let length = utf8SequenceLength(text, at: index)
      if length == 0 {
        append(0xef)
        append(0xbf)
        append(0xbd)
        index += 1
        continue
      }
      for _ in 0..<length {
        appendByte(&self, text[index])
        index += 1
      }
    }
  }

  private mutating func appendEscape(_ byte: UInt8) {
    append(UInt8(ascii: "\\"))
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): append(byte)
    case 0x08: append(UInt8(ascii: "b"))
    case 0x09: append(UInt8(ascii: "t"))
    case 0x0a: append(UInt8(ascii: "n"))
    case 0x0c: append(UInt8(ascii: "f"))
    case 0x0d: append(UInt8(ascii: "r"))
    default:
      append(contentsOf: "u00".utf8)
      appendHex(byte)
    }
  }

  package mutating func appendHex(_ byte: UInt8) {
    append(hexLetter(byte >> 4))
    append(hexLetter(byte & 0xf))
  }
}

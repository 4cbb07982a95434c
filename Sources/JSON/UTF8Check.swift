// Checks UTF-8 by the table of the Unicode Standard (3-7): no overlong forms, no surrogates,
// nothing above U+10FFFF. The reader checks each sequence where it stands, and the writer repairs it.

/// The length of the well-formed sequence at `index`; 0 if there is none.
@inline(__always)
func utf8SequenceLength(_ bytes: Span<UInt8>, at index: Int) -> Int {
  bytes[index] < 0x80 ? 1 : multibyteSequenceLength(bytes, at: index)
}

private func multibyteSequenceLength(_ bytes: Span<UInt8>, at index: Int) -> Int {
  let length: Int
  let second: ClosedRange<UInt8>
  switch bytes[index] {
  case 0xc2...0xdf: (length, second) = (2, 0x80...0xbf)
  case 0xe0: (length, second) = (3, 0xa0...0xbf)
  case 0xed: (length, second) = (3, 0x80...0x9f)
  case 0xe1...0xef: (length, second) = (3, 0x80...0xbf)
  case 0xf0: (length, second) = (4, 0x90...0xbf)
  case 0xf1...0xf3: (length, second) = (4, 0x80...0xbf)
  case 0xf4: (length, second) = (4, 0x80...0x8f)
  default: return 0
  }
  guard index + length <= bytes.count, second.contains(bytes[index + 1]) else { return 0 }
  for offset in 2..<max(2, length) where bytes[index + offset] & 0xc0 != 0x80 { return 0 }
  return length
}

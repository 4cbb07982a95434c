// Base64 (RFC 4648, section 4): the content of files inside JSON. Strict: padded, without white
// space, and every text has exactly one meaning.

package enum Base64 {
  private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let padding = UInt8(ascii: "=")

  package static func encode(_ bytes: some Collection<UInt8>) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    var group: UInt32 = 0
    var count = 0
    for byte in bytes {
      group = group << 8 | UInt32(byte)
      count += 1
      if count == 3 {
        append(group, letters: 4, to: &text)
        (group, count) = (0, 0)
      }
    }
    if count > 0 {
      append(group << UInt32(8 * (3 - count)), letters: count + 1, to: &text)
      for _ in count..<3 { text.append(padding) }
    }
    return text
  }

  /// Appends the first letters of a group of 24 bits.
  private static func append(_ group: UInt32, letters count: Int, to text: inout [UInt8]) {
    for place in 0..<count { text.append(letters[Int(group >> UInt32(18 - 6 * place) & 63)]) }
  }

  /// Nil if the text is not what `encode` would make of the bytes.
  package static func decode(_ text: some BidirectionalCollection<UInt8>) -> [UInt8]? {
    let length = text.count
    guard length % 4 == 0 else { return nil }
    let padded = text.suffix(2).reversed().prefix { $0 == padding }.count
    var bytes: [UInt8] = []
    bytes.reserveCapacity(length / 4 * 3)
    var group: UInt32 = 0
    var count = 0
    for letter in text.dropLast(padded) {
      guard let value = value(of: letter) else { return nil }
      group = group << 6 | value
      count += 1
      if count == 4 {
        bytes.append(UInt8(truncatingIfNeeded: group >> 16))
        bytes.append(UInt8(truncatingIfNeeded: group >> 8))
        bytes.append(UInt8(truncatingIfNeeded: group))
        (group, count) = (0, 0)
      }
    }
    switch count {
    case 0: return padded == 0 ? bytes : nil
    // The bits that belong to no byte are 0.
    case 2 where padded == 2 && group & 15 == 0: bytes.append(UInt8(truncatingIfNeeded: group >> 4))
    case 3 where padded == 1 && group & 3 == 0:
      bytes.append(UInt8(truncatingIfNeeded: group >> 10))
      bytes.append(UInt8(truncatingIfNeeded: group >> 2))
    default: return nil
    }
    return bytes
  }

  private static func value(of letter: UInt8) -> UInt32? {
    switch letter {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(letter - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(letter - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(letter - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}

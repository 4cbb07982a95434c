// Whole numbers of variable length: seven bits a byte, the lowest first. Signed ones alternate, so
// that small magnitudes stay short. And the checksum that ends each second.

extension [UInt8] {
  mutating func appendPacked(_ value: UInt64) {
    var value = value
    while value > 0x7f {
      append(UInt8(value & 0x7f) | 0x80)
      value >>= 7
    }
    append(UInt8(value))
  }
}

extension UInt64 {
  /// 0, -1, 1, -2, 2 … become 0, 1, 2, 3, 4 …
  init(alternating value: Int64) {
    self = UInt64(bitPattern: value << 1 ^ value >> 63)
  }

  var alternating: Int64 { Int64(bitPattern: self >> 1) ^ -Int64(bitPattern: self & 1) }
}

/// Reads what `appendPacked` wrote. It never traps: after the end, everything is nil.
struct PackedReader {
  private(set) var place: Int

  init(from place: Int) {
    self.place = place
  }

  mutating func byte(of bytes: Span<UInt8>) -> UInt8? {
    guard place < bytes.count else { return nil }
    defer { place += 1 }
    return bytes[place]
  }

  mutating func number(of bytes: Span<UInt8>) -> UInt64? {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      guard let byte = byte(of: bytes) else { return nil }
      let part = UInt64(byte & 0x7f)
      guard shift < 63 || part <= 1 else { return nil }
      value |= part << shift
      if byte < 0x80 { return value }
    }
    return nil
  }

  /// The place of the next bytes.
  mutating func skip(_ count: UInt64, of bytes: Span<UInt8>) -> Range<Int>? {
    guard count <= UInt64(bytes.count - place) else { return nil }
    defer { place += Int(count) }
    return place..<place + Int(count)
  }
}

/// CRC-32 as in zlib and Ethernet.
enum CRC32 {
  private static let table: [UInt32] = (0..<256).map { (index: UInt32) in
    (0..<8).reduce(index) { crc, _ in crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ 0xedb8_8320 }
  }

  static func of(_ bytes: Span<UInt8>) -> UInt32 {
    let table = Self.table.span
    var crc: UInt32 = .max
    for index in bytes.indices {
      crc = crc >> 8 ^ table[Int(UInt8(truncatingIfNeeded: crc) ^ bytes[index])]
    }
    return ~crc
  }

  /// Also of a number, as eight bytes after the others.
  static func of(_ bytes: Span<UInt8>, and number: Int64) -> UInt32 {
    let table = Self.table.span
    var crc = ~of(bytes)
    for shift in stride(from: Int64(0), to: 64, by: 8) {
      crc = crc >> 8 ^ table[Int(UInt8(truncatingIfNeeded: crc) ^ UInt8(truncatingIfNeeded: number >> shift))]
    }
    return ~crc
  }
}

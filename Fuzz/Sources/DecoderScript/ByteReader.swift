// Reads choices from bytes. After the end it returns zero, so that every input is valid.

struct ByteReader {
  private let bytes: [UInt8]
  private var offset = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  var isAtEnd: Bool { offset >= bytes.count }

  mutating func uint8() -> UInt8 {
    guard !isAtEnd else { return 0 }
    defer { offset += 1 }
    return bytes[offset]
  }

  mutating func uint16() -> UInt16 {
    UInt16(uint8()) | UInt16(uint8()) << 8
  }

  mutating func uint64() -> UInt64 {
    (0..<8).reduce(0) { number, place in number | UInt64(uint8()) << UInt64(8 * place) }
  }

  /// That many bytes, or the rest.
  mutating func take(_ count: UInt8) -> [UInt8] {
    let end = min(bytes.count, offset + Int(count))
    defer { offset = end }
    return offset < end ? Array(bytes[offset..<end]) : []
  }
}

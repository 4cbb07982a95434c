// CRC-16/ARC: the reflected polynomial 0xA001, from 0, without a final inversion.

struct FITChecksum: Equatable {
  private(set) var value: UInt16 = 0

  private static let table: [UInt16] = (0..<256).map { (index: UInt16) in
    (0..<8).reduce(index) { crc, _ in crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ 0xa001 }
  }

  mutating func update(_ bytes: Span<UInt8>) {
    let table = Self.table.span
    var crc = value
    for index in bytes.indices {
      crc = crc >> 8 ^ table[Int(UInt8(truncatingIfNeeded: crc) ^ bytes[index])]
    }
    value = crc
  }

  /// The checksum of these bytes followed by others, of which only the checksum and the count are
  /// known: the CRC is linear, and `count` zeros multiply it by x to the power of 8 * count.
  func followed(by other: FITChecksum, count: Int) -> FITChecksum {
    var result = self
    // The highest bit is x to the power of 0, so this is x to the power of 8.
    var power: UInt16 = 0x0080
    var left = count
    while left > 0 {
      if left & 1 == 1 { result.value = Self.product(result.value, power) }
      power = Self.product(power, power)
      left >>= 1
    }
    result.value ^= other.value
    return result
  }

  /// Of two polynomials over GF(2), modulo the polynomial of the CRC.
  private static func product(_ left: UInt16, _ right: UInt16) -> UInt16 {
    var sum: UInt16 = 0
    var shifted = right
    for bit in 0..<16 {
      if left & 0x8000 >> UInt16(bit) != 0 { sum ^= shifted }
      shifted = shifted & 1 == 0 ? shifted >> 1 : shifted >> 1 ^ 0xa001
    }
    return sum
  }
}

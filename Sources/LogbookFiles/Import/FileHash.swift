// Tells whether a file was imported before: FNV-1a of 128 bits over its bytes, and their number.
//
// It need not withstand an attacker: only members of the group can import, and a file that is made
// to collide with another one would only keep itself out.

struct FileHash {
  private static let prime = UInt128(1) << 88 | 0x13b
  private var state = UInt128(0x6c62_272e_07bb_0142) << 64 | 0x62b8_2175_6295_c58d
  private var count: UInt64 = 0

  mutating func update(_ bytes: Span<UInt8>) {
    var state = state
    for index in bytes.indices { state = (state ^ UInt128(bytes[index])) &* Self.prime }
    self.state = state
    count += UInt64(bytes.count)
  }

  var value: [UInt8] {
    (0..<16).map { UInt8(truncatingIfNeeded: state >> UInt128(8 * $0)) }
      + (0..<8).map { UInt8(truncatingIfNeeded: count >> UInt64(8 * $0)) }
  }
}

// The types of values in FIT, and what stands for "unknown" in each.

enum FITBaseType: UInt8 {
  case `enum` = 0
  case sint8, uint8, sint16, uint16, sint32, uint32, string, float32, float64
  case uint8z, uint16z, uint32z, byte, sint64, uint64, uint64z

  /// Old writers omit the bit for byte order, so only the low five bits count.
  init?(code: UInt8) {
    self.init(rawValue: code & 0x1f)
  }

  /// The byte in a definition: bit 7 marks the types for which byte order matters.
  var code: UInt8 { size > 1 ? rawValue | 0x80 : rawValue }

  /// Of one value, in bytes.
  var size: Int {
    switch self {
    case .enum, .sint8, .uint8, .string, .uint8z, .byte: 1
    case .sint16, .uint16, .uint16z: 2
    case .sint32, .uint32, .uint32z, .float32: 4
    case .sint64, .uint64, .uint64z, .float64: 8
    }
  }

  var isSigned: Bool {
    switch self {
    case .sint8, .sint16, .sint32, .sint64: true
    default: false
    }
  }

  var isFloat: Bool { self == .float32 || self == .float64 }

  /// The bits of an unknown value.
  var invalid: UInt64 {
    switch self {
    case .string, .uint8z, .uint16z, .uint32z, .uint64z: 0
    case .sint8, .sint16, .sint32, .sint64: allOnes >> 1
    default: allOnes
    }
  }

  private var allOnes: UInt64 { .max >> UInt64(64 - 8 * size) }

  /// The bits of an integer; nil if the type cannot hold it, or holds it as "unknown".
  func bits(of value: Int64) -> UInt64? {
    let bits = UInt64(bitPattern: value) & allOnes
    guard bits != invalid, integer(bits) == value else { return nil }
    return bits
  }

  /// The integer with these bits, as far as it fits.
  private func integer(_ bits: UInt64) -> Int64? {
    guard isSigned else { return Int64(exactly: bits) }
    let unused = Int64(64 - 8 * size)
    return Int64(bitPattern: bits << UInt64(unused)) >> unused
  }

  /// The value with these bits; nil if it is unknown. Strings have no number.
  func number(_ bits: UInt64) -> Double? {
    guard bits != invalid else { return nil }
    switch self {
    case .string: return nil
    case .float32: return Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))).ifFinite
    case .float64: return Double(bitPattern: bits).ifFinite
    default: return integer(bits).map(Double.init) ?? Double(bits)
    }
  }
}

extension Double {
  var ifFinite: Double? { isFinite ? self : nil }

  /// nil instead of a trap for what no Int64 can hold.
  var roundedInteger: Int64? { Int64(exactly: rounded()) }
}

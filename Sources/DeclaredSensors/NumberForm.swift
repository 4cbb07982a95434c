// How a number is encoded in a packet.

internal import SensorKit

enum NumberForm: UInt8, Sendable {
  case u8, i8, u16, i16, u24, i24, u32, i32, u48
  case u16be, i16be, u24be, i24be, u32be, i32be, u48be
  case f32, f64, f32be, f64be
  case medical16, medical32, medical16be, medical32be

  /// Nil for a name that is not a type.
  init?(_ name: String) {
    switch name {
    case "u8", "u8be": self = .u8
    case "i8", "i8be": self = .i8
    case "u16": self = .u16
    case "i16": self = .i16
    case "u24": self = .u24
    case "i24": self = .i24
    case "u32": self = .u32
    case "i32": self = .i32
    case "u48": self = .u48
    case "u16be": self = .u16be
    case "i16be": self = .i16be
    case "u24be": self = .u24be
    case "i24be": self = .i24be
    case "u32be": self = .u32be
    case "i32be": self = .i32be
    case "u48be": self = .u48be
    case "f32": self = .f32
    case "f64": self = .f64
    case "f32be": self = .f32be
    case "f64be": self = .f64be
    case "sfloat": self = .medical16
    case "float": self = .medical32
    case "sfloatbe": self = .medical16be
    case "floatbe": self = .medical32be
    default: return nil
    }
  }

  /// In bytes.
  var width: Int {
    switch self {
    case .u8, .i8: 1
    case .u16, .i16, .u16be, .i16be, .medical16, .medical16be: 2
    case .u24, .i24, .u24be, .i24be: 3
    case .u32, .i32, .u32be, .i32be, .f32, .f32be, .medical32, .medical32be: 4
    case .u48, .u48be: 6
    case .f64, .f64be: 8
    }
  }

  /// What a whole number can be; nil for others.
  var range: ClosedRange<Double>? {
    guard counterBits != nil else { return nil }
    let count = Double(UInt64(1) << UInt64(8 * width - (isSigned ? 1 : 0)))
    return (isSigned ? -count : 0)...(count - 1)
  }

  /// Of a whole number; nil for others. At most 32: the differences of a longer counter's lowest bits
  /// are its own.
  var counterBits: Int? {
    switch self {
    case .f32, .f32be, .f64, .f64be, .medical16, .medical16be, .medical32, .medical32be: nil
    default: Swift.min(32, 8 * width)
    }
  }

  var isSigned: Bool {
    switch self {
    case .i8, .i16, .i24, .i32, .i16be, .i24be, .i32be: true
    default: false
    }
  }

  /// The bytes must be there. NaN if they are not a number.
  @inline(__always)
  func read(_ bytes: Span<UInt8>, at start: Int) -> Double {
    switch self {
    case .u8: Double(bytes[start])
    case .i8: Double(Int8(bitPattern: bytes[start]))
    case .u16: Double(UInt16(bytes[start]) | UInt16(bytes[start + 1]) << 8)
    case .i16: Double(Int16(bitPattern: UInt16(bytes[start]) | UInt16(bytes[start + 1]) << 8))
    case .u32: Double(Self.uint32(bytes, start))
    case .i32: Double(Int32(bitPattern: Self.uint32(bytes, start)))
    case .u16be: Double(UInt16(bytes[start]) << 8 | UInt16(bytes[start + 1]))
    default: readRare(bytes, at: start)
    }
  }

  @inline(__always)
  private static func uint32(_ bytes: Span<UInt8>, _ start: Int) -> UInt32 {
    UInt32(bytes[start]) | UInt32(bytes[start + 1]) << 8 | UInt32(bytes[start + 2]) << 16
      | UInt32(bytes[start + 3]) << 24
  }

  private func readRare(_ bytes: Span<UInt8>, at start: Int) -> Double {
    switch self {
    case .u8, .i8, .u16, .i16, .u32, .i32, .u16be: .nan
    case .u24, .u48: Double(little(bytes, start))
    case .u24be, .u32be, .u48be: Double(big(bytes, start))
    case .i24: Double(signed(little(bytes, start)))
    case .i16be, .i24be, .i32be: Double(signed(big(bytes, start)))
    case .f32: finite(Double(Float(bitPattern: UInt32(truncatingIfNeeded: little(bytes, start)))))
    case .f32be: finite(Double(Float(bitPattern: UInt32(truncatingIfNeeded: big(bytes, start)))))
    case .f64: finite(Double(bitPattern: little(bytes, start)))
    case .f64be: finite(Double(bitPattern: big(bytes, start)))
    case .medical16: medical16(little(bytes, start))
    case .medical16be: medical16(big(bytes, start))
    case .medical32: medical32(little(bytes, start))
    case .medical32be: medical32(big(bytes, start))
    }
  }

  private func little(_ bytes: Span<UInt8>, _ start: Int) -> UInt64 {
    var value: UInt64 = 0
    for index in 0..<width { value |= UInt64(bytes[start + index]) << UInt64(8 * index) }
    return value
  }

  private func big(_ bytes: Span<UInt8>, _ start: Int) -> UInt64 {
    var value: UInt64 = 0
    for index in 0..<width { value = value << 8 | UInt64(bytes[start + index]) }
    return value
  }

  private func signed(_ value: UInt64) -> Int64 {
    let unused = Int64(64 - 8 * width)
    return Int64(bitPattern: value << UInt64(unused)) >> unused
  }

  private func finite(_ value: Double) -> Double { value.magnitude < .infinity ? value : .nan }

  private func medical16(_ raw: UInt64) -> Double { medicalFloat(UInt16(truncatingIfNeeded: raw)) ?? .nan }

  /// FLOAT of IEEE 11073-20601, the longer sibling of SFLOAT. Five patterns are not numbers.
  private func medical32(_ raw: UInt64) -> Double {
    if 0x007f_fffe...0x0080_0002 ~= raw { return .nan }
    let bits = Int32(truncatingIfNeeded: raw)
    let mantissa = Double((bits << 8) >> 8)
    let exponent = bits >> 24
    var power = 1.0
    for _ in 0..<exponent.magnitude { power *= 10 }
    return exponent < 0 ? mantissa / power : mantissa * power
  }
}

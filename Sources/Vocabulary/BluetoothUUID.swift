// The UUID of a service or characteristic. A short one (16 or 32 bits) replaces the first digits of
// the Bluetooth base UUID. Two UUIDs are equal in whatever form they were written.

import JSON

public struct BluetoothUUID: Hashable, Sendable {
  @usableFromInline let high: UInt64
  @usableFromInline let low: UInt64

  @inlinable static var baseHigh: UInt64 { 0x0000_0000_0000_1000 }
  @inlinable static var baseLow: UInt64 { 0x8000_0080_5f9b_34fb }

  @inlinable
  init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// A UUID assigned by the Bluetooth SIG, by its 16 or 32 bits.
  @inlinable
  public init(_ short: UInt32) {
    self.init(high: UInt64(short) << 32 | Self.baseHigh, low: Self.baseLow)
  }

  /// The first half differs in almost all cases.
  @inlinable
  public static func == (left: BluetoothUUID, right: BluetoothUUID) -> Bool {
    left.high == right.high && left.low == right.low
  }

  /// 4, 8 or 32 hex digits in either case; dashes are ignored. Nil for anything else.
  public init?(_ text: some StringProtocol) {
    var high: UInt64 = 0
    var low: UInt64 = 0
    var digits = 0
    for byte in text.utf8 where byte != UInt8(ascii: "-") {
      guard let digit = hexDigit(byte), digits < 32 else { return nil }
      high = high << 4 | low >> 60
      low = low << 4 | UInt64(digit)
      digits += 1
    }
    switch digits {
    case 4, 8: self.init(UInt32(low))
    case 32: self.init(high: high, low: low)
    default: return nil
    }
  }

  /// The 16 bits of a UUID assigned by the Bluetooth SIG; nil for others.
  public var short: UInt16? {
    guard low == Self.baseLow, high & 0xffff_ffff == Self.baseHigh else { return nil }
    return UInt16(exactly: high >> 32)
  }
}

extension BluetoothUUID {
  /// A maker's own UUID, written out in a plugin.
  public init(maker text: StaticString) {
    guard let uuid = BluetoothUUID(text.description) else { preconditionFailure("\(text) is not a UUID") }
    self = uuid
  }
}

extension BluetoothUUID: CustomStringConvertible {
  /// Four digits if possible, else the full text.
  public var description: String { short == nil ? text : String(text.dropFirst(4).prefix(4)) }

  /// The full text as BlueZ writes it: 36 characters, lower case.
  public var text: String {
    var text = ""
    text.reserveCapacity(36)
    for index in 0..<32 {
      if index == 8 || index == 12 || index == 16 || index == 20 { text.append("-") }
      let half = index < 16 ? high : low
      let digit = UInt8(truncatingIfNeeded: half >> (60 - 4 * UInt64(index % 16)) & 0xf)
      text.unicodeScalars.append(Unicode.Scalar(hexLetter(digit)))
    }
    return text
  }
}

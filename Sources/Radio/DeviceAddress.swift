// The address of a device or adapter. Sensors are identified by it, never by an object path.

public struct DeviceAddress: Hashable, Sendable {
  /// Six pairs of upper-case hex digits, separated by colons.
  public let text: String

  /// Nil unless it is six pairs of hex digits, separated by colons or dashes, in either case.
  public init?(_ text: some StringProtocol) {
    let bytes = Array(text.utf8)
    guard bytes.count == 17 else { return nil }
    for (index, byte) in bytes.enumerated() {
      let isSeparator = byte == UInt8(ascii: ":") || byte == UInt8(ascii: "-")
      guard index % 3 == 2 ? isSeparator : Character(Unicode.Scalar(byte)).isHexDigit else { return nil }
    }
    self.text = text.uppercased().split { $0 == ":" || $0 == "-" }.joined(separator: ":")
  }

  /// A made-up address that starts with 00:00:00:00:00, for a device whose address is unknown.
  public static func standIn(_ number: Int) -> DeviceAddress {
    DeviceAddress(validated: "00:00:00:00:00:" + (number % 256 < 16 ? "0" : "") + String(number % 256, radix: 16))
  }

  private init(validated text: String) {
    self.text = text.uppercased()
  }

  /// The last two bytes in lower case without colons, enough to tell apart two sensors of the same
  /// name.
  public var tail: String {
    String(text.suffix(5)).lowercased().split(separator: ":").joined()
  }
}

extension DeviceAddress: CustomStringConvertible {
  public var description: String { text }
}

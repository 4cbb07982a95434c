// SHA-256, over libmd. Every Debian system has this library, because dpkg needs it, and it does
// nothing else; libcrypto, libgcrypt and nettle are a hundred times larger.

internal import CMessageDigest
import JSON

/// A digest. Two are compared in constant time, so that the time tells nothing about a secret.
public struct SHA256: Equatable, Sendable {
  public static let length = 32
  private let bytes: [UInt8]

  public init(of message: [UInt8]) {
    var digest = [UInt8](repeating: 0, count: Self.length)
    // libmd reads the message during the call only, and writes 32 bytes of the array.
    unsafe cyclometer_sha256(message, message.count, &digest)
    bytes = digest
  }

  /// Nil unless these are 64 hexadecimal digits.
  public init?(hex: String) {
    let digits = hex.utf8.compactMap(hexDigit)
    guard digits.count == hex.utf8.count, digits.count == 2 * Self.length else { return nil }
    bytes = (0..<Self.length).map { digits[2 * $0] << 4 | digits[2 * $0 + 1] }
  }

  public var hex: String { hexText(bytes) }

  public static func == (left: SHA256, right: SHA256) -> Bool {
    var difference: UInt8 = 0
    for index in 0..<length { difference |= left.bytes[index] ^ right.bytes[index] }
    return difference == 0
  }
}

// The address of a sender as a number, to compare it with bytes of a packet.

internal import JSON

enum SenderAddress {
  /// The number that a `u48` reads from the bytes of an address. NaN for an empty text; no address has
  /// the number of another text.
  static func number(_ text: String) -> Double {
    if text.isEmpty { return .nan }
    var number = 0.0
    var count = 0
    for byte in text.utf8 {
      count += 1
      if count % 3 == 0, byte == UInt8(ascii: ":") { continue }
      guard count % 3 != 0, let digit = hexDigit(byte) else { return -1 }
      number = number * 16 + Double(digit)
    }
    return count == 17 ? number : -1
  }
}

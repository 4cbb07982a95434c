// A token or a pairing code. Printing, interpolating and dumping it show no part of it, so that none
// gets into a log by accident.

import Digests
import JSON

public struct Secret: Sendable {
  private let text: String

  /// As it was received.
  public init(_ text: String) {
    self.text = text
  }

  /// In hexadecimal digits.
  init(random bytes: [UInt8]) {
    text = hexText(bytes)
  }

  /// For the one place where it has to be: the answer that hands it over.
  public func reveal() -> String { text }

  /// What is kept of it. A secret has so many bits that its digest needs no salt. One of eight digits
  /// is only kept in memory.
  var digest: SHA256 { SHA256(of: Array(text.utf8)) }

  /// Whether it consists of so many digits of this base, in lower case.
  func hasForm(digits: Int, radix: UInt8) -> Bool {
    text.utf8.count == digits
      && text.utf8.allSatisfy { byte in
        !(UInt8(ascii: "A")...UInt8(ascii: "F")).contains(byte) && hexDigit(byte).map { $0 < radix } ?? false
      }
  }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "(secret)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

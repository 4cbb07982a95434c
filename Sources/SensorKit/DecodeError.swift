// Why bytes were refused, and where reading stopped. The words are the contract's: a subscriber and a test see them.

public struct DecodeError: Error, Equatable, Sendable {
  public enum Reason: String, CaseIterable, Sendable {
    /// No bytes at all.
    case empty
    /// A field that the flags or the length promise is missing.
    case truncated
    /// Bytes are left that nothing explains.
    case trailingBytes = "trailing_bytes"
    /// A length that this type of frame cannot have.
    case badLength = "bad_length"
    /// A number outside its enumeration.
    case reservedValue = "reserved_value"
    /// A number outside its defined range, or more of them than a sample may carry.
    case outOfRange = "out_of_range"
    /// Text that is not UTF-8.
    case badEncoding = "bad_encoding"
    /// A type of frame, or a header, that is not known.
    case unknownFrame = "unknown_frame"
    /// Identity bytes of something else.
    case notThisProtocol = "not_this_protocol"
  }

  public let reason: Reason
  public let offset: Int

  @inlinable
  public init(_ reason: Reason, at offset: Int) {
    self.reason = reason
    self.offset = offset
  }
}

// Why a packet was rejected, and where decoding stopped. The words are part of the protocol.

public struct DecodeError: Error, Equatable, Sendable {
  public enum Reason: String, CaseIterable, Sendable {
    /// No bytes at all.
    case empty
    /// A field that the flags or the length promise is missing.
    case truncated
    /// Unexpected bytes are left over.
    case trailingBytes = "trailing_bytes"
    /// A length that this type of frame cannot have.
    case badLength = "bad_length"
    /// A number outside its enumeration.
    case reservedValue = "reserved_value"
    /// A number outside its defined range, or too much content for a batch.
    case outOfRange = "out_of_range"
    /// Text that is not UTF-8.
    case badEncoding = "bad_encoding"
    /// An unknown type of frame or header.
    case unknownFrame = "unknown_frame"
    /// Identity bytes of another device.
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

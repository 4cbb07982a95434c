// Thrown if the bytes of a packet are wrong.

public struct PacketRefusal: Error, Equatable, Sendable {
  public enum Reason: String, CaseIterable, Sendable {
    case badEncoding = "bad_encoding"
    case badLength = "bad_length"
    case empty
    case notThisProtocol = "not_this_protocol"
    case outOfRange = "out_of_range"
    case reservedValue = "reserved_value"
    case trailingBytes = "trailing_bytes"
    case truncated
    case unknownFrame = "unknown_frame"
  }

  public let reason: Reason
  /// The first wrong byte.
  public let offset: Int

  public init(_ reason: Reason, at offset: Int) {
    self.reason = reason
    self.offset = offset
  }
}

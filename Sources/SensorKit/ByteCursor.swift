// Reads the little-endian numbers of a packet in order. A type that stores a span would need an
// experimental feature, so the cursor is only an offset and the bytes are passed to each call.

public struct ByteCursor: Sendable {
  /// Never negative, so that one comparison is enough for a bounds check. No packet has 2^32 bytes.
  @usableFromInline var position: UInt32

  public var offset: Int {
    @inlinable @inline(__always) get { Int(position) }
  }

  @inlinable
  public init(at offset: Int = 0) {
    position = UInt32(offset)
  }

  /// Skips `count` bytes and returns where they began. A truncated field fails at its first byte.
  @inlinable @inline(__always)
  public mutating func skip(_ count: Int, in bytes: Span<UInt8>) throws(DecodeError) -> Int {
    let start = offset
    guard has(count, in: bytes) else { throw DecodeError(.truncated, at: start) }
    position = UInt32(truncatingIfNeeded: start + count)
    return start
  }

  /// Whether that many bytes are left.
  @inlinable @inline(__always)
  public func has(_ count: Int, in bytes: Span<UInt8>) -> Bool { offset + count <= bytes.count }

  @inlinable @inline(__always)
  public mutating func uint8(_ bytes: Span<UInt8>) throws(DecodeError) -> UInt8 {
    bytes[try skip(1, in: bytes)]
  }

  @inlinable @inline(__always)
  public mutating func uint16(_ bytes: Span<UInt8>) throws(DecodeError) -> UInt16 {
    let start = try skip(2, in: bytes)
    return UInt16(bytes[start]) | UInt16(bytes[start + 1]) << 8
  }

  @inlinable @inline(__always)
  public mutating func uint24(_ bytes: Span<UInt8>) throws(DecodeError) -> UInt32 {
    let start = try skip(3, in: bytes)
    return UInt32(bytes[start]) | UInt32(bytes[start + 1]) << 8 | UInt32(bytes[start + 2]) << 16
  }

  @inlinable @inline(__always)
  public mutating func uint32(_ bytes: Span<UInt8>) throws(DecodeError) -> UInt32 {
    let start = try skip(4, in: bytes)
    return UInt32(bytes[start]) | UInt32(bytes[start + 1]) << 8 | UInt32(bytes[start + 2]) << 16
      | UInt32(bytes[start + 3]) << 24
  }

  @inlinable @inline(__always)
  public mutating func int8(_ bytes: Span<UInt8>) throws(DecodeError) -> Int8 {
    Int8(bitPattern: try uint8(bytes))
  }

  @inlinable @inline(__always)
  public mutating func int16(_ bytes: Span<UInt8>) throws(DecodeError) -> Int16 {
    Int16(bitPattern: try uint16(bytes))
  }

  @inlinable @inline(__always)
  public mutating func int32(_ bytes: Span<UInt8>) throws(DecodeError) -> Int32 {
    Int32(bitPattern: try uint32(bytes))
  }

  @inlinable
  public func remaining(_ bytes: Span<UInt8>) -> Int { bytes.count - offset }

  /// Throws if bytes are left over.
  @inlinable
  public func finish(_ bytes: Span<UInt8>) throws(DecodeError) {
    guard offset == bytes.count else { throw DecodeError(.trailingBytes, at: offset) }
  }
}

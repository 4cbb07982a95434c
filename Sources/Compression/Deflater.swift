// Compresses whole messages into the format of zlib (RFC 1950), whose first byte is 0x78. The state
// of the library, a quarter of a megabyte, is allocated once and used again for every message.

internal import CZlib

/// The library refused to work: it has no memory.
public struct CompressionError: Error, Equatable, Sendable, CustomStringConvertible {
  /// As zlib.h defines it.
  public let code: Int32

  public var description: String { "zlib cannot compress (error \(code)); free some memory" }
}

@safe public final class Deflater {
  /// The default of the library: a good ratio for few processor cycles.
  private static let level: Int32 = 6

  // The library keeps the address of its stream, so it must not move.
  private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)

  public init() throws(CompressionError) {
    unsafe stream.initialize(to: z_stream())
    let code = unsafe cyclometer_deflate_init(stream, Self.level)
    guard code == Z_OK else { throw CompressionError(code: code) }
  }

  deinit {
    unsafe deflateEnd(stream)
    unsafe stream.deinitialize(count: 1)
    unsafe stream.deallocate()
  }

  /// Replaces the contents of `output`. A buffer that has grown to the longest message is not
  /// allocated again.
  public func compress(_ message: Span<UInt8>, into output: inout [UInt8]) throws(CompressionError) {
    var code = unsafe deflateReset(stream)
    guard code == Z_OK else { throw CompressionError(code: code) }
    let bound = Int(unsafe deflateBound(stream, UInt(message.count)))
    if output.count < bound { output.append(contentsOf: repeatElement(0, count: bound - output.count)) }
    // The library reads the message and writes the array during the call only. With the bound's
    // room, one call is enough.
    code = unsafe message.withUnsafeBufferPointer { input in
      unsafe output.withUnsafeMutableBufferPointer { room in
        unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        unsafe stream.pointee.avail_in = UInt32(input.count)
        unsafe stream.pointee.next_out = room.baseAddress
        unsafe stream.pointee.avail_out = UInt32(room.count)
        return unsafe deflate(stream, Z_FINISH)
      }
    }
    guard code == Z_STREAM_END else { throw CompressionError(code: code) }
    output.removeLast(output.count - Int(unsafe stream.pointee.total_out))
  }
}

// A descriptor with one owner, closed when the owner goes.

internal import CLinux

public struct FileDescriptor: ~Copyable, Sendable {
  public let number: Int32

  /// Takes over an open descriptor.
  public init(owning number: Int32) {
    self.number = number
  }

  deinit {
    // An error of close leaves the descriptor closed all the same, and a second close could hit another's.
    _ = close(number)
  }

  /// Gives the descriptor up without closing it.
  public consuming func release() -> Int32 {
    let number = self.number
    discard self
    return number
  }

  /// At most the buffer's own length; 0 is the end of the stream.
  public func read(into buffer: inout [UInt8]) throws(SystemError) -> IOResult {
    try readDescriptor(number, into: &buffer)
  }

  public func write(_ bytes: Span<UInt8>) throws(SystemError) -> IOResult {
    try writeDescriptor(number, bytes)
  }

  public func duplicate() throws(SystemError) -> FileDescriptor {
    FileDescriptor(owning: try systemCall("fcntl") { cyclometer_fcntl(number, F_DUPFD_CLOEXEC, 0) })
  }

  public func setNonBlocking() throws(SystemError) {
    try setDescriptorNonBlocking(number)
  }
}

/// For a descriptor that somebody else owns.
public func setDescriptorNonBlocking(_ number: Int32) throws(SystemError) {
  let flags = try systemCall("fcntl") { cyclometer_fcntl(number, F_GETFL, 0) }
  try systemCall("fcntl") { cyclometer_fcntl(number, F_SETFL, flags | O_NONBLOCK) }
}

/// Reads from a descriptor that somebody else owns.
public func readDescriptor(_ number: Int32, into buffer: inout [UInt8]) throws(SystemError) -> IOResult {
  let count = buffer.count
  // The kernel writes at most `count` bytes of the array.
  return try attempt("read") { unsafe read(number, &buffer, count) }
}

/// Writes to a descriptor that somebody else owns. A broken pipe is an error and no signal: see `ignoreBrokenPipes`.
public func writeDescriptor(_ number: Int32, _ bytes: Span<UInt8>) throws(SystemError) -> IOResult {
  // The kernel reads `count` bytes of the span, for the time of the call only.
  try attempt("write") { unsafe bytes.withUnsafeBytes { unsafe write(number, $0.baseAddress, $0.count) } }
}

/// Writes a text to standard error; where that is closed, nobody is there to be told.
public func writeDiagnostics(_ text: String) {
  _ = try? writeDescriptor(2, Array(text.utf8).span)
}

/// A descriptor for keeping in collections, which take copyable things only.
public final class FileDescriptorBox {
  public let number: Int32
  private let descriptor: FileDescriptor

  public init(_ descriptor: consuming FileDescriptor) {
    number = descriptor.number
    self.descriptor = descriptor
  }
}

// A descriptor with a single owner, closed when the owner is destroyed.

internal import CLinux

public struct FileDescriptor: ~Copyable, Sendable {
  public let number: Int32

  /// Takes ownership of an open descriptor.
  public init(owning number: Int32) {
    self.number = number
  }

  deinit {
    // After an error the descriptor is closed anyway, and a second close could hit a different one.
    _ = close(number)
  }

  /// Releases ownership without closing.
  public consuming func release() -> Int32 {
    let number = self.number
    discard self
    return number
  }

  /// Reads at most the length of the buffer; 0 means end of file.
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

/// For a descriptor with another owner.
public func setDescriptorNonBlocking(_ number: Int32) throws(SystemError) {
  let flags = try systemCall("fcntl") { cyclometer_fcntl(number, F_GETFL, 0) }
  try systemCall("fcntl") { cyclometer_fcntl(number, F_SETFL, flags | O_NONBLOCK) }
}

/// Reads from a descriptor with another owner.
public func readDescriptor(_ number: Int32, into buffer: inout [UInt8]) throws(SystemError) -> IOResult {
  let count = buffer.count
  // The kernel writes at most `count` bytes of the array.
  return try attempt("read") { unsafe read(number, &buffer, count) }
}

/// Reads at a place of a file; 0 means that the file ends before it.
public func readDescriptor(_ number: Int32, into buffer: inout [UInt8], at offset: Int64) throws(SystemError)
  -> IOResult
{
  let count = buffer.count
  // The kernel writes at most `count` bytes of the array.
  return try attempt("pread") { unsafe pread(number, &buffer, count, off_t(offset)) }
}

/// Writes to a descriptor with another owner. A broken pipe is an error and not a signal; see
/// `ignoreBrokenPipes`.
public func writeDescriptor(_ number: Int32, _ bytes: Span<UInt8>) throws(SystemError) -> IOResult {
  // The kernel reads the bytes of the span during the call only.
  try attempt("write") { unsafe bytes.withUnsafeBytes { unsafe write(number, $0.baseAddress, $0.count) } }
}

/// Returns when the content of a file of another owner is on the device.
public func syncDescriptor(_ number: Int32) throws(SystemError) {
  try systemCall("fdatasync") { fdatasync(number) }
}

/// Writes to standard error. Errors are ignored, because there is nowhere to report them.
public func writeDiagnostics(_ text: String) {
  _ = try? writeDescriptor(2, Array(text.utf8).span)
}

/// Writes to standard output at once, unlike `print`. Errors are ignored: the reader may be gone.
public func writeOutput(_ text: String) {
  _ = try? writeDescriptor(1, Array(text.utf8).span)
}

/// A copyable wrapper, for storing descriptors in collections.
public final class FileDescriptorBox {
  public let number: Int32
  private let descriptor: FileDescriptor

  public init(_ descriptor: consuming FileDescriptor) {
    number = descriptor.number
    self.descriptor = descriptor
  }
}

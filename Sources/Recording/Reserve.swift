// A file beside the database whose space is for the day when the storage is full: removing it gives
// a ride many hours more. It has real bytes, because file systems do not keep reserved space free in
// the same way.

import Linux
import Time

package final class Reserve {
  package static let size = 8 << 20
  private static let portion = 256 << 10

  private let path: String
  /// Of the file that is being filled.
  private var file: FilledFile?
  package private(set) var isFilled: Bool

  package init(_ path: String) {
    self.path = path
    // An unfinished one is filled again.
    isFilled = Files.size(of: path) == Int64(Self.size)
  }

  package var isFilling: Bool { file != nil }

  /// Writes a portion. Returns whether more is left. What fails is tried again later.
  package func fill() -> Bool {
    guard !isFilled else { return false }
    do throws(SystemError) {
      if file == nil {
        if Files.exists(path) { try Files.remove(path) }
        file = FilledFile(try Files.create(path, mode: 0o600))
      }
      guard let file else { return false }
      isFilled = try file.append(Self.portion, until: Self.size)
      if isFilled { self.file = nil }
      return !isFilled
    } catch {
      _ = free()
      return false
    }
  }

  /// Returns whether there was something to free.
  package func free() -> Bool {
    file = nil
    let existed = Files.exists(path)
    try? Files.remove(path)
    isFilled = false
    return existed
  }
}

/// Bytes without a pattern, which a file system that compresses cannot shorten.
private final class FilledFile {
  private let file: FileDescriptor
  private var count = 0
  private var state: UInt64 = 0x9e37_79b9_7f4a_7c15
  private var bytes: [UInt8] = []

  init(_ file: consuming FileDescriptor) { self.file = file }

  /// Returns whether the file is complete and on the device.
  func append(_ length: Int, until size: Int) throws(SystemError) -> Bool {
    let end = min(count + length, size)
    while count < end {
      // Out of the class while its span is in use.
      var bytes: [UInt8] = []
      swap(&bytes, &self.bytes)
      defer { swap(&bytes, &self.bytes) }
      bytes.removeAll(keepingCapacity: true)
      while bytes.count < 64 << 10 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        for shift in stride(from: 0, to: UInt64(64), by: 8) { bytes.append(UInt8(truncatingIfNeeded: state >> shift)) }
      }
      let portion = bytes.span.extracting(..<min(bytes.count, end - count))
      if case .done(let written) = try file.write(portion) { count += written }
    }
    guard count == size else { return false }
    try file.sync()
    return true
  }
}

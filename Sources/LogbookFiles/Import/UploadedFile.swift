// An uploaded file, read in pieces.

import Linux
import Wire

final class UploadedFile {
  private let path: String
  private var file: FileDescriptorBox
  private var chunk: [UInt8]

  init(_ path: String, pieces: Int) throws(Refusal) {
    self.path = path
    chunk = [UInt8](repeating: 0, count: pieces)
    file = try Self.open(path)
  }

  private static func open(_ path: String) throws(Refusal) -> FileDescriptorBox {
    do throws(SystemError) {
      return FileDescriptorBox(try Files.openForReading(path))
    } catch {
      throw Refusal(.storage, "the file cannot be read: \(error.reason)")
    }
  }

  /// From the beginning again.
  func rewind() throws(Refusal) { file = try Self.open(path) }

  /// The next piece is valid until the one after it; nil at the end.
  func next() throws(Refusal) -> ArraySlice<UInt8>? {
    do throws(SystemError) {
      guard case .done(let count) = try readDescriptor(file.number, into: &chunk), count > 0 else { return nil }
      return chunk[..<count]
    } catch {
      throw Refusal(.storage, "the file cannot be read: \(error.reason)")
    }
  }
}

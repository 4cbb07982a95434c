// The output of a capture: a new file or standard output. With `--json` the records go to standard
// output, and the file, if there is one, is written as well.

import CaptureFormat
import Linux

final class CaptureFile {
  let name: String
  private let session: Session
  private let isStandardOutput: Bool
  private let descriptor: FileDescriptorBox?
  private var lines: [UInt8] = []

  init(path: String, _ session: Session) throws(Failure) {
    self.session = session
    isStandardOutput = path == "-"
    name = isStandardOutput ? "standard output" : path
    if isStandardOutput {
      descriptor = nil
      return
    }
    do throws(SystemError) {
      descriptor = FileDescriptorBox(try Files.create(path, mode: 0o666))
    } catch {
      guard error.isAlreadyThere else { throw Failure(.failed, "cannot write \(path): \(error.reason)") }
      throw Failure(
        .failed, "\(path) already exists; not overwriting it",
        advice: ["Choose another name, or remove it first"])
    }
  }

  func add(_ added: [CaptureLine]) {
    for line in added { line.append(to: &lines) }
  }

  /// Everything that was added.
  func write() throws(Failure) {
    defer { lines.removeAll(keepingCapacity: true) }
    guard let descriptor else {
      if session.isJSON { return }
      for line in lines.split(separator: UInt8(ascii: "\n")) { session.output.line(line) }
      return
    }
    var written = 0
    do throws(SystemError) {
      while written < lines.count {
        guard case .done(let count) = try writeDescriptor(descriptor.number, lines.span.extracting(written...)) else {
          continue
        }
        written += count
      }
    } catch {
      throw Failure(.failed, "cannot write \(name): \(error.reason)")
    }
  }
}

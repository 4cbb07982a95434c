// The non-blocking socket to the daemon. System errors become errors for clients.

package import Linux
import Time

final class ClientSocket {
  /// The path of the connected socket.
  let path: String
  private let descriptor: FileDescriptor
  /// Large enough for a reply; it grows for streams.
  private var chunk = [UInt8](repeating: 0, count: 2 << 10)

  init(path: String) throws(ClientError) {
    self.path = path
    do throws(SystemError) {
      descriptor = try UnixSocket.connect(to: path, nonBlocking: true)
    } catch {
      throw ClientError(connecting: path, error)
    }
  }

  var number: Int32 { descriptor.number }

  /// Returns how many bytes the kernel took: 0 if there is no space.
  func send(_ bytes: Span<UInt8>) throws(ClientError) -> Int {
    let result = try translatingErrors { () throws(SystemError) in try StreamSocket.send(number, bytes) }
    return if case .done(let count) = result { count } else { 0 }
  }

  /// Passes available data, if any, to `body`.
  func read(_ body: (Span<UInt8>) -> Void) throws(ClientError) {
    let result = try translatingErrors { () throws(SystemError) in try descriptor.read(into: &chunk) }
    guard case .done(let count) = result else { return }
    if count == 0 { throw .closed }
    body(chunk.span.extracting(..<count))
    if count == chunk.count, count < 32 << 10 { chunk = [UInt8](repeating: 0, count: count * 4) }
  }
}

extension ClientError {
  /// Why the socket at this path could not be connected.
  package init(connecting path: String, _ error: SystemError) {
    if error.isMissingFile || error.isRefused {
      self = .noDaemon(path: path)
    } else if error.isNotAllowed {
      self = .notAllowed(path: path)
    } else if error.isBusy {
      // The kernel's queue of connections is full: the daemon exists but does not accept any.
      self = .timeout
    } else {
      self = .system(error)
    }
  }
}

func translatingErrors<Result>(_ body: () throws(SystemError) -> Result) throws(ClientError) -> Result {
  do throws(SystemError) {
    return try body()
  } catch {
    throw error.isPeerGone ? .closed : .system(error)
  }
}

// Connecting: chooses a socket and checks that a Cyclometer daemon answers.

package import JSON
import Linux
import Wire

extension ClientSocket {
  /// Connects to the control socket or, for reading, to the metrics socket if that is not possible.
  convenience init(to endpoint: Endpoint, for access: Access) throws(ClientError) {
    do throws(ClientError) {
      try self.init(path: access == .metrics ? endpoint.metricsSocket : endpoint.controlSocket)
    } catch {
      guard access == .read, error.leavesAnotherDoor else { throw error }
      do throws(ClientError) {
        try self.init(path: endpoint.metricsSocket)
      } catch let second {
        throw error.orBetter(second)
      }
    }
  }
}

extension ClientError {
  fileprivate var leavesAnotherDoor: Bool {
    switch self {
    case .noDaemon, .notAllowed: true
    default: false
    }
  }

  /// Prefers the error of the control socket, whose path the user knows. If that socket is missing
  /// and the metrics socket denies access, a daemon is running, so the second error is more useful.
  fileprivate func orBetter(_ second: ClientError) -> ClientError {
    if case .noDaemon = self, case .notAllowed = second { second } else { self }
  }
}

extension ReceivedRecord {
  /// Checks the daemon's first line.
  func greeting(from path: String) throws(ClientError) -> HelloRecord {
    if recordClass == "error" { throw refusal }
    guard recordClass == HelloRecord.className, let greeting = HelloRecord(content) else {
      throw .notUnderstood("\(path): what listens there is no Cyclometer")
    }
    guard greeting.protocolVersion.hasPrefix("1.") else {
      throw .notUnderstood("the daemon speaks version \(greeting.protocolVersion) of the protocol, and this program 1")
    }
    return greeting
  }
}

/// A request as one line. If it is too long, the daemon would close the connection, so it is
/// refused here.
package func requestLine(
  limit: Int = LineSplitter.protocolLimit, _ write: (inout JSONWriter) -> Void
) throws(ClientError) -> [UInt8] {
  var writer = JSONWriter()
  write(&writer)
  writer.endLine()
  let length = writer.bytes.count - 1
  guard length <= limit else {
    throw .refused(code: "line_too_long", message: "a request may have \(limit) bytes, and this one has \(length)")
  }
  return writer.bytes
}

extension JSONWriter {
  /// A request of a method that this release may not know.
  package mutating func request(_ number: Int, _ method: String, _ parameters: JSONValue?) {
    beginObject()
    member("id", number)
    member("method", method)
    member("params", parameters)
    endObject()
  }
}

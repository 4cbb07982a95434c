// Getting in: which door, and whether it is a Cyclometer that opens.

import Linux
import Wire

extension Stream {
  /// The control socket, or for reading the other where that cannot be had.
  static func open(_ endpoint: Endpoint, for access: Access) throws(ClientError) -> (Stream, path: String) {
    do throws(ClientError) {
      return (try Stream(path: endpoint.controlSocket), endpoint.controlSocket)
    } catch {
      guard access == .read, error.leavesAnotherDoor else { throw error }
      do throws(ClientError) {
        return (try Stream(path: endpoint.metricsSocket), endpoint.metricsSocket)
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

  /// The error of the control socket, whose path the user knows, unless that socket is absent and the metrics socket is locked:
  /// then a daemon runs.
  fileprivate func orBetter(_ second: ClientError) -> ClientError {
    if case .noDaemon = self, case .notAllowed = second { second } else { self }
  }
}

extension ReceivedRecord {
  /// What the daemon's first line says.
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

/// A request as it goes over the socket. One that is too long would cost the connection: it is refused here, as the daemon
/// would.
func requestLine(
  _ number: Int, _ method: String, _ parameters: JSON?, limit: Int = LineSplitter.protocolLimit
) throws(ClientError) -> [UInt8] {
  var writer = JSONWriter()
  writer.beginObject()
  writer.member("id", number)
  writer.member("method", method)
  writer.member("params", parameters)
  writer.endObject()
  guard writer.bytes.count <= limit else {
    throw .refused(
      code: "line_too_long", message: "a request may have \(limit) bytes, and this one has \(writer.bytes.count)")
  }
  writer.endLine()
  return writer.bytes
}

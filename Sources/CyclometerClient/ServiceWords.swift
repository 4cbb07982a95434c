// What the services that listen next to the daemon have in common: their greeting, and errors in
// their terms.

import Linux
package import Wire

extension ClientError {
  /// The description, in terms of a service such as the guide.
  package func of(_ service: String) -> String {
    switch self {
    case .noDaemon(let path): "no \(service) listens at \(path)"
    case .timeout: "the \(service) did not answer in time"
    case .closed: "the \(service) closed the connection"
    default: "\(self)"
    }
  }
}

extension ReceivedRecord {
  /// Of a service of this version.
  package func greeting(of service: String, from path: String) throws(ClientError) -> HelloRecord {
    guard let hello = HelloRecord(content), hello.protocolVersion.hasPrefix("1.") else {
      throw .notUnderstood("\(path): what listens there is not a \(service) of this version")
    }
    return hello
  }
}

extension Endpoint {
  package var bridgeSocket: String { socketBeside("mqtt.sock") }
}

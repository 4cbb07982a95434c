// The only socket of a service that is not the daemon, such as logbook.sock.

package import EventLoop
import Linux
package import ProgramKit
package import Wire

package final class ServiceSocket {
  package static let clientLimit = 32
  /// One user leaves these to others.
  private static let reserved = 4

  private let role: SocketRole
  private let service: String
  private let log: Log
  private let sockets: SocketServer

  /// `service` is how messages name it: "recorder".
  package init(
    _ name: String, of service: String, loop: EventLoop, publisher: Publisher, hello: any Record,
    handler: any RequestHandler, log: Log
  ) {
    (role, self.service, self.log) = (SocketRole(name), service, log)
    sockets = SocketServer(
      loop: loop, log: log, publisher: publisher, hello: hello, handler: handler,
      places: Places(limit: Self.clientLimit, reserved: Self.reserved))
  }

  /// Uses the socket that the service manager opened, or else makes it at this path.
  package func listen(at path: String) throws(StartError) {
    do throws(SystemError) {
      try InheritedSockets.take { socket throws(SystemError) in
        let isFirst = !sockets.isListening(role)
        guard isFirst, SocketRole.of(socket, among: [role]) != nil else {
          return log.warning("\(socket.address): passed by the service manager, but it is not \(role.fileName)")
        }
        try sockets.listen(on: socket, role: role)
      }
      if !sockets.isListening(role) { try sockets.listen(at: path, mode: 0o660, role: role) }
    } catch {
      sockets.close()
      let hint = error.isInUse ? ": another \(service) listens there" : ""
      throw StartError("cannot open \(role.fileName): \(error)\(hint)")
    }
  }

  package func close() { sockets.close() }
}

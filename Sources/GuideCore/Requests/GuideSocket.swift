// Opens guide.sock.

import EventLoop
import Linux
import ProgramKit
import Serving
import Wire

final class GuideSocket {
  static let clientLimit = 32
  private static let role = SocketRole("guide")
  /// One user leaves these to others.
  private static let reserved = 4

  private let log: Log
  private let sockets: SocketServer

  init(loop: EventLoop, publisher: Publisher, handler: any RequestHandler, release: String, log: Log) {
    self.log = log
    let hello = HelloRecord(
      release: release, instance: ProcessEnvironment.randomName(), clientLimit: Self.clientLimit)
    sockets = SocketServer(
      loop: loop, log: log, publisher: publisher, hello: hello, handler: handler,
      places: Places(limit: Self.clientLimit, reserved: Self.reserved))
  }

  /// Uses the socket that the service manager opened, or else makes it at this path.
  func listen(at path: String) throws(StartError) {
    do throws(SystemError) {
      try InheritedSockets.take { socket throws(SystemError) in
        let isFirst = !sockets.isListening(Self.role)
        guard isFirst, SocketRole.of(socket, among: [Self.role]) != nil else {
          return log.warning("\(socket.address): passed by the service manager, but it is not guide.sock")
        }
        try sockets.listen(on: socket, role: Self.role)
      }
      if !sockets.isListening(Self.role) { try sockets.listen(at: path, mode: 0o660, role: Self.role) }
    } catch {
      sockets.close()
      let hint = error.isInUse ? ": another guide listens there" : ""
      throw StartError("cannot open guide.sock: \(error)\(hint)")
    }
  }

  func close() { sockets.close() }
}

// web.sock: lets screens in and lists them for `cyclo web`, without a browser.

import EventLoop
import JSON
import Linux
import ProgramKit
import Serving
import WebAccess
import Wire

final class WebControl {
  static let clientLimit = 16
  /// One user leaves these to others.
  private static let reserved = 2

  private let sockets: SocketServer
  private let requests: WebRequests

  init(_ requests: WebRequests, loop: EventLoop, release: String, log: Log) {
    self.requests = requests
    let hello = WebHelloRecord(
      release: release, instance: ProcessEnvironment.randomName(), clientLimit: Self.clientLimit)
    sockets = SocketServer(
      loop: loop, log: log, publisher: Publisher(loop: loop), hello: hello, handler: requests,
      places: Places(limit: Self.clientLimit, reserved: Self.reserved))
  }

  func listen(at path: String) throws(SystemError) { try sockets.listen(at: path, mode: 0o660, role: Listening.web) }

  func listen(on socket: consuming InheritedSocket) throws(SystemError) {
    try sockets.listen(on: socket, role: Listening.web)
  }

  func close() { sockets.close() }
}

/// The first line of web.sock.
struct WebHelloRecord: Record, WireObject {
  static let className = "hello"
  static let currentVersion = "1.0"
  private(set) var webVersion = ""
  private(set) var release = ""
  private(set) var instance = ""
  private var limits = Limits()

  private struct Limits: WireObject {
    var line = LineSplitter.protocolLimit
    var clients = WebControl.clientLimit

    mutating func visit(_ members: inout Members) {
      members.member("line", &line)
      members.member("clients", &clients)
    }
  }

  init() {}

  init(release: String, instance: String, clientLimit: Int) {
    (webVersion, self.release, self.instance) = (Self.currentVersion, release, instance)
    limits.clients = clientLimit
  }

  mutating func visit(_ members: inout Members) {
    members.needed("web", &webVersion)
    members.member("release", &release)
    members.needed("instance", &instance)
    members.member("limits", &limits)
  }
}

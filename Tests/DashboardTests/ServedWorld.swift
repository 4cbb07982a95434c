// What browsers of a test need of the server that they connect to.

import EventLoop
import JSON
import Linux
import TestSupport
import Time
import WebAccess

protocol ServedWorld: AnyObject {
  var loop: EventLoop { get }
  /// Where it listens for browsers.
  var listener: InternetAddress? { get }
  /// Of web.sock and front.sock.
  var socketFolder: String { get }
  func waitForAnswer(_ condition: () -> Bool) throws
}

extension ServedWorld {
  var address: String { listener.map { "\($0)" } ?? "" }

  /// Returns false if the condition does not become true.
  func run(until condition: () -> Bool) throws -> Bool {
    try loop.run(until: loop.now + .seconds(20), condition)
  }

  func pass(_ time: Duration) throws {
    _ = try loop.run(until: loop.now + time) { false }
  }

  func connect(_ way: Browser.Way) throws -> FileDescriptor {
    switch way {
    case .front: try UnixSocket.connect(to: socketFolder + "/front.sock", nonBlocking: true)
    case .loopback: try TCPSocket.connect(to: listener ?? .loopback(port: 1))
    }
  }

  /// One request on web.sock. Returns the reply or the error.
  func web(_ method: String, _ parameters: String = "{}") throws -> JSONValue {
    try web([(method, parameters)])[0]
  }

  /// Requests on one connection to web.sock, which then ends. Returns their replies or errors, and
  /// what came during `andThen`, before the end.
  func web(
    _ requests: [(method: String, parameters: String)], andThen: () throws -> Void = {}
  ) throws -> [JSONValue] {
    let socket = try UnixSocket.connect(to: socketFolder + "/web.sock", nonBlocking: true)
    let tap = LineTap(.dashboard)
    var received: [UInt8] = []
    let watch = try loop.watch(socket.number, for: .readable) { _ in
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      guard case .some(.done(let count)) = try? socket.read(into: &buffer) else { return }
      received += buffer[..<count]
      tap.received(buffer[..<count])
    }
    defer { watch.cancel() }
    for (index, request) in requests.enumerated() {
      let text = #"{"id":\#(index + 1),"method":"\#(request.method)","params":\#(request.parameters)}"#
      let line = Array(text.utf8) + [UInt8(ascii: "\n")]
      _ = try StreamSocket.send(socket.number, line.span)
      tap.sent(line)
      _ = try run { received.count { $0 == UInt8(ascii: "\n") } == index + 2 }
    }
    try andThen()
    return try received.split(separator: UInt8(ascii: "\n")).dropFirst().map { try JSONValue.parse(Array($0)) }
  }

  /// Lets a browser in. Returns its token.
  func pair(_ right: Right, _ way: Browser.Way = .loopback, name: String = "Phone") throws -> String {
    let link = try web("link", #"{"right":"\#(right.rawValue)","name":"\#(name)"}"#)
    let url = link["result"]?["url"]?.text ?? ""
    let code = url.split(separator: "#").last ?? ""
    let answer = try Browser(self, way).ask("POST", "/api/1/pair", #"{"code":"\#(code)"}"#)
    let cookie = answer.field("Set-Cookie") ?? ""
    return String(cookie.dropFirst("cyclometer=".utf8.count).prefix { $0 != ";" })
  }

  func browser(_ right: Right, _ way: Browser.Way = .loopback, name: String = "Phone") throws -> Browser {
    try Browser(self, way, token: pair(right, way, name: name))
  }
}

// The dashboard's server with a daemon that a test plays, in one loop.

import CyclometerClient
import EventLoop
import Foundation
import JSON
import Linux
import ProgramKit
import TestSupport
import Time
import WebAccess

@testable import Dashboard

final class DashboardWorld {
  let loop: EventLoop
  let folder: TemporaryFolder
  let daemon: FakeDaemon
  private var running: DashboardService?
  private var isAsking = false
  private let lines = Lines()

  /// What was logged.
  private final class Lines {
    var all: [String] = []
  }

  init(_ timeline: Timeline = .boot, configuration: (inout DashboardConfiguration) -> Void = { _ in }) throws {
    ignoreBrokenPipes()
    loop = try EventLoop(timeline)
    folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.file("run"), withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    try Self.makePage(folder.file("page"))
    daemon = try FakeDaemon(in: folder.file("run"), loop)
    let server = try Self.start(loop, folder, lines, configuration)
    running = server
    if case .virtual(let time) = timeline {
      time.quiescence = { [weak self] in self?.isAsking == true ? .underway : .settled }
    }
    _ = try run { server.statusLine.hasSuffix("daemon: connected") }
  }

  deinit { running?.stop() }

  private static func start(
    _ loop: EventLoop, _ folder: TemporaryFolder, _ lines: Lines, _ configure: (inout DashboardConfiguration) -> Void
  ) throws -> DashboardService {
    var configuration = DashboardConfiguration()
    configuration.names = ["bike"]
    configuration.logLevel = .debug
    configure(&configuration)
    let places = DashboardPlaces(
      daemon: Endpoint(controlSocket: folder.file("run/control.sock")), socketFolder: folder.file("run"),
      directories: ServiceDirectories(runtime: folder.file("web-run"), state: folder.file("web")),
      address: .loopback(port: 0), pageFolder: folder.file("page"))
    let server = try DashboardService(
      loop: loop, configuration: configuration, places: places,
      log: Log(level: .debug, write: { lines.all.append($0) }), release: "0.1.0")
    try server.start()
    return server
  }

  private static func makePage(_ folder: String) throws {
    let manager = FileManager.default
    try manager.createDirectory(atPath: folder + "/js/core", withIntermediateDirectories: true)
    let files = [
      "index.html": #"<script src="js/app.js"></script><a href="js/none.js">/f/0/js/app.js</a>"#,
      "js/app.js": #"import "./core/store.js";"#, "js/app.js.gz": "compressed", "js/core/store.js": "// store",
      "service-worker.js": #"const files = "/f/0/";"#, "secret.sh": "echo",
    ]
    for (name, text) in files { try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/" + name)) }
  }

  var log: String { lines.all.joined() }
  var address: String { running?.addresses.first.map { "\($0)" } ?? "" }

  /// Ends the server and starts another on the same files.
  func restart() throws {
    running?.stop()
    // Its directories are locked as long as it exists.
    running = nil
    running = try Self.start(loop, folder, lines) { _ in }
  }

  func connect(_ way: Browser.Way) throws -> FileDescriptor {
    switch way {
    case .front: try UnixSocket.connect(to: folder.file("run/front.sock"), nonBlocking: true)
    case .loopback: try TCPSocket.connect(to: running?.addresses.first ?? .loopback(port: 1))
    }
  }

  /// Returns false if the condition does not become true.
  func run(until condition: () -> Bool) throws -> Bool {
    try loop.run(until: loop.now + .seconds(20), condition)
  }

  /// Lets no virtual time pass until the condition is true, because what TCP brings is not there at
  /// once.
  func waitForAnswer(_ condition: () -> Bool) throws {
    isAsking = true
    defer { isAsking = false }
    _ = try run(until: condition)
  }

  /// One request on web.sock. Returns the reply or the error.
  func web(_ method: String, _ parameters: String = "{}") throws -> JSONValue {
    let socket = try UnixSocket.connect(to: folder.file("run/web.sock"), nonBlocking: true)
    var received: [UInt8] = []
    let watch = try loop.watch(socket.number, for: .readable) { _ in
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      if case .some(.done(let count)) = try? socket.read(into: &buffer) { received += buffer[..<count] }
    }
    defer { watch.cancel() }
    let line = Array(#"{"id":1,"method":"\#(method)","params":\#(parameters)}"#.utf8) + [UInt8(ascii: "\n")]
    _ = try StreamSocket.send(socket.number, line.span)
    _ = try run { received.count { $0 == UInt8(ascii: "\n") } == 2 }
    return try JSONValue.parse(Array(received.split(separator: UInt8(ascii: "\n"))[1]))
  }

  /// Lets a browser in. Returns its token.
  func pair(_ right: Right, _ way: Browser.Way = .loopback) throws -> String {
    let link = try web("link", #"{"right":"\#(right.rawValue)"}"#)
    let url = link["result"]?["url"]?.text ?? ""
    let code = url.components(separatedBy: "#").last ?? ""
    let answer = try Browser(self, way).ask("POST", "/api/1/pair", #"{"code":"\#(code)"}"#)
    let cookie = answer.field("Set-Cookie") ?? ""
    return String(cookie.dropFirst("cyclometer=".utf8.count).prefix { $0 != ";" })
  }

  func browser(_ right: Right, _ way: Browser.Way = .loopback) throws -> Browser {
    try Browser(self, way, token: pair(right, way))
  }
}

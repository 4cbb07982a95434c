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

final class DashboardWorld: ServedWorld {
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
    try FileManager.default.createDirectory(atPath: folder.file("leaflet"), withIntermediateDirectories: false)
    daemon = try FakeDaemon(in: folder.file("run"), loop)
    let server = try Self.start(loop, folder, lines, configuration)
    running = server
    if case .virtual(let time) = timeline {
      time.quiescence = { [weak self] in self?.isAsking == true ? .underway : .settled }
    }
    _ = try run { server.statusLine.hasSuffix("daemon: connected") }
  }

  deinit { running?.stop() }

  private static var configuration: DashboardConfiguration {
    var configuration = DashboardConfiguration()
    configuration.names = ["bike"]
    configuration.logLevel = .debug
    return configuration
  }

  private static func start(
    _ loop: EventLoop, _ folder: TemporaryFolder, _ lines: Lines, _ configure: (inout DashboardConfiguration) -> Void
  ) throws -> DashboardService {
    var configuration = configuration
    configure(&configuration)
    let places = DashboardPlaces(
      daemon: Endpoint(controlSocket: folder.file("run/control.sock")), socketFolder: folder.file("run"),
      directories: ServiceDirectories(runtime: folder.file("web-run"), state: folder.file("web")),
      address: .loopback(port: 0), pageFolder: folder.file("page"), leafletFolder: folder.file("leaflet"))
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
  var listener: InternetAddress? { running?.addresses.first }
  var socketFolder: String { folder.file("run") }

  /// Ends the server and starts another on the same files.
  func restart() throws {
    running?.stop()
    // Its directories are locked as long as it exists.
    running = nil
    running = try Self.start(loop, folder, lines) { _ in }
  }

  /// Reads the configuration and the folders again.
  func reload() { running?.apply(Self.configuration) }

  /// The contents of what the server keeps.
  func savedFiles() throws -> [String] {
    let state = folder.file("web")
    return try FileManager.default.subpathsOfDirectory(atPath: state).compactMap { name in
      FileManager.default.contents(atPath: state + "/" + name).map { String(decoding: $0, as: UTF8.self) }
    }
  }

  /// Lets no virtual time pass until the condition is true, because what TCP brings is not there at
  /// once.
  func waitForAnswer(_ condition: () -> Bool) throws {
    isAsking = true
    defer { isAsking = false }
    _ = try run(until: condition)
  }
}

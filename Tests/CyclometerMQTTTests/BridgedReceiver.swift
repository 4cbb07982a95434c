// A receiver: a daemon that simulates a bike, and a bridge that sends to a broker.

import Foundation
import JSON
import Linux
import TestSupport
import Time

final class BridgedReceiver {
  let folder: TemporaryFolder
  let name: String
  private let port: UInt16
  private let scene: String
  private(set) var daemon: RealDaemon
  private(set) var bridge: RealService

  init(_ name: String = "bike-7", port: UInt16, _ configuration: String = "", scene: String = "bike") throws {
    let folder = try TemporaryFolder()
    (self.folder, self.name, self.port, self.scene) = (folder, name, port, scene)
    try Self.write(configuration, name, port, to: folder)
    daemon = try RealDaemon(["--simulate", scene], in: folder)
    bridge = try RealService("cyclometer-mqtt", in: folder, socket: "mqtt.sock")
  }

  /// For the next start of the bridge.
  func configure(_ configuration: String) throws { try Self.write(configuration, name, port, to: folder) }

  /// A later line replaces an earlier one.
  static func write(_ configuration: String, _ name: String, _ port: UInt16, to folder: TemporaryFolder) throws {
    let text = """
      [Broker]
      Address=mqtt://127.0.0.1:\(port)
      [Fleet]
      Group=studio
      Receiver=\(name)
      [Log]
      BatchSeconds=1
      \(configuration)

      """
    try Files.replace(folder.file("cyclometer-mqtt.conf"), with: Array(text.utf8), mode: 0o600)
  }

  var prefix: String { "cyclometer/v1/studio/\(name)/" }

  func startDaemon() throws { daemon = try RealDaemon(["--simulate", scene], in: folder) }

  func startBridge() throws { bridge = try RealService("cyclometer-mqtt", in: folder, socket: "mqtt.sock") }

  /// The exit status, and what `cyclo` has printed.
  func cyclo(_ arguments: [String]) throws -> (status: Int32, output: String, complaint: String) {
    try runProgram(
      productFolder + "/cyclo", ["--socket", daemon.controlSocket] + arguments, ["TERM": "dumb", "TZ": "UTC"])
  }

  /// A client of mqtt.sock.
  func peer() throws -> BridgePeer { try BridgePeer(bridge.socket) }
}

final class BridgePeer {
  enum Problem: Error {
    case ended
    case silent
  }

  private let socket: FileDescriptor
  /// Nil for lines that only a test sends.
  private let tap: LineTap?
  private var bytes: [UInt8] = []
  private var lastID = 0
  private(set) var hello = JSONValue.null

  init(_ path: String, tap: LineTap? = LineTap(.bridge)) throws {
    self.tap = tap
    socket = try UnixSocket.connect(to: path)
    hello = try next()
  }

  /// The reply or the error. Records before it are skipped.
  func ask(_ method: String, _ parameters: String = "{}") throws -> JSONValue {
    lastID += 1
    let line = Array("{\"id\":\(lastID),\"method\":\"\(method)\",\"params\":\(parameters)}\n".utf8)
    _ = try StreamSocket.send(socket.number, line.span)
    tap?.sent(line)
    while true {
      let record = try next()
      if record["class"] == "reply" || record["class"] == "error" { return record }
    }
  }

  /// Asks for the status until it fits.
  func status(until fits: (JSONValue) -> Bool) throws -> JSONValue {
    let deadline = MonotonicTime.now + .seconds(240)
    while MonotonicTime.now < deadline {
      if let status = try ask("status")["result"], fits(status) { return status }
      try Waiting.until(.now + .milliseconds(50))
    }
    throw Problem.silent
  }

  func next() throws -> JSONValue {
    let deadline = MonotonicTime.now + .seconds(120)
    while true {
      if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
        defer { bytes.removeSubrange(...end) }
        return try JSONValue.parse(Array(bytes[..<end]))
      }
      guard try Waiting.untilReadable(socket.number, deadline: deadline) else { throw Problem.silent }
      var chunk = [UInt8](repeating: 0, count: 16 << 10)
      guard case .done(let count) = try socket.read(into: &chunk) else { continue }
      guard count > 0 else { throw Problem.ended }
      bytes += chunk[..<count]
      tap?.received(chunk[..<count])
    }
  }
}

// A daemon for tests: greets, and answers each method as its script says. It runs on a thread of its own; nothing in it
// decides anything.

import Foundation
import JSON
import Linux
import Synchronization
import TestSupport
import Time

final class StandInDaemon: Sendable {
  enum Step: Sendable {
    /// Sends a line; `$ID` stands for the id of the request.
    case line(String)
    case hangUp

    static func reply(_ result: String = "{}") -> Step {
      .line(#"{"class":"reply","id":$ID,"result":\#(result)}"#)
    }

    static func error(_ code: String, _ message: String) -> Step {
      .line(#"{"class":"error","id":$ID,"code":"\#(code)","message":"\#(message)"}"#)
    }
  }

  /// What is done at the first, second, ... request of a method; the last stands for all that follow.
  typealias Script = [String: [[Step]]]

  static let hello =
    #"{"class":"hello","protocol":"1.0","release":"0.1.0","instance":"first","limits":{"line":65536,"clients":256}}"#

  let folder: String
  private let greetings: [String]
  private let script: Script
  /// Whose schemas its lines follow.
  private let server: LineTap.Server
  private let state = Mutex(State())

  private struct State {
    var isStopped = false
    var connections = 0
    var asked: [String: Int] = [:]
    var requests: [JSONValue] = []
  }

  var controlSocket: String { folder + "/control.sock" }
  var requests: [JSONValue] { state.withLock { $0.requests } }

  /// Listens at once. `greetings` are those of the first, second, ... connection.
  init(
    _ script: Script, socket: String = "control.sock", beside other: StandInDaemon? = nil, mode: UInt32 = 0o666,
    greetings: [String] = [hello]
  ) throws {
    folder = other?.folder ?? NSTemporaryDirectory() + "cyclo-\(UUID().uuidString.prefix(8))"
    try Files.createDirectory(folder, mode: 0o755)
    self.script = script
    server =
      switch socket {
      case "web.sock": .standInDashboard
      case "logbook.sock": .standInRecorder
      case "guide.sock": .standInGuide
      case "mqtt.sock": .standInBridge
      default: .standIn
      }
    self.greetings = greetings
    let listener = try UnixSocket.listen(at: folder + "/" + socket, mode: mode).release()
    Thread.detachNewThread { self.accept(FileDescriptor(owning: listener)) }
  }

  func stop() {
    state.withLock { $0.isStopped = true }
    try? FileManager.default.removeItem(atPath: folder)
  }

  private var isStopped: Bool { state.withLock { $0.isStopped } }

  private func accept(_ listener: consuming FileDescriptor) {
    while !isStopped {
      let nextLook = MonotonicTime.now + .milliseconds(20)
      guard let isReady = try? Waiting.untilReadable(listener.number, deadline: nextLook) else { return }
      guard isReady, let socket = try? StreamSocket.accept(from: listener.number) else { continue }
      let number = socket.release()
      Thread.detachNewThread { self.serve(FileDescriptor(owning: number)) }
    }
  }

  private func serve(_ socket: consuming FileDescriptor) {
    let count = state.withLock { state in
      state.connections += 1
      return state.connections
    }
    send(greetings[min(count, greetings.count) - 1], to: socket.number)
    let tap = LineTap(server)
    var splitter = LineSplitter()
    var chunk = [UInt8](repeating: 0, count: 4096)
    while !isStopped {
      guard let isReady = try? Waiting.untilReadable(socket.number, deadline: .now + .milliseconds(20)) else { return }
      guard isReady else { continue }
      guard case .done(let count) = try? socket.read(into: &chunk), count > 0 else { return }
      tap.sent(chunk[..<count])
      var goesOn = true
      let number = socket.number
      _ = splitter.feed(chunk.span.extracting(..<count)) { line in
        goesOn = answer(line, on: number)
        return goesOn
      }
      if !goesOn { return }
    }
  }

  private func answer(_ line: Span<UInt8>, on socket: Int32) -> Bool {
    guard let request = try? JSONValue.parse(line), let method = request["method"]?.text else { return false }
    let count = state.withLock { state in
      state.requests.append(request)
      state.asked[method, default: 0] += 1
      return state.asked[method, default: 1]
    }
    let scripts = script[method] ?? [[.error("unknown_method", "there is no \(method)")]]
    for step in scripts[min(count, scripts.count) - 1] {
      guard case .line(let line) = step else { return false }
      send(line.replacingOccurrences(of: "$ID", with: request["id"]?.encoded ?? "0"), to: socket)
    }
    return true
  }

  private func send(_ line: String, to socket: Int32) {
    let bytes = Array((line + "\n").utf8)
    _ = try? StreamSocket.send(socket, bytes.span)
  }
}

// A server that a test scripts byte by byte, with one closure per connection. All closures run on
// the same thread, and the last one also serves all later connections.

import CyclometerClient
import Foundation
import JSON
import Linux
import Synchronization
import TestSupport
import Time
import Wire

/// On a slow machine that runs all tests at once, a thread may wait for minutes before it runs.
let testTimeout = Duration.seconds(500)

final class FakeServer: Sendable {
  static func hello(_ instance: String = "one", version: String = "1.0") -> String {
    #"{"class":"hello","protocol":"\#(version)","release":"0.1.0","instance":"\#(instance)","limits":{"line":65536,"clients":256}}"#
      + "\n"
  }

  static func sample(_ number: Int, kind: String = "heart_rate") -> String {
    #"{"class":"sample","sensor":"strap","kind":"\#(kind)","seq":\#(number),"t":1.5,"age_ms":0,"bpm":142}"# + "\n"
  }

  struct Connection: ~Copyable {
    let socket: FileDescriptor

    func send(_ text: String) {
      let bytes = Array(text.utf8)
      var sent = 0
      while sent < bytes.count {
        switch try? StreamSocket.send(socket.number, bytes.span.extracting(sent...)) {
        case .done(let count): sent += count
        case .wouldBlock: _ = try? Waiting.untilWritable(socket.number, deadline: .now + testTimeout)
        case nil: return
        }
      }
    }

    /// The next request, read byte by byte. Nil if the client has disconnected.
    func request() -> JSONValue? {
      var line: [UInt8] = []
      var byte: [UInt8] = [0]
      while line.last != UInt8(ascii: "\n") {
        guard (try? Waiting.untilReadable(socket.number, deadline: .now + testTimeout)) == true,
          case .done(1) = try? socket.read(into: &byte)
        else { return nil }
        line.append(byte[0])
      }
      return try? JSONValue.parse(line)
    }

    /// Sends hello and accepts the subscription.
    @discardableResult
    func welcome(_ instance: String = "one") -> JSONValue? {
      send(FakeServer.hello(instance))
      let request = request()
      reply(request)
      return request
    }

    func reply(_ request: JSONValue?, _ result: String = "{}") {
      send(#"{"class":"reply","id":\#(request?["id"]?.encoded ?? "0"),"result":\#(result)}"# + "\n")
    }

    func waitUntilItLeaves() {
      while request() != nil {}
    }
  }

  let folder: TemporaryFolder
  private let isStopped = Atomic(false)
  var endpoint: Endpoint { Endpoint(controlSocket: folder.file("control.sock")) }

  init(_ scripts: [@Sendable (borrowing Connection) -> Void], at socket: String = "control.sock") throws {
    folder = try TemporaryFolder()
    let listener = try UnixSocket.listen(at: folder.file(socket), mode: 0o600).release()
    Thread.detachNewThread { [self] in
      let listener = FileDescriptor(owning: listener)
      var count = 0
      while !isStopped.load(ordering: .relaxed) {
        guard (try? Waiting.untilReadable(listener.number, deadline: .now + .milliseconds(50))) == true,
          let socket = try? StreamSocket.accept(from: listener.number)
        else { continue }
        scripts[min(count, scripts.count - 1)](Connection(socket: socket))
        count += 1
      }
    }
  }

  func stop() {
    isStopped.store(true, ordering: .relaxed)
  }
}

extension Update {
  /// A short form for comparisons.
  var brief: String {
    switch self {
    case .connected(let daemon, let isNew): "connected \(daemon.instance)\(isNew ? " new" : "")"
    case .disconnected(let reason): "disconnected \(reason)"
    case .gap(let gap): "gap \(gap.kind) \(gap.lost)"
    case .lag(let dropped, _): "lag \(dropped)"
    case .record(let record): "\(record.recordClass) \(record["seq"]?.encoded ?? "")"
    case .answer(let answer): "answer \(answer.request)"
    }
  }
}

extension Feed {
  func briefs(_ count: Int) throws -> [String] {
    try (0..<count).map { _ in try next(within: testTimeout)?.brief ?? "nothing" }
  }
}

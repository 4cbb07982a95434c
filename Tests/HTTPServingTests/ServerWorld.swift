// A server with its clients in one loop. Unix sockets with virtual time are deterministic: what is
// written is there at once. Tests of TCP use the real clock and wait for no deadline; on a busy
// machine they must not meet one either.

import EventLoop
import Foundation
import HTTP
import Linux
import ProgramKit
import TestSupport
import Time

@testable import HTTPServing

final class ServerWorld {
  let loop: EventLoop
  let server: HTTPServer
  let handler = ScriptedHandler()
  private let folder: TemporaryFolder

  init(_ timeline: Timeline = .virtual(VirtualTime())) throws {
    ignoreBrokenPipes()
    var limits = HTTPLimits()
    if case .boot = timeline {
      for time in [\HTTPLimits.headTime, \.bodyTime, \.idleTime, \.answerTime, \.stallTime, \.farewellTime] {
        limits[keyPath: time] = .seconds(600)
      }
    }
    loop = try EventLoop(timeline)
    folder = try TemporaryFolder()
    server = HTTPServer(loop: loop, log: Log(level: .error), limits: limits, handler: handler)
    try server.listen(at: path, mode: 0o600, name: "front")
  }

  var path: String { folder.file("front.sock") }

  func connect() throws -> TestClient {
    let client = TestClient(try UnixSocket.connect(to: path, nonBlocking: true), loop)
    try client.resume()
    try settle()
    return client
  }

  func connect(to address: InternetAddress) throws -> TestClient {
    let client = TestClient(try TCPSocket.connect(to: address), loop)
    try client.resume()
    return client
  }

  func run(for span: Duration) throws {
    _ = try loop.run(until: loop.now + span) { false }
  }

  /// Lets everything happen that needs no time.
  func settle() throws {
    try run(for: .nanoseconds(1))
  }

  func run(until condition: () -> Bool) throws -> Bool {
    try loop.run(until: loop.now + .seconds(60), condition)
  }
}

/// Answers with what it got, unless a test says otherwise.
final class ScriptedHandler: HTTPHandler {
  private(set) var exchanges: [HTTPExchange] = []
  var script: (HTTPExchange) -> Void = { exchange in
    let body = String(decoding: exchange.request.body, as: UTF8.self)
    let path = exchange.request.target.path.joined(separator: "/")
    exchange.answer(HTTPResponse(.ok, type: "text/plain", "\(exchange.request.method.rawValue) /\(path) \(body)"))
  }

  func handle(_ exchange: HTTPExchange) {
    exchanges.append(exchange)
    script(exchange)
  }
}

final class TestClient {
  private let socket: FileDescriptor
  private let loop: EventLoop
  private var watch: Watch?
  private(set) var received: [UInt8] = []
  private(set) var hasEnded = false
  private(set) var wasReset = false

  init(_ socket: consuming FileDescriptor, _ loop: EventLoop) {
    self.socket = socket
    self.loop = loop
  }

  deinit { watch?.cancel() }

  var text: String { String(decoding: received, as: UTF8.self) }
  var answers: [Answer] { Answer.all(in: received) }
  /// The messages of a stream that are data.
  var frames: [String] {
    let body = text.components(separatedBy: "\r\n\r\n").dropFirst().joined()
    return body.components(separatedBy: "\n\n").filter { $0.hasPrefix("data") }
  }
  var statuses: [Int] { answers.map(\.status) }
  var number: Int32 { socket.number }

  /// Returns how many bytes the socket took.
  @discardableResult
  func send(_ text: String) throws -> Int { try send(Array(text.utf8)) }

  @discardableResult
  func send(_ bytes: [UInt8]) throws -> Int {
    guard case .done(let count) = try StreamSocket.send(socket.number, bytes.span) else { return 0 }
    return count
  }

  func stopSending() throws { try StreamSocket.shutdownWrite(socket.number) }

  /// Reads nothing from now on.
  func stop() {
    watch?.cancel()
    watch = nil
  }

  func resume() throws {
    watch = try loop.watch(socket.number, for: .readable) { [weak self] _ in self?.read() }
  }

  func forget() { received = [] }

  private func read() {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    do throws(SystemError) {
      guard case .done(let count) = try socket.read(into: &buffer) else { return }
      received += buffer[..<count]
      if count == 0 { end() }
    } catch {
      wasReset = true
      end()
    }
  }

  private func end() {
    hasEnded = true
    stop()
  }
}

struct Answer {
  let status: Int
  /// By their names in lower case.
  let fields: [String: String]
  let body: String

  /// Those that are complete. One without a length has the rest as its body.
  static func all(in bytes: [UInt8]) -> [Answer] {
    var answers: [Answer] = []
    var rest = bytes[...]
    while let end = headEnd(rest) {
      let lines = String(decoding: rest[..<end], as: UTF8.self).components(separatedBy: "\r\n")
      rest = rest[(end + 4)...]
      let status = Int(lines[0].split(separator: " ")[1]) ?? 0
      let pairs = lines.dropFirst().map { line in
        let parts = line.split(separator: ":", maxSplits: 1)
        return (parts[0].lowercased(), parts[1].trimmingCharacters(in: .whitespaces))
      }
      let fields = Dictionary(uniqueKeysWithValues: pairs)
      let length = status == 100 || status == 304 ? 0 : fields["content-length"].flatMap { Int($0) } ?? rest.count
      guard rest.count >= length else { break }
      answers.append(Answer(status: status, fields: fields, body: String(decoding: rest.prefix(length), as: UTF8.self)))
      rest = rest.dropFirst(length)
    }
    return answers
  }

  private static func headEnd(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard bytes.count >= 4 else { return nil }
    return (bytes.startIndex...(bytes.endIndex - 4)).first { bytes[$0..<($0 + 4)].elementsEqual("\r\n\r\n".utf8) }
  }
}

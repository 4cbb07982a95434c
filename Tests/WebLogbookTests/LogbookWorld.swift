// A recorder, a server of HTTP with the gateway, and its clients in one loop with virtual time.

import CyclometerClient
import EventLoop
import Foundation
import HTTP
import HTTPServing
import JSON
import Linux
import ProgramKit
import RecorderCore
import TestSupport
import Testing
import Time

@testable import WebAccess
@testable import WebLogbook

final class LogbookWorld: HTTPHandler {
  let loop: EventLoop
  private let folder: TemporaryFolder
  private let gateway: LogbookGateway
  private var server: HTTPServer?
  private var recorder: RecorderService?

  init(withRecorder: Bool = true) throws {
    ignoreBrokenPipes()
    loop = try EventLoop(.virtual(VirtualTime()))
    folder = try TemporaryFolder()
    gateway = LogbookGateway(folder.file("logbook.sock"), in: loop)
    let server = HTTPServer(loop: loop, log: Log(level: .error), handler: self)
    try server.listen(at: folder.file("http.sock"), mode: 0o600, name: "http")
    self.server = server
    if withRecorder { try startRecorder() }
  }

  var logbookSocket: String { folder.file("logbook.sock") }

  func startRecorder() throws {
    var configuration = RecorderConfiguration()
    configuration.exportFolder = .none
    let directories = ServiceDirectories(runtime: folder.file("run"), state: folder.file("state"))
    for path in [directories.runtime, directories.state] where !Files.exists(path) {
      try Files.createDirectory(path, mode: 0o700)
    }
    let places = RecorderPlaces(
      daemon: Endpoint(controlSocket: folder.file("control.sock")), socket: logbookSocket, directories: directories)
    recorder = try RecorderService(
      loop: loop, configuration: configuration, places: places, log: Log(level: .error), release: "0.0.0")
    try recorder?.start()
    try settle()
  }

  func stopRecorder() throws {
    recorder?.stop()
    recorder = nil
    try settle()
  }

  func settle() throws { try run(for: .milliseconds(10)) }
  func run(for span: Duration) throws { _ = try loop.run(until: loop.now + span) { false } }

  /// As the gate would let it through.
  func handle(_ exchange: HTTPExchange) {
    guard case .found(let route, let values) = RouteSearch(exchange.request.method, exchange.request.target.path) else {
      return exchange.answer(HTTPResponse(.notFound))
    }
    #expect(route.endpoint == .logbook || route.endpoint == .logbookImport)
    gateway.handle(exchange, Grant(route: route, values: values, phone: nil, right: .manage, permit: nil))
  }

  func client() throws -> WebClient {
    try WebClient(UnixSocket.connect(to: folder.file("http.sock"), nonBlocking: true), loop)
  }

  @discardableResult
  func ask(_ method: String, _ target: String, _ body: String? = nil, ifMatch: String? = nil) throws -> WebAnswer {
    var lines = ["\(method) /api/1/\(target) HTTP/1.1", "Host: bike", "Connection: close"]
    if let ifMatch { lines.append("If-Match: \(ifMatch)") }
    if let body { lines += ["Content-Type: application/json", "Content-Length: \(body.utf8.count)"] }
    let client = try client()
    try client.send(Array((lines.map { $0 + "\r\n" }.joined() + "\r\n" + (body ?? "")).utf8))
    return try client.answer()
  }

  func upload(_ name: String, _ file: [UInt8], as target: String? = nil) throws -> WebAnswer {
    let client = try client()
    let head = """
      POST /api/1/import?name=\(name)\(target.map { "&as=\($0)" } ?? "") HTTP/1.1\r\nHost: bike\r\nConnection: close\r
      Content-Type: application/octet-stream\r\nContent-Length: \(file.count)\r\n\r\n
      """
    try client.send(Array(head.utf8) + file)
    return try client.answer()
  }

  /// The id of a new activity that was added by hand.
  func add(_ name: String = "Swim", day: Int = 1) throws -> Int {
    let body =
      #"{"sport":"swimming","start":"2026-05-0\#(day)T07:30:00.000Z","elapsed_time_s":1800,"name":"\#(name)"}"#
    return try #require(ask("POST", "activities", body).json["id"]?.integer)
  }

  /// A ride of so many seconds.
  static func gpx(_ seconds: Int) -> [UInt8] {
    var text = #"<gpx version="1.1" creator="test" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>"#
    for second in 0..<seconds {
      let clock = [second / 3600, second / 60 % 60, second % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
      let time = "2026-05-01T\(clock.joined(separator: ":"))Z"
      text += #"<trkpt lat="47.\#(100_000 + 5 * second)" lon="8.5"><ele>400</ele><time>\#(time)</time></trkpt>"#
    }
    return Array((text + "</trkseg></trk></gpx>").utf8)
  }
}

final class WebClient {
  private let socket: FileDescriptor
  private let loop: EventLoop
  private var watch: Watch?
  private(set) var received: [UInt8] = []
  private(set) var hasEnded = false

  init(_ socket: consuming FileDescriptor, _ loop: EventLoop) throws {
    self.socket = socket
    self.loop = loop
    watch = try loop.watch(self.socket.number, for: .readable) { [weak self] _ in self?.read() }
  }

  deinit { watch?.cancel() }

  /// Sends as the server takes it. Returns how much it took before it stopped.
  @discardableResult
  func send(_ bytes: [UInt8]) throws -> Int {
    var sent = 0
    var waited = 0
    while sent < bytes.count, waited < 50, !hasEnded {
      guard case .done(let count) = try StreamSocket.send(socket.number, bytes.span.extracting(sent...)), count > 0
      else {
        waited += 1
        _ = try loop.run(until: loop.now + .milliseconds(1)) { false }
        continue
      }
      (sent, waited) = (sent + count, 0)
    }
    return sent
  }

  /// Reads nothing from now on.
  func stop() {
    watch?.cancel()
    watch = nil
  }

  /// The answer when the server has closed the connection.
  func answer(within span: Duration = .seconds(60)) throws -> WebAnswer {
    _ = try loop.run(until: loop.now + span) { hasEnded }
    return try #require(WebAnswer(received), "no answer: \(String(decoding: received, as: UTF8.self))")
  }

  private func read() {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    guard case .done(let count) = try? socket.read(into: &buffer), count > 0 else {
      hasEnded = true
      return stop()
    }
    received += buffer[..<count]
  }
}

struct WebAnswer {
  let status: Int
  let fields: [String: String]
  let body: [UInt8]
  /// Whether the body is as long as it says.
  let isWhole: Bool

  init?(_ bytes: [UInt8]) {
    let separator = Array("\r\n\r\n".utf8)
    guard let end = bytes.indices.first(where: { bytes[$0...].starts(with: separator) }) else { return nil }
    let lines = String(decoding: bytes[..<end], as: UTF8.self).components(separatedBy: "\r\n")
    status = Int(lines[0].split(separator: " ")[1]) ?? 0
    fields = Dictionary(
      lines.dropFirst().map { line in
        let parts = line.split(separator: ":", maxSplits: 1)
        return (parts[0].lowercased(), parts[1].trimmingCharacters(in: .whitespaces))
      }, uniquingKeysWith: { $1 })
    let rest = bytes[(end + 4)...]
    if fields["transfer-encoding"] == "chunked" {
      (body, isWhole) = Self.joined(rest)
    } else {
      body = Array(rest)
      isWhole = fields["content-length"].map { Int($0) == rest.count } ?? true
    }
  }

  private static func joined(_ chunks: ArraySlice<UInt8>) -> ([UInt8], Bool) {
    var (body, rest) = ([UInt8](), chunks)
    while let end = rest.firstIndex(of: 13), let size = Int(String(decoding: rest[..<end], as: UTF8.self), radix: 16) {
      rest = rest[(end + 2)...]
      if size == 0 { return (body, true) }
      guard rest.count >= size + 2 else { break }
      body += rest.prefix(size)
      rest = rest.dropFirst(size + 2)
    }
    return (body, false)
  }

  var text: String { String(decoding: body, as: UTF8.self) }
  var json: JSONValue { (try? JSONValue.parse(body)) ?? .null }
}

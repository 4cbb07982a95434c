// What pages have the daemon do. A page that names its stream has a task with a connection of its
// own; records of its scan or pairing go to that stream. Other requests have a connection each.

import EventLoop
import HTTP
import HTTPServing
import JSON
import Linux
import ProgramKit
import WebAccess
import Wire

final class PageTasks {
  /// Pairing takes up to 45 s.
  private static let longestTask = Duration.seconds(50)
  /// These begin something, or belong to what was begun, and need the connection of a stream.
  private static let needsStream: [DaemonMethod] = [.scan, .pair, .answer, .cancel]

  private let loop: EventLoop
  private let path: String
  private let streams: PageStreams
  private let log: Log
  private var ofStreams: [String: PageTask] = [:]
  private var single: [ObjectIdentifier: ControlConnection] = [:]
  /// False with Control=no.
  private var isAllowed = true

  init(_ path: String, _ streams: PageStreams, in loop: EventLoop, log: Log) {
    (self.path, self.streams, self.loop, self.log) = (path, streams, loop, log)
    streams.began = { [weak self] stream in self?.ofStreams[stream.name]?.move(to: stream) }
    streams.ended = { [weak self] stream in self?.leave(stream) }
    streams.canContinue = { [weak self] name, phone in self?.ofStreams[name]?.phone == phone }
  }

  private func leave(_ stream: PageStream) {
    let name = stream.name
    guard stream.mayContinue else { return end(name) }
    ofStreams[name]?.wait { [weak self] in self?.end(name) }
  }

  private func end(_ name: String) { ofStreams.removeValue(forKey: name)?.close() }

  func allow(_ isAllowed: Bool) { self.isAllowed = isAllowed }

  func stop() {
    for task in ofStreams.values { task.close() }
    for connection in single.values { connection.close() }
    (ofStreams, single) = ([:], [:])
  }

  /// `{"action":"lap"}`, and `sport` with `new`.
  func ride(_ exchange: HTTPExchange) {
    guard exchange.object() != nil else { return }
    send("ride", exchange.request.body[...], exchange)
  }

  /// `{"method":"scan","params":{…}}`
  func daemon(_ exchange: HTTPExchange, _ grant: Grant) {
    guard let body = exchange.object() else { return }
    guard let method = body["method"]?.text.flatMap(DaemonMethod.init) else {
      let names = DaemonMethod.allCases.map(\.rawValue).joined(separator: ", ")
      return exchange.refuse(.badRequest, "method has to be one of \(names)")
    }
    let parameters = exchange.request.member("params")
    guard let name = exchange.request.fields["x-cyclometer-stream"] else {
      guard !Self.needsStream.contains(method) else {
        return exchange.refuse(.badRequest, "X-Cyclometer-Stream has to name the stream that gets the records")
      }
      return send(method.rawValue, parameters, exchange)
    }
    guard let phone = grant.phone, let stream = streams.stream(named: name, ofPhone: phone.id) else {
      return exchange.refuse(.conflict, "this screen has no open stream with the name in X-Cyclometer-Stream")
    }
    guard let task = task(of: stream, exchange) else { return }
    exchange.extendLimit(to: Self.longestTask)
    task.send(method.rawValue, parameters) { exchange.reply($0.response) }
  }

  private func send(_ method: String, _ parameters: ArraySlice<UInt8>, _ exchange: HTTPExchange) {
    guard let connection = open(exchange, received: { _ in }, ended: {}) else { return }
    let id = ObjectIdentifier(connection)
    single[id] = connection
    let forget = { [weak self] in self?.single.removeValue(forKey: id)?.close() }
    exchange.whenAbandoned { forget() }
    connection.send(method, parameters) { result in
      exchange.reply(result.response)
      forget()
    }
  }

  private func task(of stream: PageStream, _ exchange: HTTPExchange) -> PageTask? {
    let name = stream.name
    if let known = ofStreams[name] { return known }
    let task = PageTask(of: stream, in: loop)
    guard
      let connection = open(
        exchange, received: { [weak task] line in task?.receive(Array(line)) },
        ended: { [weak self] in self?.end(name) })
    else { return nil }
    task.use(connection)
    ofStreams[name] = task
    return task
  }

  private func open(
    _ exchange: HTTPExchange, received: @escaping (Span<UInt8>) -> Void, ended: @escaping () -> Void
  ) -> ControlConnection? {
    guard isAllowed else {
      exchange.refuse(.forbidden, "pages cannot control the daemon: Control=no is set in web.conf")
      return nil
    }
    do throws(SystemError) {
      return try ControlConnection(to: path, in: loop, received: received, ended: ended)
    } catch {
      log.debug("daemon: cannot connect to control.sock (\(error))")
      exchange.refuse(.unavailable, "the daemon is not running")
      return nil
    }
  }
}

extension HTTPRequest {
  /// A member of the body as it was sent; an empty object if there is none.
  func member(_ name: String) -> ArraySlice<UInt8> {
    guard let members = try? JSONReader.members(body.span), let found = members.last(where: { $0.member.name == name })
    else { return Array("{}".utf8)[...] }
    return body[found.place]
  }
}

extension [UInt8] {
  init(_ bytes: Span<UInt8>) {
    self = []
    reserveCapacity(bytes.count)
    append(bytes)
  }
}

extension Result<JSONValue, ControlRefusal> {
  /// The result, or the sentence of the refusal.
  var response: HTTPResponse {
    switch self {
    case .success(let result): .json { $0.value(result) }
    case .failure(let refusal): HTTPResponse(HTTPRefusal(refusal.status, refusal.message)).uncached
    }
  }
}

extension ControlRefusal {
  fileprivate var status: HTTPStatus {
    switch code.flatMap(ErrorCode.init) {
    case .badJSON, .badRequest, .unknownMethod, .lineTooLong: .badRequest
    case .denied: .forbidden
    case .noSuchSensor, .noSuchKind, .noSuchActivity: .notFound
    case .busy, .limitReached, .alreadyPaired, .cancelled, .notConnected, .pairingFailed, .notSupported: .conflict
    case .internal: .internalError
    default: .unavailable
    }
  }
}

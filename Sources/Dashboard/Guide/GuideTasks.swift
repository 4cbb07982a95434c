// What pages ask of the guide: `GET /api/1/guide` for its status, and `POST` with
// `{"method":"follow","params":{"route":4}}`, `leave` or `coach`. Each request has a connection of its
// own, and is checked here, so that a mistake is refused without asking the guide.

import CyclometerClient
import EventLoop
import GuideWire
import HTTP
import HTTPServing
import JSON
import Linux
import LogbookWire
import WebAccess
import Wire

final class GuideTasks {
  /// Requests at the same time.
  static let mostRequests = 8
  /// The guide waits up to 10 s for the recorder.
  static let answerTime = Duration.seconds(12)
  private static let methods: [GuideMethod] = [.follow, .leave, .coach]

  private let path: String
  private let loop: EventLoop
  private var connections: [ObjectIdentifier: ControlConnection] = [:]

  init(_ path: String, in loop: EventLoop) { (self.path, self.loop) = (path, loop) }

  func stop() {
    for connection in connections.values { connection.close() }
    connections = [:]
  }

  func handle(_ exchange: HTTPExchange) {
    guard exchange.request.method == .post else { return send(.status, Array("{}".utf8)[...], exchange) }
    guard let body = exchange.object() else { return }
    guard let method = body["method"]?.text.flatMap(GuideMethod.init), Self.methods.contains(method) else {
      let names = Self.methods.map(\.rawValue).joined(separator: ", ")
      return exchange.refuse(.badRequest, "method has to be one of \(names)")
    }
    do throws(Refusal) {
      try Self.check(body["params"] ?? .null, of: method)
    } catch {
      return exchange.refuse(.badRequest, error.message)
    }
    send(method, exchange.request.member("params"), exchange)
  }

  private static func check(_ parameters: JSONValue, of method: GuideMethod) throws(Refusal) {
    switch method {
    case .follow: _ = try FollowRequest(parameters)
    case .coach: _ = try CoachRequest(parameters)
    default: _ = try LeaveRequest(parameters)
    }
  }

  private func send(_ method: GuideMethod, _ parameters: ArraySlice<UInt8>, _ exchange: HTTPExchange) {
    guard connections.count < Self.mostRequests else {
      return exchange.refuse(.unavailable, "the guide has \(connections.count) requests to answer: try again")
    }
    let connection: ControlConnection
    do throws(SystemError) {
      connection = try ControlConnection(to: path, of: "the guide", in: loop, received: { _ in }, ended: {})
    } catch {
      return exchange.refuse(.unavailable, ClientError(connecting: path, error).ofGuide)
    }
    let id = ObjectIdentifier(connection)
    connections[id] = connection
    let deadline = loop.schedule(after: Self.answerTime) { [weak self] in
      guard self?.connections.removeValue(forKey: id)?.close() != nil else { return }
      exchange.refuse(.unavailable, ClientError.timeout.ofGuide)
    }
    let forget = { [weak self] in
      deadline.cancel()
      self?.connections.removeValue(forKey: id)?.close()
    }
    exchange.extendLimit(to: Self.answerTime + .seconds(1))
    exchange.whenAbandoned { forget() }
    connection.send(method.rawValue, parameters) { result in
      exchange.reply(result.response)
      forget()
    }
  }
}

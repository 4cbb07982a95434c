// The connection to the guide, on guide.sock.

import CyclometerClient
import GuideWire
import JSON
import Linux
import Time
import Wire

struct GuideSession {
  /// The guide waits up to 10 s for the recorder.
  private static let limit = Duration.seconds(15)
  private let stream: RecordStream

  /// Next to the daemon's control socket.
  static func path(_ endpoint: Endpoint) -> String {
    let folder = Files.parent(of: endpoint.controlSocket)
    return (folder == "/" ? "" : folder) + "/guide.sock"
  }

  init(_ session: Session) throws(Failure) {
    do throws(ClientError) {
      stream = try Self.open(Self.path(session.endpoint))
    } catch {
      throw Failure(guide: error)
    }
  }

  private static func open(_ path: String) throws(ClientError) -> RecordStream {
    let stream = try RecordStream(path: path)
    guard let first = try stream.next(until: .now + limit) else { throw .timeout }
    if first.recordClass == "error" { throw first.refusal }
    guard let hello = HelloRecord(first.content), hello.protocolVersion.hasPrefix("1.") else {
      throw .notUnderstood("\(path): what listens there is not a guide of this version")
    }
    return stream
  }

  func ask<Asked: GuideRequest>(_ request: Asked) throws(Failure) -> Received<Asked.Reply> {
    do throws(ClientError) {
      return try answer(to: request)
    } catch {
      throw Failure(guide: error)
    }
  }

  private func answer<Asked: GuideRequest>(to request: Asked) throws(ClientError) -> Received<Asked.Reply> {
    let deadline = MonotonicTime.now + Self.limit
    let line = try requestLine { $0.request(RequestID(1), request) }
    try stream.send(line.span, until: deadline)
    while let record = try stream.next(until: deadline) {
      switch record.recordClass {
      case "reply":
        guard let reply = Received<Asked.Reply>(record["result"] ?? .object([])) else {
          throw .notUnderstood("the guide's reply to \(Asked.method.rawValue) lacks a member that it must have")
        }
        return reply
      case "error": throw record.refusal
      default: break
      }
    }
    throw .timeout
  }
}

extension Failure {
  fileprivate init(guide error: ClientError) {
    switch error {
    case .noDaemon(let path):
      self.init(.failed, "no guide listens at \(path)", advice: ["Start it by hand: cyclometer-guide"])
    case .timeout: self.init(.timeout, "the guide did not answer in time")
    case .closed: self.init(.failed, "the guide closed the connection")
    case .refused("no_such_activity", let message):
      self.init(.failed, message, advice: ["'cyclo route list' shows the routes"])
    default: self.init(error)
    }
  }
}

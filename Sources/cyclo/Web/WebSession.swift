// The connection to the dashboard's server, on web.sock.

import CyclometerClient
import JSON
import Linux
import Time

struct WebSession {
  let session: Session
  /// The release of the server.
  let release: String
  private let stream: RecordStream

  /// Next to the daemon's control socket.
  static func path(_ endpoint: Endpoint) -> String {
    let folder = Files.parent(of: endpoint.controlSocket)
    return (folder == "/" ? "" : folder) + "/web.sock"
  }

  init(_ session: Session) throws(Failure) {
    self.session = session
    do throws(ClientError) {
      (stream, release) = try Self.open(Self.path(session.endpoint))
    } catch {
      throw Failure(web: error)
    }
  }

  /// The connection, and the release of the server.
  static func open(_ path: String) throws(ClientError) -> (RecordStream, String) {
    let stream = try RecordStream(path: path)
    guard let first = try stream.next(until: .now + limit) else { throw .timeout }
    if first.recordClass == "error" { throw first.refusal }
    guard first.recordClass == "hello", let version = first["web"]?.text else {
      throw .notUnderstood("\(path): what listens there is not the dashboard")
    }
    guard version.hasPrefix("1.") else {
      throw .notUnderstood("the dashboard uses version \(version) of its protocol, and this program 1")
    }
    return (stream, first["release"]?.text ?? "")
  }

  private static let limit = Duration.seconds(10)

  func ask(_ method: String, _ parameters: [JSONValue.Member] = []) throws(Failure) -> JSONValue {
    do throws(ClientError) {
      return try Self.ask(stream, method, parameters)
    } catch {
      throw Failure(web: error)
    }
  }

  static func ask(
    _ stream: RecordStream, _ method: String, _ parameters: [JSONValue.Member] = []
  ) throws(ClientError) -> JSONValue {
    let deadline = MonotonicTime.now + limit
    let line = try requestLine { $0.request(1, method, .object(parameters)) }
    try stream.send(line.span, until: deadline)
    while let record = try stream.next(until: deadline) {
      switch record.recordClass {
      case "reply": return record["result"] ?? .object([])
      case "error": throw record.refusal
      default: break
      }
    }
    throw .timeout
  }
}

extension Failure {
  init(web error: ClientError) {
    switch error {
    case .noDaemon(let path):
      self.init(
        .failed, "no dashboard listens at \(path)",
        advice: ["Start it: sudo systemctl start cyclometer-web", "Install it: sudo apt install cyclometer-web"])
    case .timeout: self.init(.timeout, "the dashboard did not answer in time")
    case .closed: self.init(.failed, "the dashboard closed the connection")
    case .refused("no_such_map", let message):
      self.init(.failed, message, advice: ["'cyclo map list' lists them"])
    case .refused("no_such_phone", let message):
      self.init(.failed, message, advice: ["'cyclo web phones' lists them"])
    default: self.init(error)
    }
  }
}

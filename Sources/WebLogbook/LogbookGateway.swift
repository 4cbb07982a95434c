// The logbook for pages: answers their requests from logbook.sock. The server opens no database, so
// a slow logbook holds up nothing else.

public import EventLoop
import HTTP
public import HTTPServing
import JSON
import LogbookWire
public import WebAccess
import Wire

public final class LogbookGateway {
  /// Connections to the recorder at the same time. It has 32 for all clients, and eight transfers.
  static let mostConnections = 8

  private let loop: EventLoop
  private let path: String
  private var active: [LogbookAnswer] = []
  /// Requests that wait for a connection.
  private var waiting: [LogbookAnswer] = []

  /// `path` is that of logbook.sock.
  public init(_ path: String, in loop: EventLoop) {
    (self.path, self.loop) = (path, loop)
  }

  /// Answers a request for an endpoint of the logbook, now or later.
  public func handle(_ exchange: HTTPExchange, _ grant: Grant) {
    let ended = { [weak self] (answer: LogbookAnswer) -> Void in self?.remove(answer) }
    do throws(HTTPRefusal) {
      let answer: LogbookAnswer
      if grant.route.endpoint == .logbookImport {
        let request = try Self.importRequest(exchange.request)
        answer = LogbookAnswer(importing: exchange, request, in: loop, path: path, ended: ended)
      } else {
        let query = try LogbookQuery(exchange.request)
        answer = LogbookAnswer(to: exchange, query, in: loop, path: path, ended: ended)
      }
      waiting.append(answer)
      startNext()
    } catch {
      exchange.answer(HTTPResponse(error).setting("Cache-Control", "no-store").securing())
    }
  }

  private static func importRequest(_ request: HTTPRequest) throws(HTTPRefusal) -> ImportRequest {
    guard request.fileLength > 0 else { throw HTTPRefusal(.badRequest, "the file is empty") }
    var members = [JSONValue.Member("bytes", .number(Double(request.fileLength)))]
    for parameter in request.target.query where parameter.name != "bytes" {
      members.append(JSONValue.Member(parameter.name, .string(parameter.value)))
    }
    do throws(Refusal) {
      return try ImportRequest(.object(members))
    } catch {
      throw HTTPRefusal(.badRequest, error.message)
    }
  }

  private func remove(_ answer: LogbookAnswer) {
    active.removeAll { $0 === answer }
    waiting.removeAll { $0 === answer }
    startNext()
  }

  private func startNext() {
    while active.count < Self.mostConnections, !waiting.isEmpty {
      let next = waiting.removeFirst()
      active.append(next)
      next.start()
    }
  }
}

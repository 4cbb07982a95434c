// A request that waits for its answer. The handler answers it at once or later, and once. An answer
// that comes too late is dropped.

public import HTTP

public protocol HTTPHandler: AnyObject {
  /// Answers the exchange, at once or later.
  func handle(_ exchange: HTTPExchange)

  /// The answer to what the server refuses by itself, such as bytes that are not a request.
  func answer(to refusal: HTTPRefusal) -> HTTPResponse
}

extension HTTPHandler {
  public func answer(to refusal: HTTPRefusal) -> HTTPResponse { HTTPResponse(refusal) }
}

public final class HTTPExchange {
  public let request: HTTPRequest
  public let origin: ConnectionOrigin
  private weak var connection: HTTPConnection?
  private var abandoned: (() -> Void)?

  init(_ request: HTTPRequest, _ connection: HTTPConnection) {
    self.request = request
    self.connection = connection
    origin = connection.origin
  }

  public func answer(_ response: HTTPResponse) {
    connection?.answer(self, response, from: nil)
  }

  /// The body of the response is `pieces`, which come from the source.
  public func answer(_ response: HTTPResponse, from source: any BodySource) {
    connection?.answer(self, response, from: source)
  }

  /// Passes the next bytes of the file that follows the request, once they have arrived: this many,
  /// or the rest of it. Before this is called the client has to wait, so the pace of the calls is
  /// that of the client. An answer before the end of the file ends the connection.
  public func readFile(_ count: Int, _ body: @escaping ([UInt8]) -> Void) {
    connection?.readFile(of: self, count, body)
  }

  /// Asks the source again, which had nothing to send.
  public func resume() {
    connection?.resume(self)
  }

  /// Answers with a stream of events, which begins with `greeting`. Nil if only the head was
  /// requested, or the answer comes too late. `ended` is called when one side has closed the
  /// stream.
  public func open(
    _ response: HTTPResponse, on channel: EventChannel, greeting: [UInt8] = [], ended: (() -> Void)? = nil
  ) -> EventReader? {
    connection?.open(self, response, channel, greeting, ended)
  }

  /// Replaces the time limit. It counts from now.
  public func extendLimit(to span: Duration) {
    connection?.extendLimit(of: self, to: span)
  }

  /// Calls the closure if the answer, or the rest of its body, would come too late: the client is
  /// gone, or the time limit has passed. A client that has only closed its sending direction counts
  /// as gone, because browsers do that when a page is left. Set it in `handle`: later, the client
  /// may be gone already.
  public func whenAbandoned(_ body: @escaping () -> Void) {
    abandoned = body
  }

  func abandon() {
    let body = abandoned
    abandoned = nil
    body?()
  }

  /// The closure may hold what holds this exchange.
  func finish() {
    abandoned = nil
  }
}

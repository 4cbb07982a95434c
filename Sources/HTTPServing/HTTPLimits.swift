// What a client can use of the server. Each limit keeps one client from disturbing the others.

public import HTTP

public struct HTTPLimits: Sendable {
  public var connections = 64
  /// Of one address. Unix sockets have no such limit: a front has those of all its clients.
  public var connectionsOfAddress = 16
  /// How many more may read their last answer, or that they are refused. Beyond this, the oldest
  /// ones are closed.
  public var leavingConnections = 32
  public var requestsOfConnection = 100
  public var request = RequestParser.Limits()

  /// From the first byte of a head to its last one; for the first request, from connecting.
  public var headTime = Duration.seconds(10)
  /// For the body; of a file, for each piece that is read.
  public var bodyTime = Duration.seconds(30)
  /// Between two requests.
  public var idleTime = Duration.seconds(30)
  /// Until the handler answers. It can extend this for a request.
  public var answerTime = Duration.seconds(5)
  /// How long a client may take nothing of its answer.
  public var stallTime = Duration.seconds(15)

  /// After the last answer of a connection the server reads and discards this much for this long,
  /// until the client closes: closing with unread input could destroy the answer.
  public var farewellTime = Duration.seconds(2)
  public var farewellBytes = 256 << 10

  public init() {}
}

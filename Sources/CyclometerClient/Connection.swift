// A connection to the daemon that waits for what it asked: send a request, take records as they come. One thread, no loop;
// it sleeps in the kernel until something arrives or the deadline passed. Lines that are no records, and records of classes
// that came with a later daemon, are handed on or passed over, and never an error.

public import Linux
public import Wire

public final class Connection {
  public let greeting: HelloRecord
  /// The socket it was made to.
  public let path: String
  private let stream: Stream
  private var lastRequest = 0
  /// Records that came while an answer was waited for.
  private var waiting = Queue<ReceivedRecord>()

  /// Connects and hears the daemon's greeting. A first request goes out before that came, which spares a way to and fro: it
  /// has the number 1.
  public init(
    to endpoint: Endpoint, for access: Access, asking request: (method: String, parameters: JSON?)? = nil,
    within patience: Duration = .seconds(10)
  ) throws(ClientError) {
    let deadline = BootTime.now + patience
    let (stream, path) = try Stream.open(endpoint, for: access)
    if let request {
      lastRequest = 1
      let line = try requestLine(lastRequest, request.method, request.parameters)
      // A daemon that sends this client away says why: that is heard below.
      try? stream.send(line.span, until: deadline)
    }
    guard let first = try stream.next(until: deadline) else { throw .timeout }
    greeting = try first.greeting(from: path)
    self.path = path
    self.stream = stream
  }
}

extension Connection {
  /// Sends a request without waiting; the number is the `id` of its answer.
  @discardableResult
  public func send(
    _ method: String, _ parameters: JSON? = nil, until deadline: BootTime? = nil
  ) throws(ClientError) -> Int {
    lastRequest += 1
    let line = try requestLine(lastRequest, method, parameters, limit: greeting.lineLimit)
    do throws(ClientError) {
      try stream.send(line.span, until: deadline)
    } catch {
      throw lastWords ?? error
    }
    return lastRequest
  }

  /// The next record that is no answer to a request; nil when the deadline passed first.
  public func next(until deadline: BootTime? = nil) throws(ClientError) -> ReceivedRecord? {
    if let record = waiting.popFirst() { return record }
    return try stream.next(until: deadline)
  }

  /// Waits until there is something for `next`, or something to read of another descriptor; false when the deadline passed
  /// first. What arrived may be less than a whole record.
  public func wait(or number: Int32, until deadline: BootTime? = nil) throws(ClientError) -> Bool {
    if !waiting.isEmpty { return true }
    return try stream.wait(or: number, until: deadline)
  }

  /// Sends a request and waits for its result. Records that come before it are kept for `next`.
  public func request(
    _ method: String, _ parameters: JSON? = nil, within patience: Duration = .seconds(10)
  ) throws(ClientError) -> JSON {
    let deadline = BootTime.now + patience
    let number = try send(method, parameters, until: deadline)
    while let result = try answer(to: number, until: deadline, other: { waiting.append($0) }) { return result }
    throw .timeout
  }

  /// Waits for the answer to a request that was sent before, and hands over what comes meanwhile; nil when the deadline
  /// passed first.
  public func answer(
    to number: Int, until deadline: BootTime?, other: (ReceivedRecord) throws(ClientError) -> Void
  ) throws(ClientError) -> JSON? {
    while let record = try stream.next(until: deadline) {
      switch record.recordClass {
      case "reply" where record.requestNumber == number: return record["result"] ?? .object([])
      case "error" where record.requestNumber == number || record.requestNumber == nil: throw record.refusal
      default: try other(record)
      }
    }
    return nil
  }
}

extension Connection {
  /// Why the daemon closed the connection, where it said so before.
  private var lastWords: ClientError? {
    while let record = try? stream.next(until: .now) {
      if record.recordClass == "error" { return record.refusal }
    }
    return nil
  }
}

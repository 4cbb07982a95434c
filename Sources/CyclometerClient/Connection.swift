// A blocking connection to the daemon: send a request, receive records. It uses one thread and no
// loop, and sleeps in the kernel until data arrives or the deadline passes. Lines that are not
// records are skipped, and records of unknown classes from a later daemon are returned; neither is
// an error.

public import JSON
import Linux
public import Time
public import Wire

public final class Connection {
  public let greeting: HelloRecord
  /// The path of the connected socket.
  public let path: String
  private let stream: RecordStream
  private var lastRequest = 0
  /// Records that arrived while waiting for a reply.
  private var waiting = Queue<ReceivedRecord>()

  /// Connects and reads the daemon's greeting. A first request can be sent before the greeting
  /// arrives, which saves a round trip. Its number is 1.
  public init(
    to endpoint: Endpoint, for access: Access, asking call: Call? = nil, within timeout: Duration = .seconds(10)
  ) throws(ClientError) {
    let deadline = MonotonicTime.now + timeout
    let socket = try ClientSocket(to: endpoint, for: access)
    let stream = RecordStream(socket)
    if let call {
      lastRequest = 1
      let line = try requestLine { $0.request(RequestID(1), call) }
      // If the daemon rejects this client, the reason is read below.
      try? stream.send(line.span, until: deadline)
    }
    guard let first = try stream.next(until: deadline) else { throw .timeout }
    greeting = try first.greeting(from: socket.path)
    path = socket.path
    self.stream = stream
  }
}

extension Connection {
  /// Sends a request without waiting. Returns the `id` of its reply.
  @discardableResult
  public func send(
    _ method: String, _ parameters: JSONValue? = nil, until deadline: MonotonicTime? = nil
  ) throws(ClientError) -> Int {
    let number = lastRequest + 1
    try send(until: deadline) { $0.request(number, method, parameters) }
    return number
  }

  /// The same; the reply to it will be typed.
  @discardableResult
  public func send<Reply: WireObject>(
    _ query: Query<Reply>, until deadline: MonotonicTime? = nil
  ) throws(ClientError) -> Pending<Reply> {
    let pending = Pending(lastRequest + 1, query)
    try send(until: deadline) { $0.request(RequestID(pending.number), query.call) }
    return pending
  }

  private func send(
    until deadline: MonotonicTime?, _ write: (inout JSONWriter) -> Void
  ) throws(ClientError) {
    lastRequest += 1
    let line = try requestLine(limit: greeting.lineLimit, write)
    do throws(ClientError) {
      try stream.send(line.span, until: deadline)
    } catch {
      throw lastWords ?? error
    }
  }

  /// The next record that is not a reply to a request; nil if the deadline passes first.
  public func next(until deadline: MonotonicTime? = nil) throws(ClientError) -> ReceivedRecord? {
    if let record = waiting.popFirst() { return record }
    return try stream.next(until: deadline)
  }

  /// Waits until there is data for `next` or on another descriptor. Returns false if the deadline
  /// passes first. The data may be less than a record.
  public func wait(or number: Int32, until deadline: MonotonicTime? = nil) throws(ClientError) -> Bool {
    if !waiting.isEmpty { return true }
    return try stream.wait(or: number, until: deadline)
  }

  /// Sends a request and waits for its result. Records that arrive earlier are kept for `next`.
  public func request(
    _ method: String, _ parameters: JSONValue? = nil, within timeout: Duration = .seconds(10)
  ) throws(ClientError) -> JSONValue {
    let deadline = MonotonicTime.now + timeout
    return try result(of: send(method, parameters, until: deadline), until: deadline)
  }

  public func request<Reply: WireObject>(
    _ query: Query<Reply>, within timeout: Duration = .seconds(10)
  ) throws(ClientError) -> Received<Reply> {
    let deadline = MonotonicTime.now + timeout
    let pending = try send(query, until: deadline)
    return try pending.reply(result(of: pending.number, until: deadline))
  }

  private func result(of number: Int, until deadline: MonotonicTime) throws(ClientError) -> JSONValue {
    while let result = try answer(to: number, until: deadline, other: { waiting.append($0) }) { return result }
    throw .timeout
  }

  /// Waits for the reply to an earlier request and passes on other records. Returns nil if the
  /// deadline passes first.
  public func answer(
    to number: Int, until deadline: MonotonicTime?, other: (ReceivedRecord) throws(ClientError) -> Void
  ) throws(ClientError) -> JSONValue? {
    while let record = try stream.next(until: deadline) {
      switch record.recordClass {
      case "reply" where record.requestNumber == number: return record["result"] ?? .object([])
      case "error" where record.requestNumber == number || record.requestNumber == nil: throw record.refusal
      default: try other(record)
      }
    }
    return nil
  }

  public func answer<Reply: WireObject>(
    to pending: Pending<Reply>, until deadline: MonotonicTime?, other: (ReceivedRecord) throws(ClientError) -> Void
  ) throws(ClientError) -> Received<Reply>? {
    guard let result = try answer(to: pending.number, until: deadline, other: other) else { return nil }
    return try pending.reply(result)
  }
}

extension Connection {
  /// Why the daemon closed the connection, if it sent a reason.
  private var lastWords: ClientError? {
    while let record = try? stream.nextArrived() {
      if record.recordClass == "error" { return record.refusal }
    }
    return nil
  }
}

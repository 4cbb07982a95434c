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
  private var waiting: [ReceivedRecord] = []

  /// Connects and hears the daemon's greeting.
  public convenience init(
    to endpoint: Endpoint, for access: Access, within patience: Duration = .seconds(10)
  ) throws(ClientError) {
    let deadline = BootTime.now + patience
    do throws(ClientError) {
      try self.init(path: endpoint.controlSocket, deadline: deadline)
    } catch {
      guard access == .read, error.leavesAnotherDoor else { throw error }
      do throws(ClientError) {
        try self.init(path: endpoint.metricsSocket, deadline: deadline)
      } catch let second {
        // Where one door is locked, somebody is at home: that is the more useful thing to say.
        if case .notAllowed = second { throw second }
        throw error
      }
    }
  }

  private init(path: String, deadline: BootTime) throws(ClientError) {
    let stream = try Stream(path: path)
    guard let first = try stream.next(until: deadline) else { throw .timeout }
    if first.recordClass == "error" { throw first.refusal }
    guard first.recordClass == HelloRecord.className, let greeting = HelloRecord(first.content) else {
      throw .notUnderstood("\(path): what listens there is no Cyclometer")
    }
    guard greeting.protocolVersion.hasPrefix("1.") else {
      throw .notUnderstood("the daemon speaks version \(greeting.protocolVersion) of the protocol, and this program 1")
    }
    self.path = path
    self.stream = stream
    self.greeting = greeting
  }
}

extension Connection {
  /// Sends a request without waiting; the number is the `id` of its answer.
  @discardableResult
  public func send(_ method: String, _ parameters: JSON? = nil) throws(ClientError) -> Int {
    lastRequest += 1
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("id", lastRequest)
    writer.member("method", method)
    writer.member("params", parameters)
    writer.endObject()
    writer.endLine()
    do throws(ClientError) {
      try stream.send(writer.bytes.span)
    } catch {
      throw lastWords ?? error
    }
    return lastRequest
  }

  /// The next record that is no answer to a request; nil when the deadline passed first.
  public func next(until deadline: BootTime? = nil) throws(ClientError) -> ReceivedRecord? {
    if !waiting.isEmpty { return waiting.removeFirst() }
    return try stream.next(until: deadline)
  }

  /// Sends a request and waits for its result. Records that come before it are kept for `next`.
  public func request(
    _ method: String, _ parameters: JSON? = nil, within patience: Duration = .seconds(10)
  ) throws(ClientError) -> JSON {
    let number = try send(method, parameters)
    let deadline = BootTime.now + patience
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

extension ClientError {
  fileprivate var leavesAnotherDoor: Bool {
    switch self {
    case .noDaemon, .notAllowed: true
    default: false
    }
  }
}

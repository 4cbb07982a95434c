// A subscription that survives restarts of the daemon, as a state machine without I/O. Bytes and
// times go in; updates, bytes to send and the next deadline come out. A driver owns the socket and
// the clock, so any kind of program can use it: `Feed` blocks, `LoopFeed` runs in an event loop.

public import JSON
public import Time
public import Wire

public struct FeedMachine {
  /// What the driver has to do with the socket.
  public enum SocketUse: Equatable, Sendable {
    /// Close it, if it is open. The next attempt is due at `deadline`.
    case close
    /// Open it, and report `connected` or `closed`.
    case open
    /// Keep it, send `output`, and report what arrives.
    case keep
  }

  private enum Stage: Equatable {
    case away(until: MonotonicTime)
    case opening
    case greeting(until: MonotonicTime)
    case subscribing(request: Int, until: MonotonicTime)
    case following
    /// A retry would fail the same way.
    case failed
  }

  public private(set) var subscription: Subscription
  /// Why the last attempt to connect failed; nil while connected, and before the first attempt.
  public private(set) var absence: ClientError?
  /// Bytes that the socket has not accepted yet.
  public private(set) var output: [UInt8] = []

  private let path: String
  private let timeout: Duration
  private let keepsSampleLines: Bool
  private var stage: Stage
  /// When the socket was opened.
  private var opened: MonotonicTime
  /// When the output counts as stuck; nil if there is none.
  private var outputLimit: MonotonicTime?
  private var splitter = LineSplitter()
  private var backOff = BackOff()
  /// The daemon that has greeted, but not accepted the subscription yet.
  private var newcomer: HelloRecord?
  /// The daemon of the last connection.
  private var instance: HelloRecord?
  private var sequences = SequenceNumbers()
  private var lastWords: ClientError?
  /// Each with the number of sample lines that arrived before it.
  private var updates = Queue<(update: Update, after: Int)>()
  private var sampleLines = SampleLines()
  private var lastRequest = 0
  /// Requests without a reply so far.
  private var pending: Set<Int> = []
  /// The subscriptions that take effect when these requests succeed.
  private var changes: [Int: Subscription] = [:]

  /// `path` is the daemon's socket, for error messages. `timeout` limits the greeting, the reply to
  /// the subscription, and sending. With `keepsSampleLines`, samples are not parsed and gaps are not
  /// reported: `nextSampleLine` returns their lines.
  public init(
    _ subscription: Subscription, path: String, timeout: Duration, keepsSampleLines: Bool = false,
    at now: MonotonicTime
  ) {
    self.subscription = subscription
    self.path = path
    self.timeout = timeout
    self.keepsSampleLines = keepsSampleLines
    stage = .away(until: now)
    opened = now
  }
}

// What comes out.
extension FeedMachine {
  public var socketUse: SocketUse {
    switch stage {
    case .away, .failed: .close
    case .opening: .open
    case .greeting, .subscribing, .following: .keep
    }
  }

  /// When to call `timePassed`; nil for never.
  public var deadline: MonotonicTime? {
    switch stage {
    case .away(let moment): moment
    case .greeting(let limit), .subscribing(_, let limit): limit
    case .following: outputLimit
    case .opening, .failed: nil
    }
  }

  /// The error that a retry cannot fix. It follows the last update.
  public var failure: ClientError? {
    stage == .failed ? absence : nil
  }

  /// The daemon's greeting; nil without a connection.
  public var greeting: HelloRecord? { stage == .following ? instance : nil }

  /// Whether records arrive and nothing has to be sent. As long as this holds, the socket and the
  /// deadline need no change.
  var isSteady: Bool { stage == .following && output.isEmpty }

  /// Whether it waits for the daemon to accept the subscription.
  var isSubscribing: Bool {
    if case .subscribing = stage { true } else { false }
  }

  /// Whether there is an update or the failure.
  public var hasNews: Bool { !updates.isEmpty || !sampleLines.isEmpty || failure != nil }

  /// Nil if there is none, or sample lines that arrived before it have not been taken.
  public mutating func nextUpdate() -> Update? {
    isUpdateNext ? updates.popFirst()?.update : nil
  }

  /// The next sample line replaces the contents of `line`, without its line feed. Returns false if
  /// there is none, or an update arrived before it.
  public mutating func nextSampleLine(_ line: inout [UInt8]) -> Bool {
    isUpdateNext ? false : sampleLines.takeFirst(&line)
  }

  private var isUpdateNext: Bool {
    guard let next = updates.first else { return false }
    return next.after <= sampleLines.taken
  }

  private mutating func report(_ update: Update) {
    updates.append((update, sampleLines.added))
  }
}

// What goes in.
extension FeedMachine {
  public mutating func connected(at now: MonotonicTime) {
    opened = now
    splitter = LineSplitter()
    stage = .greeting(until: now + timeout)
  }

  public mutating func received(_ bytes: Span<UInt8>, at now: MonotonicTime) {
    var problem: ClientError?
    // The splitter is out while its lines are handled, because `self` cannot be used twice.
    var splitter = LineSplitter()
    swap(&splitter, &self.splitter)
    let outcome = splitter.feed(bytes) { line in
      do throws(ClientError) {
        try receive(line, at: now)
        return true
      } catch {
        problem = error
        return false
      }
    }
    swap(&splitter, &self.splitter)
    if let problem = problem ?? (outcome == .lineTooLong ? .longLine : nil) { lose(problem, at: now) }
  }

  private mutating func receive(_ line: Span<UInt8>, at now: MonotonicTime) throws(ClientError) {
    // The daemon begins every sample like this.
    if keepsSampleLines, stage == .following, line.has(#"{"class":"sample","#, at: 0) {
      sampleLines.append(line)
    } else if let record = ReceivedRecord(line: line) {
      try handle(record, at: now)
    }
  }

  /// The socket accepted the first bytes of `output`.
  public mutating func sent(_ count: Int) {
    output.removeFirst(count)
    if output.isEmpty { outputLimit = nil }
  }

  /// The connection was lost or could not be made.
  public mutating func closed(_ error: ClientError, at now: MonotonicTime) {
    lose(error, at: now)
  }

  public mutating func timePassed(at now: MonotonicTime) {
    guard let deadline, deadline <= now else { return }
    if case .away = stage { stage = .opening } else { lose(.timeout, at: now) }
  }
}

// Requests while records arrive.
extension FeedMachine {
  /// Every request gets an `Update.answer` with the returned number, even if the connection is
  /// lost.
  public mutating func send(
    _ method: String, _ parameters: JSONValue? = nil, at now: MonotonicTime
  ) throws(ClientError) -> Int {
    let number = lastRequest + 1
    return try send(at: now) { $0.request(number, method, parameters) }
  }

  public mutating func send(_ call: Call, at now: MonotonicTime) throws(ClientError) -> Int {
    let id = RequestID(lastRequest + 1)
    return try send(at: now) { $0.request(id, call) }
  }

  private mutating func send(
    at now: MonotonicTime, _ write: (inout JSONWriter) -> Void
  ) throws(ClientError) -> Int {
    guard let greeting else { throw failure ?? absence ?? .closed }
    let number = try enqueue(limit: greeting.lineLimit, at: now, write)
    pending.insert(number)
    return number
  }

  /// Requests another subscription, which also holds for later connections if the daemon accepts
  /// it. Returns nil if nothing has to be sent, because there is no connection yet.
  public mutating func change(to subscription: Subscription, at now: MonotonicTime) throws(ClientError) -> Int? {
    switch stage {
    case .away, .opening, .greeting, .failed:
      adopt(subscription)
      return nil
    case .subscribing, .following:
      let number = try send(.subscribe(subscription.filter), at: now)
      changes[number] = subscription
      return number
    }
  }

  /// Drops the reply to a request. A pairing, scan, capture or inspection is cancelled, because a connection
  /// can only have one of each at a time.
  public mutating func abandon(_ request: Int, of method: String, at now: MonotonicTime) {
    pending.remove(request)
    guard ["pair", "scan", "capture", "inspect"].contains(method), let cancel = try? send(.cancel, at: now) else {
      return
    }
    pending.remove(cancel)
  }

  /// Removes the answer to a request from the updates; nil if it has not arrived.
  public mutating func takeAnswer(to request: Int) -> Result<JSONValue, ClientError>? {
    guard !pending.contains(request) else { return nil }
    var others = Queue<(update: Update, after: Int)>()
    var result: Result<JSONValue, ClientError>?
    while let next = updates.popFirst() {
      if case .answer(let answer) = next.update, answer.request == request {
        result = answer.result
      } else {
        others.append(next)
      }
    }
    updates = others
    return result
  }

  /// Earlier samples were not requested, so they do not count as lost.
  private mutating func adopt(_ subscription: Subscription) {
    self.subscription = subscription
    sequences.forget()
  }

  private mutating func enqueue(
    limit: Int, at now: MonotonicTime, _ write: (inout JSONWriter) -> Void
  ) throws(ClientError) -> Int {
    lastRequest += 1
    let line = try requestLine(limit: limit, write)
    if output.isEmpty { outputLimit = now + timeout }
    output += line
    return lastRequest
  }
}

// The life of a connection.
extension FeedMachine {
  private mutating func handle(_ record: ReceivedRecord, at now: MonotonicTime) throws(ClientError) {
    switch stage {
    case .away, .opening, .failed: break
    case .greeting(let limit):
      newcomer = try record.greeting(from: path)
      let (id, filter) = (RequestID(lastRequest + 1), subscription.filter)
      let request = try enqueue(limit: LineSplitter.protocolLimit, at: now) { $0.request(id, .subscribe(filter)) }
      stage = .subscribing(request: request, until: limit)
    case .subscribing(let request, _):
      if record.recordClass == "error" { throw record.refusal }
      guard record.recordClass == "reply", record.requestNumber == request else { return }
      if let newcomer { follow(newcomer) }
    case .following: publish(record)
    }
  }

  private mutating func follow(_ greeting: HelloRecord) {
    let isNew = instance.map { $0.instance != greeting.instance } ?? false
    if isNew { sequences.forget() }
    (instance, newcomer) = (greeting, nil)
    absence = nil
    lastWords = nil
    stage = .following
    report(.connected(greeting, isNewInstance: isNew))
  }

  private mutating func publish(_ record: ReceivedRecord) {
    switch record.recordClass {
    case "sample":
      if subscription.maxHz == nil, let gap = sequences.gap(before: record) { report(.gap(gap)) }
      report(.record(record))
    case "lag": report(.lag(dropped: record["dropped"]?.integer ?? 0, record))
    case "reply": answer(record.requestNumber, .success(record["result"] ?? .object([])))
    case "error":
      if let number = record.requestNumber { return answer(number, .failure(record.refusal)) }
      lastWords = record.refusal
    default: report(.record(record))
    }
  }

  private mutating func answer(_ number: Int?, _ result: Result<JSONValue, ClientError>) {
    guard let number, pending.remove(number) != nil else { return }
    if let change = changes.removeValue(forKey: number), case .success = result { adopt(change) }
    report(.answer(FeedAnswer(request: number, result: result)))
  }

  private mutating func lose(_ error: ClientError, at now: MonotonicTime) {
    let reason = lastWords ?? error
    let isFailure = error.isPermanent(isEarly: stage != .following)
    for number in pending.sorted() {
      report(.answer(FeedAnswer(request: number, result: .failure(reason))))
    }
    if stage == .following { backOff.connectionLasted(now - opened) }
    (pending, changes) = ([], [:])
    (output, outputLimit) = ([], nil)
    lastWords = nil
    newcomer = nil
    stage = isFailure ? .failed : .away(until: now + backOff.next())
    // Reported once, not for each failed attempt.
    if absence == nil, !isFailure { report(.disconnected(reason)) }
    absence = reason
  }
}

extension ClientError {
  static let longLine = ClientError.notUnderstood("the daemon sent a longer line than the protocol allows")

  /// Whether a retry would fail the same way. Until records arrive, another protocol or a refused
  /// subscription is permanent, except for refusals that can pass. Later, an invalid line is an
  /// accident.
  fileprivate func isPermanent(isEarly: Bool) -> Bool {
    switch self {
    case .notUnderstood: isEarly
    case .refused(let code, _):
      isEarly && !["adapter_unavailable", "busy", "internal", "not_connected", "timeout", "too_many"].contains(code)
    case .noDaemon, .notAllowed, .timeout, .closed, .system: false
    }
  }
}

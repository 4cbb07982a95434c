// A subscription that survives restarts of the daemon. It connects, subscribes, reports when the
// daemon is gone, and reconnects with the same subscription. It uses one thread, which sleeps in
// the kernel until data arrives, the next attempt is due or the deadline passes.
//
// It only throws errors that a retry cannot fix: a different protocol, or a refused subscription.

public import JSON
public import Linux
public import Time
public import Wire

public final class Feed {
  public let endpoint: Endpoint
  public let access: Access
  /// Makes a waiting `next` return nil at once. This is the only part of a feed that other threads
  /// may use.
  public let waker: Waker
  /// Another descriptor, such as a keyboard. `next` returns nil while it has data. Negative for
  /// none.
  public private(set) var input: Int32 = -1
  public private(set) var subscription: Subscription
  /// The daemon's greeting; nil without a connection.
  public var greeting: HelloRecord? { stage == .following ? instance : nil }

  /// How long the daemon may take for its greeting and for its reply to the subscription.
  private let timeout: Duration
  private var stage: Stage
  private var stream: RecordStream?
  private var since = MonotonicTime.now
  private var backOff = BackOff()
  /// The daemon of the last connection.
  private var instance: HelloRecord?
  private var sequences = SequenceNumbers()
  /// Why there is no connection; nil while there is one, and before the first attempt.
  public private(set) var absence: ClientError?
  private var lastWords: ClientError?
  private var failure: ClientError?
  private var queued = Queue<Update>()
  private var lastRequest = 0
  /// Requests without a reply so far.
  private var open: Set<Int> = []
  private var wasWoken = false

  private enum Stage: Equatable {
    case away(until: MonotonicTime)
    case greeting(until: MonotonicTime)
    case subscribing(HelloRecord, request: Int, until: MonotonicTime)
    case following
  }

  /// Does nothing before the first `next` or request.
  public init(
    _ subscription: Subscription = Subscription(), from endpoint: Endpoint = .standard, for access: Access = .read,
    timeout: Duration = .seconds(10), waker: Waker? = nil
  ) throws(ClientError) {
    self.subscription = subscription
    self.endpoint = endpoint
    self.access = access
    self.timeout = timeout
    stage = .away(until: .now)
    if let waker {
      self.waker = waker
      return
    }
    do throws(SystemError) {
      self.waker = try Waker()
    } catch {
      throw .system(error)
    }
  }

  /// From now on `next` returns nil while this descriptor has data; a negative one means none.
  public func wake(onInputOf descriptor: Int32) { input = descriptor }

  /// Waits for the next update. Returns nil if the time passes first or `waker` was called.
  public func next(within time: Duration) throws(ClientError) -> Update? {
    try next(until: .now + time)
  }

  public func next(until deadline: MonotonicTime? = nil) throws(ClientError) -> Update? {
    while true {
      if let update = queued.popFirst() { return update }
      if let failure { throw failure }
      if !wasWoken, try step(until: deadline) { continue }
      guard queued.isEmpty else { continue }
      wasWoken = false
      return nil
    }
  }
}

// Requests while records arrive.
extension Feed {
  /// Sends a request without waiting. The result arrives as `Update.answer` with the returned
  /// number. Every request gets one, even if the connection is lost.
  public func send(_ method: String, _ parameters: JSONValue? = nil) throws(ClientError) -> Int {
    guard stage == .following, let stream, let instance else { throw failure ?? absence ?? .closed }
    lastRequest += 1
    let line = try requestLine(lastRequest, method, parameters, limit: instance.lineLimit)
    do throws(ClientError) {
      try stream.send(line.span, until: .now + timeout)
    } catch {
      lose(error)
      throw error
    }
    open.insert(lastRequest)
    return lastRequest
  }

  /// Slightly longer than the daemon's own limits of 45 and 30 s, because its error gives the
  /// reason.
  public static func deadline(of method: String) -> Duration {
    switch method {
    case "pair": .seconds(50)
    case "command": .seconds(35)
    default: .seconds(10)
    }
  }

  private static let cancelled: Set = ["pair", "scan", "capture"]

  /// Sends a request and waits for the result, first for a connection if there is none. Earlier
  /// updates are kept for `next`. By default it waits 50 seconds for `pair`, 35 for `command` and
  /// 10 for others.
  public func request(
    _ method: String, _ parameters: JSONValue? = nil, within timeout: Duration? = nil
  ) throws(ClientError) -> JSONValue {
    let deadline = MonotonicTime.now + (timeout ?? Self.deadline(of: method))
    while stage != .following {
      if let failure { throw failure }
      guard MonotonicTime.now < deadline else { throw absence ?? .timeout }
      _ = try step(until: deadline)
    }
    let number = try send(method, parameters)
    while true {
      if let result = takeAnswer(to: number) { return try result.get() }
      guard MonotonicTime.now < deadline else { break }
      _ = try step(until: deadline)
    }
    abandon(number, of: method)
    throw .timeout
  }

  /// Stops waiting for a request and drops its reply. A pairing, scan or capture is cancelled,
  /// because a connection can only have one of each at a time.
  public func abandon(_ request: Int, of method: String) {
    open.remove(request)
    guard Self.cancelled.contains(method), stage == .following, let cancel = try? send("cancel") else { return }
    open.remove(cancel)
  }

  /// Replaces the subscription, now and for all later connections. A refused one leaves the old one
  /// in effect.
  public func change(
    to subscription: Subscription, within timeout: Duration = .seconds(10)
  ) throws(ClientError) {
    switch stage {
    case .away, .greeting: break
    case .subscribing, .following: _ = try request("subscribe", subscription.parameters, within: timeout)
    }
    adopt(subscription)
  }

  /// For callers that sent the `subscribe` request themselves, after its success. Earlier samples
  /// were not requested, so they do not count as lost.
  public func adopt(_ subscription: Subscription) {
    self.subscription = subscription
    sequences.forget()
  }

  private func takeAnswer(to number: Int) -> Result<JSONValue, ClientError>? {
    guard !open.contains(number) else { return nil }
    var others = Queue<Update>()
    var result: Result<JSONValue, ClientError>?
    while let update = queued.popFirst() {
      if case .answer(let answer) = update, answer.request == number {
        result = answer.result
      } else {
        others.append(update)
      }
    }
    queued = others
    return result
  }
}

// The state machine of a connection.
extension Feed {
  /// Performs the next step. Returns false if the deadline passes first or the feed was woken.
  private func step(until deadline: MonotonicTime?) throws(ClientError) -> Bool {
    switch stage {
    case .away(let moment): return try attempt(at: moment, deadline)
    case .greeting(let limit), .subscribing(_, _, let limit): return try advance(until: deadline, limit: limit)
    case .following: return try advance(until: deadline, limit: nil)
    }
  }

  private func attempt(at moment: MonotonicTime, _ deadline: MonotonicTime?) throws(ClientError) -> Bool {
    let wake = deadline.map { min($0, moment) } ?? moment
    do throws(SystemError) {
      if try Waiting.untilReadable(waker.number, or: input, deadline: wake), waker.clear() || MonotonicTime.now < wake {
        wasWoken = true
        return false
      }
    } catch {
      throw .system(error)
    }
    guard MonotonicTime.now >= moment else { return false }
    do throws(ClientError) {
      stream = try RecordStream.open(endpoint, for: access).0
      since = .now
      stage = .greeting(until: .now + timeout)
    } catch {
      lose(error)
    }
    return true
  }

  private func advance(until deadline: MonotonicTime?, limit: MonotonicTime?) throws(ClientError) -> Bool {
    guard let stream else { return true }
    let first = [deadline, limit].compactMap { $0 }.min()
    do throws(ClientError) {
      if let record = try stream.next(until: first, waker: waker, input: input) {
        try take(record, from: stream)
        return true
      }
    } catch {
      if error.isForGood(atFirst: stage != .following) { failure = error }
      lose(error)
      return true
    }
    if let limit, MonotonicTime.now >= limit {
      lose(.timeout)
      return true
    }
    wasWoken = deadline.map { MonotonicTime.now < $0 } ?? true
    return false
  }

  private func take(_ record: ReceivedRecord, from stream: RecordStream) throws(ClientError) {
    switch stage {
    case .away: break
    case .greeting(let limit):
      let greeting = try record.greeting(from: endpoint.controlSocket)
      lastRequest += 1
      // In a separate variable: the compiler crashes on a span of a throwing function's result.
      let line = try requestLine(lastRequest, "subscribe", subscription.parameters)
      try stream.send(line.span, until: limit)
      stage = .subscribing(greeting, request: lastRequest, until: limit)
    case .subscribing(let greeting, let request, _):
      if record.recordClass == "error" { throw record.refusal }
      guard record.recordClass == "reply", record.requestNumber == request else { return }
      connected(to: greeting)
    case .following: digest(record)
    }
  }

  private func connected(to greeting: HelloRecord) {
    let isNew = instance.map { $0.instance != greeting.instance } ?? false
    if isNew { sequences.forget() }
    instance = greeting
    absence = nil
    lastWords = nil
    stage = .following
    queued.append(.connected(greeting, isNewInstance: isNew))
  }

  private func digest(_ record: ReceivedRecord) {
    switch record.recordClass {
    case "sample":
      if subscription.maxHz == nil, let gap = sequences.gap(before: record) { queued.append(.gap(gap)) }
      queued.append(.record(record))
    case "lag": queued.append(.lag(dropped: record["dropped"]?.integer ?? 0, record))
    case "reply": answer(record.requestNumber, .success(record["result"] ?? .object([])))
    case "error":
      if let number = record.requestNumber { return answer(number, .failure(record.refusal)) }
      lastWords = record.refusal
    default: queued.append(.record(record))
    }
  }

  private func answer(_ number: Int?, _ result: Result<JSONValue, ClientError>) {
    guard let number, open.remove(number) != nil else { return }
    queued.append(.answer(Answer(request: number, result: result)))
  }

  /// The connection was lost or could not be made.
  private func lose(_ error: ClientError) {
    let reason = lastWords ?? error
    for number in open.sorted() { queued.append(.answer(Answer(request: number, result: .failure(reason)))) }
    open = []
    if stream != nil, stage == .following { backOff.connectionLasted(.now - since) }
    stream = nil
    lastWords = nil
    stage = .away(until: .now + backOff.next())
    // Reported once, not for each failed attempt.
    if absence == nil, failure == nil { queued.append(.disconnected(reason)) }
    absence = reason
  }
}

extension ClientError {
  /// Whether a retry would fail the same way. Until records arrive, another protocol or a refused
  /// subscription is permanent, except for refusals that can pass. Later, an invalid line is an
  /// accident.
  fileprivate func isForGood(atFirst: Bool) -> Bool {
    switch self {
    case .notUnderstood: atFirst
    case .refused(let code, _):
      atFirst && !["adapter_unavailable", "busy", "internal", "not_connected", "timeout", "too_many"].contains(code)
    case .noDaemon, .notAllowed, .timeout, .closed, .system: false
    }
  }
}

// A subscription that outlives the daemon: it connects, follows, tells when the daemon is gone, and comes back with the same
// subscription. One thread; it sleeps in the kernel until something arrives, the next attempt is due or the deadline passed.
//
// It throws only what trying again will not mend: another protocol, a subscription that the daemon refuses.

public import Linux
public import Wire

public final class Feed {
  public let endpoint: Endpoint
  public let access: Access
  /// Makes a waiting `next` return nil at once; the one part of a feed that other threads may use.
  public let waker: Waker
  /// Another descriptor, a keyboard's: `next` returns nil while there is something to read from it. Negative for none.
  public var input: Int32 = -1
  public private(set) var subscription: Subscription
  /// What the daemon said of itself; nil while there is no connection.
  public var greeting: HelloRecord? { stage == .following ? instance : nil }

  /// How long the daemon may take for its greeting, and for its answer to the subscription.
  private let patience: Duration
  private var stage: Stage
  private var stream: Stream?
  private var since = BootTime.now
  private var backOff = BackOff()
  /// The daemon that was followed last.
  private var instance: HelloRecord?
  private var sequences = SequenceNumbers()
  /// Why there is no connection; nil while there is one, and before the first attempt.
  public private(set) var absence: ClientError?
  private var lastWords: ClientError?
  private var failure: ClientError?
  private var queued = Queue<Update>()
  private var lastRequest = 0
  /// Requests that are not answered yet.
  private var open: Set<Int> = []
  private var wasWoken = false

  private enum Stage: Equatable {
    case away(until: BootTime)
    case greeting(until: BootTime)
    case subscribing(HelloRecord, request: Int, until: BootTime)
    case following
  }

  /// Nothing happens before `next` or a request.
  public init(
    _ subscription: Subscription = Subscription(), from endpoint: Endpoint = .usual, for access: Access = .read,
    patience: Duration = .seconds(10), waker: Waker? = nil
  ) throws(ClientError) {
    self.subscription = subscription
    self.endpoint = endpoint
    self.access = access
    self.patience = patience
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

  /// Waits for the next update; nil when the time was over first, or when `waker` was called.
  public func next(within time: Duration) throws(ClientError) -> Update? {
    try next(until: .now + time)
  }

  public func next(until deadline: BootTime? = nil) throws(ClientError) -> Update? {
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

// Requests, while records flow.
extension Feed {
  /// Asks without waiting: the answer comes as `Update.answer` with the number that is returned. Every request gets one, also
  /// when the connection is lost.
  public func send(_ method: String, _ parameters: JSON? = nil) throws(ClientError) -> Int {
    guard stage == .following, let stream, let instance else { throw failure ?? absence ?? .closed }
    lastRequest += 1
    let line = try requestLine(lastRequest, method, parameters, limit: instance.lineLimit)
    do throws(ClientError) {
      try stream.send(line.span, until: .now + patience)
    } catch {
      lose(error)
      throw error
    }
    open.insert(lastRequest)
    return lastRequest
  }

  /// A little longer than the daemon's own limits of 45 and 30 s: its error says why.
  public static func deadline(of method: String) -> Duration {
    switch method {
    case "pair": .seconds(50)
    case "command": .seconds(35)
    default: .seconds(10)
    }
  }

  private static let cancelled: Set = ["pair", "scan", "capture"]

  /// Asks and waits for the result, first for the connection if there is none. Updates that come before it are kept for `next`.
  /// Without `patience` a `pair` has 50 seconds, a `command` 35, and anything else 10.
  public func request(
    _ method: String, _ parameters: JSON? = nil, within patience: Duration? = nil
  ) throws(ClientError) -> JSON {
    let deadline = BootTime.now + (patience ?? Self.deadline(of: method))
    while stage != .following {
      if let failure { throw failure }
      guard BootTime.now < deadline else { throw absence ?? .timeout }
      _ = try step(until: deadline)
    }
    let number = try send(method, parameters)
    while true {
      if let result = takeAnswer(to: number) { return try result.get() }
      guard BootTime.now < deadline else { break }
      _ = try step(until: deadline)
    }
    abandon(number, of: method)
    throw .timeout
  }

  /// For a request whose answer nothing waits for any longer: the answer is dropped. A pairing, a scan or a capture is cancelled, for a
  /// connection has one of them at a time.
  public func abandon(_ request: Int, of method: String) {
    open.remove(request)
    guard Self.cancelled.contains(method), stage == .following, let cancel = try? send("cancel") else { return }
    open.remove(cancel)
  }

  /// Replaces the subscription, now and for all connections to come; a refused one leaves the old one.
  public func change(
    to subscription: Subscription, within patience: Duration = .seconds(10)
  ) throws(ClientError) {
    switch stage {
    case .away, .greeting: break
    case .subscribing, .following: _ = try request("subscribe", subscription.parameters, within: patience)
    }
    adopt(subscription)
  }

  /// For who sent the request itself, when the daemon took it. What was not heard before was not asked for, and is no loss.
  public func adopt(_ subscription: Subscription) {
    self.subscription = subscription
    sequences.forget()
  }

  private func takeAnswer(to number: Int) -> Result<JSON, ClientError>? {
    guard !open.contains(number) else { return nil }
    var others = Queue<Update>()
    var result: Result<JSON, ClientError>?
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

// The life of a connection.
extension Feed {
  /// Does what comes next; false when the deadline passed first or somebody woke it.
  private func step(until deadline: BootTime?) throws(ClientError) -> Bool {
    switch stage {
    case .away(let moment): return try attempt(at: moment, deadline)
    case .greeting(let limit), .subscribing(_, _, let limit): return try advance(until: deadline, limit: limit)
    case .following: return try advance(until: deadline, limit: nil)
    }
  }

  private func attempt(at moment: BootTime, _ deadline: BootTime?) throws(ClientError) -> Bool {
    let wake = deadline.map { min($0, moment) } ?? moment
    do throws(SystemError) {
      if try Waiting.untilReadable(waker.number, or: input, deadline: wake), waker.clear() || BootTime.now < wake {
        wasWoken = true
        return false
      }
    } catch {
      throw .system(error)
    }
    guard BootTime.now >= moment else { return false }
    do throws(ClientError) {
      stream = try Stream.open(endpoint, for: access).0
      since = .now
      stage = .greeting(until: .now + patience)
    } catch {
      lose(error)
    }
    return true
  }

  private func advance(until deadline: BootTime?, limit: BootTime?) throws(ClientError) -> Bool {
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
    if let limit, BootTime.now >= limit {
      lose(.timeout)
      return true
    }
    wasWoken = deadline.map { BootTime.now < $0 } ?? true
    return false
  }

  private func take(_ record: ReceivedRecord, from stream: Stream) throws(ClientError) {
    switch stage {
    case .away: break
    case .greeting(let limit):
      let greeting = try record.greeting(from: endpoint.controlSocket)
      lastRequest += 1
      // In a variable of its own: the compiler crashes on a span of what a throwing function returns.
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

  private func answer(_ number: Int?, _ result: Result<JSON, ClientError>) {
    guard let number, open.remove(number) != nil else { return }
    queued.append(.answer(Answer(request: number, result: result)))
  }

  /// The connection is gone, or did not come about.
  private func lose(_ error: ClientError) {
    let reason = lastWords ?? error
    for number in open.sorted() { queued.append(.answer(Answer(request: number, result: .failure(reason)))) }
    open = []
    if stream != nil, stage == .following { backOff.connectionLasted(.now - since) }
    stream = nil
    lastWords = nil
    stage = .away(until: .now + backOff.next())
    // Said once; that the same is so at the next attempt as well is no news.
    if absence == nil, failure == nil { queued.append(.disconnected(reason)) }
    absence = reason
  }
}

extension ClientError {
  /// Whether another attempt will come to the same end. Before records flow, what the daemon says about greeting and
  /// subscription counts; afterwards a line that cannot be understood is an accident.
  fileprivate func isForGood(atFirst: Bool) -> Bool {
    switch self {
    case .notUnderstood: atFirst
    case .refused(let code, _):
      atFirst && !["adapter_unavailable", "busy", "internal", "not_connected", "timeout", "too_many"].contains(code)
    case .noDaemon, .notAllowed, .timeout, .closed, .system: false
    }
  }
}

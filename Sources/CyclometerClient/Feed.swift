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
  /// Makes a waiting `next` return nil at once. This is the only part of a feed that other threads
  /// may use.
  public let waker: Waker
  /// Other descriptors, such as a keyboard. Negative for none.
  private var inputs: [Int32] = []
  private var machine: FeedMachine
  private let socket: FeedSocket

  /// Does nothing before the first `next` or request. The daemon has `timeout` for its greeting and
  /// for its reply to the subscription.
  public init(
    _ subscription: Subscription = Subscription(), from endpoint: Endpoint = .standard, for access: Access = .read,
    timeout: Duration = .seconds(10), waker: Waker? = nil
  ) throws(ClientError) {
    self.endpoint = endpoint
    machine = FeedMachine(subscription, path: endpoint.controlSocket, timeout: timeout, at: .now)
    socket = FeedSocket(to: endpoint, for: access)
    self.waker = if let waker { waker } else { try translatingErrors { () throws(SystemError) in try Waker() } }
  }

  public var subscription: Subscription { machine.subscription }
  /// The daemon's greeting; nil without a connection.
  public var greeting: HelloRecord? { machine.greeting }
  /// Why the last attempt to connect failed; nil while connected, and before the first attempt.
  public var absence: ClientError? { machine.absence }

  /// From now on `next` returns nil while one of these descriptors has data; a negative one means
  /// none.
  public func wake(onInputOf descriptors: Int32...) { inputs = descriptors }

  /// Waits for the next update. Returns nil if the time passes first or `waker` was called.
  public func next(within time: Duration) throws(ClientError) -> Update? {
    try next(until: .now + time)
  }

  public func next(until deadline: MonotonicTime? = nil) throws(ClientError) -> Update? {
    while true {
      if let update = machine.nextUpdate() { return update }
      if let failure = machine.failure { throw failure }
      socket.serve(&machine, at: .now)
      if machine.hasNews { continue }
      let isReady = try wait(until: deadline, or: waker.number, or: inputs)
      if machine.hasNews { continue }
      if isReady ? try isInterrupted() : deadline.map({ MonotonicTime.now >= $0 }) ?? false { return nil }
    }
  }

  /// Waits for data, which it reads, for another descriptor, or for the first deadline. Returns
  /// whether a descriptor is ready. Data that has arrived is read even after a deadline.
  private func wait(
    until deadline: MonotonicTime?, or waker: Int32 = -1, or inputs: [Int32] = []
  ) throws(ClientError) -> Bool {
    let end = [deadline, machine.deadline].compactMap { $0 }.min()
    let writable = machine.output.isEmpty ? -1 : socket.number
    let isReady = try translatingErrors { () throws(SystemError) in
      try Waiting.untilReadable(socket.number, or: waker, or: inputs, orWritable: writable, deadline: end)
    }
    if isReady, socket.number >= 0 {
      socket.read(into: &machine, at: .now)
    } else {
      machine.timePassed(at: .now)
    }
    return isReady
  }

  private func isInterrupted() throws(ClientError) -> Bool {
    if waker.clear() { return true }
    guard inputs.contains(where: { $0 >= 0 }) else { return false }
    return try translatingErrors { () throws(SystemError) in
      try Waiting.untilReadable(-1, or: -1, or: inputs, deadline: .now)
    }
  }
}

// Requests while records arrive.
extension Feed {
  /// Sends a request without waiting. The result arrives as `Update.answer` with the returned
  /// number. Every request gets one, even if the connection is lost.
  public func send(_ method: String, _ parameters: JSONValue? = nil) throws(ClientError) -> Int {
    let number = try machine.send(method, parameters, at: .now)
    socket.serve(&machine, at: .now)
    return number
  }

  /// The same; `Pending.reply` types the result.
  public func send<Reply: WireObject>(_ query: Query<Reply>) throws(ClientError) -> Pending<Reply> {
    let pending = Pending(try machine.send(query.call, at: .now), query)
    socket.serve(&machine, at: .now)
    return pending
  }

  /// The same for another subscription, which also holds for later connections if the daemon accepts
  /// it. Returns nil if nothing was sent, because there is no connection yet.
  public func send(changeTo subscription: Subscription) throws(ClientError) -> Int? {
    let number = try machine.change(to: subscription, at: .now)
    socket.serve(&machine, at: .now)
    return number
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

  /// Sends a request and waits for the result, first for a connection if there is none. Earlier
  /// updates are kept for `next`. By default it waits 50 seconds for `pair`, 35 for `command` and
  /// 10 for others.
  public func request(
    _ method: String, _ parameters: JSONValue? = nil, within timeout: Duration? = nil
  ) throws(ClientError) -> JSONValue {
    let deadline = MonotonicTime.now + (timeout ?? Self.deadline(of: method))
    try waitForConnection(until: deadline)
    return try result(of: try send(method, parameters), method, until: deadline)
  }

  public func request<Reply: WireObject>(
    _ query: Query<Reply>, within timeout: Duration? = nil
  ) throws(ClientError) -> Received<Reply> {
    let method = query.call.method.rawValue
    let deadline = MonotonicTime.now + (timeout ?? Self.deadline(of: method))
    try waitForConnection(until: deadline)
    let pending = try send(query)
    return try pending.reply(result(of: pending.number, method, until: deadline))
  }

  /// Stops waiting for a request and drops its reply. A pairing, scan or capture is cancelled,
  /// because a connection can only have one of each at a time.
  public func abandon(_ request: Int, of method: String) {
    machine.abandon(request, of: method, at: .now)
    socket.serve(&machine, at: .now)
  }

  /// Replaces the subscription, now and for all later connections. A refused one leaves the old one
  /// in effect.
  public func change(
    to subscription: Subscription, within timeout: Duration = .seconds(10)
  ) throws(ClientError) {
    let deadline = MonotonicTime.now + timeout
    if machine.isSubscribing { try waitForConnection(until: deadline) }
    guard let number = try send(changeTo: subscription) else { return }
    _ = try result(of: number, "subscribe", until: deadline)
  }

  private func waitForConnection(until deadline: MonotonicTime) throws(ClientError) {
    while machine.greeting == nil {
      if let failure = machine.failure { throw failure }
      guard MonotonicTime.now < deadline else { throw absence ?? .timeout }
      try advance(until: deadline)
    }
  }

  private func result(
    of request: Int, _ method: String, until deadline: MonotonicTime
  ) throws(ClientError) -> JSONValue {
    while true {
      if let result = machine.takeAnswer(to: request) { return try result.get() }
      guard MonotonicTime.now < deadline else { break }
      try advance(until: deadline)
    }
    abandon(request, of: method)
    throw .timeout
  }

  private func advance(until deadline: MonotonicTime) throws(ClientError) {
    socket.serve(&machine, at: .now)
    _ = try wait(until: deadline)
  }
}

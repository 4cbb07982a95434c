// A subscription in an event loop: the updates of a `Feed`, without a thread and without waiting.
// All calls to the handlers come from the loop, never from within a call to the feed.

public import CyclometerClient
public import EventLoop
public import JSON
import Linux
import Time
public import Wire

public final class LoopFeed {
  private let loop: EventLoop
  private let socket: FeedSocket
  private let onUpdate: (Update) -> Void
  private let onFailure: (ClientError) -> Void
  private let onSampleLine: ((Span<UInt8>) -> Void)?
  /// The sample line being delivered.
  private var line: [UInt8] = []
  private var machine: FeedMachine
  private var watch: Watch?
  private var deadline: Deadline?
  private var hook: Hook?
  private var isStopped = false

  /// Connects in the next iteration of the loop. `onFailure` is called at most once, with an error
  /// that a retry cannot fix; there are no updates after it. With `onSampleLine`, samples arrive
  /// there as lines, without an allocation, and not as updates; gaps are then not reported.
  public init(
    _ subscription: Subscription = Subscription(), from endpoint: Endpoint = .standard, for access: Access = .read,
    timeout: Duration = .seconds(10), in loop: EventLoop, onSampleLine: ((Span<UInt8>) -> Void)? = nil,
    onUpdate: @escaping (Update) -> Void, onFailure: @escaping (ClientError) -> Void
  ) {
    self.loop = loop
    self.onUpdate = onUpdate
    self.onFailure = onFailure
    self.onSampleLine = onSampleLine
    machine = FeedMachine(
      subscription, path: access == .metrics ? endpoint.metricsSocket : endpoint.controlSocket, timeout: timeout,
      keepsSampleLines: onSampleLine != nil, at: loop.now)
    socket = FeedSocket(to: endpoint, for: access)
    hook = loop.makeHook { [weak self] in self?.serve() }
    deadline = loop.schedule(at: loop.now) { [weak self] in self?.timePassed() }
  }

  deinit {
    watch?.cancel()
    deadline?.cancel()
  }

  /// The daemon's greeting; nil without a connection.
  public var greeting: HelloRecord? { machine.greeting }

  /// Closes the connection. No handler is called afterwards.
  public func stop() {
    isStopped = true
    unwatch()
    deadline?.cancel()
    socket.close()
  }

  /// Sends a request. The result arrives as `Update.answer` with the returned number.
  public func send(_ method: String, _ parameters: JSONValue? = nil) throws(ClientError) -> Int {
    defer { hook?.schedule() }
    return try machine.send(method, parameters, at: loop.now)
  }

  /// Requests another subscription, which also holds for later connections if the daemon accepts
  /// it. Returns nil if nothing had to be sent, because there is no connection yet.
  public func send(changeTo subscription: Subscription) throws(ClientError) -> Int? {
    defer { hook?.schedule() }
    return try machine.change(to: subscription, at: loop.now)
  }

  private func serve() {
    guard !isStopped else { return }
    // A watch ends before its descriptor is closed.
    socket.serve(&machine, at: loop.now) { unwatch() }
    do throws(SystemError) {
      try follow()
    } catch {
      unwatch()
      machine.closed(.system(error), at: loop.now)
      socket.serve(&machine, at: loop.now) { unwatch() }
    }
    if let moment = machine.deadline { deadline?.set(to: moment) } else { deadline?.cancel() }
    deliver()
  }

  private func follow() throws(SystemError) {
    guard socket.number >= 0 else { return }
    let interest: Interest = machine.output.isEmpty ? .readable : [.readable, .writable]
    if let watch { return try watch.change(to: interest) }
    watch = try loop.watch(socket.number, for: interest) { [weak self] _ in self?.read() }
  }

  private func unwatch() {
    watch?.cancel()
    watch = nil
  }

  private func read() {
    if socket.read(into: &machine, at: loop.now) { serve() } else { deliver() }
  }

  private func timePassed() {
    machine.timePassed(at: loop.now)
    serve()
  }

  private func deliver() {
    // The line is out while handlers run, because they may call this feed.
    var line: [UInt8] = []
    swap(&line, &self.line)
    while !isStopped {
      if machine.nextSampleLine(&line) {
        onSampleLine?(line.span)
      } else if let update = machine.nextUpdate() {
        onUpdate(update)
      } else {
        break
      }
    }
    swap(&line, &self.line)
    guard !isStopped, let failure = machine.failure else { return }
    stop()
    onFailure(failure)
  }
}

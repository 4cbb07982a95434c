// A permanent bus: it reconnects when the connection was lost or could not be made. Match rules,
// watched names, own names and call handlers are registered again on each connection. Nothing else
// carries over from an earlier connection.
//
// Every closure runs from the loop, never from within a call of the user.

public import EventLoop
internal import Linux
import Time

public final class Bus {
  public let loop: EventLoop
  public let address: BusAddress
  /// Exists from the moment the socket is open; `isConnected` is set once the bus has accepted us.
  public private(set) var connection: BusConnection?
  public private(set) var isConnected = false
  /// Why the last attempt or connection ended.
  public private(set) var lastError: BusError?

  var matches = MatchTable()
  var names: [String: NameRecord] = [:]
  var ownNames: [String: (Bool) -> Void] = [:]
  private var observers: [BusObservation] = []
  var callHandler: (BusMessage) -> CallAnswer = { _ in .unknown }
  var exports: [String: (BusMessage) -> CallAnswer] = [:]
  private var retry: Deadline?
  private var wait = Bus.shortestWait
  private var connectedAt = MonotonicTime(nanoseconds: 0)
  /// Observers know about the loss.
  private var isToldLost = false
  private var hook: Hook?
  private var refused: [(PendingCall, BusError)] = []

  static let shortestWait = Duration.milliseconds(250)
  static let longestWait = Duration.seconds(10)

  public init(loop: EventLoop, address: BusAddress) {
    self.loop = loop
    self.address = address
    hook = loop.makeHook { [weak self] in self?.failRefused() }
  }

  deinit {
    retry?.cancel()
    connection?.close()
  }

  /// Makes the first attempt in the next iteration of the loop.
  public func start() {
    guard retry == nil, connection == nil else { return }
    retryLater(.zero)
  }

  /// Leaves the bus for good. Observers are not notified, and pending calls are never answered.
  public func stop() {
    retry?.cancel()
    retry = nil
    connection?.close()
    connection = nil
    isConnected = false
  }
}

// MARK: Connecting

extension Bus {
  private func connect() {
    retry = nil
    var handlers = BusConnection.Handlers()
    handlers.ready = { [weak self] in self?.becomeConnected() }
    handlers.lost = { [weak self] in self?.becomeLost($0) }
    handlers.signal = { [weak self] in self?.deliver($0) }
    handlers.call = { [weak self] in self?.handle($0) ?? .unknown }
    do throws(BusError) {
      connection = try BusConnection(loop: loop, address: address, handlers: handlers)
    } catch {
      lastError = error
      retryWithBackOff()
      tellLost(error)
    }
  }

  private func becomeConnected() {
    isConnected = true
    isToldLost = false
    connectedAt = loop.now
    // The rules about owners come first, so that no change is missed between asking for an owner
    // and the reply. The other rules come last, so that owners are known when their first signal
    // arrives.
    renewMatches { $0.isAboutOwners }
    renewNames()
    renewMatches { !$0.isAboutOwners }
    renewOwnNames()
    for observer in observers where observer.isActive { observer.connected() }
  }

  private func becomeLost(_ error: BusError) {
    let wasConnected = isConnected
    isConnected = false
    connection = nil
    lastError = error
    // The delay is not reset for a bus that accepts a connection and drops it at once.
    if wasConnected && loop.now - connectedAt >= Self.longestWait { wait = Self.shortestWait }
    retryWithBackOff()
    forgetOwners()
    tellLost(error)
  }

  /// Notifies once, however many attempts fail.
  private func tellLost(_ error: BusError) {
    guard !isToldLost else { return }
    isToldLost = true
    for observer in observers where observer.isActive { observer.lost(error) }
  }

  private func retryWithBackOff() {
    retryLater(wait)
    wait = min(wait * 2, Self.longestWait)
  }

  private func retryLater(_ span: Duration) {
    retry = loop.schedule(after: span) { [weak self] in self?.connect() }
  }
}

// MARK: Calls

extension Bus {
  /// Fails with `disconnected` while there is no bus. `reply` is called exactly once, or never
  /// after `cancel`.
  @discardableResult
  public func call(
    _ message: BusMessage, timeout: Duration = BusConnection.defaultTimeout, _ reply: @escaping BusConnection.Reply
  ) -> PendingCall {
    if isConnected, let connection { return connection.call(message, timeout: timeout, reply) }
    return refuse(BusError(.disconnected, lastError?.message ?? "not connected yet"), reply)
  }

  /// Sends the bus a request that only produces a reply. It is not Ping, because the system bus
  /// denies that to all users but root and logs each attempt.
  public func ping(timeout: Duration, _ reply: @escaping BusConnection.Reply) {
    call(BusNames.call("GetId"), timeout: timeout, reply)
  }

  func refuse(_ error: BusError, _ reply: @escaping BusConnection.Reply) -> PendingCall {
    let call = PendingCall(reply)
    refused.append((call, error))
    hook?.schedule()
    return call
  }

  private func failRefused() {
    let calls = refused
    refused = []
    for (call, error) in calls { call.complete(.failure(error)) }
  }

  /// Returns why the message could not be sent.
  @discardableResult
  public func send(_ message: BusMessage) -> BusError? {
    guard isConnected, let connection else { return BusError(.disconnected) }
    return connection.send(message)
  }

  /// Handles calls from others that match none of our exported objects.
  public func handleCalls(_ handler: @escaping (BusMessage) -> CallAnswer) {
    callHandler = handler
  }

  /// Reports connections and losses from now on, including a bus that is missing at the start. The
  /// current state is not reported.
  public func observe(connected: @escaping () -> Void, lost: @escaping (BusError) -> Void) -> BusObservation {
    let observation = BusObservation(connected: connected, lost: lost)
    observers.removeAll { !$0.isActive }
    observers.append(observation)
    return observation
  }
}

public final class BusObservation {
  let connected: () -> Void
  let lost: (BusError) -> Void
  private(set) var isActive = true

  init(connected: @escaping () -> Void, lost: @escaping (BusError) -> Void) {
    self.connected = connected
    self.lost = lost
  }

  public func cancel() {
    isActive = false
  }
}

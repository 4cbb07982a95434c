// A bus that stays: connected again whenever it was lost, or was not there. What was asked of it (match rules, watched names,
// names of our own, who answers calls) is asked anew each time; what happened on the former connection is forgotten.
//
// Every closure runs from the loop, never from within a call of the user.

public import EventLoop
internal import Linux

public final class Bus {
  public let loop: EventLoop
  public let address: BusAddress
  /// Present from the moment the socket is open; `isConnected` says whether the bus has let us in.
  public private(set) var connection: Connection?
  public private(set) var isConnected = false
  /// Why the last attempt or connection ended.
  public private(set) var lastError: BusError?

  var matches = MatchTable()
  var names: [String: NameRecord] = [:]
  var ownNames: [String: (Bool) -> Void] = [:]
  private var observers: [BusObservation] = []
  var callHandler: (Message) -> CallAnswer = { _ in .unknown }
  var exports: [String: (Message) -> CallAnswer] = [:]
  private var retry: Deadline?
  private var wait = Bus.shortestWait
  private var connectedAt = BootTime(nanoseconds: 0)
  /// Since it was there, or ever.
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

  /// The first attempt is made in the loop's next turn.
  public func start() {
    guard retry == nil, connection == nil else { return }
    retryLater(.zero)
  }

  /// Leaves the bus for good: observers are not told, pending calls are never answered.
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
    var handlers = Connection.Handlers()
    handlers.ready = { [weak self] in self?.becomeConnected() }
    handlers.lost = { [weak self] in self?.becomeLost($0) }
    handlers.signal = { [weak self] in self?.deliver($0) }
    handlers.call = { [weak self] in self?.handle($0) ?? .unknown }
    do throws(BusError) {
      connection = try Connection(loop: loop, address: address, handlers: handlers)
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
    // The rules about owners go first, so that no change falls between the question who owns a name and its answer; the
    // others last, so that the owners are known when their first signal comes.
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
    // A bus that takes us in and drops us at once is not asked four times a second.
    if wasConnected && loop.now - connectedAt >= Self.longestWait { wait = Self.shortestWait }
    retryWithBackOff()
    forgetOwners()
    tellLost(error)
  }

  /// Once, however often it is tried in vain.
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

// MARK: Using it

extension Bus {
  /// Fails with `disconnected` while there is no bus. Called exactly once, or never after `cancel`.
  @discardableResult
  public func call(
    _ message: Message, timeout: Duration = Connection.defaultTimeout, _ reply: @escaping Connection.Reply
  ) -> PendingCall {
    if isConnected, let connection { return connection.call(message, timeout: timeout, reply) }
    return refuse(BusError(.disconnected, lastError?.message ?? "not connected yet"), reply)
  }

  /// Asks the bus itself for nothing but an answer. Not with Ping: the system bus lets only root have that of it, and writes down
  /// every other who asks.
  public func ping(timeout: Duration, _ reply: @escaping Connection.Reply) {
    call(BusNames.call("GetId"), timeout: timeout, reply)
  }

  func refuse(_ error: BusError, _ reply: @escaping Connection.Reply) -> PendingCall {
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

  /// Answers why it could not be sent.
  @discardableResult
  public func send(_ message: Message) -> BusError? {
    guard isConnected, let connection else { return BusError(.disconnected) }
    return connection.send(message)
  }

  /// Who answers the calls that others make to us and that are for none of our objects.
  public func handleCalls(_ handler: @escaping (Message) -> CallAnswer) {
    callHandler = handler
  }

  /// Tells of every connection and loss from now on, and of a bus that is not there at the start; what is so already is not told.
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

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

  private var matches = MatchTable()
  private var names: [String: NameRecord] = [:]
  private var ownNames: [String: (Bool) -> Void] = [:]
  private var observers: [BusObservation] = []
  private var callHandler: (BusMessage) -> CallAnswer = { _ in .unknown }
  private var exports: [String: (BusMessage) -> CallAnswer] = [:]
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

// MARK: Matches

extension Bus {
  /// Calls the handler for every matching signal, on this and all later connections, until the
  /// match is cancelled.
  public func addMatch(_ rule: MatchRule, _ handler: @escaping (BusMessage) -> Void) -> Match {
    let match = Match(bus: self, rule: rule, handler: handler)
    // The owner is requested before the rule is set, so that it is known when the first signal
    // arrives.
    if let name = rule.wellKnownSender { match.follow(watchName(name) { _ in }) }
    if matches.insert(match) { tellBus(rule) }
    return match
  }

  func remove(_ match: Match) {
    match.endFollowing()
    guard matches.remove(match), isConnected, let connection else { return }
    let call = BusNames.call("RemoveMatch", .string(match.rule.text))
    // The reply would only confirm that the rule existed.
    connection.call(call) { _ in }
  }

  func renewMatches(_ isWanted: (MatchRule) -> Bool) {
    for rule in matches.rules where isWanted(rule) { tellBus(rule) }
  }

  /// A connection that misses signals is worse than none, so it is dropped and retried with
  /// back-off. A rule that is invalid for every bus stays without effect.
  private func tellBus(_ rule: MatchRule) {
    guard isConnected, let connection else { return }
    connection.call(BusNames.call("AddMatch", .string(rule.text))) { [weak connection] result in
      if case .failure(let error) = result, error.name != .matchRuleInvalid { connection?.lose(error) }
    }
  }

  func deliver(_ signal: BusMessage) {
    let header = SignalHeader(signal)
    for match in matches.fitting(header, ownerOf: { names[$0]?.owner }) where match.isActive {
      match.handler(signal)
    }
  }
}

// MARK: Names

extension Bus {
  /// Reports the owner's unique name (nil for none) as soon as it is known, and at every change.
  public func watchName(_ name: String, _ changed: @escaping (String?) -> Void) -> NameWatch {
    let watch = NameWatch(bus: self, name: name, changed: changed)
    if let record = names[name] {
      record.watches.append(watch)
      if record.isKnown { watch.announceLater() }
    } else {
      let record = NameRecord(name)
      record.watches = [watch]
      names[name] = record
      record.match = addMatch(MatchRule.ownerChanges(of: name)) { [weak self, weak record] signal in
        var reader = signal.reader
        guard let record, reader.string() == name, reader.string() != nil, let owner = reader.string() else { return }
        self?.settle(record, owner.isEmpty ? nil : owner)
      }
      askOwner(record)
    }
    return watch
  }

  func remove(_ watch: NameWatch) {
    guard let record = names[watch.name] else { return }
    record.watches.removeAll { $0 === watch }
    guard record.watches.isEmpty else { return }
    names[watch.name] = nil
    record.match?.cancel()
  }

  func renewNames() {
    for record in names.values.sorted(by: { $0.name < $1.name }) { askOwner(record) }
  }

  private func askOwner(_ record: NameRecord) {
    guard isConnected, let connection else { return }
    connection.call(BusNames.call("GetNameOwner", .string(record.name))) { [weak self, weak record] result in
      guard let self, let record else { return }
      switch result {
      case .success(let message):
        var reader = message.reader
        settle(record, reader.string())
      case .failure(let error) where error.name == .disconnected:
        break
      case .failure:
        settle(record, nil)
      }
    }
  }

  /// Without a bus, no name has an owner.
  func forgetOwners() {
    for record in names.values.sorted(by: { $0.name < $1.name }) {
      if record.owner != nil { settle(record, nil) }
      record.isKnown = false
    }
  }

  private func settle(_ record: NameRecord, _ owner: String?) {
    guard !record.isKnown || owner != record.owner else { return }
    record.isKnown = true
    record.owner = owner
    for watch in record.watches { watch.change(to: owner) }
  }
}

// MARK: Own names

extension Bus {
  /// Requests the name now and on every later connection. Reports each time whether we own it.
  public func requestName(_ name: String, _ answer: @escaping (Bool) -> Void = { _ in }) {
    ownNames[name] = answer
    askForName(name)
  }

  public func releaseName(_ name: String) {
    guard ownNames.removeValue(forKey: name) != nil, isConnected, let connection else { return }
    connection.call(BusNames.call("ReleaseName", .string(name))) { _ in }
  }

  func renewOwnNames() {
    for name in ownNames.keys.sorted() { askForName(name) }
  }

  private func askForName(_ name: String) {
    guard isConnected, let connection else { return }
    // Flag 4: do not queue for the name. Replies 1 and 4: we own it now, or already did.
    connection.call(BusNames.call("RequestName", .string(name), .uint32(4))) { [weak self] result in
      guard let answer = self?.ownNames[name] else { return }
      guard case .success(let message) = result else { return answer(false) }
      var reader = message.reader
      let code = reader.uint32()
      answer(code == 1 || code == 4)
    }
  }

  func record(of name: String) -> NameRecord? { names[name] }
}

// MARK: Objects

extension Bus {
  /// Exports an object until the export is cancelled. Calls to other paths go to the handler of
  /// `handleCalls`.
  public func export(_ path: String, _ answer: @escaping (BusMessage) -> CallAnswer) -> Export {
    exports[path] = answer
    return Export(bus: self, path: path)
  }

  func endExport(of path: String) { exports[path] = nil }

  func handle(_ call: BusMessage) -> CallAnswer {
    call.path.flatMap { exports[$0] }?(call) ?? callHandler(call)
  }
}

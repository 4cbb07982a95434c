// Keeps one device connected: found, connected, silent, lost, found again. It knows the radio and
// the clock, and neither plugins nor samples.
//
// Invariant: it runs by `ConnectionTable`, and a link that was closed makes no more callbacks.

import EventLoop
import Linux
import ProgramKit
package import Radio
package import Time
package import Vocabulary
package import Wire

package final class DeviceConnection {
  package private(set) var address: DeviceAddress
  package private(set) var reason: StateReason?
  package private(set) var since: WallTime?
  /// The last failure since the last value.
  package private(set) var failure: LinkFailure?
  /// RSSI of the link or of the last advert.
  package private(set) var rssi: Int? {
    didSet { if rssi != oldValue { delegate?.connectionChangedSignal(self) } }
  }
  /// Whether BlueZ had a bond with it when it last worked.
  package private(set) var isBonded: Bool
  /// It only advertises, and is never connected.
  package private(set) var isBroadcaster = false
  /// Connected before others.
  package private(set) var isUrgent: Bool
  /// A user is pairing it and can answer questions.
  package private(set) var isPairing: Bool {
    didSet { link?.mayBond = isPairing }
  }
  /// For log lines.
  package private(set) var label: (id: String, name: String)
  /// Unowned, because it owns the connection.
  private unowned var delegate: (any DeviceConnectionDelegate)?

  private let services: ConnectionServices
  private var phase = Phase.disabled
  private var trouble = Trouble()
  private let silence: SilenceWatch
  private var reception = Reception()
  private var log: ConnectionLog
  /// Until a failed device is tried again, or the link of an attempt.
  private var retryDeadline: Deadline?

  package init(
    to address: DeviceAddress, label: (id: String, name: String), isBonded: Bool = false, isUrgent: Bool = false,
    isPairing: Bool = false, services: ConnectionServices
  ) {
    self.address = address
    self.label = label
    self.isBonded = isBonded
    self.isUrgent = isUrgent
    self.isPairing = isPairing
    self.services = services
    log = ConnectionLog(services.log)
    silence = SilenceWatch(loop: services.loop)
    silence.judge = { [weak self] in self?.judgeSilence() }
  }

  /// Called by the owner before `start`. It calls `discard` before it goes.
  package func work(for delegate: any DeviceConnectionDelegate) { self.delegate = delegate }
  package var state: SensorState { phase.state }
  package var isStreaming: Bool { phase.isStreaming }
  package var statistics: ConnectionStatistics { reception.statistics }

  /// Whether it needs discovery.
  package var needsAdverts: Bool {
    guard !isBroadcaster, case .searching(let search) = phase else { return isBroadcaster && state != .disabled }
    return search.ticket == nil
  }

  /// Whether adverts may carry its values now: it is enabled, and neither connected nor in the queue.
  package var isOpenToBroadcasts: Bool { state != .disabled && link == nil && ticket == nil }

  /// All required subscriptions are done.
  package var isSubscribed: Bool { flow?.subscribedAt != nil }

  /// The time until the next connect, if it waits for one.
  package var retryMS: Int? { phase.retryMS(at: now) }

  private var now: MonotonicTime { services.loop.now }

  private var flow: Flow? {
    switch phase {
    case .connecting(let attempt): attempt.flow
    case .streaming(let flow), .stale(let flow): flow
    case .disabled, .searching, .error: nil
    }
  }

  private var link: (any Link)? { attempt?.link ?? flow?.link }
  private var attempt: Attempt? {
    if case .connecting(let attempt) = phase { attempt } else { nil }
  }

  private var ticket: ConnectQueue.Ticket? {
    if case .searching(let search) = phase { search.ticket } else { attempt?.ticket }
  }
}

// MARK: Calls from the daemon

extension DeviceConnection {
  package func start() {
    guard state == .disabled || state == .error else { return }
    retryDeadline?.cancel()
    move(on: .started, to: .searching(Search()))
  }

  /// The user, or a client, does not want it to be connected.
  package func disable(because reason: StateReason) {
    reception.interrupt()
    move(on: .disabled, because: reason, to: .disabled)
  }

  /// The daemon stops, or the device was forgotten. Nothing more is published or logged.
  package func discard() {
    closeLink(isUnwanted: true)
    leaveQueue()
    delegate = nil
    phase = .disabled
  }

  package func rename(_ id: String, to name: String) { label = (id, name) }
  package func finishPairing() { isPairing = false }

  /// The rider is in danger without the device, or is not. It may have other limits for silence.
  package func become(urgent: Bool) {
    isUrgent = urgent
    if isSubscribed { watchForSilence() }
  }

  /// Its values come in adverts, so it is never connected; or no longer. Then it is found again.
  package func become(broadcaster: Bool) {
    let hasChanged = broadcaster != isBroadcaster
    isBroadcaster = broadcaster
    if hasChanged, link != nil || flow != nil { move(on: .lost, to: .searching(Search())) }
  }

  package func update(rssi: Int?) { self.rssi = rssi ?? self.rssi }

  /// An advert arrived that carried no values.
  package func advertised() {
    guard case .searching(let search) = phase, !isBroadcaster else { return }
    search.advertised(to: self, services)
  }

  package func radioChanged(_ condition: RadioCondition) {
    guard let obstacle = condition.obstacle else {
      if state == .searching, reason?.isOfRadio == true { move(on: .radioBack, to: .searching(Search())) }
      return
    }
    switch phase {
    case .searching(let search):
      move(on: .radioLost, because: obstacle, to: .searching(Search(retryAt: search.retryAt)))
    // A broadcaster has no link that would fail.
    case .streaming where isBroadcaster, .stale where isBroadcaster:
      move(on: .radioLost, because: obstacle, to: .searching(Search()))
    case .disabled, .connecting, .streaming, .stale, .error: break
    }
  }

  /// An adapter became available. It may have the bond that another lacks.
  package func adapterCame() {
    guard state == .error, reason == .bondLost, isBonded else { return }
    retryDeadline?.cancel()
    doubt()
  }

  /// The controller keeps a link that the kernel does not know, so the device does not advertise
  /// and cannot be connected.
  package func linkBecameStuck(_ detail: String) {
    guard state == .searching else { return }
    let failure = LinkFailure(.linkStuck, detail)
    log.failure(failure, of: self)
    self.failure = failure
    move(on: .stuck, because: failure.reason, to: phase)
  }

  /// Pauses retries while the user pairs the device again.
  package func rest() { retryDeadline?.cancel() }
}

// MARK: Calls from the reader of its packets

extension DeviceConnection {
  /// All required subscriptions are done. It streams from the first value.
  package func subscribed() {
    guard let attempt, let flow = attempt.flow else { return }
    attempt.endTime()
    reception.begin(at: now)
    flow.subscribedAt = now
    isBonded = flow.link?.isBonded ?? isBonded
    move(on: .subscribed, to: phase)
  }

  /// The device sent a packet by itself that was understood. `characteristic` is nil for an advert.
  package func received(from characteristic: BluetoothUUID?) {
    flow?.hasSpoken = true
    reception.packet(from: characteristic, at: now) {
      services.radio.readStrength(of: address) { [weak self] dBm in self?.rssi = dBm }
    }
  }

  /// The program that decodes its packets is gone or hangs; nil if it is back, and silence counts from now.
  package func decoderChanged(_ obstacle: StateReason?) {
    guard let flow, flow.subscribedAt != nil, obstacle != nil || reason?.isOfProgram == true else { return }
    if obstacle == nil { reception.begin(at: now) }
    move(on: obstacle == nil ? .readAgain : .unread, because: obstacle, to: .stale(flow))
  }

  package func packetWasNotDecoded() { reception.missedPacket() }

  /// A value of what the device is for. It counts if the device has sent it recently: values that
  /// were read, or derived from silence, do not.
  package func valueArrived() {
    if let limit = limits.staleAfter, now - reception.last >= limit { return }
    let flow: Flow
    switch phase {
    case .searching where isBroadcaster:
      flow = Flow(nil)
      (flow.hasSpoken, flow.subscribedAt) = (true, now)
      // Before its first advert with values, it may have been treated as a device to connect to.
      move(on: .broadcast, to: .streaming(flow))
    case .connecting(let attempt):
      guard let open = attempt.flow, open.hasSpoken, open.subscribedAt != nil else { return }
      flow = open
      move(on: .value, to: .streaming(flow))
    case .stale(let silent) where silent.hasSpoken:
      flow = silent
      move(on: .value, to: .streaming(flow))
    case .searching, .streaming, .stale, .disabled, .error: return
    }
    guard state == .streaming, flow.firstValueAt == nil else { return }
    flow.firstValueAt = now
    trouble = Trouble()
    failure = nil
    reception.firstValue(at: now)
    delegate?.connectionReceivedFirstValue(self)
  }

  /// A device that may sleep has no deadline. Any packet sets it again, even one without a value.
  package func packetEnded() {
    if phase.hasSpoken, !silence.isPending { watchForSilence() }
  }

  /// Ends the link, so that the next one bonds before it opens. Only a user who is pairing can
  /// answer the questions of a bonding.
  package func bond() -> Bool {
    guard isPairing, let link else { return false }
    link.bond()
    return true
  }
}

// MARK: States

extension DeviceConnection {
  /// Moves to a state by the table. A move that is not in the table is an error.
  private func move(on event: ConnectionEvent, because why: StateReason? = nil, to next: Phase) {
    guard let row = ConnectionTable.transition(from: state, on: event), row.to == next.state else {
      assertionFailure("\(event) in \(state)")
      return log.log(.error, "\(event) in the state \(state.rawValue): please report it", about: self)
    }
    let obstacle = services.radio.condition.obstacle
    let reason: StateReason? =
      switch row.reason {
      case .none: nil
      case .request, .program: why
      case .silent: .silent
      case .failure: obstacle ?? why
      case .radio: obstacle
      case .same: self.reason
      }
    for action in row.actions {
      guard action == .publish else {
        perform(action, because: why, on: event)
        continue
      }
      let isNews = state != next.state || reason != self.reason
      phase = next
      guard isNews else { continue }
      self.reason = reason
      since = Clock.wallTime
      delegate?.connectionChangedState(self)
      // The delegate may have moved it on.
      guard phase.isSame(as: next) else { return }
    }
  }

  private func perform(_ action: ConnectionAction, because why: StateReason?, on event: ConnectionEvent) {
    switch action {
    case .forgetFailures:
      trouble = Trouble()
      silence.forget()
    case .closeLink: closeLink(leaving: why == .heldElsewhere, isUnwanted: event == .disabled || why == .unsupported)
    case .leaveQueue: leaveQueue()
    case .openLink: openLink()
    case .openLinkSoon:
      retryDeadline = services.loop.schedule(after: ReconnectPolicy.quickPause) { [weak self] in self?.openLink() }
    case .retry:
      if delegate != nil, case .searching(let search) = phase { search.begin(for: self, services) }
    case .reconsider:
      guard trouble.endsOfBonded > 0, failure?.reason == .bondLost else { break }
      retryDeadline = services.loop.schedule(after: ReconnectPolicy.lostBondRetryDelay) { [weak self] in self?.doubt() }
    case .awaitValue: watchForSilence()
    case .demandValue: demandFirstValue()
    case .publish: break
    }
  }

  private func doubt() {
    guard state == .error else { return }
    trouble.doubtLostBond()
    move(on: .bondRetry, to: .searching(Search()))
  }
}

// MARK: Turns in the queue

extension DeviceConnection: SearchOwner {
  func queueIsContended() { attempt?.queueIsContended() }

  func demandChanged() { attempt?.limitHope() }

  func beginTurn() {
    guard case .searching(let search) = phase, let ticket = search.ticket else { return }
    let attempt = Attempt(
      ticket, of: services.queue, loop: services.loop, attempts: trouble.attempts, owner: self)
    move(on: .turn, to: .connecting(attempt))
  }

  private func leaveQueue() {
    attempt?.leaveQueue()
    guard case .searching(let search) = phase else { return }
    search.end()
    search.leaveQueue(services.queue)
  }
}

extension DeviceConnection: AttemptOwner {
  func attempt(_ attempt: Attempt, failed failure: LinkFailure) { fail(failure) }

  func attemptYields(_ attempt: Attempt) {
    closeLink()
    move(on: .lost, because: failure?.reason ?? .linkLost, to: .searching(Search()))
  }
}

// MARK: Links

extension DeviceConnection: LinkDelegate {
  private func openLink() {
    guard let attempt else { return }
    services.closing.finish(address)
    let link = services.makeLink(to: address)
    link.delegate = self
    link.mayBond = isPairing
    link.shouldBeBonded = isBonded
    link.isUrgent = isUrgent
    attempt.open(link)
  }

  package func linkIsUp(_ link: any Link) {
    if link === self.link { attempt?.linkCameUp() }
  }

  package func link(_ link: any Link, revealed address: DeviceAddress) {
    guard link === self.link, address != self.address else { return }
    log.log(.info, "its identity address is \(address)", about: self)
    self.address = address
    delegate?.connectionMoved(self)
  }

  package func link(_ link: any Link, openedWith endpoints: [Endpoint]) {
    guard link === self.link, let attempt else { return }
    attempt.linkOpened(link)
    guard var failure = delegate?.connection(self, openedWith: endpoints, on: link) else { return }
    if isPairing || failure.needsUser {
      failure.kind = .needsUser
    } else {
      // Services that worked before may be missing in BlueZ's cache, or be found later.
      failure.kind = forgetServices() ? .outdated : .unanswered
    }
    fail(failure)
  }

  package func link(_ link: any Link, received value: Span<UInt8>, from endpoint: Endpoint, indicated: Bool) {
    guard link === self.link else { return }
    delegate?.connection(self, received: value, from: endpoint, indicated: indicated)
  }

  package func link(_ link: any Link, closedWith failure: LinkFailure) {
    guard link === self.link else { return }
    fail(failure)
  }

  /// Drops the link and everything in progress on it. `leaving`: another program uses the link.
  /// `isUnwanted`: the device is not connected again soon, so its last writes are done before.
  private func closeLink(leaving isLeft: Bool = false, isUnwanted: Bool = false) {
    retryDeadline?.cancel()
    silence.cancel()
    silence.record(flow, lastReceived: reception.last, limits)
    reception.linkEnded()
    let link = link
    let wasOpen = flow?.link != nil
    let writes = wasOpen && isUnwanted ? delegate?.lastWrites(of: self) ?? [] : []
    flow?.link = nil
    attempt?.linkClosed()
    link?.delegate = nil
    delegate?.connectionClosed(self, wasOpen: wasOpen)
    guard let link else { return }
    if isLeft { link.leave() } else { services.closing.close(link, to: address, after: writes) }
  }
}

// MARK: Failures

extension DeviceConnection {
  package func fail(_ failure: LinkFailure) {
    let failure = judged(failure)
    if isSubscribed || state == .streaming || state == .stale {
      reception.lost(isSilent: failure.reason == .silent)
    }
    self.failure = failure
    let step = nextStep(after: failure)
    switch step {
    case .again:
      attempt?.countQuickTry()
      log.failure(failure, of: self)
      move(on: .triedAgain, because: failure.reason, to: phase)
    case .stop: move(on: .givenUp, because: failure.reason, to: .error)
    case .forget(let pause):
      _ = forgetServices()
      search(after: pause, failure)
    case .search(let pause): search(after: pause, failure)
    case .atOnce:
      let canHope = services.radio.condition.obstacle == nil && !isBroadcaster
      move(on: .lost, because: failure.reason, to: .searching(Search(isSpeculative: canHope)))
    case .wait: move(on: .lost, because: failure.reason, to: .searching(Search()))
    }
  }

  private func search(after pause: Duration, _ failure: LinkFailure) {
    trouble.countAttempt()
    // It was there a moment ago, but others wait.
    let isThere =
      failure.kind == .transient && attempt?.isUp == true && !isSubscribed
      && services.radio.condition.obstacle == nil
    let search = Search(retryAt: now + pause, isPresent: isThere)
    move(on: .lost, because: failure.reason, to: .searching(search))
  }

  /// At most once until a value arrives. Returns false if the Bluetooth daemon must keep its data.
  private func forgetServices() -> Bool {
    guard !trouble.hasForgotten else { return false }
    trouble.forgetServices()
    guard link?.closeAndForget() == true else { return false }
    log.log(.info, "removed the services that bluetoothd had stored", about: self)
    return true
  }

  private func nextStep(after failure: LinkFailure) -> ReconnectPolicy.Step {
    let step = trouble.step(
      after: failure, in: attempt, hadWorked: flow?.firstValueAt != nil,
      isRadioLost: services.radio.condition.obstacle != nil)
    guard case .again(let pause) = step, ticket == nil || services.queue.isWanted else { return step }
    return .search(after: pause)
  }

  /// Reinterprets a failure that a lost bond may have caused.
  private func judged(_ failure: LinkFailure) -> LinkFailure {
    let isUp = attempt?.isUp ?? (link != nil)
    if failure.kind == .transient, isUp, flow?.firstValueAt == nil, link?.isBonded == true {
      trouble.countEndOfBonded()
    }
    var failure = trouble.judge(failure)
    guard failure.kind == .needsUser, failure.reason == .bondLost else { return failure }
    if isPairing { return replacingBond(failure) }
    if isBonded, link?.isBonded == false { failure.detail += ", and this computer has lost it" }
    failure.detail += ": run 'cyclo pair \(address)' for a new bond"
    return failure
  }

  /// The user is pairing the device, and so wants a working bond.
  private func replacingBond(_ failure: LinkFailure) -> LinkFailure {
    guard !trouble.hasReplacedBond, services.radio.forgetBond(with: address) else { return failure }
    trouble.replaceBond()
    return LinkFailure(.gone, .connectingFailed, "\(failure.detail): removed the bond of this computer")
  }
}

// MARK: Silence

extension DeviceConnection {
  private var limits: SilenceLimits { delegate?.silenceLimits(of: self) ?? SilenceLimits() }

  private func watchForSilence() { silence.watch(until: endOfSilence) }

  private var endOfSilence: MonotonicTime? { silence.end(of: phase, lastReceived: reception.last, limits) }

  private func judgeSilence() {
    guard isSubscribed else { return }
    silence.record(flow, lastReceived: reception.last, limits)
    if let limit = silence.linkLimit(limits), now - reception.last >= limit {
      fail(LinkFailure(.silent, "connected, but no value for \(limit)"))
      return silence.reconnected()
    }
    guard let flow, state != .stale, let end = endOfSilence, now >= end else { return watchForSilence() }
    // A device that may fall silent, like a wheel that stands, has not missed anything.
    if limits.reconnectAfter == nil { reception.endPace() }
    move(on: .silence, to: .stale(flow))
  }

  /// BlueZ can believe that it has subscribed although the device has not received it.
  private func demandFirstValue() {
    guard let flow, let link = flow.link, !flow.hasSpoken, !flow.wasDemanded else { return }
    flow.wasDemanded = true
    for endpoint in delegate?.requiredSubscriptions(of: self) ?? [] {
      link.resubscribe(endpoint) { [weak self, weak link] result in
        guard let self, let link, link === self.link, case .failure(let failure) = result else { return }
        fail(failure)
      }
    }
  }
}

// MARK: The log

extension DeviceConnection {
  package func logState() { log.state(of: self) }

  /// The time since the last value, if the link was lost since then.
  var openGap: Duration? { reception.statistics.openGap(at: now) }
}

// Connecting, and recovery after a failed link as `ReconnectPolicy` decides.

import CaptureFormat
import EventLoop
import Linux
import ProgramKit
import Radio
import SensorKit
import Time
import Wire

extension SensorSession {
  /// Failures since the last value.
  struct Trouble {
    var attempts = 0
    /// BlueZ's cached services were forgotten.
    var hasForgotten = false
    /// This computer's bond was removed so that a new one can be made.
    var hasReplacedBond = false
    /// How many links ended in a row before a value arrived, while BlueZ had a bond.
    var endsOfBonded = 0
  }

  /// A connect, from the start of the turn to the first subscription, including retries.
  struct ConnectUnderWay {
    var began = MonotonicTime(nanoseconds: 0)
    /// The deadline for all its tries together.
    var end = MonotonicTime(nanoseconds: 0)
    var linkTime = Duration.zero
    var quickTries = 0
    var wasUp = false
    /// A cancel was wanted while the controller was creating the link: it waits until this time.
    var creationEnd: MonotonicTime?
  }

  /// `isSpeculative`: it is unknown whether the sensor is there.
  func requestConnect(isSpeculative: Bool = false) {
    advertisedEarly = false
    ticket = environment.queue.request(isSpeculative: isSpeculative, isUrgent: isUrgent) { [weak self] in
      self?.beginConnect()
    } wanted: { [weak self] in
      self?.isQueueContended()
    } demandChanged: { [weak self] in
      self?.limitHope()
    } dropped: { [weak self] in
      self?.ticket = nil
    }
    environment.queue.advance()
  }

  private func beginConnect() {
    let isSpeculative = ticket?.isSpeculative == true
    let time = isSpeculative ? speculativeTimeout : ReconnectPolicy.linkTime(attempts: trouble.attempts)
    let now = environment.loop.now
    connect = ConnectUnderWay(began: now, end: now + time, linkTime: time)
    transition(on: .slot)
    openLink()
  }

  private func openLink() {
    let link = environment.radio.link(to: address)
    link.delegate = self
    link.mayBond = isProvisional
    link.shouldBeBonded = isBonded
    link.isUrgent = isUrgent
    self.link = link
    connect.creationEnd = nil
    limitConnecting(to: min(connect.linkTime, connect.end - environment.loop.now))
    link.open()
  }

  func limitConnecting(to time: Duration) {
    connectDeadline?.cancel()
    connectDeadline = environment.loop.schedule(after: max(time, .zero)) { [weak self] in
      self?.endUnlessCreating {
        $0.fail(
          LinkFailure(.unanswered, .connectingFailed, "no link within \($0.environment.loop.now - $0.connect.began)"))
      }
    }
  }

  private var speculativeTimeout: Duration {
    environment.queue.areAdvertsNeeded ? ReconnectPolicy.speculativeTimeout : ReconnectPolicy.longestHope
  }

  /// Called when the need of others for adverts has changed.
  private func limitHope() {
    guard let ticket, ticket.isSpeculative, state == .connecting, !isLinkUp, connect.creationEnd == nil else { return }
    connect.linkTime = speculativeTimeout
    connect.end = connect.began + speculativeTimeout
    limitConnecting(to: connect.end - environment.loop.now)
  }

  /// While the controller creates the link, a cancel could come too late. So the link gets, once,
  /// the time that the kernel allows for it.
  private func endUnlessCreating(_ end: @escaping (SensorSession) -> Void) {
    let now = environment.loop.now
    guard !isLinkUp, let link, link.connectStage != .listening else { return end(self) }
    let creationEnd = connect.creationEnd ?? now + ConnectStage.creationTime
    guard now < creationEnd else { return end(self) }
    connect.creationEnd = creationEnd
    connectDeadline?.cancel()
    connectDeadline = environment.loop.schedule(at: creationEnd) { [weak self] in self?.endUnlessCreating(end) }
  }

  func linkCameUp() {
    isLinkUp = true
    ticket?.provePresence()
    if !connect.wasUp { connect.end = environment.loop.now + ReconnectPolicy.serviceTime }
    connect.wasUp = true
    limitConnecting(to: connect.end - environment.loop.now)
  }
}

// MARK: The queue

extension SensorSession {
  func leaveQueue() {
    slotDeadline?.cancel()
    guard let ticket else { return }
    self.ticket = nil
    environment.queue.release(ticket)
  }

  /// A speculative connect yields at once, any other after a while.
  private func isQueueContended() {
    guard let ticket, state == .connecting else { return }
    if ticket.isSpeculative { return endUnlessCreating { $0.yieldSlot() } }
    let end = connect.began + ReconnectPolicy.longestTurn
    guard environment.loop.now < end else { return expireSlot() }
    slotDeadline?.cancel()
    slotDeadline = environment.loop.schedule(at: end) { [weak self] in self?.expireSlot() }
  }

  private func expireSlot() {
    guard ticket != nil, environment.queue.isWanted else { return }
    if isLinkUp { return leaveQueue() }
    endUnlessCreating {
      let time = $0.environment.loop.now - $0.connect.began
      $0.fail(LinkFailure(.unanswered, .connectingFailed, "no link within \(time), and others wait"))
    }
  }

  private func yieldSlot() {
    let why = failure?.reason ?? .linkLost
    disconnect()
    transition(on: .lost, because: why)
  }
}

// MARK: Failing

extension SensorSession {
  func fail(_ failure: LinkFailure) {
    let failure = judged(failure)
    noteLoss(failure)
    let step = nextStep(after: failure)
    switch step {
    case .again(let pause):
      return tryAgain(failure, after: pause)
    case .forget: _ = forgetServices()
    default: break
    }
    // The sensor was there a moment ago, but others wait.
    let isThere = failure.kind == .transient && isLinkUp && state == .connecting && !isSubscribed
    disconnect(leaving: failure.reason == .heldElsewhere)
    switch step {
    case .stop: return stop(failure)
    case .search(let pause), .again(let pause), .forget(let pause): waitToRetry(pause)
    case .atOnce, .wait: retryAt = nil
    }
    transition(on: .lost, because: failure.reason)
    guard delegate != nil, environment.radio.condition.obstacle == nil else { return }
    advertisedEarly = isThere
    if step == .atOnce, state == .searching, !isBroadcaster { requestConnect(isSpeculative: true) }
  }

  /// At most once until a value arrives. Returns false if the Bluetooth daemon must keep its data.
  func forgetServices() -> Bool {
    guard !trouble.hasForgotten else { return false }
    trouble.hasForgotten = true
    guard link?.closeAndForget() == true else { return false }
    environment.log.info("\(title): removed the services that bluetoothd had stored", .sensor(id))
    return true
  }

  private func nextStep(after failure: LinkFailure) -> ReconnectPolicy.Step {
    // A link without a value does not count as working: one that always ends after subscribing must
    // not be rebuilt without a pause.
    let history = ReconnectPolicy.History(
      isConnecting: state == .connecting && !isLinkOpen, quickTries: connect.quickTries,
      timeLeft: connect.end - environment.loop.now, attempts: trouble.attempts, hadWorked: hasValue,
      hasForgotten: trouble.hasForgotten, isRadioLost: environment.radio.condition.obstacle != nil)
    let step = ReconnectPolicy.step(after: failure.kind, history)
    guard case .again(let pause) = step, ticket == nil || environment.queue.isWanted else { return step }
    return .search(after: pause)
  }

  private func noteLoss(_ failure: LinkFailure) {
    if isSubscribed || state == .streaming || state == .stale {
      record.lost(lastReceived: lastReceived, isSilent: failure.reason == .silent)
    }
    self.failure = failure
  }

  /// Keeps the state, the turn and the deadline.
  private func tryAgain(_ failure: LinkFailure, after pause: Duration) {
    connect.quickTries += 1
    logFailure(failure)
    connectDeadline?.cancel()
    dropLink()
    transition(on: .triedAgain, because: failure.reason)
    retryDeadline = environment.loop.schedule(after: pause) { [weak self] in
      if self?.state == .connecting { self?.openLink() }
    }
  }

  private func waitToRetry(_ pause: Duration) {
    trouble.attempts += 1
    retryAt = environment.loop.now + pause
    retryDeadline = environment.loop.schedule(after: pause) { [weak self] in self?.retry() }
  }

  private func retry() {
    if advertisedEarly, needsAdverts { requestConnect() }
  }

  /// Drops the link and everything in progress on it. `leaving`: another program uses the link.
  func disconnect(leaving isLeft: Bool = false) {
    for deadline in [connectDeadline, retryDeadline, silenceDeadline, tickDeadline] { deadline?.cancel() }
    endCommand(.failure(CommandFailure(.notConnected, "the connection was lost")))
    advertisedEarly = false
    dropLink(leaving: isLeft)
    leaveQueue()
  }

  private func dropLink(leaving isLeft: Bool = false) {
    actions?.discard()
    actions = nil
    endSilencesIfStreamed()
    hasValue = false
    isSubscribed = false
    early = []
    isLinkUp = false
    host?.disconnected()
    endQuality()
    guard let link else { return }
    if isLinkOpen { environment.captures.record(.disconnected, of: id, at: environment.loop.now) }
    isLinkOpen = false
    self.link = nil
    link.delegate = nil
    if isLeft { link.leave() } else { link.close() }
  }
}

// MARK: Lost links

extension SensorSession {
  /// The controller keeps a link that the kernel does not know, so the sensor does not advertise
  /// and cannot be connected.
  func linkBecameStuck(_ detail: String) {
    guard state == .searching else { return }
    let failure = LinkFailure(.linkStuck, detail)
    logFailure(failure)
    self.failure = failure
    transition(on: .stuck, because: failure.reason)
  }
}

// MARK: Lost bonds

extension SensorSession {
  /// Reinterprets a failure that a lost bond may have caused.
  private func judged(_ failure: LinkFailure) -> LinkFailure {
    if failure.kind == .transient, isLinkUp, !hasValue, link?.isBonded == true {
      trouble.endsOfBonded += 1
    }
    var failure = failure
    if trouble.endsOfBonded >= ReconnectPolicy.endsThatMeanALostBond, failure.kind == .transient {
      let detail = "its link ended \(trouble.endsOfBonded) times in a row: it seems to have lost its bond"
      failure = LinkFailure(.needsUser, .bondLost, detail)
    }
    guard failure.kind == .needsUser, failure.reason == .bondLost else { return failure }
    if isProvisional { return replacingBond(failure) }
    if isBonded, link?.isBonded == false { failure.detail += ", and this computer has lost it" }
    failure.detail += ": run 'cyclo pair \(address)' for a new bond"
    return failure
  }

  /// The user is pairing the sensor, and so wants a working bond.
  private func replacingBond(_ failure: LinkFailure) -> LinkFailure {
    guard !trouble.hasReplacedBond, environment.radio.forgetBond(with: address) else { return failure }
    trouble.hasReplacedBond = true
    trouble.endsOfBonded = 0
    return LinkFailure(
      .gone, .connectingFailed, "\(failure.detail): removed the bond of this computer")
  }

  private func stop(_ failure: LinkFailure) {
    retryAt = nil
    transition(on: .givenUp, because: failure.reason)
    guard delegate != nil, trouble.endsOfBonded > 0, failure.reason == .bondLost else { return }
    retryDeadline = environment.loop.schedule(after: ReconnectPolicy.lostBondRetryDelay) { [weak self] in self?.doubt()
    }
  }

  func adapterCame() {
    guard state == .error, reason == .bondLost, isBonded else { return }
    retryDeadline?.cancel()
    doubt()
  }

  private func doubt() {
    guard state == .error else { return }
    trouble.endsOfBonded = ReconnectPolicy.endsThatMeanALostBond - ReconnectPolicy.endsOnSecondThought
    transition(on: .bondRetry)
  }

  /// Pauses retries while the user pairs the sensor again.
  func rest() {
    retryDeadline?.cancel()
  }
}

extension SensorInfo {
  /// A radar: a missing one endangers the rider.
  var watchesTheRoad: Bool { kinds.contains(.radar) }
}

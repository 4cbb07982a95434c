// Subscribing to notifications: through a descriptor, which keeps them off the bus, or as D-Bus
// signals.
//
// bluetoothd before 5.86 can crash if a link ends while a descriptor is being acquired. With these
// releases, and if a bond may be needed, links begin with signals. See
// docs/decisions/0004-signals-before-5.86.md.

internal import BlueZ
import BlueZReleases
internal import DBus
internal import EventLoop
internal import Linux
import Radio
import Time
import Wire

extension BlueZLink {
  typealias Completion = (Result<Void, LinkFailure>) -> Void

  /// Most links that fail do so in their first seconds.
  static let steadyTime = Duration.seconds(30)
  private static let releaseTime = Duration.milliseconds(250)
  private static let mostStarts = 3

  private var beginsWithSignals: Bool { radio?.release.map { $0 < .firstThatForgetsEndedLinks } ?? true }

  func subscribe(_ endpoint: Endpoint, _ completion: @escaping Completion) {
    if phase == .open, isStandIn(endpoint) {
      isBatterySubscribed = true
      return later { completion(.success(())) }
    }
    switch characteristic(endpoint) {
    case .failure(let failure): later { completion(.failure(failure)) }
    case .success(let characteristic):
      guard !subscriptions.contains(where: { $0.endpoint == endpoint }) else {
        return later { completion(.success(())) }
      }
      let subscription = BlueZSubscription(endpoint, characteristic)
      subscriptions.append(subscription)
      // Before 5.80, AcquireNotify rejects characteristics that only indicate.
      if subscription.isIndicated {
        startNotify(subscription, completion)
      } else if isUnbonded {
        startWithBond(subscription, completion)
      } else if beginsWithSignals {
        startNotify(subscription, completion)
      } else {
        acquire(subscription, completion)
      }
    }
  }

  /// Subscribes again: BlueZ may believe that it has subscribed when the sensor has not received
  /// it.
  func resubscribe(_ endpoint: Endpoint, _ completion: @escaping Completion) {
    for subscription in subscriptions where subscription.endpoint == endpoint { subscription.end() }
    subscriptions.removeAll { $0.endpoint == endpoint }
    // BlueZ rejects Acquire until it has seen the old descriptor hang up.
    loop.schedule(after: Self.releaseTime) { [weak self] in
      guard let self, phase == .open else { return }
      subscribe(endpoint, completion)
    }
  }

  /// The notifications ended although the link stayed, and could not be restored.
  func lostNotifications(of subscription: BlueZSubscription, _ reason: LinkFailure) {
    var failure = reason
    failure.detail = "the notifications of \(subscription.endpoint.characteristic) ended: \(reason.detail)"
    // Another program has taken them and keeps using the link.
    guard failure.reason == .heldElsewhere else { return lose(LinkFailure(.linkLost, failure.detail)) }
    leave(because: failure)
  }

  private func giveUp(
    _ subscription: BlueZSubscription, _ failure: LinkFailure, _ completion: @escaping Completion
  ) {
    subscription.end()
    subscriptions.removeAll { $0 === subscription }
    completion(.failure(blamingBond(failure)))
  }

  /// Whether another program has acquired the notifications. On a link that we made, bluetoothd
  /// itself is the holder. 5.66 keeps what was acquired on a link that ended at that moment, until
  /// someone stops it.
  private func isOfAnother(_ error: BusError) -> Bool { wasAdopted && error.name == .bluezNotPermitted }
}

// MARK: Descriptors

extension BlueZLink {
  func acquire(_ subscription: BlueZSubscription, _ completion: @escaping Completion) {
    track(
      subscription.characteristic.acquireNotify { [weak self] result in
        switch result {
        case .success(let acquired): self?.attach(acquired, subscription, completion)
        case .failure(let error) where error.isOfAcquiring && !error.isOfMissingBond:
          subscription.canSwitch = false
          self?.startNotify(subscription, completion)
        case .failure(let error): self?.giveUp(subscription, LinkFailure(error, while: .subscribing), completion)
        }
      })
  }

  private func attach(
    _ acquired: AcquiredNotify, _ subscription: BlueZSubscription, _ completion: @escaping Completion
  ) {
    do throws(SystemError) {
      try subscription.attach(acquired.descriptor, to: loop) { [weak self, weak subscription] ready in
        if let subscription { self?.drain(subscription, ready) }
      }
      completion(.success(()))
    } catch {
      giveUp(subscription, LinkFailure(.linkLost, error.description), completion)
    }
  }

  private func switchToDescriptor(_ subscription: BlueZSubscription) {
    guard let since = subscription.signalsSince, loop.now - since >= Self.steadyTime else { return }
    subscription.signalsSince = nil
    track(
      subscription.characteristic.stopNotify { [weak self, weak subscription] _ in
        guard let self, let subscription else { return }
        subscription.forgetSignals()
        acquire(subscription) { [weak self] result in
          if case .failure(let failure) = result { self?.lostNotifications(of: subscription, failure) }
        }
      })
  }
}

// MARK: Signals

extension BlueZLink {
  private func startNotify(_ subscription: BlueZSubscription, _ completion: @escaping Completion) {
    watchSignals(of: subscription)
    let timeout = isUnbonded ? Self.longestBonding : BusConnection.defaultTimeout
    track(
      subscription.characteristic.startNotify(timeout: timeout) { [weak self] result in
        self?.started(subscription, result, completion)
      })
  }

  /// Added before StartNotify, so that no value is missed.
  private func watchSignals(of subscription: BlueZSubscription) {
    guard subscription.valueMatch == nil else { return }
    subscription.valueMatch = subscription.characteristic.watchValue { [weak self, weak subscription] value in
      guard let self, let subscription, subscription.isIndicated || !subscription.isEcho(value, at: loop.now) else {
        return
      }
      deliver(value.span, subscription)
      switchToDescriptor(subscription)
    }
  }

  private func started(
    _ subscription: BlueZSubscription, _ result: Result<Void, BusError>, _ completion: @escaping Completion
  ) {
    // A subscription that BlueZ kept from an earlier link works too.
    if case .failure(let error) = result, error.name != .bluezInProgress {
      if isOfAnother(error) { subscription.forgetSignals() }
      return giveUp(subscription, LinkFailure(error, while: .subscribing), completion)
    }
    if !subscription.isIndicated, subscription.canSwitch { subscription.signalsSince = loop.now }
    completion(.success(()))
  }

  /// AcquireNotify cannot show whether a bond is required: until 5.77 it is never answered if the
  /// bonding fails.
  private func startWithBond(
    _ subscription: BlueZSubscription, starts: Int = 1, _ completion: @escaping Completion
  ) {
    let characteristic = subscription.characteristic
    bonding.started = characteristic
    watchSignals(of: subscription)
    let call = characteristic.startNotify(timeout: Self.longestBonding) { [weak self] result in
      guard let self else { return }
      bonding.started = nil
      bonding.timeout?.cancel()
      if case .failure(let error) = result, error.name == .bluezFailed, !error.isOfMissingBond, !bonding.wasAsked,
        starts < Self.mostStarts
      {
        return startAgain(subscription, starts: starts + 1, completion)
      }
      started(subscription, result, completion)
    }
    track(call)
    whenUnanswered { [weak self] failure in
      call?.cancel()
      self?.withdrawStart()
      self?.giveUp(subscription, failure, completion)
    }
  }

  /// 5.82 may reject a StartNotify that comes too early.
  private func startAgain(_ subscription: BlueZSubscription, starts: Int, _ completion: @escaping Completion) {
    subscription.characteristic.stopNotify { _ in }
    loop.schedule(after: Self.releaseTime) { [weak self] in
      guard let self, phase == .open else { return }
      startWithBond(subscription, starts: starts, completion)
    }
  }
}

extension BusError {
  /// The characteristic does not provide a descriptor, but may still send signals.
  fileprivate var isOfAcquiring: Bool {
    [.bluezNotSupported, .bluezNotPermitted, .bluezNotAuthorized, .bluezFailed, .bluezInProgress].contains(name)
  }
}

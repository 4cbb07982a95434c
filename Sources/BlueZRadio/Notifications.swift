// The notifications of a link: through descriptors, which keep them off the bus, or as D-Bus signals.
//
// bluetoothd before 5.86 can crash if a link ends while a descriptor is being acquired. With these
// releases, and if a bond may be needed, links begin with signals. See
// docs/decisions/0004-signals-before-5.86.md.
//
// One read of an acquired descriptor is one notification, passed on from the buffer without a copy.

internal import BlueZ
import BlueZReleases
internal import DBus
internal import EventLoop
internal import Linux
import Radio
import Time
import Vocabulary
import Wire

final class Notifications {
  /// It owns them.
  private unowned let link: BlueZLink
  private let loop: EventLoop
  private var subscriptions: [BlueZSubscription] = []
  private var isBatterySubscribed = false
  /// Receives every notification. ATT's longest has 517 bytes.
  private var buffer = [UInt8](repeating: 0, count: 1024)

  typealias Completion = (Result<Void, LinkFailure>) -> Void

  /// Most links that fail do so in their first seconds.
  static let steadyTime = Duration.seconds(30)
  private static let releaseTime = Duration.milliseconds(250)
  private static let mostStarts = 3

  init(of link: BlueZLink) {
    self.link = link
    loop = link.loop
  }

  func end() {
    for subscription in subscriptions { subscription.end() }
    subscriptions = []
  }

  private var beginsWithSignals: Bool { link.radio?.release.map { $0 < .firstThatForgetsEndedLinks } ?? true }

  func subscribe(_ endpoint: Endpoint, _ completion: @escaping Completion) {
    if link.phase == .open, link.isStandIn(endpoint) {
      isBatterySubscribed = true
      return link.later { completion(.success(())) }
    }
    switch link.characteristic(endpoint) {
    case .failure(let failure): link.later { completion(.failure(failure)) }
    case .success(let characteristic):
      guard !subscriptions.contains(where: { $0.endpoint == endpoint }) else {
        return link.later { completion(.success(())) }
      }
      let subscription = BlueZSubscription(endpoint, characteristic)
      subscriptions.append(subscription)
      // Before 5.80, AcquireNotify rejects characteristics that only indicate.
      if subscription.isIndicated {
        startNotify(subscription, completion)
      } else if link.isUnbonded {
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
      guard let self, link.phase == .open else { return }
      subscribe(endpoint, completion)
    }
  }

  /// The notifications ended although the link stayed, and could not be restored.
  private func lostNotifications(of subscription: BlueZSubscription, _ reason: LinkFailure) {
    var failure = reason
    failure.detail = "the notifications of \(subscription.endpoint.characteristic) ended: \(reason.detail)"
    // Another program has taken them and keeps using the link.
    guard failure.reason == .heldElsewhere else { return link.lose(LinkFailure(.linkLost, failure.detail)) }
    link.leave(because: failure)
  }

  private func giveUp(
    _ subscription: BlueZSubscription, _ failure: LinkFailure, _ completion: @escaping Completion
  ) {
    subscription.end()
    subscriptions.removeAll { $0 === subscription }
    completion(.failure(link.blamingBond(failure)))
  }

  /// Whether another program has acquired the notifications. On a link that we made, bluetoothd
  /// itself is the holder. 5.66 keeps what was acquired on a link that ended at that moment, until
  /// someone stops it.
  private func isOfAnother(_ error: BusError) -> Bool { link.wasAdopted && error.name == .bluezNotPermitted }
}

// MARK: Descriptors

extension Notifications {
  private func acquire(_ subscription: BlueZSubscription, _ completion: @escaping Completion) {
    link.track(
      subscription.characteristic.acquireNotify { [weak self] result in
        switch result {
        case .success(let acquired): self?.attach(acquired, subscription, completion)
        case .failure(let error) where error.isOfAcquiring && !error.isOfMissingBond:
          subscription.keepSignals()
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
    guard subscription.endsSignals(at: loop.now, after: Self.steadyTime) else { return }
    link.track(
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

extension Notifications {
  private func startNotify(_ subscription: BlueZSubscription, _ completion: @escaping Completion) {
    watchSignals(of: subscription)
    let timeout = link.isUnbonded ? BlueZLink.longestBonding : BusConnection.defaultTimeout
    link.track(
      subscription.characteristic.startNotify(timeout: timeout) { [weak self] result in
        self?.started(subscription, result, completion)
      })
  }

  /// Added before StartNotify, so that no value is missed.
  private func watchSignals(of subscription: BlueZSubscription) {
    subscription.watchSignals { [weak self, weak subscription] value in
      guard let self, let subscription, subscription.isIndicated || !subscription.isEcho(value, at: loop.now) else {
        return
      }
      deliver(value.span, subscription, link)
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
    subscription.signalsBegan(at: loop.now)
    completion(.success(()))
  }

  /// AcquireNotify cannot show whether a bond is required: until 5.77 it is never answered if the
  /// bonding fails.
  private func startWithBond(
    _ subscription: BlueZSubscription, starts: Int = 1, _ completion: @escaping Completion
  ) {
    let characteristic = subscription.characteristic
    link.bondingMayStart(by: characteristic)
    watchSignals(of: subscription)
    let call = characteristic.startNotify(timeout: BlueZLink.longestBonding) { [weak self] result in
      guard let self else { return }
      link.startWasAnswered()
      if case .failure(let error) = result, error.name == .bluezFailed, !error.isOfMissingBond, !link.wasAskedToBond,
        starts < Self.mostStarts
      {
        return startAgain(subscription, starts: starts + 1, completion)
      }
      started(subscription, result, completion)
    }
    link.track(call)
    link.whenUnanswered { [weak self] failure in
      call?.cancel()
      self?.link.withdrawStart()
      self?.giveUp(subscription, failure, completion)
    }
  }

  /// 5.82 may reject a StartNotify that comes too early.
  private func startAgain(_ subscription: BlueZSubscription, starts: Int, _ completion: @escaping Completion) {
    subscription.characteristic.stopNotify { _ in }
    loop.schedule(after: Self.releaseTime) { [weak self] in
      guard let self, link.phase == .open else { return }
      startWithBond(subscription, starts: starts, completion)
    }
  }
}

// MARK: Values

extension Notifications {
  /// Battery1 replaces a battery service whose objects bluetoothd hides.
  func deliverBattery() {
    guard link.phase == .open, isBatterySubscribed, let percentage = link.device.batteryPercentage else { return }
    let value: [UInt8] = [percentage]
    link.delegate?.link(link, received: value.span, from: .battery, indicated: false)
  }

  /// Leaves time for other sensors if one sends without a pause.
  private static let mostReadsAtOnce = 32

  private func drain(_ subscription: BlueZSubscription, _ ready: Interest) {
    // Loaded once: each load of an unowned reference counts.
    let link = link
    for _ in 0..<Self.mostReadsAtOnce {
      guard link.phase == .open, let descriptor = subscription.descriptor else { return }
      do throws(SystemError) {
        switch try readDescriptor(descriptor.number, into: &buffer) {
        case .wouldBlock:
          return
        case .done(0):
          // End of file or an empty notification. At end of file a hang-up is reported in this turn
          // or the next.
          if ready.contains(.hangUp) { hungUp(subscription) }
          return
        case .done(let count):
          deliver(buffer.span.extracting(first: count), subscription, link)
        }
      } catch {
        return hungUp(subscription)
      }
    }
  }

  private func deliver(_ value: Span<UInt8>, _ subscription: BlueZSubscription, _ link: BlueZLink) {
    guard link.phase == .open else { return }
    link.delegate?.link(link, received: value, from: subscription.endpoint, indicated: subscription.isIndicated)
  }

  /// Usually the link is gone, and Connected becomes false soon. Otherwise another program took the
  /// notifications.
  private func hungUp(_ subscription: BlueZSubscription) {
    subscription.detach()
    loop.schedule(after: .seconds(2)) { [weak self] in
      guard let self, link.phase == .open, link.device.isConnected,
        subscriptions.contains(where: { $0 === subscription })
      else {
        return
      }
      let name = subscription.endpoint.characteristic
      guard subscription.acquireAgain() else {
        return link.lose(LinkFailure(.linkLost, "the notifications of \(name) ended again although the link stayed up"))
      }
      acquire(subscription) { [weak self] result in
        if case .failure(let failure) = result { self?.lostNotifications(of: subscription, failure) }
      }
    }
  }
}

extension BusError {
  /// The characteristic does not provide a descriptor, but may still send signals.
  fileprivate var isOfAcquiring: Bool {
    [.bluezNotSupported, .bluezNotPermitted, .bluezNotAuthorized, .bluezFailed, .bluezInProgress].contains(name)
  }
}

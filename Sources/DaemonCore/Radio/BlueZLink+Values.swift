// What goes over an open link: its endpoints, subscriptions, values read and written.
//
// - One read of an acquired descriptor is one notification, handed on from the link's buffer without a copy.
// - Where a plugin of bluetoothd claims the battery service and hides its objects, Battery1 stands in for it.

internal import BlueZ
internal import DBus
internal import EventLoop
internal import Linux
internal import SensorKit
internal import Wire

extension Endpoint {
  fileprivate static let battery = Endpoint(
    service: BluetoothUUID(0x180f), characteristic: BluetoothUUID(0x2a19))
}

extension BlueZLink {
  func findEndpoints() -> [Endpoint] {
    var endpoints: [Endpoint] = []
    for characteristic in device.characteristics {
      guard let service = characteristic.serviceUUID.flatMap({ BluetoothUUID($0) }),
        let uuid = characteristic.uuid.flatMap({ BluetoothUUID($0) })
      else { continue }
      let endpoint = Endpoint(service: service, characteristic: uuid)
      guard characteristics[endpoint] == nil else { continue }
      characteristics[endpoint] = characteristic.path
      endpoints.append(endpoint)
    }
    // Battery1 itself can come after everything else.
    let hasBattery = device.hasBattery || device.uuids.contains { BluetoothUUID($0) == Endpoint.battery.service }
    if hasBattery && characteristics[.battery] == nil { endpoints.append(.battery) }
    return endpoints
  }

  private func isStandIn(_ endpoint: Endpoint) -> Bool {
    endpoint == .battery && characteristics[endpoint] == nil
  }

  private func characteristic(_ endpoint: Endpoint) -> Result<Characteristic, LinkFailure> {
    guard phase == .open else { return .failure(LinkFailure(.linkLost, "the link is closed")) }
    guard let path = characteristics[endpoint] else {
      return .failure(LinkFailure(.unsupported, "no characteristic \(endpoint.characteristic)"))
    }
    return .success(tree.characteristic(at: path))
  }

  func deliverBattery() {
    guard phase == .open, isBatterySubscribed, let percentage = device.batteryPercentage else { return }
    let value: [UInt8] = [percentage]
    delegate?.link(self, received: value.span, from: .battery, indicated: false)
  }
}

// MARK: Reading and writing

extension BlueZLink {
  func read(_ endpoint: Endpoint, _ completion: @escaping (Result<[UInt8], LinkFailure>) -> Void) {
    if phase == .open, isStandIn(endpoint) {
      let value = device.batteryPercentage
      let failure = LinkFailure(.unsupported, "bluetoothd has not said the battery's charge")
      return later { completion(value.map { .success([$0]) } ?? .failure(failure)) }
    }
    switch characteristic(endpoint) {
    case .failure(let failure): later { completion(.failure(failure)) }
    case .success(let characteristic):
      track(
        characteristic.readValue { result in
          completion(result.mapError { LinkFailure($0, while: .exchanging) })
        })
    }
  }

  func write(
    _ value: [UInt8], to endpoint: Endpoint, withResponse: Bool,
    _ completion: @escaping (Result<Void, LinkFailure>) -> Void
  ) {
    switch characteristic(endpoint) {
    case .failure(let failure): later { completion(.failure(failure)) }
    case .success(let characteristic):
      track(
        characteristic.writeValue(value, withResponse: withResponse) { result in
          completion(result.mapError { LinkFailure($0, while: .exchanging) })
        })
    }
  }
}

// MARK: Subscribing

extension BlueZLink {
  typealias Completion = (Result<Void, LinkFailure>) -> Void

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
      // Before 5.80 AcquireNotify takes none that only indicate.
      if subscription.isIndicated {
        startNotify(subscription, completion)
      } else if isUnbonded {
        acquireWithBond(subscription, completion)
      } else {
        acquire(subscription, completion)
      }
    }
  }

  private func acquire(_ subscription: BlueZSubscription, _ completion: @escaping Completion) {
    track(
      subscription.characteristic.acquireNotify { [weak self] result in
        switch result {
        case .success(let acquired): self?.attach(acquired, subscription, completion)
        case .failure(let error) where error.isOfAcquiring && !error.isOfMissingBond:
          self?.startNotify(subscription, completion)
        case .failure(let error) where error.name == .timedOut:
          self?.noteSilence()
          self?.giveUp(subscription, LinkFailure(error, while: .subscribing), completion)
        case .failure(let error): self?.giveUp(subscription, LinkFailure(error, while: .subscribing), completion)
        }
      })
  }

  /// AcquireNotify is no way to find out whether a bond is wanted: through 5.77 it is never answered where the bond cannot
  /// be had, and bluetoothd 5.66 dies when it removes the device afterwards.
  private func acquireWithBond(
    _ subscription: BlueZSubscription, starts: Int = 1, _ completion: @escaping Completion
  ) {
    let characteristic = subscription.characteristic
    bonding.started = characteristic
    let call = characteristic.startNotify(timeout: Self.longestBonding) { [weak self] result in
      guard let self else { return }
      bonding.started = nil
      bonding.patience?.cancel()
      if case .failure(let error) = result {
        guard error.isOfAcquiring, !error.isOfMissingBond, !bonding.wasAsked else {
          return giveUp(subscription, LinkFailure(error, while: .subscribing), completion)
        }
        if isOfAnother(error) { return acquire(subscription, completion) }
        if error.name == .bluezFailed, starts < Self.mostStarts {
          return startAgain(subscription, starts: starts + 1, completion)
        }
      }
      track(characteristic.stopNotify { [weak self] _ in self?.acquire(subscription, completion) })
    }
    track(call)
    whenUnanswered { [weak self] failure in
      call?.cancel()
      self?.withdrawStart()
      self?.giveUp(subscription, failure, completion)
    }
  }

  /// 5.82 may refuse what comes a moment too early, and takes an AcquireNotify then, which it never answers.
  private func startAgain(_ subscription: BlueZSubscription, starts: Int, _ completion: @escaping Completion) {
    subscription.characteristic.stopNotify { _ in }
    loop.schedule(after: Self.releaseTime) { [weak self] in
      guard let self, phase == .open else { return }
      acquireWithBond(subscription, starts: starts, completion)
    }
  }

  /// It may be that the sensor wants a bond: the next link finds out in the way that is answered.
  private func noteSilence() {
    if !device.isPaired { radio?.silentSensors.insert(address) }
  }

  /// Once more from the start: BlueZ thinks that it has subscribed, and the sensor may not.
  func resubscribe(_ endpoint: Endpoint, _ completion: @escaping Completion) {
    for subscription in subscriptions where subscription.endpoint == endpoint { subscription.end() }
    subscriptions.removeAll { $0.endpoint == endpoint }
    // BlueZ learns from the hang-up of the descriptor that it is free, and an Acquire before that is refused.
    loop.schedule(after: Self.releaseTime) { [weak self] in
      guard let self, phase == .open else { return }
      subscribe(endpoint, completion)
    }
  }

  private static let releaseTime = Duration.milliseconds(250)
  private static let mostStarts = 3

  private func attach(
    _ acquired: AcquiredNotify, _ subscription: BlueZSubscription, _ completion: @escaping Completion
  ) {
    do throws(SystemError) {
      radio?.silentSensors.remove(address)
      try subscription.attach(acquired.descriptor, to: loop) { [weak self, weak subscription] ready in
        if let subscription { self?.drain(subscription, ready) }
      }
      completion(.success(()))
    } catch {
      giveUp(subscription, LinkFailure(.linkLost, error.description), completion)
    }
  }

  private func startNotify(_ subscription: BlueZSubscription, _ completion: @escaping Completion) {
    subscription.valueMatch = subscription.characteristic.watchValue { [weak self, weak subscription] value in
      guard let self, let subscription, subscription.isIndicated || !subscription.isEcho(value, at: loop.now) else {
        return
      }
      deliver(value.span, subscription)
    }
    let timeout = isUnbonded ? Self.longestBonding : Connection.defaultTimeout
    track(
      subscription.characteristic.startNotify(timeout: timeout) { [weak self] result in
        switch result {
        // A session that BlueZ kept from a former link serves as well.
        case .failure(let error) where error.name != .bluezInProgress:
          if self?.isOfAnother(error) == true { subscription.forgetSignals() }
          self?.giveUp(subscription, LinkFailure(error, while: .subscribing), completion)
        default:
          completion(.success(()))
        }
      })
  }

  /// Another program has acquired the notifications. On a link that we made it is bluetoothd itself: 5.66 keeps what was acquired on a
  /// link that ended at that moment, until somebody stops it.
  private func isOfAnother(_ error: BusError) -> Bool { wasAdopted && error.name == .bluezNotPermitted }

  private func giveUp(
    _ subscription: BlueZSubscription, _ failure: LinkFailure, _ completion: @escaping Completion
  ) {
    subscription.end()
    subscriptions.removeAll { $0 === subscription }
    completion(.failure(blamingBond(failure)))
  }
}

extension BusError {
  /// It says that this characteristic gives no descriptor, now or ever; signals may still be had.
  fileprivate var isOfAcquiring: Bool {
    [.bluezNotSupported, .bluezNotPermitted, .bluezNotAuthorized, .bluezFailed, .bluezInProgress].contains(name)
  }
}

// MARK: Notifications

extension BlueZLink {
  /// One sensor that never pauses leaves room for the others.
  private static let mostReadsAtOnce = 32

  private func drain(_ subscription: BlueZSubscription, _ ready: Interest) {
    for _ in 0..<Self.mostReadsAtOnce {
      guard phase == .open, let descriptor = subscription.descriptor else { return }
      do throws(SystemError) {
        switch try readDescriptor(descriptor.number, into: &buffer) {
        case .wouldBlock:
          return
        case .done(0):
          // The end, or an empty notification: the hang-up tells, in this turn or in the next.
          if ready.contains(.hangUp) { hungUp(subscription) }
          return
        case .done(let count):
          deliver(buffer.span.extracting(first: count), subscription)
        }
      } catch {
        return hungUp(subscription)
      }
    }
  }

  private func deliver(_ value: Span<UInt8>, _ subscription: BlueZSubscription) {
    guard phase == .open else { return }
    delegate?.link(self, received: value, from: subscription.endpoint, indicated: subscription.isIndicated)
  }

  /// With the link, as a rule, and then Connected becomes false. Else somebody took the notifications away.
  private func hungUp(_ subscription: BlueZSubscription) {
    subscription.detach()
    loop.schedule(after: .seconds(2)) { [weak self] in
      guard let self, phase == .open, device.isConnected, subscriptions.contains(where: { $0 === subscription }) else {
        return
      }
      let name = subscription.endpoint.characteristic
      guard !subscription.wasAcquiredAgain else {
        return lose(LinkFailure(.linkLost, "the notifications of \(name) ended again while the link stayed"))
      }
      subscription.wasAcquiredAgain = true
      acquire(subscription) { [weak self] result in
        guard case .failure(var failure) = result else { return }
        failure.detail = "the notifications of \(name) ended: \(failure.detail)"
        // Another program has taken them, and goes on with the link.
        guard failure.reason == .heldElsewhere else {
          self?.lose(LinkFailure(.linkLost, failure.detail))
          return
        }
        self?.leave(because: failure)
      }
    }
  }
}

// Reads, writes and notifications of an open link.
//
// - One read of an acquired descriptor is one notification, passed on from the link's buffer
//   without a copy.
// - If a plugin of bluetoothd claims the battery service and hides its objects, Battery1 replaces
//   it.

internal import BlueZ
internal import DBus
internal import EventLoop
internal import Linux
import Radio
import Vocabulary
import Wire

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
    // Battery1 can be added after everything else.
    let hasBattery = device.hasBattery || device.uuids.contains { BluetoothUUID($0) == Endpoint.battery.service }
    if hasBattery && characteristics[.battery] == nil { endpoints.append(.battery) }
    return endpoints
  }

  func isStandIn(_ endpoint: Endpoint) -> Bool {
    endpoint == .battery && characteristics[endpoint] == nil
  }

  func characteristic(_ endpoint: Endpoint) -> Result<Characteristic, LinkFailure> {
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
      let failure = LinkFailure(.unsupported, "bluetoothd has no battery level")
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

// MARK: Notifications

extension BlueZLink {
  /// Leaves time for other sensors if one sends without a pause.
  private static let mostReadsAtOnce = 32

  func drain(_ subscription: BlueZSubscription, _ ready: Interest) {
    for _ in 0..<Self.mostReadsAtOnce {
      guard phase == .open, let descriptor = subscription.descriptor else { return }
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
          deliver(buffer.span.extracting(first: count), subscription)
        }
      } catch {
        return hungUp(subscription)
      }
    }
  }

  func deliver(_ value: Span<UInt8>, _ subscription: BlueZSubscription) {
    guard phase == .open else { return }
    delegate?.link(self, received: value, from: subscription.endpoint, indicated: subscription.isIndicated)
  }

  /// Usually the link is gone, and Connected becomes false soon. Otherwise another program took the
  /// notifications.
  private func hungUp(_ subscription: BlueZSubscription) {
    subscription.detach()
    loop.schedule(after: .seconds(2)) { [weak self] in
      guard let self, phase == .open, device.isConnected, subscriptions.contains(where: { $0 === subscription }) else {
        return
      }
      let name = subscription.endpoint.characteristic
      guard !subscription.wasAcquiredAgain else {
        return lose(LinkFailure(.linkLost, "the notifications of \(name) ended again although the link stayed up"))
      }
      subscription.wasAcquiredAgain = true
      acquire(subscription) { [weak self] result in
        if case .failure(let failure) = result { self?.lostNotifications(of: subscription, failure) }
      }
    }
  }
}

// org.bluez.Device1: a sensor as seen by one adapter, from the first advertisement to the removal
// of the object.

internal import DBus
internal import EventLoop

final class FakeDevice {
  let sensor: FakeSensor
  let path: String
  unowned let adapter: FakeAdapter
  /// The services as first read, with the paths of their objects.
  var exported: [(path: String, service: FakeService)] = []
  var pendingConnect: BusMessage?
  var bond: FakeBond?
  /// The link on which a bonding started by bluetoothd failed.
  var failedBondOfLink: Int?
  private var expiry: Deadline?
  /// Counts links, so that operations begun on one do not affect the next.
  var linkNumber = 0

  static let interface = "org.bluez.Device1"
  static let battery = "org.bluez.Battery1"
  static let batteryService = longUUID("180f")

  init(_ adapter: FakeAdapter, _ sensor: FakeSensor) {
    self.adapter = adapter
    self.sensor = sensor
    path = "\(adapter.path)/dev_\(sensor.address.replacing(":", with: "_"))"
  }

  var isConnecting: Bool { pendingConnect != nil }
  /// LE Create Connection was sent and has not ended.
  private(set) var isCreating = false
  /// The link is up for a moment before Connect fails.
  private(set) var isFlapping = false
  /// bluetoothd connects again by itself.
  var isReconnecting = false
  var isConnected: Bool { sensor.link === self }
  var fake: FakeBlueZ { adapter.fake }
  var script: FakeScript { fake.script }
}

// MARK: The object

extension FakeDevice {
  func export() {
    let object = FakeObject(path, [Self.interface: properties])
    object.call = { [weak self] in self?.answer($0) ?? .unknown }
    object.set = { [weak self] _, name, value, call in
      guard let self else { return .unknown }
      fake.table.change(path, Self.interface, [name: value])
      return .reply(.reply(to: call))
    }
    fake.table.add(object)
    postponeExpiry()
  }

  private var properties: [String: Value] {
    var properties: [String: Value] = [
      "Address": .string(sensor.address), "AddressType": .string(sensor.addressType), "Name": .string(sensor.name),
      "Alias": .string(sensor.name), "Paired": .bool(sensor.isPaired), "Bonded": .bool(sensor.isPaired),
      "Trusted": .bool(false), "Blocked": .bool(false), "LegacyPairing": .bool(false),
      "Connected": .bool(fake.reports(sensor)),
      "ServicesResolved": .bool(false), "UUIDs": .strings(sensor.advertisedServices),
      "Adapter": .objectPath(adapter.path),
    ]
    properties["Appearance"] = sensor.appearance.map(Value.uint16)
    return properties
  }

  func change(_ name: String, _ value: Value) {
    fake.table.change(path, Self.interface, [name: value])
  }

  /// Removes the object and those below it, and notifies clients. A pending Connect is never
  /// answered.
  func leave() {
    loseLink(.local)
    expiry?.cancel()
    pendingConnect = nil
    for (path, service) in exported {
      removeServiceObjects(path)
      // Subscriptions are dropped with the object, unless another adapter has the link.
      if !sensor.isConnected { for characteristic in service.characteristics { characteristic.forgetAll() } }
    }
    exported = []
    fake.table.remove(path)
  }

  /// The whole bluetoothd dies.
  func die() {
    expiry?.cancel()
    pendingConnect = nil
    bond = nil
    if isConnected { sensor.link = nil }
    for service in sensor.services + exported.map(\.service) {
      for characteristic in service.characteristics { characteristic.forgetAll() }
    }
  }

  func forgetClient(_ client: String) {
    for (_, service) in exported {
      for characteristic in service.characteristics where !characteristic.isAcquired { _ = characteristic.stop(client) }
    }
  }
}

// MARK: Advertisements

extension FakeDevice {
  func received(repeatsData: Bool) {
    postponeExpiry()
    fake.table.change(path, Self.interface, ["RSSI": .int16(sensor.rssi)], always: repeatsData)
    var data: [String: Value] = [:]
    if !sensor.manufacturerData.isEmpty {
      let entries = sensor.manufacturerData.sorted { $0.key < $1.key }
      data["ManufacturerData"] = .dictionary(
        entries.map { Value.Entry(.uint16($0.key), .variant(.bytes($0.value))) }, keys: "q", values: "v")
    }
    if !sensor.serviceData.isEmpty {
      let entries = sensor.serviceData.sorted { $0.key < $1.key }
      data["ServiceData"] = .properties(
        Dictionary(entries.map { (longUUID($0.key), .bytes($0.value)) }, uniquingKeysWith: { $1 }))
    }
    fake.table.change(path, Self.interface, data, always: repeatsData)
  }

  func postponeExpiry() {
    expiry?.cancel()
    expiry = fake.loop.schedule(after: script.temporaryTimeout) { [weak self] in
      guard let self, !isConnected, !isConnecting, !sensor.isPaired else { return }
      adapter.remove(self)
    }
  }
}

// MARK: Calls

extension FakeDevice {
  private func answer(_ call: BusMessage) -> CallAnswer {
    switch call.member {
    case "Connect": connect(call)
    case "Disconnect": disconnect(call)
    case "Pair": pair(call)
    default: .unknown
    }
  }

  private func connect(_ call: BusMessage) -> CallAnswer {
    guard adapter.isPowered else { return .reply(.error(.notReady, to: call)) }
    guard !isConnecting else { return .reply(.error(.inProgress, to: call)) }
    guard !isConnected else { return .reply(.reply(to: call)) }
    if adapter.isFull { return .reply(.error(.bluezFailed("le-connection-concurrent-connection-limit"), to: call)) }
    pendingConnect = call
    sensor.connectAttempts += 1
    adapter.mostConnectsAtOnce = max(adapter.mostConnectsAtOnce, adapter.connectsUnderWay)
    let outcome = script.onConnect(sensor, sensor.connectAttempts)
    switch sensor.isLost ? .fail(.connectionAborted, after: .seconds(20)) : outcome {
    case .succeed(let delay):
      let time = delay ?? script.timing.connect
      create(call, after: time / 2, lasting: time / 2)
    case .create(let listening, let creation):
      create(call, after: listening, lasting: creation)
    case .fail(let error, let delay):
      whilePending(call, after: delay) { $0.finishConnect(error) }
    case .never:
      break
    case .flap(let upFor, let error):
      whilePending(call, after: script.timing.connect) { device in
        device.change("Connected", .bool(true))
        device.isFlapping = true
        device.whilePending(call, after: upFor) {
          $0.change("Connected", .bool(false))
          $0.finishConnect(error)
        }
      }
    case .vanish(let delay):
      whilePending(call, after: delay) { $0.adapter.remove($0) }
    }
    return .later
  }

  private func create(_ call: BusMessage, after listening: Duration, lasting creation: Duration?) {
    whilePending(call, after: listening) { device in
      device.isCreating = true
      device.adapter.answer(command: FakeAdapter.createConnection, asStatus: true, 0)
      if let creation {
        device.whilePending(call, after: creation) { $0.linkUp() }
      } else {
        device.whilePending(call, after: .seconds(4)) {
          $0.cancelCreation()
          $0.finishConnect(.connectionAborted)
        }
      }
    }
  }

  private func cancelCreation() {
    guard isCreating else { return }
    isCreating = false
    let outcome = script.onCancel(sensor)
    if case .cancelled = outcome {
      return adapter.answer(command: FakeAdapter.cancelConnection, asStatus: false, 0)
    }
    adapter.answer(command: FakeAdapter.cancelConnection, asStatus: false, FakeAdapter.commandDisallowed)
    switch outcome {
    case .linked(let delay): fake.after(delay) { [weak self] in self?.linkUp() }
    case .lost: sensor.lose(on: adapter)
    case .cancelled, .failed: break
    }
  }

  /// Runs only if this call is still pending by then.
  private func whilePending(_ call: BusMessage, after span: Duration, _ action: @escaping (FakeDevice) -> Void) {
    fake.after(span) { [weak self] in
      guard let self, pendingConnect === call else { return }
      action(self)
    }
  }

  func finishConnect(_ error: BusError?) {
    guard let call = pendingConnect else { return }
    pendingConnect = nil
    isFlapping = false
    isCreating = false
    postponeExpiry()
    if let error { fake.fail(call, error) } else { fake.reply(call) }
  }

  private func disconnect(_ call: BusMessage) -> CallAnswer {
    if isReconnecting {
      isReconnecting = false
      adapter.answer(command: FakeAdapter.cancelConnection, asStatus: false, FakeAdapter.commandDisallowed)
      adapter.answer(command: FakeAdapter.createConnection, asStatus: true, 0)
      sensor.lose(on: adapter)
      return .reply(.error(.notConnected, to: call))
    }
    if isConnecting {
      cancelCreation()
      change("Connected", .bool(false))
      finishConnect(.connectionCanceled)
      return .reply(.reply(to: call))
    }
    guard isConnected else { return .reply(.error(.notConnected, to: call)) }
    fake.after(script.timing.disconnect) { [weak self] in
      self?.loseLink(.local)
      self?.fake.reply(call)
    }
    return .later
  }
}

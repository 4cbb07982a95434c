// org.bluez.GattCharacteristic1: a characteristic as an object of one device.

internal import DBus
internal import Linux

final class FakeEndpoint {
  private let device: FakeDevice
  private let characteristic: FakeCharacteristic
  private let servicePath: String
  private let path: String

  static let interface = "org.bluez.GattCharacteristic1"

  init(_ device: FakeDevice, _ characteristic: FakeCharacteristic, _ servicePath: String, _ path: String) {
    self.device = device
    self.characteristic = characteristic
    self.servicePath = servicePath
    self.path = path
  }

  private var fake: FakeBlueZ { device.fake }

  func makeObject() -> FakeObject {
    var properties: [String: Value] = [
      "UUID": .string(characteristic.uuid), "Service": .objectPath(servicePath),
      "Flags": .strings(characteristic.flags), "Value": .bytes([]), "Notifying": .bool(false),
      "MTU": .uint16(characteristic.mtu),
    ]
    if characteristic.flags.contains("notify") { properties["NotifyAcquired"] = .bool(false) }
    let object = FakeObject(path, [Self.interface: properties])
    object.call = { self.answer($0) }
    return object
  }

  private func answer(_ call: BusMessage) -> CallAnswer {
    if call.member == "StopNotify" { return stopNotify(call) }
    // A session with signals may begin before the link is up; BlueZ subscribes later.
    guard device.isConnected || call.member == "StartNotify" else { return refuse(call, .bluezFailed("Not connected")) }
    guard device.isThere(characteristic) else {
      return refuse(call, .bluezFailed("Operation failed with ATT error: 0x01"))
    }
    switch call.member {
    case "ReadValue": return read(call)
    case "WriteValue": return write(call)
    case "AcquireNotify": return acquireNotify(call)
    case "StartNotify": return startNotify(call)
    default: return .unknown
    }
  }

  private func refuse(_ call: BusMessage, _ error: BusError) -> CallAnswer { .reply(.error(error, to: call)) }

  /// Runs only if the link still exists; otherwise the call fails as in BlueZ.
  private func whileLinked(_ call: BusMessage, after span: Duration, _ action: @escaping () -> Void) {
    fake.after(span) { [self] in
      if device.isConnected { action() } else { fake.fail(call, .bluezFailed("Not connected")) }
    }
  }
}

extension FakeEndpoint {
  /// If the sensor requires a bond, bluetoothd tries to create one. With `failure` nil, the call is
  /// never answered.
  private func whileBonded(
    _ call: BusMessage, after span: Duration, _ failure: BusError?, _ action: @escaping () -> Void
  ) {
    guard characteristic.needsBond else { return whileLinked(call, after: span, action) }
    device.raiseSecurity { [self] isBonded in
      if isBonded { return whileLinked(call, after: span, action) }
      if let failure { fake.fail(call, failure) } else { characteristic.isStuck = true }
    }
  }
}

// MARK: Values

extension FakeEndpoint {
  private func read(_ call: BusMessage) -> CallAnswer {
    guard characteristic.flags.contains("read") else {
      return refuse(call, BusError("org.bluez.Error.NotPermitted", "Read not permitted"))
    }
    whileBonded(call, after: fake.script.timing.readOrWrite, .notPaired) { [self] in
      fake.table.change(path, Self.interface, ["Value": .bytes(characteristic.value)])
      fake.reply(call, .bytes(characteristic.value))
    }
    return .later
  }

  private func write(_ call: BusMessage) -> CallAnswer {
    guard characteristic.flags.contains(where: { $0.hasPrefix("write") }) else {
      return refuse(call, BusError("org.bluez.Error.NotPermitted", "Write not permitted"))
    }
    var reader = call.reader
    guard let bytes = reader.bytes() else {
      return refuse(call, BusError("org.bluez.Error.InvalidArguments", "Invalid arguments in method call"))
    }
    whileLinked(call, after: fake.script.timing.readOrWrite) { [self] in
      if let error = characteristic.write(bytes) { fake.fail(call, error) } else { fake.reply(call) }
    }
    return .later
  }
}

// MARK: Subscriptions

extension FakeEndpoint {
  private func acquireNotify(_ call: BusMessage) -> CallAnswer {
    if let error = characteristic.objectionToAcquire(fake.script) { return refuse(call, error) }
    let failure = fake.script.answersFailedAcquire ? BusError.notPaired : nil
    if fake.script.crashesOnWhatEnded, !characteristic.needsBond { return acquireCarelessly(call) }
    whileBonded(call, after: fake.script.timing.subscribe, failure) { [self] in
      if let error = characteristic.objectionToAcquire(fake.script) { return fake.fail(call, error) }
      hand(call)
    }
    return .later
  }

  /// The end of the link neither ends the session nor answers the call.
  private func acquireCarelessly(_ call: BusMessage) -> CallAnswer {
    fake.after(fake.script.timing.subscribe) { [self] in
      guard device.isConnected else { return characteristic.isStuck = true }
      if let error = characteristic.objectionToAcquire(fake.script) { return fake.fail(call, error) }
      hand(call)
    }
    return .later
  }

  private func hand(_ call: BusMessage) {
    let reply = BusMessage.reply(to: call)
    do throws(SystemError) {
      try characteristic.acquire(on: fake.loop, giving: { reply.append($0) }) { [weak device, path] in
        device?.sayAcquired(path, false)
      }
    } catch {
      return fake.fail(call, .bluezFailed(error.description))
    }
    fake.send(reply.append(.uint16(characteristic.mtu)))
    device.sayAcquired(path, true)
  }

  private func startNotify(_ call: BusMessage) -> CallAnswer {
    let client = call.sender ?? ""
    if let error = characteristic.objectionToStart(client) { return refuse(call, error) }
    fake.watchClient(client)
    let started = { [self] in
      characteristic.start(client)
      fake.table.change(path, Self.interface, ["Notifying": .bool(true)])
      fake.reply(call)
    }
    if characteristic.needsBond {
      characteristic.await(client)
      device.raiseSecurity { [self] isBonded in
        if isBonded { return whileLinked(call, after: fake.script.timing.subscribe, started) }
        // The end of the link is not an answer: the next link continues this.
        guard device.isConnected else { return }
        if let span = fake.script.hangsUpUnbonded { return fake.after(span) { [device] in device.loseLink(.local) } }
        if characteristic.stop(client) { fake.fail(call, .notPaired) }
      }
    } else {
      characteristic.start(client)
      let wasConnected = device.isConnected
      fake.after(fake.script.timing.subscribe) { [self] in
        if device.isConnected == wasConnected, characteristic.notifies(client) { return started() }
        // The link or the session ended in the meantime.
        _ = characteristic.stop(client)
        fake.fail(call, .bluezFailed("Operation failed with ATT error: 0x0e"))
      }
    }
    return .later
  }

  private func stopNotify(_ call: BusMessage) -> CallAnswer {
    if characteristic.isStuck, fake.script.crashesOnWhatEnded {
      fake.after(.zero) { [fake] in fake.crashByItself() }
      return .later
    }
    guard characteristic.stop(call.sender ?? "") else { return refuse(call, .bluezFailed("No notify session started")) }
    device.sayAcquired(path, false)
    fake.table.change(path, Self.interface, ["Notifying": .bool(characteristic.notifyClients > 0)])
    return .reply(.reply(to: call))
  }
}

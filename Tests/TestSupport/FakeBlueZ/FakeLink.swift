// The link between a device and its sensor: connecting, resolving services, notifications, and
// loss.

internal import DBus

// MARK: The link

extension FakeDevice {
  func linkUp() {
    sensor.link = self
    linkNumber += 1
    change("Connected", .bool(true))
    finishConnect(nil)
    let number = linkNumber
    renewSubscriptions { [weak self] in
      if let self, isConnected, linkNumber == number { resolve() }
    }
  }

  /// Unanswered subscriptions of an earlier link come before the services are resolved.
  private func renewSubscriptions(_ done: @escaping () -> Void) {
    let awaited = exported.flatMap(\.service.characteristics).filter { !$0.awaiting.isEmpty }
    guard !awaited.isEmpty else { return done() }
    raiseSecurity { isBonded in
      for characteristic in awaited where isBonded { characteristic.awaiting.forEach(characteristic.start) }
      done()
    }
  }

  private func resolve() {
    switch script.onResolve(sensor, sensor.connectAttempts) {
    case .resolve(let delay):
      whileLinked(after: delay ?? script.timing.resolve) {
        $0.exportServices()
        $0.setResolved(true)
      }
    case .never:
      break
    case .early(let delay):
      whileLinked(after: script.timing.resolve) { $0.setResolved(true) }
      whileLinked(after: script.timing.resolve + delay) { $0.exportServices() }
    case .flip(let span):
      whileLinked(after: script.timing.resolve) {
        $0.exportServices()
        $0.setResolved(true)
      }
      whileLinked(after: script.timing.resolve + span) { $0.setResolved(false) }
      whileLinked(after: script.timing.resolve + span * 2) { $0.setResolved(true) }
    }
  }

  private func whileLinked(after span: Duration, _ action: @escaping (FakeDevice) -> Void) {
    let number = linkNumber
    fake.after(span) { [weak self] in
      guard let self, isConnected, linkNumber == number else { return }
      action(self)
    }
  }

  private func setResolved(_ isResolved: Bool) {
    if isResolved { batteryChanged() }
    change("ServicesResolved", .bool(isResolved))
  }

  func batteryChanged() {
    let isShown = fake.table.objects[path]?.interfaces[Self.battery] != nil
    switch (sensor.batteryPercentage, isShown) {
    case (let percentage?, true): fake.table.change(path, Self.battery, ["Percentage": .byte(percentage)])
    case (let percentage?, false): fake.table.addInterface(Self.battery, ["Percentage": .byte(percentage)], to: path)
    case (nil, _): fake.table.removeInterface(Self.battery, from: path)
    }
  }

  /// Descriptors hang up, and the object stays for a while. The sensor advertises again if it did
  /// before.
  func loseLink(_ reason: LinkLoss) {
    guard isConnected else { return }
    sensor.link = nil
    endBond()
    for (path, service) in exported {
      for (index, characteristic) in service.characteristics.enumerated() {
        characteristic.hangUp()
        sayAcquired(characteristicPath(path, index), false)
      }
    }
    fake.table.removeInterface(Self.battery, from: path)
    if script.saysDisconnectReason {
      let signal = BusMessage.signal(path: path, interface: Self.interface, member: "Disconnected")
      fake.send(signal.append(.string(reason.rawValue), .string("Connection ended")))
    }
    fake.table.change(path, Self.interface, ["Connected": .bool(false), "ServicesResolved": .bool(false)])
    postponeExpiry()
    sensor.scheduleAdvert()
  }
}

// MARK: Services

extension FakeDevice {
  /// Like BlueZ's cache: exported services stay the same until the device is removed.
  private func exportServices() {
    guard exported.isEmpty else { return }
    var handle = 0x000a
    for service in sensor.services {
      let isClaimed = service.uuid == Self.batteryService && script.claimsBatteryService
      let path = "\(path)/service\(hexadecimal(handle))"
      handle += 1 + 3 * service.characteristics.count
      if isClaimed { continue }
      exported.append((path, service))
      export(service, path)
    }
    change("UUIDs", .strings(Set(sensor.advertisedServices + sensor.services.map(\.uuid)).sorted()))
  }

  private func export(_ service: FakeService, _ servicePath: String) {
    fake.table.add(
      FakeObject(
        servicePath,
        [
          "org.bluez.GattService1": [
            "UUID": .string(service.uuid), "Device": .objectPath(path), "Primary": .bool(true),
            "Includes": .objectPaths([]),
          ]
        ]))
    for (index, characteristic) in service.characteristics.enumerated() {
      let endpoint = FakeEndpoint(self, characteristic, servicePath, characteristicPath(servicePath, index))
      fake.table.add(endpoint.makeObject())
    }
  }

  func removeServiceObjects(_ servicePath: String) {
    for path in fake.table.objects.keys.filter({ $0.hasPrefix(servicePath + "/") }).sorted() { fake.table.remove(path) }
    fake.table.remove(servicePath)
  }

  private func characteristicPath(_ servicePath: String, _ index: Int) -> String {
    let base = Int(servicePath.suffix(4), radix: 16) ?? 0
    return "\(servicePath)/char\(hexadecimal(base + 1 + 3 * index))"
  }

  private func hexadecimal(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }

  func sayAcquired(_ path: String, _ isAcquired: Bool) {
    fake.table.change(path, FakeEndpoint.interface, ["NotifyAcquired": .bool(isAcquired)])
  }

  /// Whether the sensor still has it. After a firmware update, BlueZ's cache may be outdated.
  func isThere(_ characteristic: FakeCharacteristic) -> Bool {
    sensor.services.contains { $0.characteristics.contains { $0 === characteristic } }
  }

  /// Sends a value through the descriptor or as a signal. BlueZ also signals equal values.
  func pass(_ bytes: [UInt8], of characteristic: FakeCharacteristic) {
    guard isThere(characteristic), !characteristic.pass(bytes), characteristic.notifyClients > 0 else { return }
    for (servicePath, service) in exported {
      guard let index = service.characteristics.firstIndex(where: { $0 === characteristic }) else { continue }
      fake.table.change(
        characteristicPath(servicePath, index), FakeEndpoint.interface, ["Value": .bytes(bytes)], always: true)
    }
  }
}

// org.bluez.Device1, with Battery1: a view of one object of the tree. It has no state of its own,
// so it is created at each use. The object can vanish at any time; then every property is nil or
// false.

public import DBus

public struct Device {
  public let path: String
  private let tree: ObjectTree

  init(_ path: String, in tree: ObjectTree) {
    self.path = path
    self.tree = tree
  }

  public var isPresent: Bool { tree.has(path, BlueZName.Interface.device) }
  public var address: String? { property(BlueZName.Property.address)?.text }
  public var adapterPath: String? { property(BlueZName.Property.adapter)?.text }
  /// The advertised name; nil if there is none.
  public var name: String? { property(BlueZName.Property.name)?.text }
  /// Of the last advertisement; nil if there was none in this discovery.
  public var rssi: Int? { property(BlueZName.Property.rssi)?.integer }
  public var uuids: [String] { property(BlueZName.Property.uuids)?.texts ?? [] }
  public var isConnected: Bool { flag(BlueZName.Property.connected) }
  public var areServicesResolved: Bool { flag(BlueZName.Property.servicesResolved) }
  public var isPaired: Bool { flag(BlueZName.Property.paired) }
  /// The device is trusted or has an alias set by a user, so someone intends to use it.
  public var isMarked: Bool {
    guard let alias = property(BlueZName.Property.alias)?.text else { return flag(BlueZName.Property.trusted) }
    // A device without a name gets its address as its alias, with dashes.
    let given = name ?? address.map { String($0.map { $0 == ":" ? "-" : $0 }) }
    return flag(BlueZName.Property.trusted) || alias != given
  }
  public var hasBattery: Bool { tree.has(path, BlueZName.Interface.battery) }

  public var batteryPercentage: UInt8? {
    tree.value(path, BlueZName.Interface.battery, BlueZName.Property.percentage)?.integer.flatMap(UInt8.init(exactly:))
  }

  /// By company, without the two bytes of the company identifier.
  public var manufacturerData: [(company: UInt16, value: [UInt8])] {
    (property(BlueZName.Property.manufacturerData)?.entries ?? []).compactMap { entry in
      guard let company = entry.key.integer.flatMap(UInt16.init(exactly:)), let value = entry.value.byteArray else {
        return nil
      }
      return (company, value)
    }
  }

  public var serviceData: [(service: String, value: [UInt8])] {
    (property(BlueZName.Property.serviceData)?.entries ?? []).compactMap { entry in
      guard let service = entry.key.text, let value = entry.value.byteArray else { return nil }
      return (service, value)
    }
  }

  /// Complete once the services are resolved.
  public var characteristics: [Characteristic] {
    tree.paths(having: BlueZName.Interface.characteristic, under: path + "/").map { Characteristic($0, in: tree) }
  }

  private func property(_ name: String) -> Value? { tree.value(path, BlueZName.Interface.device, name) }
  private func flag(_ name: String) -> Bool { property(name)?.boolean ?? false }
}

extension ObjectTree {
  public var devices: [Device] { paths(having: BlueZName.Interface.device).map { Device($0, in: self) } }

  public func device(at path: String) -> Device { Device(path, in: self) }
}

// MARK: Methods

extension Device {
  /// Completes when the link is up; services are resolved later. `disconnect` ends a pending call.
  @discardableResult
  public func connect(timeout: Duration, _ done: @escaping Done) -> PendingCall? {
    tree.call(path, BlueZName.Interface.device, BlueZName.Member.connect, timeout: timeout, reply: asDone(done))
  }

  @discardableResult
  public func disconnect(timeout: Duration = BusConnection.defaultTimeout, _ done: @escaping Done) -> PendingCall? {
    tree.call(path, BlueZName.Interface.device, BlueZName.Member.disconnect, timeout: timeout, reply: asDone(done))
  }

  /// Bonds with the sensor; bluetoothd asks the agent when it needs something. A pending call ends
  /// with the link.
  @discardableResult
  public func pair(timeout: Duration, _ done: @escaping Done) -> PendingCall? {
    tree.call(path, BlueZName.Interface.device, BlueZName.Member.pair, timeout: timeout, reply: asDone(done))
  }

  /// The reasons why links of this device end, available since BlueZ 5.83. They arrive before
  /// Connected becomes false.
  public func watchDisconnected(_ told: @escaping (String) -> Void) -> Match {
    let rule = MatchRule(
      sender: BlueZName.service, interface: BlueZName.Interface.device, member: BlueZName.Member.disconnected,
      path: path)
    return tree.bus.addMatch(rule) { signal in
      var reader = signal.reader
      guard let reason = reader.string() else { return }
      told(reader.string().map { "\(reason): \($0)" } ?? reason)
    }
  }
}

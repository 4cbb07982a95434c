// org.bluez.Device1, and Battery1 beside it: a view of one object of the tree. It holds nothing, so it is made anew at each
// use; the object can be gone at any time, and then every property is nil or false.

public import DBus

public struct Device {
  public let path: String
  private let tree: ObjectTree

  init(_ path: String, in tree: ObjectTree) {
    self.path = path
    self.tree = tree
  }

  public var isPresent: Bool { tree.has(path, BlueZ.Interface.device) }
  public var address: String? { property(BlueZ.Property.address)?.text }
  public var adapterPath: String? { property(BlueZ.Property.adapter)?.text }
  /// As it advertised; nil where it told none.
  public var name: String? { property(BlueZ.Property.name)?.text }
  /// Of the last advert; nil when none was heard in this discovery.
  public var rssi: Int? { property(BlueZ.Property.rssi)?.integer }
  public var uuids: [String] { property(BlueZ.Property.uuids)?.texts ?? [] }
  public var isConnected: Bool { flag(BlueZ.Property.connected) }
  public var areServicesResolved: Bool { flag(BlueZ.Property.servicesResolved) }
  public var isPaired: Bool { flag(BlueZ.Property.paired) }
  /// Somebody trusts it, or calls it by a name of their own: they mean to use it.
  public var isMarked: Bool {
    guard let alias = property(BlueZ.Property.alias)?.text else { return flag(BlueZ.Property.trusted) }
    // Without a name it is called by its address, with dashes.
    let given = name ?? address.map { String($0.map { $0 == ":" ? "-" : $0 }) }
    return flag(BlueZ.Property.trusted) || alias != given
  }
  public var hasBattery: Bool { tree.has(path, BlueZ.Interface.battery) }

  public var batteryPercentage: UInt8? {
    tree.value(path, BlueZ.Interface.battery, BlueZ.Property.percentage)?.integer.flatMap(UInt8.init(exactly:))
  }

  /// By company; without the two bytes that say the company.
  public var manufacturerData: [(company: UInt16, value: [UInt8])] {
    (property(BlueZ.Property.manufacturerData)?.entries ?? []).compactMap { entry in
      guard let company = entry.key.integer.flatMap(UInt16.init(exactly:)), let value = entry.value.byteArray else {
        return nil
      }
      return (company, value)
    }
  }

  public var serviceData: [(service: String, value: [UInt8])] {
    (property(BlueZ.Property.serviceData)?.entries ?? []).compactMap { entry in
      guard let service = entry.key.text, let value = entry.value.byteArray else { return nil }
      return (service, value)
    }
  }

  /// Complete once the services are resolved.
  public var characteristics: [Characteristic] {
    tree.paths(having: BlueZ.Interface.characteristic, under: path + "/").map { Characteristic($0, in: tree) }
  }

  private func property(_ name: String) -> Value? { tree.value(path, BlueZ.Interface.device, name) }
  private func flag(_ name: String) -> Bool { property(name)?.boolean ?? false }
}

extension ObjectTree {
  public var devices: [Device] { paths(having: BlueZ.Interface.device).map { Device($0, in: self) } }

  public func device(at path: String) -> Device { Device(path, in: self) }
}

// MARK: Methods

extension Device {
  /// Answers when there is a link; the services come later. One that is pending ends with `disconnect`.
  @discardableResult
  public func connect(timeout: Duration, _ done: @escaping Done) -> PendingCall? {
    tree.call(path, BlueZ.Interface.device, BlueZ.Member.connect, timeout: timeout, reply: asDone(done))
  }

  @discardableResult
  public func disconnect(timeout: Duration = Connection.defaultTimeout, _ done: @escaping Done) -> PendingCall? {
    tree.call(path, BlueZ.Interface.device, BlueZ.Member.disconnect, timeout: timeout, reply: asDone(done))
  }

  /// Bonds with the sensor; bluetoothd asks the caller's agent for what it wants to know. One that is pending ends with
  /// the link.
  @discardableResult
  public func pair(timeout: Duration, _ done: @escaping Done) -> PendingCall? {
    tree.call(path, BlueZ.Interface.device, BlueZ.Member.pair, timeout: timeout, reply: asDone(done))
  }

  /// Why links of this device end, where this BlueZ says so (5.83): said before Connected becomes false.
  public func watchDisconnected(_ told: @escaping (String) -> Void) -> Match {
    let rule = MatchRule(
      sender: BlueZ.service, interface: BlueZ.Interface.device, member: BlueZ.Member.disconnected, path: path)
    return tree.bus.addMatch(rule) { signal in
      var reader = signal.reader
      guard let reason = reader.string() else { return }
      told(reader.string().map { "\(reason): \($0)" } ?? reason)
    }
  }
}

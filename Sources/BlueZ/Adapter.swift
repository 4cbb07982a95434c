// org.bluez.Adapter1: a view of one object of the tree. It has no state of its own, so it is
// created at each use.

public import DBus

public struct Adapter {
  public let path: String
  private let tree: ObjectTree

  init(_ path: String, in tree: ObjectTree) {
    self.path = path
    self.tree = tree
  }

  /// The kernel's name, such as hci0.
  public var name: String { path.split(separator: "/").last.map(String.init) ?? path }
  /// The number in that name.
  public var number: Int32? { name.hasPrefix("hci") ? Int32(name.dropFirst(3)) : nil }
  public var address: String { property(BlueZName.Property.address)?.text ?? "" }
  public var isPowered: Bool { property(BlueZName.Property.powered)?.boolean ?? false }
  /// Blocked by rfkill, if this version of BlueZ reports it.
  public var isSaidBlocked: Bool { property(BlueZName.Property.powerState)?.text == BlueZName.PowerState.blocked }
  public var isDiscovering: Bool { property(BlueZName.Property.discovering)?.boolean ?? false }
  /// Identifies the version of BlueZ.
  public var modalias: String? { property(BlueZName.Property.modalias)?.text }

  private func property(_ name: String) -> Value? { tree.value(path, BlueZName.Interface.adapter, name) }
}

extension ObjectTree {
  public var adapters: [Adapter] { paths(having: BlueZName.Interface.adapter).map { Adapter($0, in: self) } }

  public func adapter(at path: String) -> Adapter { Adapter(path, in: self) }
}

// MARK: Methods

public typealias Done = (Result<Void, BusError>) -> Void

/// For methods whose reply has no content.
func asDone(_ done: @escaping Done) -> BusConnection.Reply {
  { result in done(result.map { _ in () }) }
}

extension Adapter {
  @discardableResult
  public func setPowered(_ isOn: Bool, _ done: @escaping Done) -> PendingCall? {
    let arguments: [Value] = [
      .string(BlueZName.Interface.adapter), .string(BlueZName.Property.powered), .variant(.bool(isOn)),
    ]
    return tree.call(path, BlueZName.Interface.properties, BlueZName.Member.set, arguments, reply: asDone(done))
  }

  /// Low Energy only. `repeats`: report every advertisement, including repeated ones.
  @discardableResult
  public func setDiscoveryFilter(repeats: Bool, _ done: @escaping Done) -> PendingCall? {
    let filter = Value.properties(["Transport": .string("le"), "DuplicateData": .bool(repeats)])
    return tree.call(
      path, BlueZName.Interface.adapter, BlueZName.Member.setDiscoveryFilter, [filter], reply: asDone(done))
  }

  @discardableResult
  public func startDiscovery(_ done: @escaping Done) -> PendingCall? {
    tree.call(path, BlueZName.Interface.adapter, BlueZName.Member.startDiscovery, reply: asDone(done))
  }

  @discardableResult
  public func stopDiscovery(_ done: @escaping Done) -> PendingCall? {
    tree.call(path, BlueZName.Interface.adapter, BlueZName.Member.stopDiscovery, reply: asDone(done))
  }

  /// Also removes the bond and everything else that BlueZ stores about the device.
  @discardableResult
  public func removeDevice(_ device: Device, _ done: @escaping Done) -> PendingCall? {
    tree.call(
      path, BlueZName.Interface.adapter, BlueZName.Member.removeDevice, [.objectPath(device.path)], reply: asDone(done))
  }
}

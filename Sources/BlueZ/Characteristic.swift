// org.bluez.GattCharacteristic1: a view of one object of the tree. Notifications arrive either
// through a descriptor of their own (AcquireNotify: one read is one notification) or as changes of
// Value (StartNotify). BlueZ does not allow both.

public import DBus
public import Linux

public struct Characteristic {
  public let path: String
  private let tree: ObjectTree

  init(_ path: String, in tree: ObjectTree) {
    self.path = path
    self.tree = tree
  }

  public var uuid: String? { property(BlueZName.Property.uuid)?.text }
  public var flags: [String] { property(BlueZName.Property.flags)?.texts ?? [] }

  public var serviceUUID: String? {
    guard let service = property(BlueZName.Property.service)?.text else { return nil }
    return tree.value(service, BlueZName.Interface.gattService, BlueZName.Property.uuid)?.text
  }

  private func property(_ name: String) -> Value? { tree.value(path, BlueZName.Interface.characteristic, name) }
}

extension ObjectTree {
  public func characteristic(at path: String) -> Characteristic { Characteristic(path, in: self) }
}

/// A descriptor for notifications; it hangs up when the link ends.
public struct AcquiredNotify {
  public let descriptor: FileDescriptorBox
  public let mtu: Int
}

// MARK: Methods

extension Characteristic {
  @discardableResult
  public func readValue(_ answer: @escaping (Result<[UInt8], BusError>) -> Void) -> PendingCall? {
    tree.call(path, BlueZName.Interface.characteristic, BlueZName.Member.readValue, [.properties([:])]) { result in
      answer(
        result.flatMap { message in
          var reader = message.reader
          return reader.bytes().map(Result.success) ?? .failure(BusError(.failed, "ReadValue answered no bytes"))
        })
    }
  }

  @discardableResult
  public func writeValue(_ value: [UInt8], withResponse: Bool, _ done: @escaping Done) -> PendingCall? {
    let options = Value.properties(["type": .string(withResponse ? "request" : "command")])
    return tree.call(
      path, BlueZName.Interface.characteristic, BlueZName.Member.writeValue, [.bytes(value), options],
      reply: asDone(done))
  }

  /// If the call is cancelled, its reply and descriptor are dropped, which shows BlueZ that the
  /// descriptor is not in use.
  @discardableResult
  public func acquireNotify(_ answer: @escaping (Result<AcquiredNotify, BusError>) -> Void) -> PendingCall? {
    tree.call(path, BlueZName.Interface.characteristic, BlueZName.Member.acquireNotify, [.properties([:])]) { result in
      answer(result.flatMap(Self.acquired))
    }
  }

  private static func acquired(_ message: BusMessage) -> Result<AcquiredNotify, BusError> {
    var reader = message.reader
    guard let descriptor = reader.fileDescriptor() else {
      return .failure(BusError(.failed, "AcquireNotify gave no descriptor"))
    }
    do throws(SystemError) {
      try descriptor.setNonBlocking()
    } catch {
      return .failure(BusError(.failed, error.description))
    }
    let mtu = reader.uint16().map(Int.init) ?? 0
    return .success(AcquiredNotify(descriptor: FileDescriptorBox(descriptor), mtu: mtu))
  }

  @discardableResult
  public func startNotify(timeout: Duration = BusConnection.defaultTimeout, _ done: @escaping Done) -> PendingCall? {
    tree.call(
      path, BlueZName.Interface.characteristic, BlueZName.Member.startNotify, timeout: timeout, reply: asDone(done))
  }

  @discardableResult
  public func stopNotify(_ done: @escaping Done) -> PendingCall? {
    tree.call(path, BlueZName.Interface.characteristic, BlueZName.Member.stopNotify, reply: asDone(done))
  }

  /// Values of this object that arrive as signals. Call before `startNotify`, so that none is
  /// missed.
  public func watchValue(_ received: @escaping ([UInt8]) -> Void) -> Match {
    tree.bus.addMatch(.properties(of: BlueZName.Interface.characteristic, at: path)) { signal in
      var reader = signal.reader
      reader.skip()
      guard let value = reader.properties()?[BlueZName.Property.value]?.byteArray else { return }
      received(value)
    }
  }
}

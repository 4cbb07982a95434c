// A characteristic and its subscribers: at most one process with a descriptor, or any number with
// signals.

public import DBus
internal import EventLoop
internal import Linux

public final class FakeCharacteristic {
  public let uuid: String
  public let flags: [String]
  public var value: [UInt8]
  /// All values written to it.
  public private(set) var written: [[UInt8]] = []
  /// Called for each write; may notify and may return an error.
  public var onWrite: ([UInt8]) -> BusError? = { _ in nil }
  /// Called with our end of a descriptor that a client acquired; it stays open until the client
  /// closes its end.
  public var onAcquire: (Int32) -> Void = { _ in }
  /// Another process has the descriptor.
  public var isHeldByAnother = false
  /// The sensor requires a bond for it.
  public var needsBond = false
  /// An AcquireNotify was never answered, and the characteristic counts as acquired until
  /// bluetoothd exits.
  public internal(set) var isStuck = false
  public var mtu: UInt16 = 247

  /// Our end of a client's descriptor.
  private var acquired: Subscription?
  private var clients: Set<String> = []
  /// Clients whose StartNotify waits for a bond, on this link or an earlier one.
  private(set) var awaiting: Set<String> = []

  public init(_ uuid: String, _ flags: [String] = ["notify"], value: [UInt8] = []) {
    self.uuid = longUUID(uuid)
    self.flags = flags
    self.value = value
  }

  public var isAcquired: Bool { acquired != nil }
  /// How many clients receive its value as signals.
  public var notifyClients: Int { clients.count }
  public var isSubscribed: Bool { isAcquired || !clients.isEmpty }

  func write(_ bytes: [UInt8]) -> BusError? {
    written.append(bytes)
    return onWrite(bytes)
  }
}

/// The watch is cancelled before the descriptor is closed.
private final class Subscription {
  let descriptor: FileDescriptor
  let released: () -> Void
  var watch: Watch?

  init(_ descriptor: consuming FileDescriptor, _ released: @escaping () -> Void) {
    self.descriptor = descriptor
    self.released = released
  }

  deinit {
    watch?.cancel()
  }
}

// MARK: Sessions

extension FakeCharacteristic {
  /// The error for AcquireNotify in this state, if any.
  func objectionToAcquire(_ script: FakeScript) -> BusError? {
    if isAcquired || isHeldByAnother || isStuck { return .notPermitted }
    if !clients.isEmpty { return .inProgress }
    let isCapable = flags.contains("notify") || (script.acquiresIndications && flags.contains("indicate"))
    return isCapable ? nil : .notSupported
  }

  func objectionToStart(_ client: String) -> BusError? {
    if isAcquired || isHeldByAnother || isStuck { return .notPermitted }
    if clients.contains(client) { return .bluezFailed("Already notifying") }
    return flags.contains("notify") || flags.contains("indicate") ? nil : .notSupported
  }

  /// Passes the client its end. The session ends when the client closes it.
  func acquire(
    on loop: EventLoop, giving give: (borrowing FileDescriptor) -> Void, released: @escaping () -> Void
  ) throws(SystemError) {
    let pair = try PacketPair()
    let subscription = Subscription(pair.keepNear(afterGiving: give), released)
    subscription.watch = try loop.watch(subscription.descriptor.number, for: .readable) { [weak self] _ in
      self?.hangUpDescriptor()
    }
    acquired = subscription
    onAcquire(subscription.descriptor.number)
  }

  func await(_ client: String) {
    awaiting.insert(client)
  }

  func start(_ client: String) {
    awaiting.remove(client)
    clients.insert(client)
  }

  func notifies(_ client: String) -> Bool { clients.contains(client) }

  /// Returns false if there was no such session.
  func stop(_ client: String) -> Bool {
    if isAcquired {
      acquired = nil
      return true
    }
    return awaiting.remove(client) != nil || clients.remove(client) != nil
  }

  /// The link is gone: the descriptor hangs up. Sessions with signals stay, as in BlueZ.
  func hangUp() {
    acquired = nil
  }

  func forgetAll() {
    acquired = nil
    isStuck = false
    awaiting = []
    clients = []
  }

  /// Hangs up the descriptor while the link stays.
  public func hangUpDescriptor() {
    let released = acquired?.released
    hangUp()
    released?()
  }

  /// Whether there is a descriptor for the bytes. A full one loses them, as in BlueZ.
  func pass(_ bytes: [UInt8]) -> Bool {
    guard let acquired else { return false }
    _ = try? acquired.descriptor.write(bytes.span)
    return true
  }
}

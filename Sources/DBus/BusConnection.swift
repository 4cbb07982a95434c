// One connection to a bus, from opening to loss; it is never reopened (Bus makes another).
//
// - Nothing blocks: the loop serves the socket, and replies arrive through closures.
// - No closure is called from within a call of the user. They run from the loop, in the order of
//   the messages.
// - libdbus only calls our watch functions and the dispatch callback. Messages are taken from its
//   queue in a hook of the loop, so no frame of libdbus is on the stack while a message is handled.

internal import CDBus
public import EventLoop
internal import Linux
import Time

@safe public final class BusConnection {
  public typealias Reply = (Result<BusMessage, BusError>) -> Void

  /// Callbacks of the connection, called from the loop.
  public struct Handlers {
    /// The bus has assigned a name.
    public var ready: () -> Void = {}
    public var signal: (BusMessage) -> Void = { _ in }
    public var call: (BusMessage) -> CallAnswer = { _ in .unknown }
    /// Called once, after the pending calls have failed, but not after `close`.
    public var lost: (BusError) -> Void = { _ in }

    public init() {}
  }

  /// The same as libdbus's default.
  public static let defaultTimeout = Duration.seconds(25)
  /// Limits the messages per iteration, so that a flood leaves time for everything else.
  private static let messagesPerTurn = 64
  /// With more unhandled data than this, the bus has to wait instead of our memory growing.
  private static let receiveLimit = 4 << 20
  /// How long the bus may take for our last messages.
  private static let farewell = Duration.milliseconds(200)

  public let loop: EventLoop
  /// The unique name, once the bus has given one.
  public private(set) var name: String?
  public private(set) var isOpen = true
  /// The number of messages sent and received, by which tests detect idleness.
  public private(set) var traffic: UInt64 = 0

  private let raw: OpaquePointer
  private let watches: WatchSet
  private let handlers: Handlers
  private var hook: Hook?
  private var pending: [UInt32: PendingCall] = [:]
  private var postponed: [() -> Void] = []

  /// Throws if the address does not accept connections. Authentication and Hello follow from the
  /// loop.
  public init(loop: EventLoop, address: BusAddress, handlers: Handlers) throws(BusError) {
    self.loop = loop
    self.handlers = handlers
    unsafe raw = try unsafe openSocket(address)
    watches = WatchSet(loop)
    hook = loop.makeHook { [weak self] in self?.takeMessages() }
    // Losing the bus must not end the process.
    unsafe dbus_connection_set_exit_on_disconnect(raw, 0)
    unsafe dbus_connection_set_max_received_size(raw, Self.receiveLimit)
    guard unsafe watches.attach(to: raw), let hook else { fatalError("out of memory") }
    // "Dispatching must not happen from inside this function", so it only schedules the hook.
    unsafe dbus_connection_set_dispatch_status_function(
      raw,
      { _, status, context in
        guard status == DBUS_DISPATCH_DATA_REMAINS, let context = unsafe context else { return }
        unsafe Unmanaged<Hook>.fromOpaque(context).takeUnretainedValue().schedule()
      }, Unmanaged.passUnretained(hook).toOpaque(), nil)
    sayHello()
  }

  deinit {
    close()
    // "The connection must be disconnected before the last reference goes."
    unsafe dbus_connection_unref(raw)
  }

  /// Closes the connection. Pending calls are never answered.
  public func close() {
    close(sayingLastWords: true)
  }

  private func close(sayingLastWords: Bool) {
    guard isOpen else { return }
    isOpen = false
    let calls = pending.values
    pending = [:]
    for call in calls { call.cancel() }
    postponed = []
    unsafe dbus_connection_set_dispatch_status_function(raw, nil, nil, nil)
    if sayingLastWords { sendLastWords() }
    unsafe dbus_connection_close(raw)
    unsafe watches.detach(from: raw)
  }

  /// The last messages, such as Disconnect or StopDiscovery, may still be in libdbus's queue; a
  /// healthy bus takes them at once. `dbus_connection_flush` would block forever on a bus that
  /// hangs or never accepted us.
  private func sendLastWords() {
    guard name != nil else { return }
    let end = MonotonicTime.now + Self.farewell
    while unsafe dbus_connection_has_messages_to_send(raw) != 0 {
      let left = (end - .now).wholeNanoseconds / 1_000_000
      // This returns as soon as it has transferred some data; 0 means disconnected.
      guard left > 0, unsafe dbus_connection_read_write(raw, Int32(left)) != 0 else { return }
    }
  }

  /// Hello must be the first message, or the bus hangs up. `dbus_bus_register` would block for the
  /// reply.
  private func sayHello() {
    call(BusNames.call("Hello")) { [weak self] result in
      guard let self else { return }
      switch result {
      case .success(let message):
        var reader = message.reader
        name = reader.string()
        handlers.ready()
      case .failure(let error):
        lose(error)
      }
    }
  }
}

/// How a call is answered.
public enum CallAnswer {
  case reply(BusMessage)
  /// The reply will be sent later.
  case later
  /// There is no such method.
  case unknown
}

private func openSocket(_ address: BusAddress) throws(BusError) -> OpaquePointer {
  var failure = unsafe cyclometer_dbus_error()
  // Private, because libdbus may share a connection with other users.
  if let connection = unsafe address.description.withCString({ unsafe dbus_connection_open_private($0, &failure) }) {
    return unsafe connection
  }
  defer { unsafe dbus_error_free(&failure) }
  let name = unsafe failure.name.map { unsafe String(cString: $0) }
  let message = unsafe failure.message.map { unsafe String(cString: $0) }
  throw BusError(name.map(BusError.Name.init(rawValue:)) ?? .failed, message ?? "")
}

// MARK: Sending

extension BusConnection {
  /// `reply` is called exactly once, or never after `cancel` or `close`.
  @discardableResult
  public func call(
    _ message: BusMessage, timeout: Duration = BusConnection.defaultTimeout, _ reply: @escaping Reply
  ) -> PendingCall {
    let call = PendingCall(reply)
    do throws(BusError) {
      let serial = try transmit(message)
      pending[serial] = call
      call.forget = { [weak self] in self?.pending[serial] = nil }
      call.end(
        at: loop.schedule(after: timeout) { [weak call] in
          call?.complete(.failure(BusError(.timedOut, "no answer in \(timeout)")))
        })
    } catch {
      postpone { call.complete(.failure(error)) }
    }
    return call
  }

  /// For signals, replies, and calls without an expected reply.
  @discardableResult
  public func send(_ message: BusMessage) -> BusError? {
    do throws(BusError) {
      _ = try transmit(message)
      return nil
    } catch {
      return error
    }
  }

  private func transmit(_ message: BusMessage) throws(BusError) -> UInt32 {
    if let defect = message.defect { throw defect }
    guard isOpen else { throw BusError(.disconnected, "the connection is closed") }
    guard message.serial == 0 else { throw BusError(.invalidArguments, "a message is sent once") }
    message.isSealed = true
    var serial: UInt32 = 0
    // libdbus queues it and writes it as the socket allows.
    guard unsafe dbus_connection_send(raw, message.raw, &serial) != 0 else { fatalError("out of memory") }
    traffic += 1
    return serial
  }

  private func postpone(_ action: @escaping () -> Void) {
    postponed.append(action)
    hook?.schedule()
  }
}

// MARK: Receiving

extension BusConnection {
  private func takeMessages() {
    let actions = postponed
    postponed = []
    for action in actions { action() }
    for _ in 0..<Self.messagesPerTurn {
      // "Popping bypasses message handlers": there are none, because the connection is not shared.
      guard isOpen, let next = unsafe dbus_connection_pop_message(raw) else { break }
      traffic += 1
      if let message = unsafe BusMessage(received: next) { handle(message) }
    }
    guard isOpen, unsafe dbus_connection_get_dispatch_status(raw) == DBUS_DISPATCH_DATA_REMAINS else { return }
    hook?.schedule()
  }

  private func handle(_ message: BusMessage) {
    switch message.kind {
    case .reply:
      let call = pending[message.replySerial]
      call?.complete(.success(message))
    case .error:
      let call = pending[message.replySerial]
      call?.complete(.failure(message.error ?? BusError(.failed)))
    case .signal:
      // Sent by libdbus itself after the last message; the bus lets no other sender use this
      // interface.
      if message.interface == BusNames.local {
        lose(BusError(.disconnected, "the bus closed the connection"))
      } else {
        handlers.signal(message)
      }
    case .call:
      answer(message)
    }
  }

  private func answer(_ call: BusMessage) {
    if call.interface == BusNames.peer, call.member == "Ping" {
      send(.reply(to: call))
      return
    }
    switch handlers.call(call) {
    case .reply(let reply):
      send(reply)
    case .later:
      break
    case .unknown:
      guard call.wantsReply else { return }
      let target = "\(call.interface ?? "").\(call.member ?? "") at \(call.path ?? "")"
      send(.error(BusError(.unknownMethod, "no method \(target)"), to: call))
    }
  }

  /// Gives up the connection: all pending calls fail, then the owner is notified.
  func lose(_ reason: BusError) {
    guard isOpen else { return }
    let calls = pending.sorted { $0.key < $1.key }.map(\.value)
    pending = [:]
    let actions = postponed
    close(sayingLastWords: false)
    for action in actions { action() }
    for call in calls { call.complete(.failure(BusError(.disconnected, reason.message))) }
    handlers.lost(reason)
  }
}

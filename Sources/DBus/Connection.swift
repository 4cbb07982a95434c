// One connection to a bus, from opening to loss; it never comes back to life (Bus makes another).
//
// - Nothing waits: the socket is served by the loop, and calls answer through closures.
// - Nothing is called from within a call of the user: every closure runs from the loop, in the order of the messages.
// - libdbus calls nothing of ours but the watch functions and the dispatch notice; messages are popped from its queue in a
//   hook of the loop, so no frame of libdbus is on the stack while a message is handled.

internal import CDBus
public import EventLoop
internal import Linux

@safe public final class Connection {
  public typealias Reply = (Result<Message, BusError>) -> Void

  /// Whom the connection tells. Each is called from the loop.
  public struct Handlers {
    /// The bus has given us a name.
    public var ready: () -> Void = {}
    public var signal: (Message) -> Void = { _ in }
    public var call: (Message) -> CallAnswer = { _ in .unknown }
    /// Once, after the pending calls have failed. Not after `close`.
    public var lost: (BusError) -> Void = { _ in }

    public init() {}
  }

  /// As libdbus's own default.
  public static let defaultTimeout = Duration.seconds(25)
  /// So that a flood of messages leaves room for everything else in a turn.
  private static let messagesPerTurn = 64
  /// The bus is made to wait, and not our memory to grow, when more than this waits to be handled.
  private static let receiveLimit = 4 << 20
  /// How long the bus may take over our last words.
  private static let farewell = Duration.milliseconds(200)

  public let loop: EventLoop
  /// The unique name, once the bus has given one.
  public private(set) var name: String?
  public private(set) var isOpen = true
  /// How many messages went out and came in: tests know by it when nothing happens any more.
  public private(set) var traffic: UInt64 = 0

  private let raw: OpaquePointer
  private let watches: WatchSet
  private let handlers: Handlers
  private var hook: Hook?
  private var pending: [UInt32: PendingCall] = [:]
  private var postponed: [() -> Void] = []

  /// Throws where nobody listens at the address. Authentication and Hello follow, from the loop.
  public init(loop: EventLoop, address: BusAddress, handlers: Handlers) throws(BusError) {
    self.loop = loop
    self.handlers = handlers
    unsafe raw = try unsafe openSocket(address)
    watches = WatchSet(loop)
    hook = loop.makeHook { [weak self] in self?.takeMessages() }
    // A lost bus is not the end of this process.
    unsafe dbus_connection_set_exit_on_disconnect(raw, 0)
    unsafe dbus_connection_set_max_received_size(raw, Self.receiveLimit)
    guard unsafe watches.attach(to: raw), let hook else { fatalError("out of memory") }
    // "Dispatching must not happen from inside this function": it only asks for the hook.
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

  /// Ends it: nothing that is pending is ever called.
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

  /// What was said last (a Disconnect, a StopDiscovery) is still in libdbus's queue, and a healthy bus takes it at once.
  /// Not by `dbus_connection_flush`, which waits for ever on a bus that is stopped, or that never let us in.
  private func sendLastWords() {
    guard name != nil else { return }
    let end = BootTime.now + Self.farewell
    while unsafe dbus_connection_has_messages_to_send(raw) != 0 {
      let left = (end - .now).wholeNanoseconds / 1_000_000
      // It returns as soon as it has moved something; false: disconnected.
      guard left > 0, unsafe dbus_connection_read_write(raw, Int32(left)) != 0 else { return }
    }
  }

  /// The first message on a connection, or the bus hangs up. `dbus_bus_register` would wait for the answer.
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

/// What the server of a call makes of it.
public enum CallAnswer {
  case reply(Message)
  /// The reply is sent some time later.
  case later
  /// There is no such method here.
  case unknown
}

private func openSocket(_ address: BusAddress) throws(BusError) -> OpaquePointer {
  var failure = unsafe cyclometer_dbus_error()
  // Private: a shared connection could be libdbus's to dispatch for others.
  if let connection = unsafe address.description.withCString({ unsafe dbus_connection_open_private($0, &failure) }) {
    return unsafe connection
  }
  defer { unsafe dbus_error_free(&failure) }
  let name = unsafe failure.name.map { unsafe String(cString: $0) }
  let message = unsafe failure.message.map { unsafe String(cString: $0) }
  throw BusError(name.map(BusError.Name.init(rawValue:)) ?? .failed, message ?? "")
}

// MARK: Sending

extension Connection {
  /// The reply closure is called exactly once, or never after `cancel` or `close`.
  @discardableResult
  public func call(
    _ message: Message, timeout: Duration = Connection.defaultTimeout, _ reply: @escaping Reply
  ) -> PendingCall {
    let call = PendingCall(reply)
    do throws(BusError) {
      let serial = try transmit(message)
      pending[serial] = call
      call.forget = { [weak self] in self?.pending[serial] = nil }
      call.deadline = loop.schedule(after: timeout) { [weak call] in
        call?.complete(.failure(BusError(.timedOut, "no answer in \(timeout)")))
      }
    } catch {
      postpone { call.complete(.failure(error)) }
    }
    return call
  }

  /// For signals, replies, and calls whose answer nobody wants.
  @discardableResult
  public func send(_ message: Message) -> BusError? {
    do throws(BusError) {
      _ = try transmit(message)
      return nil
    } catch {
      return error
    }
  }

  private func transmit(_ message: Message) throws(BusError) -> UInt32 {
    if let defect = message.defect { throw defect }
    guard isOpen else { throw BusError(.disconnected, "the connection is closed") }
    guard message.serial == 0 else { throw BusError(.invalidArguments, "a message is sent once") }
    message.isSealed = true
    var serial: UInt32 = 0
    // It is queued in libdbus and written as the socket takes it.
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

extension Connection {
  private func takeMessages() {
    let actions = postponed
    postponed = []
    for action in actions { action() }
    for _ in 0..<Self.messagesPerTurn {
      // "Popping bypasses message handlers": there are none, for nobody shares this connection.
      guard isOpen, let next = unsafe dbus_connection_pop_message(raw) else { break }
      traffic += 1
      if let message = unsafe Message(received: next) { handle(message) }
    }
    guard isOpen, unsafe dbus_connection_get_dispatch_status(raw) == DBUS_DISPATCH_DATA_REMAINS else { return }
    hook?.schedule()
  }

  private func handle(_ message: Message) {
    switch message.kind {
    case .reply:
      let call = pending[message.replySerial]
      call?.complete(.success(message))
    case .error:
      let call = pending[message.replySerial]
      call?.complete(.failure(message.error ?? BusError(.failed)))
    case .signal:
      // libdbus itself says so, after the last message that came; the bus lets nobody else send on this interface.
      if message.interface == BusNames.local {
        lose(BusError(.disconnected, "the bus closed the connection"))
      } else {
        handlers.signal(message)
      }
    case .call:
      answer(message)
    }
  }

  private func answer(_ call: Message) {
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

  /// Gives the connection up: every pending call fails, then the owner is told.
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

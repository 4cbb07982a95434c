// Connects libdbus's watches to our loop. libdbus has two watches per socket, one for reading and
// one for writing. epoll accepts a descriptor once, so they are merged. Handling a watch only
// transfers bytes. Messages are taken later in the connection's hook, because libdbus forbids
// dispatching from within a watch.

internal import CDBus
internal import EventLoop
internal import Linux

final class WatchSet {
  private let loop: EventLoop
  private var sockets: [Socket] = []

  private final class Socket {
    let number: Int32
    var members: [Member] = []
    var watch: Watch?

    init(_ number: Int32) {
      self.number = number
    }
  }

  init(_ loop: EventLoop) {
    self.loop = loop
  }

  /// The set must outlive its use by the connection; call `detach` first.
  func attach(to connection: OpaquePointer) -> Bool {
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    return unsafe dbus_connection_set_watch_functions(
      connection,
      { unsafe watchSet($1).add(Member($0)) ? 1 : 0 },
      { unsafe watchSet($1).remove(Member($0)) },
      { unsafe watchSet($1).update(Member($0)) },
      context, nil) != 0
  }

  /// libdbus calls `remove` for every watch, and nothing afterwards.
  func detach(from connection: OpaquePointer) {
    unsafe dbus_connection_set_watch_functions(connection, nil, nil, nil, nil, nil)
  }

  private func add(_ member: Member) -> Bool {
    let socket = sockets.first { $0.number == member.descriptor } ?? Socket(member.descriptor)
    if socket.members.isEmpty { sockets.append(socket) }
    socket.members.append(member)
    return refresh(socket)
  }

  private func remove(_ member: Member) {
    guard let socket = socket(of: member) else { return }
    socket.members.removeAll { $0 == member }
    _ = refresh(socket)
    if socket.members.isEmpty { sockets.removeAll { $0 === socket } }
  }

  private func update(_ member: Member) {
    if let socket = socket(of: member) { _ = refresh(socket) }
  }

  private func socket(of member: Member) -> Socket? {
    sockets.first { $0.members.contains(member) }
  }

  /// A descriptor without interest is removed from the loop, because epoll reports hang-ups even
  /// for empty interest.
  private func refresh(_ socket: Socket) -> Bool {
    var interest: Interest = []
    for member in socket.members where member.isEnabled { interest.formUnion(member.interest) }
    do {
      if interest.isEmpty {
        socket.watch?.cancel()
        socket.watch = nil
      } else if let watch = socket.watch {
        try watch.change(to: interest)
      } else {
        socket.watch = try loop.watch(socket.number, for: interest) { [unowned self, unowned socket] in
          serve(socket, $0)
        }
      }
      return true
    } catch {
      return false
    }
  }

  /// Handling one watch may remove the other, so each is checked first.
  private func serve(_ socket: Socket, _ ready: Interest) {
    for member in socket.members {
      guard socket.members.contains(member), member.isEnabled else { continue }
      let mine = ready.intersection(member.interest.union([.hangUp, .failed]))
      if !mine.isEmpty { member.handle(mine) }
    }
  }
}

/// A watch of libdbus, only used between `add` and `remove`, while the pointer is valid.
@safe private struct Member: Equatable {
  private let pointer: OpaquePointer

  init(_ pointer: OpaquePointer?) {
    guard let pointer = unsafe pointer else {
      preconditionFailure("libdbus adds, removes and toggles watches, never nothing")
    }
    unsafe self.pointer = unsafe pointer
  }

  static func == (one: Member, other: Member) -> Bool { unsafe one.pointer == other.pointer }

  var descriptor: Int32 { unsafe dbus_watch_get_unix_fd(pointer) }
  var isEnabled: Bool { unsafe dbus_watch_get_enabled(pointer) != 0 }
  var interest: Interest { Interest(watchFlags: unsafe dbus_watch_get_flags(pointer)) }

  /// Returns false when out of memory; epoll then reports the socket again.
  func handle(_ ready: Interest) {
    unsafe dbus_watch_handle(pointer, ready.watchFlags)
  }
}

private func watchSet(_ context: UnsafeMutableRawPointer?) -> WatchSet {
  guard let context = unsafe context else { preconditionFailure("libdbus forgot whose watch it is") }
  return unsafe Unmanaged<WatchSet>.fromOpaque(context).takeUnretainedValue()
}

extension Interest {
  fileprivate init(watchFlags flags: UInt32) {
    self = []
    if flags & DBUS_WATCH_READABLE.rawValue != 0 { insert(.readable) }
    if flags & DBUS_WATCH_WRITABLE.rawValue != 0 { insert(.writable) }
  }

  fileprivate var watchFlags: UInt32 {
    var flags: UInt32 = 0
    if contains(.readable) { flags |= DBUS_WATCH_READABLE.rawValue }
    if contains(.writable) { flags |= DBUS_WATCH_WRITABLE.rawValue }
    if contains(.hangUp) { flags |= DBUS_WATCH_HANGUP.rawValue }
    if contains(.failed) { flags |= DBUS_WATCH_ERROR.rawValue }
    return flags
  }
}

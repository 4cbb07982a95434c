// Unix stream sockets: the daemon's two doors and the way in for its clients.

internal import CLinux

/// Who is at the other end, as the kernel says.
public struct PeerCredentials: Equatable, Sendable {
  public let process: Int32
  public let user: UInt32
  public let group: UInt32
}

public enum UnixSocket {
  /// One that does not block fails with `EAGAIN`, instead of waiting, where too many wait to be accepted.
  public static func connect(to path: String, nonBlocking: Bool = false) throws(SystemError) -> FileDescriptor {
    let socket = try make(nonBlocking: nonBlocking)
    do throws(SystemError) {
      try systemCall("connect") { unsafe cyclometer_connect(socket.number, path) }
    } catch {
      throw error.about(path)
    }
    return socket
  }

  /// Binds and listens. A file left by a daemon that died is taken over; where somebody still answers, `EADDRINUSE` stands.
  public static func listen(at path: String, mode: UInt32, backlog: Int32 = 128) throws(SystemError) -> FileDescriptor {
    do throws(SystemError) {
      try removeStale(path)
      let socket = try make(nonBlocking: true)
      // The file is never open to more users than it will be: bind makes it with the mode of the socket, which is closed, and
      // then it is opened. (The umask would do too, but is of the whole process: of its other threads, and of what they start.)
      try systemCall("fchmod") { fchmod(socket.number, 0) }
      try systemCall("bind") { unsafe cyclometer_bind(socket.number, path) }
      try systemCall("chmod") { unsafe chmod(path, mode) }
      try systemCall("listen") { CLinux.listen(socket.number, backlog) }
      return socket
    } catch {
      throw error.about(path)
    }
  }

  /// The next connection, or nil when nobody waits any more.
  public static func accept(from listener: Int32) throws(SystemError) -> FileDescriptor? {
    let result = try attempt("accept4") { Int(cyclometer_accept(listener)) }
    guard case .done(let number) = result else { return nil }
    return FileDescriptor(owning: Int32(number))
  }

  public static func peer(of socket: Int32) throws(SystemError) -> PeerCredentials {
    var peer = cyclometer_peer()
    try systemCall("getsockopt") { unsafe cyclometer_peer_of(socket, &peer) }
    return PeerCredentials(process: peer.process, user: peer.user, group: peer.group)
  }

  /// Whether the process at the other end has a supplementary group, as it was when it connected.
  public static func isPeer(of socket: Int32, inGroup group: UInt32) throws(SystemError) -> Bool {
    var room = 64
    while true {
      var groups = [UInt32](repeating: 0, count: room)
      var size = UInt32(room * MemoryLayout<UInt32>.size)
      do throws(SystemError) {
        // The kernel writes at most `size` bytes into the array.
        try systemCall("getsockopt") { unsafe cyclometer_peer_groups(socket, &groups, &size) }
        return groups.prefix(Int(size) / MemoryLayout<UInt32>.size).contains(group)
      } catch {
        let needed = Int(size) / MemoryLayout<UInt32>.size
        guard needed > room else { throw error }
        room = needed
      }
    }
  }

  /// Writes to a stream that may have ended: for a library, which cannot decide about the process's signals.
  public static func send(_ socket: Int32, _ bytes: Span<UInt8>) throws(SystemError) -> IOResult {
    // The kernel reads `count` bytes of the span, for the time of the call only.
    try attempt("send") {
      unsafe bytes.withUnsafeBytes { bytes in
        unsafe CLinux.send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
      }
    }
  }

  /// Sends no more, while what the peer still sends can be read.
  public static func shutDownWriting(_ socket: Int32) throws(SystemError) {
    try systemCall("shutdown") { shutdown(socket, Int32(SHUT_WR)) }
  }

  private static func make(nonBlocking: Bool = false) throws(SystemError) -> FileDescriptor {
    let type = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | (nonBlocking ? SOCK_NONBLOCK.rawValue : 0)
    return FileDescriptor(owning: try systemCall("socket") { socket(AF_UNIX, Int32(type), 0) })
  }

  private static func removeStale(_ path: String) throws(SystemError) {
    do throws(SystemError) {
      // One whose queue is full is alive, and may never take us.
      _ = try connect(to: path, nonBlocking: true)
    } catch {
      if error.isBusy { throw SystemError(call: "bind", code: EADDRINUSE) }
      guard error.isRefused else {
        if error.isMissingFile { return }
        throw error
      }
      // What refuses can also be a plain file, which is nobody's socket and not ours to remove.
      guard isSocket(path) else { throw SystemError(call: "bind", code: EADDRINUSE) }
      try Files.remove(path)
      return
    }
    throw SystemError(call: "bind", code: EADDRINUSE)
  }
}

private func isSocket(_ path: String) -> Bool {
  var status = stat()
  return unsafe lstat(path, &status) == 0 && Int32(bitPattern: status.st_mode) & S_IFMT == S_IFSOCK
}

/// Two connected sockets whose messages keep their bounds, like those that BlueZ hands out for notifications.
public struct PacketPair: ~Copyable {
  public let near: FileDescriptor
  public let far: FileDescriptor

  public init() throws(SystemError) {
    var numbers: [Int32] = [-1, -1]
    let type = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    try systemCall("socketpair") { unsafe socketpair(AF_UNIX, type, 0, &numbers) }
    near = FileDescriptor(owning: numbers[0])
    far = FileDescriptor(owning: numbers[1])
  }

  /// Keeps the near end; the far one is closed once it was given away, as D-Bus gives it: by a duplicate.
  public consuming func keepNear(afterGiving give: (borrowing FileDescriptor) -> Void) -> FileDescriptor {
    give(far)
    return near
  }
}

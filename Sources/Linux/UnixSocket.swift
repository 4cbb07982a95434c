// Unix stream sockets, for the daemon and its clients.

internal import CLinux

/// The process at the other end, as reported by the kernel.
public struct PeerCredentials: Equatable, Sendable {
  public let process: Int32
  public let user: UInt32
  public let group: UInt32
}

public enum UnixSocket {
  /// If too many connections wait to be accepted, a non-blocking connect fails with `EAGAIN`
  /// instead of waiting.
  public static func connect(to path: String, nonBlocking: Bool = false) throws(SystemError) -> FileDescriptor {
    let socket = try make(nonBlocking: nonBlocking)
    do throws(SystemError) {
      try systemCall("connect") { unsafe cyclometer_connect(socket.number, path) }
    } catch {
      throw error.about(path)
    }
    return socket
  }

  /// Binds and listens. Replaces the file of a daemon that died. If a daemon still answers there,
  /// fails with `EADDRINUSE`.
  public static func listen(at path: String, mode: UInt32, backlog: Int32 = 128) throws(SystemError) -> FileDescriptor {
    do throws(SystemError) {
      try removeStale(path)
      let socket = try make(nonBlocking: true)
      // The file must never be open to more users than intended. bind creates it with the mode of
      // the socket, which is 0, and then the mode is set. (The umask would work too, but it belongs
      // to the whole process with its other threads and children.)
      try systemCall("fchmod") { fchmod(socket.number, 0) }
      try systemCall("bind") { unsafe cyclometer_bind(socket.number, path) }
      try systemCall("chmod") { unsafe chmod(path, mode) }
      try systemCall("listen") { CLinux.listen(socket.number, backlog) }
      return socket
    } catch {
      throw error.about(path)
    }
  }

  public static func peer(of socket: Int32) throws(SystemError) -> PeerCredentials {
    var peer = cyclometer_peer()
    try systemCall("getsockopt") { unsafe cyclometer_peer_of(socket, &peer) }
    return PeerCredentials(process: peer.process, user: peer.user, group: peer.group)
  }

  /// Whether the process at the other end had a supplementary group when it connected.
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

  private static func make(nonBlocking: Bool = false) throws(SystemError) -> FileDescriptor {
    let type = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | (nonBlocking ? SOCK_NONBLOCK.rawValue : 0)
    return FileDescriptor(owning: try systemCall("socket") { socket(AF_UNIX, Int32(type), 0) })
  }

  private static func removeStale(_ path: String) throws(SystemError) {
    do throws(SystemError) {
      // A listener with a full queue is alive but might never accept this connection.
      _ = try connect(to: path, nonBlocking: true)
    } catch {
      if error.isBusy { throw SystemError(call: "bind", code: EADDRINUSE) }
      guard error.isRefused else {
        if error.isMissingFile { return }
        throw error
      }
      // A plain file also refuses connections, but must not be removed.
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

/// Two connected sockets that preserve message boundaries, like those of BlueZ for notifications.
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

  /// Keeps the near end. The far end is closed after `give`, which must duplicate it, as D-Bus
  /// does.
  public consuming func keepNear(afterGiving give: (borrowing FileDescriptor) -> Void) -> FileDescriptor {
    give(far)
    return near
  }
}

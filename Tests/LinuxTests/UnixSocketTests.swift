// What the design requires of Unix sockets: a running daemon keeps its socket, peers have known
// credentials, and packets keep their boundaries.

import CLinux
import Linux
import TestSupport
import Testing

struct UnixSocketTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    ignoreBrokenPipes()
  }

  @Test("the socket file of a dead daemon is replaced")
  func socketFileOfDeadDaemon() throws {
    let path = folder.file("door")
    do {
      let dead = try UnixSocket.listen(at: path, mode: 0o600)
      #expect(dead.number >= 0)
    }
    #expect(Files.exists(path))
    let alive = try UnixSocket.listen(at: path, mode: 0o600)
    let visitor = try UnixSocket.connect(to: path)
    let isAccepted = try StreamSocket.accept(from: alive.number) != nil
    #expect(isAccepted && visitor.number >= 0)
  }

  @Test("the socket of a running daemon is left alone")
  func socketOfRunningDaemonLeft() throws {
    let path = folder.file("door")
    let alive = try UnixSocket.listen(at: path, mode: 0o600)
    #expect(throws: SystemError(call: "bind", code: EADDRINUSE, subject: path)) {
      _ = try UnixSocket.listen(at: path, mode: 0o600)
    }
    let visitor = try UnixSocket.connect(to: path)
    let peer = try UnixSocket.peer(of: visitor.number)
    #expect(peer.process == getpid() && peer.user == getuid() && peer.group == getgid())
    #expect(alive.number >= 0)
  }

  @Test("an ordinary file in the way is not removed")
  func ordinaryFileInWay() throws {
    let path = folder.file("door")
    try Files.replace(path, with: [1], mode: 0o600)
    #expect(throws: SystemError.self) { _ = try UnixSocket.listen(at: path, mode: 0o600) }
    #expect(try Files.read(path) == [1])
  }

  @Test("a socket has the requested mode")
  func socketHasRequestedMode() throws {
    let path = folder.file("door")
    let listener = try UnixSocket.listen(at: path, mode: 0o660)
    var status = stat()
    #expect(unsafe lstat(path, &status) == 0 && status.st_mode & 0o777 == 0o660)
    let hasNoClient = try StreamSocket.accept(from: listener.number) == nil
    #expect(hasNoClient)
  }

  /// So a listening socket is inaccessible until it has its mode, without a change of the umask.
  @Test("bind creates the file with the mode of the socket")
  func bindCreatesFileWithMode() throws {
    for mode: UInt32 in [0, 0o600, 0o640] {
      let path = folder.file("made-\(mode)")
      let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(number) }
      #expect(fchmod(number, mode) == 0)
      #expect(unsafe cyclometer_bind(number, path) == 0)
      var status = stat()
      #expect(unsafe lstat(path, &status) == 0 && status.st_mode & 0o777 == mode)
    }
  }

  @Test("an error names the path, the reason and the call")
  func errorNamesPathReason() throws {
    let path = folder.file("nowhere")
    let error = #expect(throws: SystemError.self) { _ = try UnixSocket.connect(to: path) }
    #expect(error?.description == "\(path): No such file or directory (connect)")
    #expect(error?.isMissingFile == true)
  }

  @Test("packets keep their boundaries, and the end is reported")
  func packetsKeepTheirBoundariesAndEnd() throws {
    let pair = try PacketPair()
    _ = try pair.far.write([1, 2, 3].span)
    _ = try pair.far.write([4].span)
    var buffer = [UInt8](repeating: 0, count: 16)
    #expect(try pair.near.read(into: &buffer) == .done(3))
    #expect(try pair.near.read(into: &buffer) == .done(1))
    #expect(try pair.near.read(into: &buffer) == .wouldBlock)
    let near = pair.keepNear { far in _ = try? far.write([9].span) }
    #expect(try near.read(into: &buffer) == .done(1), "a packet sent before the end is still read")
    #expect(try near.read(into: &buffer) == .done(0))
    let error = #expect(throws: SystemError.self) { _ = try near.write([1].span) }
    #expect(error?.isPeerGone == true, "a broken pipe is an error, not a signal")
  }

  @Test("a packet longer than the buffer loses only its end")
  func packetLongerThanBufferLoses() throws {
    let pair = try PacketPair()
    _ = try pair.far.write([UInt8](repeating: 7, count: 10).span)
    _ = try pair.far.write([8].span)
    var buffer = [UInt8](repeating: 0, count: 4)
    #expect(try pair.near.read(into: &buffer) == .done(4))
    #expect(try pair.near.read(into: &buffer) == .done(1))
    #expect(buffer[0] == 8)
  }

  @Test("a full socket is a result, not an error")
  func fullSocketResultNotError() throws {
    let pair = try PacketPair()
    let packet = [UInt8](repeating: 0, count: 512)
    var count = 0
    while try pair.far.write(packet.span) != .wouldBlock { count += 1 }
    #expect(count > 10)
  }
}

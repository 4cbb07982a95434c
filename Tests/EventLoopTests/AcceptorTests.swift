// Accepting connections, and what happens if that fails.

import EventLoop
import Linux
import TestSupport
import Testing
import Time

struct AcceptorTests {
  let loop: EventLoop
  let folder: TemporaryFolder

  init() throws {
    loop = try EventLoop(.virtual(VirtualTime()))
    folder = try TemporaryFolder()
  }

  private func run(for span: Duration) throws { _ = try loop.run(until: loop.now + span) { false } }

  @Test("connections are accepted in order until the acceptor is closed")
  func accepts() throws {
    let path = folder.file("door")
    var accepted: [Int32] = []
    let acceptor = try Acceptor(
      UnixSocket.listen(at: path, mode: 0o600), loop: loop, failed: { Issue.record("\($0)") },
      accepted: { socket in accepted.append(socket.number) })
    let visitors = try (0..<3).map { _ in FileDescriptorBox(try UnixSocket.connect(to: path)) }
    try run(for: .nanoseconds(1))
    #expect(accepted.count == 3 && visitors.count == 3)
    acceptor.close()
    _ = try UnixSocket.connect(to: path)
    try run(for: .seconds(1))
    #expect(accepted.count == 3 && loop.watchCount == 0)
  }

  @Test("after a failure it pauses, and reports the failure once")
  func fails() throws {
    // Readable, but not a listener.
    let pair = try PacketPair()
    _ = try pair.far.write([1].span)
    var errors: [SystemError] = []
    let acceptor = try Acceptor(
      pair.near.duplicate(), loop: loop, failed: { errors.append($0) }, accepted: { _ in Issue.record("accepted") })
    try run(for: .milliseconds(100))
    #expect(errors.map(\.call) == ["accept4"] && loop.deadlineCount == 1)
    try run(for: .seconds(10))
    #expect(errors.count == 1)
    acceptor.close()
    #expect(loop.deadlineCount == 0)
  }
}

// A bus that accepts connections and never answers. Ending one does not wait for it.

import DBus
import EventLoop
import Linux
import TestSupport
import Testing
import Time

final class SilentBusTests {
  let folder: TemporaryFolder
  let listener: FileDescriptor
  let loop: EventLoop
  let bus: BusAddress

  init() throws {
    folder = try TemporaryFolder()
    listener = try UnixSocket.listen(at: folder.file("bus"), mode: 0o600)
    loop = try EventLoop(.virtual(VirtualTime()))
    bus = .address("unix:path=\(folder.file("bus"))")
  }

  @Test("closing does not wait for a silent bus")
  func closingDoesNotWait() throws {
    let connection = try BusConnection(loop: loop, address: bus, handlers: BusConnection.Handlers())
    let start = MonotonicTime.now
    connection.close()
    #expect(!connection.isOpen)
    #expect(MonotonicTime.now - start < .seconds(5))
  }

  @Test("losing a silent bus does not block")
  func losingSilentBus() throws {
    var reasons: [BusError.Name] = []
    var handlers = BusConnection.Handlers()
    handlers.lost = { reasons.append($0.name) }
    let connection = try BusConnection(loop: loop, address: bus, handlers: handlers)
    #expect(try loop.run(until: loop.now + .seconds(60)) { !reasons.isEmpty })
    #expect(!connection.isOpen)
    #expect(reasons == [.timedOut])
  }
}

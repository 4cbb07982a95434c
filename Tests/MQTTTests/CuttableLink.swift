// The network between a client and a broker, which a test can cut.

import EventLoop
import Linux

final class CuttableLink {
  let port: UInt16
  private let broker: InternetAddress
  private let loop: EventLoop
  private var acceptor: Acceptor?
  private var ends: [End] = []

  private struct End {
    let socket: FileDescriptorBox
    let watch: Watch
  }

  init(to port: UInt16, in loop: EventLoop) throws {
    (broker, self.loop) = (.loopback(port: port), loop)
    let listener = try TCPSocket.listen(on: .loopback(port: 0))
    self.port = try TCPSocket.localAddress(of: listener.number).port
    acceptor = try Acceptor(listener, loop: loop, failed: { _ in }) { [weak self] socket throws(SystemError) in
      try self?.join(FileDescriptorBox(socket))
    }
  }

  deinit { cut() }

  /// Both sides see the end of their connection. The next one passes.
  func cut() {
    for end in ends { end.watch.cancel() }
    ends = []
  }

  private func join(_ client: FileDescriptorBox) throws(SystemError) {
    let server = FileDescriptorBox(try TCPSocket.connect(to: broker))
    try pass(from: client, to: server)
    try pass(from: server, to: client)
  }

  /// The packets of tests are so short that a socket takes each of them whole.
  private func pass(from source: FileDescriptorBox, to sink: FileDescriptorBox) throws(SystemError) {
    let watch = try loop.watch(source.number, for: .readable) { [weak self] _ in
      var bytes = [UInt8](repeating: 0, count: 65_536)
      guard case .done(let count)? = try? readDescriptor(source.number, into: &bytes), count > 0 else {
        self?.cut()
        return
      }
      _ = try? writeDescriptor(sink.number, Array(bytes.prefix(count)).span)
    }
    ends.append(End(socket: source, watch: watch))
  }
}

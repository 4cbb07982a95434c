// What is special about TCP: addresses, the kernel's buffers, answers that a reset could destroy.

import CLinux
import EventLoop
import HTTP
import Linux
import RequestRows
import Testing
import Time

@testable import HTTPServing

struct TCPTests {
  let world: ServerWorld

  init() throws {
    world = try ServerWorld(.boot)
  }

  @Test(
    "the handler learns the address that the client connected to, and the client's", arguments: ["127.0.0.1", "::1"])
  func origin(_ host: String) throws {
    let address = try world.server.listen(on: try #require(InternetAddress(host, port: 0)), name: "web")
    #expect(address.host == host && address.port != 0)
    let client = try world.connect(to: address)
    try client.send(plainRequest)
    #expect(try world.run { client.statuses == [200] })
    let origin = try #require(world.handler.exchanges.first?.origin)
    #expect(origin.listener == "web")
    guard case .tcp(let local, let peer) = origin.socket else {
      Issue.record("\(origin)")
      return
    }
    #expect(local == address && peer.host == host && peer != address)
    #expect(local.description == (host == "::1" ? "[::1]:\(address.port)" : "127.0.0.1:\(address.port)"))
    world.server.close()
  }

  @Test("the handler learns that a client came by a Unix socket, and whose process it is")
  func unixOrigin() throws {
    let client = try world.connect()
    try client.send(plainRequest)
    #expect(try world.run { client.statuses == [200] })
    let origin = try #require(world.handler.exchanges.first?.origin)
    guard origin.listener == "front", case .unix(let peer) = origin.socket else {
      Issue.record("\(origin)")
      return
    }
    #expect(peer.process == getpid() && peer.user == getuid())
  }

  @Test("an address that is in use is reported")
  func inUse() throws {
    let address = try world.server.listen(on: .loopback(port: 0), name: "web")
    let error = #expect(throws: SystemError.self) { try world.server.listen(on: address, name: "web") }
    #expect(error?.isInUse == true && error?.subject == address.description)
    world.server.close()
  }

  @Test("a client that is still sending what is refused gets the answer")
  func refusedWhileSending() throws {
    let address = try world.server.listen(on: .loopback(port: 0), name: "web")
    let client = try world.connect(to: address)
    client.stop()
    try client.send(requestHead("POST / HTTP/1.1", "Host: bike", "Content-Length: 100000000"))
    let piece = [UInt8](repeating: 0, count: 16 << 10)
    var sent = 0
    while sent < 200_000 {
      sent += try client.send(piece)
      _ = try world.loop.run(until: world.loop.now + .milliseconds(1)) { false }
    }
    try client.resume()
    #expect(try world.run { client.hasEnded })
    #expect(client.statuses == [413] && !client.wasReset)
    world.server.close()
  }

  @Test("a reader of events that stops gets the newest frame afterwards and no backlog")
  func stopped() throws {
    let source = CountingSource()
    source.padding = String(repeating: ".", count: 1000)
    let channel = EventChannel(source)
    world.handler.script = { _ = $0.open(HTTPResponse(.ok, .stream), on: channel) }
    let address = try world.server.listen(on: .loopback(port: 0), name: "web")
    let (slow, quick) = (try world.connect(to: address), try world.connect(to: address))
    // What the kernel holds for a client that sleeps is bounded by the client's own buffer.
    var size: Int32 = 4096
    // The kernel reads the number during the call only.
    #expect(unsafe setsockopt(slow.number, SOL_SOCKET, SO_RCVBUF, &size, 4) == 0)
    for client in [slow, quick] { try client.send(plainRequest) }
    #expect(try world.run { channel.readerCount == 2 && !slow.received.isEmpty && !quick.received.isEmpty })
    slow.stop()
    for version in 1...1000 {
      channel.publish(version)
      let last = "data: after \(version - 1)\(source.padding)\n\n"
      #expect(try world.run { quick.received.suffix(last.utf8.count).elementsEqual(last.utf8) })
      if version % 50 == 0 { quick.forget() }
    }
    try slow.resume()
    #expect(try world.run { slow.text.hasSuffix("\n\n") && channel.version == 1000 && isCaughtUp(slow) })
    #expect(slow.text.split(separator: "\n\n").count < 40, "\(slow.received.count) bytes")
    world.server.close()
  }

  /// Whether the last frame has everything that the ones before it lack.
  private func isCaughtUp(_ client: TestClient) -> Bool {
    let frames = client.frames
    return frames.last?.hasPrefix("data: after \(frames.count - 1).") == true && frames.count > 1
  }

  @Test("connections inherit the options of their listener, and streams have small buffers")
  func options() throws {
    let channel = EventChannel(CountingSource())
    world.handler.script = { _ = $0.open(HTTPResponse(.ok, .stream), on: channel) }
    let listener = try TCPSocket.listen(on: .loopback(port: 0))
    try TCPSocket.setNoDelay(listener.number)
    try TCPSocket.setUserTimeout(listener.number, .seconds(15))
    let client = try TCPSocket.connect(to: try TCPSocket.localAddress(of: listener.number))
    guard let connection = try StreamSocket.accept(from: listener.number) else {
      Issue.record("the listener has no connection")
      return
    }
    #expect(try option(connection.number, Int32(IPPROTO_TCP), TCP_NODELAY) == 1)
    #expect(try option(connection.number, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT) == 15_000)
    try StreamSocket.setSendBuffer(connection.number, bytes: EventReader.sendBuffer)
    try TCPSocket.setUnsentLimit(connection.number, bytes: EventReader.mostUnsent)
    #expect(try option(connection.number, SOL_SOCKET, SO_SNDBUF) == 2 * EventReader.sendBuffer)
    #expect(try option(connection.number, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT) == EventReader.mostUnsent)
    #expect(client.number >= 0)
  }

  private func option(_ socket: Int32, _ level: Int32, _ option: Int32) throws -> Int32 {
    var (value, size) = (Int32(0), socklen_t(4))
    // The kernel writes one number.
    guard unsafe getsockopt(socket, level, option, &value, &size) == 0 else {
      throw SystemError(call: "getsockopt", code: -1)
    }
    return value
  }
}

// A frame of events allocates nothing, however many read it. Needs optimised code: `swift test -c
// release --filter AllocationTests`.

import AllocationCounting
import CAllocationCounter
import EventLoop
import HTTP
import Linux
import RequestRows
import Testing
import Time

@testable import HTTPServing

@Suite(.enabled(if: allocationsAreCounted, "debug code and sanitizers allocate for themselves"), .serialized)
struct HTTPServingAllocationTests {
  private final class Frame: FrameSource {
    private let line = Array("data: \(String(repeating: "x", count: 1500))\n\n".utf8)

    func appendChanges(after version: Int, to message: inout [UInt8]) { message += line }
  }

  let world: ServerWorld
  let source: any FrameSource
  let channel: EventChannel
  let clients: [TestClient]

  init() throws {
    world = try ServerWorld()
    let source = Frame()
    self.source = source
    let channel = EventChannel(source)
    self.channel = channel
    world.handler.script = { _ = $0.open(HTTPResponse(.ok, .stream), on: channel) }
    let world = world
    clients = try (0..<8).map { _ in try world.connect() }
    for client in clients {
      client.stop()
      try client.send(plainRequest)
    }
    try world.settle()
    #expect(channel.readerCount == 8)
  }

  /// What publishing these versions allocates, with one turn of the loop for each.
  private func allocations(_ versions: ClosedRange<Int>, isRead: (_ client: Int, _ version: Int) -> Bool) throws -> Int
  {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    let before = allocation_count()
    for version in versions {
      channel.publish(version)
      for index in clients.indices where isRead(index, version) {
        _ = try readDescriptor(clients[index].number, into: &buffer)
      }
      try world.settle()
    }
    return allocation_count() - before
  }

  @Test("a frame to 8 readers allocates nothing")
  func frames() throws {
    _ = try allocations(1...50) { _, _ in true }
    #expect(try allocations(51...1050) { _, _ in true } == 0)
  }

  @Test("slow readers allocate nothing")
  func slowReaders() throws {
    let isRead = { (client: Int, version: Int) in client < 4 || version % 40 == client }
    _ = try allocations(1...200, isRead: isRead)
    #expect(try allocations(201...1200, isRead: isRead) == 0)
  }

  @Test("an urgent message to 8 readers allocates nothing")
  func urgent() throws {
    let message = Array("event: urgent\ndata: car\n\n".utf8)
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    var before = 0
    for round in 0..<1000 {
      if round == 50 { before = allocation_count() }
      channel.send(message)
      for client in clients { _ = try readDescriptor(client.number, into: &buffer) }
    }
    #expect(allocation_count() - before == 0)
  }
}

// Streams of events: every reader gets the newest frame, whatever others do.

import EventLoop
import HTTP
import Linux
import RequestRows
import Testing
import Time

@testable import HTTPServing

/// Renders the versions that a reader has missed. Counts how often.
final class CountingSource: FrameSource {
  private(set) var renderings = 0
  var padding = ""
  var isEmpty = false

  func appendChanges(after version: Int, to message: inout [UInt8]) {
    renderings += 1
    if !isEmpty { message += Array("data: after \(version)\(padding)\n\n".utf8) }
  }
}

struct EventStreamTests {
  let world: ServerWorld
  let source = CountingSource()
  let channel: EventChannel

  init() throws {
    world = try ServerWorld()
    channel = EventChannel(source)
    let channel = channel
    world.handler.script = { exchange in
      let response = HTTPResponse(.ok, .stream).setting("Content-Type", "text/event-stream")
      _ = exchange.open(response, on: channel, greeting: Array("retry: 1000\n\n".utf8))
    }
  }

  private static let head =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\nretry: 1000\n\n"

  private func read() throws -> TestClient {
    let client = try world.connect()
    try client.send(plainRequest)
    try world.settle()
    return client
  }

  @Test("a frame is rendered once for all readers that have seen the same")
  func shared() throws {
    let readers = try (0..<8).map { _ in try read() }
    #expect(channel.readerCount == 8 && readers.allSatisfy { $0.text == Self.head })
    for version in 1...3 { channel.publish(version) }
    try world.settle()
    #expect(readers.allSatisfy { $0.frames == ["data: after 0", "data: after 1", "data: after 2"] })
    #expect(source.renderings == 3)
    channel.publish(3)
    try world.settle()
    #expect(source.renderings == 3, "nothing is new")
  }

  @Test("a new reader gets everything, and then what the others get")
  func newcomer() throws {
    let first = try read()
    channel.publish(7)
    let second = try read()
    #expect(second.text == Self.head + "data: after 0\n\n")
    channel.publish(9)
    try world.settle()
    #expect(first.frames == ["data: after 0", "data: after 7"] && second.frames == first.frames)
  }

  @Test("a reader for whom nothing changed gets nothing")
  func unchanged() throws {
    let client = try read()
    source.isEmpty = true
    channel.publish(1)
    source.isEmpty = false
    channel.publish(2)
    try world.settle()
    #expect(client.frames == ["data: after 1"])
  }

  @Test("a reader that stops gets the newest frame afterwards and no backlog, and no other notices")
  func stopped() throws {
    source.padding = String(repeating: ".", count: 1000)
    let (slow, quick) = (try read(), try read())
    slow.stop()
    for version in 1...1000 {
      channel.publish(version)
      try world.run(for: .milliseconds(10))
    }
    #expect(quick.frames.count == 1000)
    let renderings = source.renderings
    try slow.resume()
    try world.settle()
    let late = slow.frames
    #expect(late.count < 30, "what the kernel's buffers held: \(late.count)")
    #expect(late.last == "data: after \(late.count - 1)\(source.padding)", "one frame of all that was missed")
    #expect(late.dropLast().last == "data: after \(late.count - 2)\(source.padding)", "no frame is cut")
    #expect(source.renderings == renderings + 1)
    channel.publish(1001)
    try world.settle()
    #expect(slow.frames.last == "data: after 1000\(source.padding)")
    #expect(quick.frames.last == slow.frames.last)
    #expect(world.loop.deadlineCount == 0, "its time limit counts no more")
  }

  @Test("an urgent message goes at once, and after a part of a frame")
  func urgent() throws {
    source.padding = String(repeating: ".", count: 1000)
    let (slow, quick) = (try read(), try read())
    slow.stop()
    for version in 1...100 {
      channel.publish(version)
      try world.settle()
    }
    channel.send(Array("event: urgent\ndata: car\n\n".utf8))
    channel.publish(101)
    try world.settle()
    #expect(quick.text.contains("data: after 99\(source.padding)\n\nevent: urgent\ndata: car\n\ndata: after 100"))
    try slow.resume()
    try world.settle()
    let messages = slow.text.split(separator: "\n\n")
    let place = try #require(messages.firstIndex { $0.contains("urgent") })
    #expect(messages[place - 1].hasSuffix(source.padding), "the frame before it is not cut")
    #expect(place == messages.count - 2, "one frame follows it")
  }

  @Test("a message to one reader is read by no other")
  func single() throws {
    let channel = channel
    var readers: [EventReader?] = []
    world.handler.script = { readers.append($0.open(HTTPResponse(.ok, .stream), on: channel)) }
    let (one, other) = (try read(), try read())
    readers[0]?.send(Array("data: passkey\n\n".utf8))
    try world.settle()
    #expect(one.frames == ["data: passkey"] && other.frames == [])
  }

  @Test("a reader that takes nothing for 15 s is disconnected", arguments: [1, 100])
  func stalled(frames: Int) throws {
    source.padding = String(repeating: ".", count: 1000)
    let (slow, quick) = (try read(), try read())
    slow.stop()
    for version in 1...frames { channel.publish(version) }
    try world.run(for: .milliseconds(14_900))
    #expect(channel.readerCount == 2)
    try world.run(for: .milliseconds(200))
    #expect(channel.readerCount == (frames == 1 ? 2 : 1), "one frame fits the kernel's buffers")
    #expect(!quick.hasEnded)
  }

  @Test("a frame can be larger than all buffers")
  func largeFrame() throws {
    source.padding = String(repeating: ".", count: 300_000)
    let client = try read()
    channel.publish(1)
    channel.send(Array("data: car\n\n".utf8))
    try world.settle()
    #expect(client.text == Self.head + "data: after 0\(source.padding)\n\ndata: car\n\n")
  }

  @Test("a reader that leaves too many urgent messages is disconnected")
  func tooMuchUnread() throws {
    let (slow, quick) = (try read(), try read())
    slow.stop()
    let message = Array("data: \(String(repeating: "!", count: 2000))\n\n".utf8)
    for _ in 0..<100 {
      channel.send(message)
      try world.settle()
    }
    #expect(channel.readerCount == 1 && quick.frames.count == 100)
  }

  @Test("a stream has no deadline while its reader takes everything")
  func deadlines() throws {
    let client = try read()
    channel.publish(1)
    try world.settle()
    #expect(world.loop.deadlineCount == 0)
    try world.run(for: .seconds(3600))
    #expect(!client.hasEnded)
  }

  @Test("the owner is told when the reader is gone", arguments: [false, true])
  func gone(isHalfClosed: Bool) throws {
    var ended = 0
    let channel = channel
    weak var reader: EventReader?
    world.handler.script = { reader = $0.open(HTTPResponse(.ok, .stream), on: channel) { ended += 1 } }
    var client: TestClient? = try read()
    #expect(channel.readerCount == 1 && reader != nil)
    if isHalfClosed { try client?.stopSending() } else { client = nil }
    try world.settle()
    #expect(channel.readerCount == 0 && ended == 1 && world.server.connectionCount == 0)
    #expect(reader == nil, "nothing is left of it")
    channel.publish(1)
  }

  @Test("the owner can end a stream, and is told of the end after that call")
  func closed() throws {
    var ended = 0
    var reader: EventReader?
    let channel = channel
    world.handler.script = { reader = $0.open(HTTPResponse(.ok, .stream), on: channel) { ended += 1 } }
    let client = try read()
    reader?.close()
    #expect(ended == 0)
    try world.settle()
    #expect(client.hasEnded && channel.readerCount == 0 && ended == 1)
    reader?.send([1])
    reader?.close()
  }

  @Test("HEAD gets the head of a stream")
  func head() throws {
    let client = try world.connect()
    try client.send(requestHead("HEAD / HTTP/1.1", "Host: bike"))
    try world.settle()
    #expect(client.answers.map(\.status) == [200] && client.hasEnded && channel.readerCount == 0)
  }

  @Test("requests after that of a stream are not answered")
  func requestsBehind() throws {
    let client = try world.connect()
    try client.send(plainRequest + plainRequest)
    try client.send(String(repeating: plainRequest, count: 1000))
    channel.publish(1)
    try world.settle()
    #expect(client.text == Self.head + "data: after 0\n\n" && world.handler.exchanges.count == 1)
  }
}

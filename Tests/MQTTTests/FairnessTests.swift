// A flood of messages leaves time for everything else in the loop.

import EventLoop
import Linux
import MQTT
import TestSupport
import Testing
import Time

@Suite(.timeLimit(.minutes(30)))
struct FairnessTests {
  @Test("between two turns of another watch there are at most 16 messages", arguments: [1, 5_000])
  func floodStarvesNothing(_ size: Int) throws {
    let (broker, loop) = (try RealBroker(), try EventLoop())
    let client = try TestClient.connected(broker.settings(), in: loop)
    try client.subscribe(to: "flood", .atMostOnce)
    let publisher = try TestClient.connected(broker.settings("publisher"), in: loop)
    // Readable in every turn.
    let waker = try Waker()
    waker.wake()
    var (longest, before) = (0, 0)
    let watch = try loop.watch(waker.number, for: .readable) { _ in
      longest = max(longest, client.messages.count - before)
      before = client.messages.count
    }
    defer { watch.cancel() }
    let count = 3_000
    var sent = 0
    try client.wait(300) {
      // The broker discards what a client does not fetch.
      while sent < count, sent - client.messages.count < 400,
        (try? publisher.publish([UInt8](repeating: 1, count: size), to: "flood", .atMostOnce)) != nil
      {
        sent += 1
      }
      return client.messages.count == count
    }
    #expect((1...16).contains(longest))
  }
}

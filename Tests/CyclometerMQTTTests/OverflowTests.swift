// A broker that is away for longer than the spool lasts: what is lost is counted, and nothing else is.

import EventLoop
import Foundation
import JSON
import Linux
import ProgramKit
import SensorKit
import Serving
import TestSupport
import Testing
import Time
import Vocabulary
import Wire

/// A daemon in the loop of the test, with a strap that beats as fast as the bridge reads.
private final class FastDaemon: RequestHandler {
  private let loop: EventLoop
  private let publisher: Publisher
  private var socket: ServiceSocket?
  private var batch = Batch()
  private(set) var published = 0
  private(set) var isSubscribed = false

  init(_ loop: EventLoop, at path: String) throws {
    self.loop = loop
    publisher = Publisher(loop: loop)
    let hello = HelloRecord(release: "0.0.0", instance: "played", clientLimit: ServiceSocket.clientLimit)
    socket = ServiceSocket(
      "metrics", of: "daemon", loop: loop, publisher: publisher, hello: hello, handler: self, log: Log { _ in })
    try socket?.listen(at: path)
  }

  func publish(_ count: Int) {
    let stream = publisher.stream("strap", SampleKind("heart_rate"))
    for _ in 0..<count {
      published += 1
      batch.removeAll()
      batch.sample(SampleKind("heart_rate"))
      batch.set(Field("bpm"), 60 + published % 100)
      for index in batch.entryIndices { publisher.publish(batch.entry(index), of: batch, on: stream, at: loop.now) }
    }
  }

  func answer(_ request: Request, from asker: Asker) throws(Refusal) -> Answer {
    guard let client = asker.client else { return .later }
    return .done.then {
      guard request.method == "subscribe" else { return }
      client.subscribe(Filter(snapshot: false))
      self.isSubscribed = true
    }
  }

  func ended(_ client: Client) {}
}

@Suite(.serialized, .timeLimit(.minutes(30)))
struct OverflowTests {
  /// More than two segments of a spool of 2 MiB.
  private static let samples = 40_000

  @Test("when the spool is full, one loss record says exactly what is missing, and the newest records are all there")
  func overflow() throws {
    let (folder, loop, broker) = (try TemporaryFolder(), try EventLoop(), try RealBroker())
    broker.kill()
    try BridgedReceiver.write("SpoolMiB=2", "bike-7", broker.port, to: folder)
    try Files.createDirectory(folder.file("run"), mode: 0o700)
    let daemon = try FastDaemon(loop, at: folder.file("run/metrics.sock"))
    let bridge = try RealService("cyclometer-mqtt", in: folder, socket: "mqtt.sock")
    let peer = try BridgePeer(bridge.socket)
    try #require(try loop.run(until: loop.now + .seconds(30)) { daemon.isSubscribed })
    while daemon.published < Self.samples {
      // Less than the queue of a client. The bridge has read the ones before when it answers.
      daemon.publish(100)
      _ = try loop.run(until: loop.now + .milliseconds(1)) { false }
      _ = try peer.ask("status")
    }
    // The last batch ends after a second.
    let full = try peer.status { status in
      let spool = status["spool"]
      return (spool?["lost"]?.integer ?? 0) + (spool?["records"]?.integer ?? 0) == Self.samples
    }
    let lost = try #require(full["spool"]?["lost"]?.integer)
    #expect(lost > 0 && (full["spool"]?["bytes"]?.integer ?? .max) <= 2 << 20, "\(full)")
    #expect(!bridge.diagnostics.contains("too slow"), "\(bridge.diagnostics)")

    // A broker forgets what it has no reader for, so the reader has to be first.
    kill(bridge.number, SIGSTOP)
    try broker.start()
    let reader = try BrokerReader(port: broker.port)
    kill(bridge.number, SIGCONT)
    #expect(try reader.run { reader.store.count >= Self.samples - lost })
    let losses = reader.store.others.filter { $0["class"] == "loss" }
    #expect(losses.count == 1 && losses.first?["records"]?.integer == lost, "\(losses)")
    #expect(reader.store.count == Self.samples - lost && reader.store.gaps.isEmpty, "\(reader.store.gaps)")
    let batches = losses.first?["batches"]?.items?.compactMap(\.integer) ?? []
    #expect(batches.first == 1 && batches.last == reader.store.batches.min(), "\(batches)")
    #expect(reader.store.missingBatches == 0 && reader.store.sequences == (lost + 1)...Self.samples)
    let left = try peer.status { $0["spool"]?["records"]?.integer == 0 }
    #expect(left["spool"]?["lost"]?.integer == lost)
  }
}

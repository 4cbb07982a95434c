// What a subscriber receives, and in which order.

import JSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30)))
struct SubscriptionTests {
  private func listen(_ peer: Peer, until count: Int) throws -> [JSONValue] {
    try (0..<count).map { _ in try peer.next("sample") }
  }

  @Test("reply, snapshot and live samples come in this order, without gaps")
  func order() throws {
    let folder = try TemporaryFolder()
    let daemon = try RealDaemon(["--simulate", makeCapture(count: 200, every: 0.1, in: folder)], in: folder)
    let first = try Peer(daemon.metricsSocket)
    _ = try first.ask("subscribe")
    _ = try listen(first, until: 3)
    let peer = try Peer(daemon.metricsSocket)
    try peer.begin("subscribe", #"{"kinds":["heart_rate"]}"#)
    #expect(try peer.next()["class"] == "reply")
    let state = try peer.next()
    #expect(state.className == "state" && state["sensor"] == "strap-0001" && state["state"] == "streaming")
    let snapshot = try peer.next()
    #expect(snapshot.className == "sample")
    #expect((0...5000).contains(snapshot["age_ms"]?.integer ?? -1))
    #expect(snapshot["sensor"] == "strap-0001")
    #expect(try peer.next().className == "snapshot_ended")
    let live = try listen(peer, until: 3)
    let begin = try #require(snapshot.sequence)
    #expect(live.map(\.sequence) == [begin + 1, begin + 2, begin + 3])
    #expect(live.allSatisfy { $0["age_ms"] == 0 && $0["kind"] == "heart_rate" })
    let times = try ([snapshot] + live).map { try #require($0["t"]?.number) }
    #expect(times == times.sorted())
    #expect(
      live.allSatisfy { $0["time"]?.text?.hasSuffix("Z") == true && (30...250).contains($0["bpm"]?.integer ?? 0) })
  }

  @Test("poll returns the last sample of each kind once")
  func poll() throws {
    let daemon = try RealDaemon()
    let peer = try Peer(daemon.metricsSocket)
    #expect(
      try eventually {
        let records = try peer.ask("poll").result?["records"]?.items ?? []
        return Set(records.compactMap { $0["kind"]?.text }).isSuperset(of: ["heart_rate", "battery"])
      })
    let records = try peer.ask("poll", #"{"kinds":["battery"],"sensors":["\#(Strap.worn)"]}"#).result?["records"]?.items
    #expect(records?.count == 1)
    #expect(records?.first?["battery_pct"] == 87)
    // It was read when the sensor connected, before the first heart rate.
    #expect(records?.first?["age_ms"]?.integer ?? 0 > 0)
    #expect(records?.first?["class"] == "sample")
    #expect(try peer.ask("poll", #"{"sensors":["ride"]}"#).result?["records"]?.items == [])
  }

  @Test("without a snapshot the first sample is live")
  func noSnapshot() throws {
    let daemon = try RealDaemon()
    let first = try Peer(daemon.metricsSocket)
    _ = try first.ask("subscribe")
    let seen = try #require(try first.next { $0["kind"] == "heart_rate" }.sequence)
    let peer = try Peer(daemon.metricsSocket)
    _ = try peer.ask("subscribe", #"{"snapshot":false,"kinds":["heart_rate"]}"#)
    let sample = try peer.next("sample")
    #expect(sample["age_ms"] == 0)
    #expect(try #require(sample.sequence) > seen)
  }

  @Test("a second subscription replaces the first, and unsubscribe ends it")
  func replaced() throws {
    let daemon = try RealDaemon()
    let peer = try Peer(daemon.controlSocket)
    _ = try peer.ask("subscribe")
    _ = try peer.next { $0["kind"] == "heart_rate" }
    _ = try peer.ask("subscribe", #"{"kinds":["battery"],"snapshot":false}"#)
    let witness = try Peer(daemon.metricsSocket)
    _ = try witness.ask("subscribe", #"{"kinds":["heart_rate"]}"#)
    _ = try listen(witness, until: 2)
    #expect(try peer.ask("unsubscribe").result == [:])
    #expect(!peer.passed.contains { $0.className == "sample" && $0["kind"] != "battery" && $0["age_ms"] == 0 })
    let received = peer.passed.count
    #expect(try peer.ask("forget", #"{"sensor":"\#(Strap.worn)"}"#).result?["id"]?.text == Strap.worn)
    #expect(try witness.next("sensor")["change"] == "removed")
    #expect(try peer.ask("ping").result == [:])
    #expect(peer.passed.count == received)
  }

  @Test("events:false still reports a removed sensor")
  func noEvents() throws {
    let daemon = try RealDaemon()
    let quiet = try Peer(daemon.metricsSocket)
    _ = try quiet.ask("subscribe", #"{"events":false}"#)
    let control = try Peer(daemon.controlSocket)
    _ = try control.ask("subscribe")
    _ = try control.next { $0.className == "state" && $0["state"] == "streaming" }
    _ = try control.ask("forget", #"{"sensor":"\#(Strap.worn)"}"#)
    _ = try quiet.ask("ping")
    #expect(quiet.passed.contains { $0.className == "sensor" && $0["change"] == "removed" })
    #expect(!quiet.passed.contains { $0.className == "event" })
  }

  @Test("max_hz thins out the samples")
  func maxRate() throws {
    let folder = try TemporaryFolder()
    let path = try makeCapture(count: 40, every: 0.1, in: folder)
    let daemon = try RealDaemon(["--simulate", path], in: folder)
    let (all, some) = (try Peer(daemon.metricsSocket), try Peer(daemon.metricsSocket))
    _ = try some.ask("subscribe", #"{"max_hz":2,"kinds":["heart_rate"]}"#)
    _ = try all.ask("subscribe", #"{"kinds":["heart_rate"]}"#)
    let live = try listen(all, until: 40)
    #expect(live.map(\.sequence) == (1...40).map { $0 })
    _ = try some.ask("ping")
    let thinned = some.passed.filter { $0.className == "sample" }
    // Four seconds at 2 Hz.
    #expect((7...9).contains(thinned.count))
    #expect(thinned.first?.sequence == 1)
  }
}

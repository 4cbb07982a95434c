// The limits of lines, clients and queues. Only the client that exceeds one is affected.

import JSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30)))
struct LimitTests {
  private func pingLine(of length: Int) -> String {
    let (head, tail) = (#"{"id":1,"method":"ping","pad":""#, #""}"#)
    return head + String(repeating: "x", count: length - head.utf8.count - tail.utf8.count) + tail
  }

  @Test("a burst of 1,000 requests is answered in order")
  func burst() throws {
    let daemon = try RealDaemon()
    let peer = try Peer(daemon.metricsSocket)
    let burst = (1...1000).map { #"{"id":\#($0),"method":"ping"}"# + "\n" }.joined()
    try peer.send(bytes: Array(burst.utf8))
    for id in 1...1000 { #expect(try peer.next()["id"]?.integer == id) }
  }

  @Test("a client that shuts down its writing side still gets all answers")
  func halfClosed() throws {
    let daemon = try RealDaemon()
    let peer = try Peer(daemon.metricsSocket)
    let burst = (1...1000).map { #"{"id":\#($0),"method":"status"}"# + "\n" }.joined()
    try peer.send(bytes: Array(burst.utf8))
    try peer.stopSending()
    for id in 1...1000 { #expect(try peer.next()["id"]?.integer == id) }
    #expect(try peer.ends())
  }

  @Test("a subscriber that shuts down its writing side still gets samples")
  func halfClosedSubscriber() throws {
    let daemon = try RealDaemon()
    let peer = try Peer(daemon.metricsSocket)
    try peer.begin("subscribe", #"{"snapshot":false,"kinds":["heart_rate"]}"#)
    try peer.stopSending()
    #expect(try peer.next()["class"] == "reply")
    for _ in 1...2 { _ = try peer.next("sample") }
  }

  @Test("a line of 65,536 bytes works, one byte more ends the connection")
  func longestLine() throws {
    let daemon = try RealDaemon()
    let peer = try Peer(daemon.controlSocket)
    try peer.send(pingLine(of: 65_536))
    #expect(try peer.next()["class"] == "reply")
    try peer.send(pingLine(of: 65_537))
    #expect(try peer.next().code == "line_too_long")
    // Pending input does not turn the error into a connection reset.
    _ = try? peer.send(pingLine(of: 65_536), pingLine(of: 65_536))
    #expect(try peer.ends())
    #expect(try Peer(daemon.controlSocket).ask("ping").result == [:])
  }

  @Test("a line without an end is cut off too")
  func endlessLine() throws {
    let daemon = try RealDaemon()
    let peer = try Peer(daemon.metricsSocket)
    try peer.send(bytes: [UInt8](repeating: UInt8(ascii: "x"), count: 70_000))
    #expect(try peer.next().code == "line_too_long")
    #expect(try peer.ends())
  }

  @Test("one user may hold 240 metrics connections, and all users 256")
  func oneUserMayHold240Metrics() throws {
    let daemon = try RealDaemon()
    var inside = try (0..<240).map { _ in try Peer(daemon.metricsSocket) }
    func isRefused(_ path: String) throws -> Bool {
      let peer = try Peer(path)
      let error = try? peer.next("error")
      return try error?.code == "too_many" && peer.ends()
    }
    #expect(try isRefused(daemon.metricsSocket))
    let control = try (0..<16).map { _ in try Peer(daemon.controlSocket) }
    for peer in control { #expect(try peer.ask("ping").result == [:]) }
    #expect(try isRefused(daemon.controlSocket))
    #expect(try isRefused(daemon.metricsSocket))
    for peer in inside { #expect(try peer.ask("ping").result == [:]) }
    inside.removeLast(20)
    #expect(
      try eventually {
        let peer = try Peer(daemon.metricsSocket)
        return (try? peer.ask("ping"))?.result != nil
      })
  }

  @Test("a client that disconnects in mid-line is removed")
  func halfLine() throws {
    let daemon = try RealDaemon()
    let witness = try Peer(daemon.metricsSocket)
    for half in ["", "{\"id\":1,\"meth", "{\"id\":1,\"method\":\"subscribe\"}\n{"] {
      let dying = try Peer(daemon.controlSocket)
      try dying.send(bytes: Array(half.utf8))
    }
    #expect(try eventually { try witness.ask("status").result?["counts"]?["clients"] == 1 })
  }

  @Test("a stalled reader loses samples and learns how many; others are unaffected")
  func stalledReaderLosesSamplesAndLearns() throws {
    let folder = try TemporaryFolder()
    let count = 3000
    let path = try makeCapture(count: count, every: 0.001, in: folder)
    let daemon = try RealDaemon(["--simulate", path], in: folder)
    let (stopped, reading) = (try Peer(daemon.metricsSocket), try Peer(daemon.metricsSocket))
    _ = try stopped.ask("subscribe", #"{"kinds":["heart_rate"]}"#)
    _ = try reading.ask("subscribe", #"{"kinds":["heart_rate"]}"#)
    for sequence in 1...count { #expect(try reading.next("sample").sequence == sequence) }

    let early = stopped.passed.count { $0.className == "sample" }
    let lag = try stopped.next("lag")
    let last = try stopped.next("sample")
    let received = stopped.passed.count { $0.className == "sample" } + 1
    #expect(early == 0)
    #expect(last.sequence == count)
    #expect(try received + #require(lag["dropped"]?.integer) == count)
    // The client's queue and the kernel's socket buffers.
    #expect(received < 1500)
    let kept = stopped.passed.compactMap { $0.className == "sample" ? $0.sequence : nil }
    #expect(kept == Array(1...kept.count))
  }
}

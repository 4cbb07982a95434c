// Clients that misbehave while another one listens. The listener loses nothing, the daemon's memory
// does not grow, and the next valid request is answered.

import JSON
import Linux
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30)))
struct HostileClientTests {
  /// A daemon that sends a hundred samples per second, and a client that listens.
  private final class Setup {
    let daemon: RealDaemon
    let witness: Peer
    private var received = 0

    init(sourceLocation: SourceLocation = #_sourceLocation) throws {
      let folder = try TemporaryFolder()
      let count = isSanitized ? 30_000 : 6000
      daemon = try RealDaemon(["--simulate", makeCapture(count: count, every: 0.01, in: folder)], in: folder)
      witness = try Peer(daemon.metricsSocket)
      _ = try witness.ask("subscribe", #"{"kinds":["heart_rate"]}"#)
      try expectMoreSamples(sourceLocation: sourceLocation)
    }

    /// Expects the next samples, without a gap.
    func expectMoreSamples(sourceLocation: SourceLocation = #_sourceLocation) throws {
      for _ in 1...50 {
        received += 1
        #expect(try witness.next("sample").sequence == received, sourceLocation: sourceLocation)
      }
    }

    /// In KiB.
    func residentMemory(sourceLocation: SourceLocation = #_sourceLocation) throws -> Int {
      let status = String(decoding: try Files.read("/proc/\(daemon.number)/status"), as: UTF8.self)
      let line = try #require(
        status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }, sourceLocation: sourceLocation)
      return try #require(line.split(separator: " ").compactMap { Int($0) }.first, sourceLocation: sourceLocation)
    }

    /// Memory may grow by less than a megabyte, no matter how much `misbehave` sends.
    func check(sourceLocation: SourceLocation = #_sourceLocation, _ misbehave: () throws -> Void) throws {
      try misbehave()
      try expectMoreSamples(sourceLocation: sourceLocation)
      let before = try residentMemory(sourceLocation: sourceLocation)
      try misbehave()
      try expectMoreSamples(sourceLocation: sourceLocation)
      let growth = try residentMemory(sourceLocation: sourceLocation) - before
      #expect(isSanitized || growth < 1024, sourceLocation: sourceLocation)
      #expect(try Peer(daemon.controlSocket).ask("ping").result == [:], sourceLocation: sourceLocation)
    }
  }

  @Test("10,000 short connections cost no lasting memory")
  func tenThousandConnections() throws {
    let stand = try Setup()
    try stand.check {
      for number in 1...5000 { _ = try Peer(number % 2 == 0 ? stand.daemon.metricsSocket : stand.daemon.controlSocket) }
    }
    #expect(try eventually { try stand.witness.ask("status").result?["counts"]?["clients"] == 1 })
  }

  @Test("an endless line is cut off with line_too_long")
  func endlessLineCutOffWithLinetoolong() throws {
    let stand = try Setup()
    let block = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
    try stand.check {
      let peer = try Peer(stand.daemon.controlSocket)
      // The daemon discards input for a second, so that the client can read the error.
      try peer.send(bytes: block)
      #expect(try peer.next("error").code == "line_too_long")
      for _ in 2...1024 where (try? peer.send(bytes: block)) == nil { break }
      // After that second the connection is reset.
      #expect((try? peer.ends()) != false)
    }
  }

  @Test("requests whose answers are never read cost no lasting memory")
  func requestsWhoseAnswersNeverReadCost() throws {
    let stand = try Setup()
    let burst = Array((1...200).map { #"{"id":\#($0),"method":"status"}"# + "\n" }.joined().utf8)
    try stand.check {
      let peers = try (0..<20).map { _ in try Peer(stand.daemon.controlSocket) }
      for peer in peers { try peer.send(bytes: burst) }
    }
  }

  @Test("random bytes are refused as bad_json, and the connection stays usable")
  func noise() throws {
    let stand = try Setup()
    var random = SeededRandom(20)
    try stand.check {
      let peer = try Peer(stand.daemon.controlSocket)
      for _ in 1...200 {
        let noise = (0..<200).map { _ in UInt8.random(in: 0...255, using: &random) }.filter { $0 != 10 && $0 != 13 }
        try peer.send(bytes: noise + [10])
        #expect(try peer.next("error").code == "bad_json")
      }
      #expect(try peer.ask("ping").result == [:])
    }
  }

  @Test("a request sent byte by byte is answered")
  func slowLine() throws {
    let stand = try Setup()
    try stand.check {
      let peers = try (0..<50).map { _ in try Peer(stand.daemon.metricsSocket) }
      for byte in Array(#"{"id":1,"method":"ping"}"#.utf8) + [10] {
        for peer in peers { try peer.send(bytes: [byte]) }
      }
      for peer in peers { #expect(try peer.next()["class"] == "reply") }
    }
  }
}

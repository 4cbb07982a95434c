// Clients that misbehave, beside one that listens: it loses nothing, the daemon's memory does not grow, and the next good
// request of whoever misbehaved is answered.

import Linux
import TestSupport
import Testing
import Wire

@Suite(.timeLimit(.minutes(10)))
struct HostileClientTests {
  /// A daemon with a hundred samples a second, and who listens to them.
  private final class Stand {
    let daemon: RealDaemon
    let witness: Peer
    private var heard = 0

    init() throws {
      let folder = try TemporaryFolder()
      let count = isSanitized ? 30_000 : 6000
      daemon = try RealDaemon(["--simulate", makeCapture(count: count, every: 0.01, in: folder)], in: folder)
      witness = try Peer(daemon.metricsSocket)
      _ = try witness.ask("subscribe", #"{"kinds":["heart_rate"]}"#)
      try hearOn()
    }

    /// The next samples are there, and none before them is missing.
    func hearOn() throws {
      for _ in 1...50 {
        heard += 1
        #expect(try witness.next("sample").sequence == heard)
      }
    }

    /// In KiB.
    func residentMemory() throws -> Int {
      let status = String(decoding: try Files.read("/proc/\(daemon.number)/status"), as: UTF8.self)
      let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
      return try #require(line.split(separator: " ").compactMap { Int($0) }.first)
    }

    /// What one misbehaves with may cost a megabyte for a while, and never what it sent.
    func check(_ misbehave: () throws -> Void) throws {
      try misbehave()
      try hearOn()
      let before = try residentMemory()
      try misbehave()
      try hearOn()
      let growth = try residentMemory() - before
      #expect(isSanitized || growth < 1024)
      #expect(try Peer(daemon.controlSocket).ask("ping").result == [:])
    }
  }

  @Test func tenThousandConnections() throws {
    let stand = try Stand()
    try stand.check {
      for number in 1...5000 { _ = try Peer(number % 2 == 0 ? stand.daemon.metricsSocket : stand.daemon.controlSocket) }
    }
    #expect(try eventually { try stand.witness.ask("status").result?["counts"]?["clients"] == 1 })
  }

  @Test func aGigabyteWithoutALineFeed() throws {
    let stand = try Stand()
    let block = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
    try stand.check {
      let peer = try Peer(stand.daemon.controlSocket)
      // For a second what it sends is thrown away, so that it can hear why it is cut off.
      try peer.send(bytes: block)
      #expect(try peer.next("error").code == "line_too_long")
      for _ in 2...1024 where (try? peer.send(bytes: block)) == nil { break }
      // Who goes on for longer than that finds the connection reset, and not only ended.
      #expect((try? peer.ends()) != false)
    }
  }

  @Test func aFloodOfRequestsWhoseAnswersNobodyReads() throws {
    let stand = try Stand()
    let burst = Array((1...200).map { #"{"id":\#($0),"method":"status"}"# + "\n" }.joined().utf8)
    try stand.check {
      let peers = try (0..<20).map { _ in try Peer(stand.daemon.controlSocket) }
      for peer in peers { try peer.send(bytes: burst) }
    }
  }

  @Test func bytesThatAreNoText() throws {
    let stand = try Stand()
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

  @Test func aLineThatDripsIn() throws {
    let stand = try Stand()
    try stand.check {
      let peers = try (0..<50).map { _ in try Peer(stand.daemon.metricsSocket) }
      for byte in Array(#"{"id":1,"method":"ping"}"#.utf8) + [10] {
        for peer in peers { try peer.send(bytes: [byte]) }
      }
      for peer in peers { #expect(try peer.next()["class"] == "reply") }
    }
  }
}

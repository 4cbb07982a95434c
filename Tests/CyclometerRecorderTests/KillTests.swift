// SIGKILL of the recorder at random moments of a ride with laps and pauses: what the daemon had sent
// two seconds before is kept, the rest is marked, and the ride stays one.
//
// `CYCLOMETER_RECORDER_KILLS` is how often (20), and `CYCLOMETER_RECORDER_SEED` repeats a run.

import Foundation
import JSON
import Linux
import TestSupport
import Testing
import Time

@Suite(.timeLimit(.minutes(30)))
struct KillTests {
  /// When the recorder was killed, and when the next one recorded, on the daemon's clock.
  private struct Kill {
    let at: Double
    let until: Double
  }

  private struct Key: Hashable {
    let sensor: String
    let kind: String
    let sequence: Int
    let milliseconds: Int

    init?(_ sample: JSONValue) {
      guard sample["class"] == "sample", let sensor = sample["sensor"]?.text, let kind = sample["kind"]?.text,
        let sequence = sample["seq"]?.integer, let time = sample["t"]?.number
      else { return nil }
      (self.sensor, self.kind, self.sequence) = (sensor, kind, sequence)
      milliseconds = Int((time * 1000).rounded())
    }
  }

  private static let environment = ProcessInfo.processInfo.environment
  private static let count = Int(environment["CYCLOMETER_RECORDER_KILLS"] ?? "") ?? 20
  /// What a kill may take: the second in hand, and the one before it if its commit was under way.
  private static let mostLost = 2.0

  @Test("SIGKILL takes at most two seconds, which are marked, and neither splits nor doubles the ride")
  func kill() throws {
    let seed = UInt64(Self.environment["CYCLOMETER_RECORDER_SEED"] ?? "") ?? .random(in: 0...999_999)
    print("seed \(seed)")
    var random = SeededRandom(seed)
    let daemon = try RealDaemon(["--simulate", "bike"])
    let control = try LogbookPeer(daemon.controlSocket)
    // Both power meters, the strap, the radar and what the daemon derives.
    let watching = try LogbookPeer(daemon.metricsSocket)
    _ = try watching.result("subscribe", #"{"snapshot":false}"#)
    var recorder = try RunningRecorder(in: daemon.folder)
    let id = try recordingID(of: recorder)
    let begun = Self.now
    var kills: [Kill] = []
    for number in 0..<Self.count {
      try Waiting.until(.now + .milliseconds(Int64.random(in: 200...1500, using: &random)))
      let action = ["lap", "pause", "resume", ""][number % 4]
      if !action.isEmpty { _ = try control.result("ride", #"{"action":"\#(action)"}"#) }
      recorder.kill()
      let killed = Self.now
      recorder = try RunningRecorder(in: daemon.folder)
      let next = try recordingID(of: recorder)
      #expect(next == id, "kill \(number): another ride")
      kills.append(Kill(at: killed, until: Self.now))
      // So that the daemon need not drop anything.
      _ = try watching.ask("ping")
    }
    let peer = try LogbookPeer(recorder.socket)
    _ = try peer.result("subscribe")
    _ = try watching.ask("ping")
    let end = Self.now
    _ = try control.result("ride", #"{"action":"end"}"#)
    #expect(try peer.change("ended")["id"]?.integer == id)
    #expect(try peer.result("list")["activities"]?.items?.count == 1)
    let sent = watching.passed.filter { begun...end ~= $0["t"]?.number ?? 0 }.compactMap(Key.init)
    try check(sent, kills, try records(of: id, with: recorder), try zero(of: id, peer))
  }

  private static var now: Double { Double(MonotonicTime.now.nanoseconds) / 1e9 }

  /// Waits until it records.
  private func recordingID(of recorder: RunningRecorder) throws -> Int {
    let peer = try LogbookPeer(recorder.socket)
    let deadline = MonotonicTime.now + .seconds(20)
    while MonotonicTime.now < deadline {
      if let id = try peer.result("status")["recording"]?.integer { return id }
      try Waiting.until(.now + .milliseconds(10))
    }
    throw LogbookPeer.Problem.silent
  }

  private func records(of id: Int, with recorder: RunningRecorder) throws -> [JSONValue] {
    let file = recorder.folder.file("ride.ndjson")
    let outcome = try cyclo(["export", "\(id)", "--format", "ndjson", "-o", file], with: recorder)
    #expect(outcome.status == 0, "\(outcome.complaint)")
    return try Files.read(file).split(separator: UInt8(ascii: "\n")).map { try JSONValue.parse(Array($0)) }
  }

  /// The zero of the activity on the daemon's clock.
  private func zero(of id: Int, _ peer: LogbookPeer) throws -> Double {
    let restart = try #require(
      try peer.result("show", #"{"id":\#(id)}"#)["events"]?.items?.first { $0["event"] == "restart" })
    return try #require(restart["at_s"]?.number)
  }

  private func check(_ sent: [Key], _ kills: [Kill], _ records: [JSONValue], _ firstRestart: Double) throws {
    let stored = records.compactMap(Key.init)
    let found = Set(stored)
    #expect(found.count == stored.count, "samples were stored twice")
    let restarts = records.filter { $0["event"] == "restart" }
    // One that was killed before its first commit left none.
    #expect(1...kills.count ~= restarts.count)
    let zero = try #require(restarts.first?["t"]?.number) - firstRestart
    let marks = restarts.compactMap { restart -> ClosedRange<Double>? in
      guard let from = restart["from_ms"]?.number, let to = restart["t"]?.number else { return nil }
      return min(zero + from / 1000, to)...to
    }
    let lost = sent.filter { !found.contains($0) }
    print("\(kills.count) kills: \(sent.count) samples sent, \(lost.count) lost, \(stored.count) stored")
    for key in lost {
      let time = Double(key.milliseconds) / 1000
      let isExplained = kills.contains { $0.at - Self.mostLost <= time && time <= $0.until }
      #expect(isExplained, "\(key) was lost without a reason")
      #expect(marks.contains { $0.lowerBound <= time + 0.001 && time <= $0.upperBound + 0.001 }, "\(key) is not marked")
    }
  }
}

// Row 21 of docs/field-failures.md: the daemon is killed at every single system call while it remembers something. What is on
// the disk then is what it knew before or what it was told, and the next start takes it up without a word.

import CSystemCallTracer
import Foundation
import TestSupport
import Testing
import Wire

@Suite(.timeLimit(.minutes(10)))
struct FieldFailurePowerCutTests {
  @Test func whereverItIsKilledTheRosterIsTheOldOrTheNew() throws {
    let folder = try TemporaryFolder()
    var allowed: Set<String> = []
    var outcomes: Set<String> = []
    var moment = 0
    var isAnswered = false
    while !isAnswered {
      moment += 1
      let daemon = try RealDaemon(in: folder)
      let peer = try Peer(daemon.controlSocket)
      let sensors = try #require(try peer.ask("sensors").result?["sensors"]?.items)
      let old = try #require(sensors.first { $0["id"]?.text == Strap.worn }?["name"]?.text)
      #expect(allowed.isEmpty || allowed.contains(old), "killed at moment \(moment - 1), it knows \(old)")
      #expect(!daemon.diagnostics.contains("damaged"))
      let new = "Name \(moment)"
      allowed = [old, new]
      try #require(stop_child(daemon.number) == 0)
      _ = try peer.begin("rename", #"{"sensor":"\#(Strap.worn)","name":"\#(new)"}"#)
      let result = kill_child_at(daemon.number, Int32(moment), peer.number)
      try #require(result >= 0, "moment \(moment)")
      daemon.kill()
      isAnswered = result == 0
      let kept = try names(in: folder)
      #expect(kept.count == 1 && allowed.isSuperset(of: kept), "killed at moment \(moment): \(kept)")
      outcomes.formUnion(kept.map { $0 == old ? "old" : "new" })
      // Who was answered is not forgotten.
      if isAnswered { #expect(kept == [new]) }
    }
    #expect(moment > 20, "a file is not replaced in so few system calls")
    #expect(outcomes == ["old", "new"])
  }

  /// What the roster calls the strap; nothing may lie beside it but the next version of itself.
  private func names(in folder: TemporaryFolder) throws -> [String] {
    let state = folder.file("state")
    let files = try FileManager.default.contentsOfDirectory(atPath: state)
    #expect(Set(files).isSubset(of: ["simulated.json", "simulated.json.new"]))
    let roster = try JSON.parse(try String(contentsOfFile: state + "/simulated.json", encoding: .utf8))
    return roster["sensors"]?.items?.filter { $0["id"]?.text == Strap.worn }.compactMap { $0["name"]?.text } ?? []
  }
}

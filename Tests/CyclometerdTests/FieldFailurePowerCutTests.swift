// Row 21 of docs/field-failures.md: the daemon is killed at every single system call while it saves
// a change. The disk then holds the old or the new state, and the next start reads it without a
// warning.

import CSystemCallTracer
import Foundation
import JSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30)))
struct FieldFailurePowerCutTests {
  @Test("killed at any system call, the daemon leaves the old or the new roster")
  func killedAtAnySystemCallDaemon() throws {
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
      // A change that was confirmed is never lost.
      if isAnswered { #expect(kept == [new]) }
    }
    #expect(moment > 20, "replacing a file takes more system calls")
    #expect(outcomes == ["old", "new"])
  }

  /// The strap's name in the roster. The only other file allowed is the roster's next version.
  private func names(in folder: TemporaryFolder, sourceLocation: SourceLocation = #_sourceLocation) throws -> [String] {
    let state = folder.file("state")
    let files = try FileManager.default.contentsOfDirectory(atPath: state)
    #expect(Set(files).isSubset(of: ["simulated.json", "simulated.json.new"]), sourceLocation: sourceLocation)
    let roster = try JSONValue.parse(try String(contentsOfFile: state + "/simulated.json", encoding: .utf8))
    return roster["sensors"]?.items?.filter { $0["id"]?.text == Strap.worn }.compactMap { $0["name"]?.text } ?? []
  }
}

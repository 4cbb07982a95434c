// The checks of the guide, from its status to findings.

import CyclometerClient
import GuideWire
import JSON
import LogbookWire
import Testing
import Troubleshooting
import Wire

@testable import cyclo

struct DoctorGuideTests {
  private static let restartAndRead =
    "sudo systemctl restart cyclometer-guide; journalctl -u cyclometer-guide -n 20 --no-pager"

  private func facts(
    _ guide: GuideContact, unit: Unit = Unit(), recorder: Unit = Unit(), logbook: LogbookContact = .absent
  ) throws -> Facts {
    var facts = try healthy()
    facts.host.units = Units(recorder: recorder, guide: unit)
    (facts.guide, facts.logbook) = (guide, logbook)
    return facts
  }

  /// `error guide: COMMAND`; `ok guide` without a command.
  private func found(_ facts: Facts) -> [String] {
    GuideChecks(facts: facts).diagnoses.map { diagnosis in
      "\(diagnosis.verdict) \(diagnosis.check)" + (diagnosis.command.map { ": \($0)" } ?? "")
    }
  }

  private func status(_ members: String) throws -> GuideContact {
    let coach = #""coach":{"sport":"off","preference_per_min":0}"#
    return .answers(try #require(GuideStatusReply(try JSONValue.parse("{\(coach),\(members)}"))))
  }

  private func recorder() throws -> LogbookContact {
    let json = try JSONValue.parse(#"{"connected":true,"storage":"ok","activities":1}"#)
    return .answers(try #require(LogbookStatusReply(json)))
  }

  @Test("without a guide nothing is checked")
  func withoutGuide() throws {
    #expect(found(try facts(.absent, unit: .missing)).isEmpty)
    #expect(found(try facts(.absent, unit: Unit(load: "masked", active: "inactive", file: "masked"))).isEmpty)
    var elsewhere = try facts(.absent, unit: Unit(active: "failed"))
    elsewhere.isUsualSocket = false
    #expect(found(elsewhere).isEmpty, "the unit belongs to another daemon")
  }

  @Test(
    "a status of the guide",
    arguments: [
      ("no route", #""connected":true"#, ["ok guide"]),
      ("a route is followed", #""connected":true,"following":{"route":4,"name":"Loop"}"#, ["ok guide"]),
      (
        "a route that was deleted", #""connected":true,"following":{"route":4},"message":"there is no route 4""#,
        ["warning guide: cyclo route leave"]
      ),
      (
        "no connection to the daemon", #""connected":false"#,
        ["ok guide", "error guide: journalctl -u cyclometer-guide -n 20 --no-pager"]
      ),
      (
        "the logbook refuses the guide",
        #""connected":true,"logbook_message":"the guide may not use /run/cyclometer/logbook.sock""#,
        ["error guide: \(restartAndRead)"]
      ),
      (
        "another release", #""connected":true,"release":"0.0.1""#,
        ["ok guide", "warning guide: sudo systemctl restart cyclometer-guide"]
      ),
    ])
  func statusOfGuide(name: String, members: String, expected: [String]) throws {
    #expect(found(try facts(try status(members), logbook: try recorder())) == expected)
  }

  @Test("the same release is not reported")
  func sameRelease() throws {
    var facts = try facts(try status(#""connected":true,"release":"1.2.3""#))
    facts.ownRelease = "1.2.3"
    #expect(found(facts) == ["ok guide"])
  }

  @Test("without a recorder the guide only coaches, and a recorder that is stopped is not the guide's fault")
  func withoutRecorder() throws {
    let unreachable = try status(#""connected":true,"logbook_message":"the recorder is not running""#)
    let alone = try facts(unreachable, recorder: .missing)
    #expect(GuideChecks(facts: alone).diagnoses.map(\.found).first?.contains("cyclometer-recorder") == true)
    #expect(found(alone) == ["ok guide"])
    #expect(found(try facts(unreachable, recorder: Unit(active: "inactive"))).isEmpty)
  }

  @Test("if the daemon does not answer anybody, the guide is not blamed")
  func withoutDaemon() throws {
    var facts = try facts(try status(#""connected":false"#))
    facts.contact = .absent(path: "/run/cyclometer/control.sock")
    #expect(found(facts) == ["ok guide"])
  }

  @Test(
    "a guide that does not answer gets the command that its unit needs",
    arguments: [
      (GuideContact.absent, Unit(active: "inactive"), "sudo systemctl enable --now cyclometer-guide"),
      (.absent, Unit(active: "failed", exitStatus: "78"), "journalctl -u cyclometer-guide -n 20 --no-pager"),
      (.silent(reason: "no answer"), Unit(exitStatus: "78"), "journalctl -u cyclometer-guide -n 20 --no-pager"),
      (.silent(reason: "no answer"), Unit(), restartAndRead),
      (.notAllowed(path: "/run/cyclometer/guide.sock"), Unit(), "sudo usermod -aG cyclometer \"$USER\""),
    ])
  func silentGuide(guide: GuideContact, unit: Unit, command: String) throws {
    #expect(GuideChecks(facts: try facts(guide, unit: unit)).diagnoses.map(\.command) == [command])
  }

  @Test("a guide that does not start at boot is reported")
  func disabled() throws {
    let found = found(try facts(try status(#""connected":true"#), unit: Unit(file: "disabled")))
    #expect(found == ["ok guide", "warning guide: sudo systemctl enable cyclometer-guide"])
  }

  @Test("a guide that answers is asked on guide.sock beside the daemon's")
  func asked() throws {
    let reply = #"{"connected":true,"following":{"route":4},"coach":{"sport":"off","preference_per_min":0}}"#
    let script: StandInDaemon.Script = ["status": [[.reply(reply)]]]
    let server = try StandInDaemon(script, socket: "guide.sock")
    defer { server.stop() }
    guard case .answers(let status) = GuideContact.ask(Endpoint(controlSocket: server.controlSocket)) else {
      Issue.record("the guide did not answer")
      return
    }
    #expect(status.isConnected && status.following?.route == 4)
    guard case .absent = GuideContact.ask(Endpoint(controlSocket: "/nonexistent/control.sock")) else {
      Issue.record("no guide listens there")
      return
    }
  }
}

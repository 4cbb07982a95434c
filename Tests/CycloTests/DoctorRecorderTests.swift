// The checks of the recorder, from its status to findings.

import JSON
import LogbookWire
import Testing
import Troubleshooting
import Wire

@testable import cyclo

struct DoctorRecorderTests {
  private static let installed = Unit(exitStatus: "0")

  private func facts(_ logbook: LogbookContact, unit: Unit = installed, riding: Bool = false) throws -> Facts {
    var facts = try healthy()
    facts.host.units = Units(recorder: unit)
    facts.logbook = logbook
    facts.isRiding = riding
    return facts
  }

  /// `error recorder: COMMAND`; `ok storage` without a command.
  private func found(_ facts: Facts) -> [String] {
    RecorderChecks(facts: facts).diagnoses.map { diagnosis in
      "\(diagnosis.verdict) \(diagnosis.check)" + (diagnosis.command.map { ": \($0)" } ?? "")
    }
  }

  private func status(_ members: String) throws -> LogbookContact {
    .answers(try #require(LogbookStatusReply(try JSONValue.parse("{\(members)}"))))
  }

  @Test("without a recorder nothing is checked")
  func withoutRecorder() throws {
    #expect(found(try facts(.absent, unit: Unit(load: "not-found", active: "inactive", file: ""))).isEmpty)
    #expect(found(try facts(.absent, unit: Unit(load: "masked", active: "inactive", file: "masked"))).isEmpty)
    var elsewhere = try facts(.absent, unit: Unit(active: "failed"))
    elsewhere.isUsualSocket = false
    #expect(found(elsewhere).isEmpty, "the unit belongs to another daemon")
  }

  @Test(
    "a status of the recorder",
    arguments: [
      (
        "a ride is recorded", #""connected":true,"recording":12,"storage":"ok","hours_left":400,"activities":12"#, true,
        ["ok recorder", "ok storage"]
      ),
      ("no ride", #""connected":true,"storage":"ok","activities":12"#, false, ["ok recorder"]),
      (
        "a ride is not recorded", #""connected":true,"storage":"ok","activities":12"#, true,
        [
          "error recorder: sudo systemctl restart cyclometer-recorder; journalctl -u cyclometer-recorder -n 20 --no-pager"
        ]
      ),
      (
        "no connection", #""connected":false,"storage":"ok","activities":12"#, false,
        ["error recorder: journalctl -u cyclometer-recorder -n 20 --no-pager"]
      ),
      (
        "little space", #""connected":true,"storage":"low","message":"3 hours are left","hours_left":3,"activities":1"#,
        false, ["ok recorder", "warning storage: sudo du -xh --max-depth=2 / | sort -h | tail -n 20"]
      ),
      (
        "a card that went read-only",
        #""connected":true,"recording":1,"storage":"failed","message":"read-only file system","activities":1"#, true,
        ["ok recorder", "error storage: sudo dmesg | grep -iE 'mmc|ext4|f2fs|i/o error' | tail -n 20"]
      ),
      (
        "a card that was read-only at the start",
        #""connected":false,"storage":"failed","message":"the file system of /x is read-only","activities":0"#, true,
        ["error storage: sudo dmesg | grep -iE 'mmc|ext4|f2fs|i/o error' | tail -n 20"]
      ),
      (
        "a slow card", #""connected":true,"storage":"ok","sync_p99_ms":812.5,"hours_left":20,"activities":1"#, false,
        ["ok recorder", "warning storage"]
      ),
      (
        "an interrupted ride", #""connected":true,"storage":"ok","interrupted":7,"activities":7"#, false,
        ["ok recorder", "warning interrupted: cyclo logbook show 7"]
      ),
      (
        "exports", #""connected":true,"storage":"ok","activities":1,"export_folder":"/srv/rides""#, false,
        ["ok recorder", "ok export"]
      ),
      (
        "exports to the usual folder fail",
        #""connected":true,"storage":"ok","activities":1,"export_folder":"/var/lib/cyclometer-recorder/export","#
          + #""export_message":"permission denied""#, false,
        ["ok recorder", "warning export: sudo systemd-tmpfiles --create cyclometer-recorder.conf"]
      ),
    ])
  func statusOfRecorder(name: String, members: String, riding: Bool, expected: [String]) throws {
    #expect(found(try facts(try status(members), riding: riding)) == expected)
  }

  @Test("exports to a folder outside the sandbox get the drop-in that allows it")
  func dropIn() throws {
    let reply = try status(
      #""connected":true,"storage":"ok","activities":1,"export_folder":"/srv/my rides","export_message":"read-only file system""#
    )
    let diagnosis = try #require(RecorderChecks(facts: try facts(reply)).diagnoses.last)
    #expect(diagnosis.found == "rides cannot be exported to /srv/my rides: read-only file system")
    let command = try #require(diagnosis.command)
    #expect(command.hasPrefix(#"printf '[Service]\nReadWritePaths="%s"\n' '/srv/my rides' | sudo install -D"#))
    #expect(command.contains("/etc/systemd/system/cyclometer-recorder.service.d/export.conf"))
  }

  @Test(
    "a recorder that does not answer gets the command that its unit needs",
    arguments: [
      (LogbookContact.absent, Unit(active: "inactive"), "sudo systemctl enable --now cyclometer-recorder"),
      (.absent, Unit(active: "failed", exitStatus: "78"), "journalctl -u cyclometer-recorder -n 20 --no-pager"),
      (.silent(reason: "no answer"), Unit(exitStatus: "78"), "journalctl -u cyclometer-recorder -n 20 --no-pager"),
      (
        .silent(reason: "no answer"), Unit(),
        "sudo systemctl restart cyclometer-recorder; journalctl -u cyclometer-recorder -n 20 --no-pager"
      ),
      (.notAllowed(path: "/run/cyclometer/logbook.sock"), Unit(), "sudo usermod -aG cyclometer \"$USER\""),
    ])
  func silentRecorder(logbook: LogbookContact, unit: Unit, command: String) throws {
    #expect(RecorderChecks(facts: try facts(logbook, unit: unit)).diagnoses.map(\.command) == [command])
  }

  @Test("a recorder that does not start at boot is reported")
  func disabled() throws {
    let reply = try status(#""connected":true,"storage":"ok","activities":1"#)
    #expect(
      found(try facts(reply, unit: Unit(file: "disabled"))) == [
        "ok recorder", "warning recorder: sudo systemctl enable cyclometer-recorder",
      ])
  }
}

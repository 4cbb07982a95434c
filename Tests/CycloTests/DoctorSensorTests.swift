// What doctor finds about sensors.

import JSON
import Testing
import Troubleshooting
import Wire

@testable import cyclo

extension DoctorCheckTests {
  @Test(
    "each problem of a sensor comes with its fix",
    arguments: [
      (#""state":"error","reason":"bond_lost""#, "error state: cyclo pair A0:9E:1A:00:00:01"),
      (#""state":"error","reason":"of_a_later_daemon""#, "error state: cyclo pair A0:9E:1A:00:00:01"),
      (#""state":"error","reason":"unsupported","plugins":[]"#, "error state: cyclo forget strap-1"),
      (#""state":"searching","reason":"held_elsewhere""#, "error state: bluetoothctl disconnect A0:9E:1A:00:00:01"),
      (#""state":"searching","reason":"no_slots""#, "error state: bluetoothctl devices Connected"),
      (
        #""state":"searching","reason":"link_stuck""#,
        "error state: bluetoothctl power off && bluetoothctl power on"
      ),
      (#""state":"searching","reason":"connecting_failed""#, "error state: journalctl -u cyclometerd -n 50 --no-pager"),
      (#""state":"searching","reason":"adapter_off""#, "unknown state: -"),
      (#""state":"stale","reason":"silent""#, "warning state: cyclo watch --sensor strap-1"),
      (#""state":"connecting","plugins":[]"#, "error plugins: cyclo forget strap-1"),
      (#""battery_pct":19"#, "error battery: cyclo get battery --sensor strap-1"),
      (#""rssi_dbm":-86"#, "warning signal: cyclo show strap-1"),
      (#""link":{"reconnects":0,"packets":980,"missed":21}"#, "error packets: cyclo watch --sensor strap-1"),
      (#""link":{"reconnects":9}"#, "error reconnects: journalctl -u cyclometerd -n 50 --no-pager"),
    ])
  func eachProblemOfSensorComes(members: String, trouble: String) throws {
    let facts = try healthy(sensor: "," + members)
    #expect(troubles(facts) == [trouble])
    #expect(facts.findings.allSatisfy { $0.verdict == .ok || $0.sensor == "strap-1" && !$0.why.isEmpty })
  }

  @Test("reconnects that the daemon began are not blamed on the battery")
  func aSilentSensorHasNoBadLink() throws {
    let facts = try healthy(
      sensor: #","state":"stale","reason":"silent","link":{"reconnects":0,"silent_reconnects":13}"#)
    #expect(
      troubles(facts) == [
        "warning state: cyclo watch --sensor strap-1", "warning silence: cyclo watch --sensor strap-1",
      ])
    #expect(!facts.findings.contains { $0.fix.contains("battery") })
  }

  @Test(
    "a disabled sensor has no troubles, whatever is known of it",
    arguments: [
      #""link":{"reconnects":40,"silent_reconnects":40}"#, #""battery_pct":3"#, #""plugins":[]"#,
      #""link":{"reconnects":0,"packets":980,"missed":400}"#,
    ])
  func aDisabledSensorIsLeftAlone(members: String) throws {
    #expect(troubles(try healthy(sensor: #","state":"disabled","reason":"user","# + members)) == [])
  }

  @Test(
    "normal states are not problems",
    arguments: [
      #""state":"connecting""#, #""plugins":[]"#, #""state":"disabled","reason":"user""#, #""state":"searching""#,
      #""battery_pct":20"#,
      #""rssi_dbm":-85"#, #""state":"searching","rssi_dbm":-99"#, #""link":{"reconnects":0,"packets":980,"missed":20}"#,
      #""link":{"reconnects":0,"packets":50,"missed":40}"#, #""link":{"reconnects":8}"#, #""link":{}"#,
      #""new":{"a":[1]}"#,
    ])
  func normalStatesNotProblems(members: String) throws {
    #expect(troubles(try healthy(sensor: "," + members)) == [])
  }

  @Test("a wheel sensor without circumference is reported")
  func wheelSensorWithoutCircumferenceReported() throws {
    var facts = try healthy()
    facts.unmeasuredWheels = ["strap-1"]
    #expect(troubles(facts) == ["warning wheel: cyclo set strap-1 circumference_mm 2105"])
    facts = try healthy(sensor: #","settings":{"circumference_mm":2105}"#)
    facts.unmeasuredWheels = []
    #expect(facts.findings.contains { $0.check == "wheel" && $0.verdict == .ok })
    for (measured, word) in [("2101.2", "agrees"), ("2080", "disagrees")] {
      facts = try healthy(
        sensor: ##","settings":{"circumference_mm":2105},"facts":{"measured_circumference_mm":\##(measured)}"##)
      let found = facts.findings.first { $0.check == "wheel" }?.found ?? ""
      #expect(found.contains("2105") && found.hasSuffix("by GPS, \(word)"), "\(found)")
    }
    facts = try healthy(sensor: #","facts":{"measured_circumference_mm":2096.4}"#)
    facts.unmeasuredWheels = ["strap-1"]
    #expect(facts.findings.contains { $0.check == "wheel" && $0.verdict == .ok && $0.found.contains("2096") })
  }

  @Test("known deviations of a maker are reported")
  func knownDeviationsOfMakerReported() throws {
    let facts = try healthy(sensor: #","name":"Wahoo CADENCE 1234""#)
    let finding = try #require(facts.findings.first { $0.check == "quirk" })
    #expect(finding.verdict == .ok && finding.found.contains("its crank comes as a wheel"))
  }

  @Test("a sensor that is missing for long gets advice")
  func sensorThatMissingForLong() throws {
    var facts = try healthy(sensor: #","state":"searching""#)
    facts.silences = ["strap-1": 601]
    #expect(troubles(facts) == ["warning state: cyclo scan -t 30"])
    facts.silences = [:]
    let finding = try #require(facts.findings.first { $0.verdict == .warning })
    #expect(finding.found.contains("since the daemon started, 2 h ago"), "\(finding.found)")
  }

  @Test("frequent losses with a short timeout get a longer one")
  func frequentLossesWithShortTimeout() throws {
    var facts = try healthy(sensor: #","link":{"reconnects":40}"#)
    let links = LinkParameters(shortestIntervalMS: 30, longestIntervalMS: 50, latency: 0, supervisionTimeoutMS: 420)
    facts.status?.adapters = [AdapterRecord(adapter: "hci0", state: .on, links: links)]
    let finding = try #require(facts.findings.first { $0.check == "reconnects" })
    #expect(finding.why.contains("420 ms"))
    #expect(finding.command == Facts.longerTimeout)
  }
}

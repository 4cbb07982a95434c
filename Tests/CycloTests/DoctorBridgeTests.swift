// The checks of the bridge to an MQTT broker, from its status to findings.

import CyclometerClient
import FleetWire
import JSON
import Testing
import Troubleshooting
import Wire

@testable import cyclo

struct DoctorBridgeTests {
  private static let read = "journalctl -u cyclometer-mqtt -n 20 --no-pager"
  private static let restart = "sudo systemctl restart cyclometer-mqtt"

  private func facts(_ bridge: BridgeContact, unit: Unit = Unit()) throws -> Facts {
    var facts = try healthy()
    facts.host.units = Units(bridge: unit)
    facts.bridge = bridge
    return facts
  }

  /// `error bridge: COMMAND`; `ok bridge` without a command.
  private func found(_ facts: Facts) -> [String] {
    BridgeChecks(facts: facts).diagnoses.map { diagnosis in
      "\(diagnosis.verdict) \(diagnosis.check)" + (diagnosis.command.map { ": \($0)" } ?? "")
    }
  }

  private func status(_ members: String, broker: String = #""state":"connected""#) throws -> BridgeContact {
    let text =
      #"{"group":"home","receiver":"rx-1f09a3","connected":true,"live":{"mode":"wanted"},"#
      + #""broker":{"address":"mqtts://broker.example:8883",\#(broker)}\#(members)}"#
    return .answers(try #require(BridgeStatusReply(try JSONValue.parse(text))))
  }

  @Test("without a bridge nothing is checked")
  func withoutBridge() throws {
    #expect(found(try facts(.absent, unit: .missing)).isEmpty)
    #expect(found(try facts(.absent, unit: Unit(load: "masked", active: "inactive", file: "masked"))).isEmpty)
    var elsewhere = try facts(.absent, unit: Unit(active: "failed"))
    elsewhere.isUsualSocket = false
    #expect(found(elsewhere).isEmpty, "the unit belongs to another daemon")
  }

  @Test(
    "the connection to the broker",
    arguments: [
      (#""state":"connected""#, "ok bridge", "sends to mqtts://broker.example:8883 as rx-1f09a3"),
      (#""state":"unset""#, "ok bridge", "names no broker"),
      (#""state":"connecting""#, "ok bridge", "connects to"),
      (
        #""state":"waiting","reason":"unreachable","message":"no route to host""#, "error bridge: \(read)",
        "does not reach the broker mqtts://broker.example:8883: no route to host"
      ),
      (
        #""state":"waiting","reason":"denied","message":"not authorised""#, "error bridge: \(restart)",
        "refuses the bridge: not authorised"
      ),
      (
        #""state":"stopped","reason":"untrusted","message":"another host's certificate""#,
        "error bridge: \(restart)", "does not trust"
      ),
      (
        #""state":"stopped","reason":"files","message":"/etc/cyclometer/mqtt/password: permission denied""#,
        "error bridge: sudo chown root:cyclometer-mqtt /etc/cyclometer/mqtt/* && sudo chmod 640 /etc/cyclometer/mqtt/*",
        "/etc/cyclometer/mqtt/password: permission denied"
      ),
      (#""state":"stopped","reason":"name_taken""#, "error bridge: \(restart)", "is called rx-1f09a3"),
      (#""state":"waiting","reason":"quota","message":"too much""#, "error bridge: \(read)", "too much"),
    ])
  func broker(members: String, expected: String, words: String) throws {
    let facts = try facts(try status("", broker: members))
    #expect(found(facts) == [expected])
    #expect(BridgeChecks(facts: facts).diagnoses.first?.found.contains(words) == true, "\(facts.bridge)")
  }

  @Test(
    "the rest of a status",
    arguments: [
      (#","clock_set":false"#, "warning bridge: timedatectl"),
      (#","release":"0.0.1""#, "warning bridge: \(restart)"),
      (
        #","spool":{"records":90000,"bytes":60000000,"limit_bytes":67108864}"#,
        "warning bridge: cyclo fleet status"
      ),
      (#","spool":{"records":9,"bytes":60,"limit_bytes":67108864,"lost":12}"#, "warning bridge: \(restart)"),
      (
        #","control":{"connected":false,"message":"no permission"}"#,
        "error bridge: sudo systemctl edit cyclometer-mqtt && \(restart)"
      ),
      (
        #","spool":{"records":0,"message":"no space left"}"#,
        "error bridge: df -h /var/lib/cyclometer-mqtt; \(read)"
      ),
    ])
  func rest(members: String, expected: String) throws {
    #expect(found(try facts(try status(members))) == ["ok bridge", expected])
  }

  @Test("a spool with room and a clock that is set are not reported")
  func healthyBridge() throws {
    let members =
      #","clock_set":true,"control":{"connected":true,"allowed":["ride"]},"#
      + #""spool":{"records":9,"bytes":60,"limit_bytes":67108864}"#
    #expect(found(try facts(try status(members))) == ["ok bridge"])
  }

  @Test("topics that the broker refuses are named")
  func rights() throws {
    let broker = #""state":"connected","refused":["cyclometer/v1/home/rx-1f09a3/want"]"#
    let found = BridgeChecks(facts: try facts(try status("", broker: broker))).diagnoses.map(\.found)
    #expect(found.last?.contains("rx-1f09a3/want") == true, "\(found)")
    let log = #""state":"connected","refused":["cyclometer/v1/home/rx-1f09a3/log"]"#
    let unstored = BridgeChecks(facts: try facts(try status("", broker: log))).diagnoses
    #expect(unstored.last?.verdict == .error && unstored.last?.found.contains("refuses the records") == true)
  }

  @Test("if the daemon does not answer anybody, the bridge is not blamed")
  func withoutDaemon() throws {
    let text = #"{"group":"home","receiver":"a","connected":false,"live":{"mode":"never"},"broker":{"state":"unset"}}"#
    let status = try #require(BridgeStatusReply(try JSONValue.parse(text)))
    var facts = try facts(.answers(status))
    #expect(found(facts) == ["ok bridge", "error bridge: \(Self.read)"])
    facts.contact = .absent(path: "/run/cyclometer/control.sock")
    #expect(found(facts) == ["ok bridge"])
  }

  @Test("a bridge that only reads other receivers needs no daemon")
  func wall() throws {
    let text =
      #"{"group":"home","receiver":"a","connected":false,"live":{"mode":"never"},"broker":{"state":"connected"},"#
      + #""wall":{"groups":["studio"],"alone":true}}"#
    let status = try #require(BridgeStatusReply(try JSONValue.parse(text)))
    #expect(found(try facts(.answers(status))) == ["ok bridge"])
  }

  @Test(
    "a bridge that does not answer gets the command that its unit needs",
    arguments: [
      (BridgeContact.absent, Unit(active: "inactive"), "sudo systemctl enable --now cyclometer-mqtt"),
      (.absent, Unit(active: "failed", exitStatus: "78"), read),
      (.silent(reason: "no answer"), Unit(exitStatus: "78"), read),
      (.silent(reason: "no answer"), Unit(), "\(restart); \(read)"),
      (.notAllowed(path: "/run/cyclometer/mqtt.sock"), Unit(), "sudo usermod -aG cyclometer \"$USER\""),
    ])
  func silentBridge(bridge: BridgeContact, unit: Unit, command: String) throws {
    #expect(BridgeChecks(facts: try facts(bridge, unit: unit)).diagnoses.map(\.command) == [command])
  }

  @Test("a bridge that does not start at boot is reported")
  func disabled() throws {
    let found = found(try facts(try status(""), unit: Unit(file: "disabled")))
    #expect(found == ["ok bridge", "warning bridge: sudo systemctl enable cyclometer-mqtt"])
  }

  @Test("a bridge that answers is asked on mqtt.sock beside the daemon's")
  func asked() throws {
    let reply =
      #"{"group":"home","receiver":"bike-1","connected":true,"broker":{"state":"unset"},"live":{"mode":"wanted"}}"#
    let script: StandInDaemon.Script = ["status": [[.reply(reply)]]]
    let server = try StandInDaemon(script, socket: "mqtt.sock")
    defer { server.stop() }
    guard case .answers(let status) = BridgeContact.ask(Endpoint(controlSocket: server.controlSocket)) else {
      Issue.record("the bridge did not answer")
      return
    }
    #expect(status.isConnected && status.receiver == "bike-1")
    guard case .absent = BridgeContact.ask(Endpoint(controlSocket: "/nonexistent/control.sock")) else {
      Issue.record("no bridge listens there")
      return
    }
  }

  @Test("the status is shown with the reason, what waits, and what was lost")
  func shown() throws {
    let broker = #""state":"waiting","reason":"unreachable","message":"connection refused""#
    let members =
      #","sensors":3,"clock_set":false,"#
      + #""spool":{"records":1000,"batches":5,"bytes":33554432,"limit_bytes":67108864,"lost":1}"#
    guard case .answers(let reply) = try status(members, broker: broker) else { return }
    let text = BridgeStatusText(status: reply, style: .plain, columns: nil).lines.joined(separator: "\n")
    for words in [
      "rx-1f09a3", "connected, 3 sensors, the clock is not set", "waiting", "connection refused",
      "1000 records in 5 batches", "50 % of 64 MiB", "1 record\n",
    ] {
      #expect((text + "\n").contains(words), "\(words) in:\n\(text)")
    }
  }
}

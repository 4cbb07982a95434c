// The bridge between a real daemon, which simulates a bike, and a real broker.

import Foundation
import JSON
import TestSupport
import Testing
import Time

@Suite(.serialized, .timeLimit(.minutes(30)))
struct BridgeTests {
  private let broker: RealBroker

  init() throws { broker = try RealBroker() }

  @Test("a reader sees the receiver, its sensors, what it wants live, and each record once")
  func everything() throws {
    let receiver = try BridgedReceiver(port: broker.port)
    let reader = try BrokerReader(port: broker.port)
    let (status, want) = (receiver.prefix + "status", receiver.prefix + "want")
    #expect(try reader.run { reader.retained[status]?.json["state"] == "online" })
    let birth = reader.retained[status]?.json ?? .null
    #expect(birth["instance"]?.text != nil && birth["clock"]?["time"]?.text != nil && birth["protocol"] == "1.0")
    #expect(try reader.run { reader.retained.values.contains { $0.json["state"] == "streaming" } })
    #expect(reader.messages(below: receiver.prefix + "now/").isEmpty, "there is no wish yet")
    let until = ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: 600))
    try reader.publish(#"{"kinds":["heart_rate","power"],"hz":2,"until":"\#(until)"}"#, to: want, isRetained: true)
    #expect(try reader.run { reader.messages(below: receiver.prefix + "now/").count >= 4 })
    let live = reader.messages(below: receiver.prefix + "now/")
    #expect(live.allSatisfy { $0.topic.hasSuffix("/heart_rate") || $0.topic.hasSuffix("/power") })
    #expect(live.allSatisfy { $0.json["instance"] == birth["instance"] && $0.json["class"] == nil })
    #expect(try reader.run { reader.store.count > 100 })
    #expect(reader.store.gaps.isEmpty && reader.store.missingBatches == 0, "\(reader.store.gaps)")
    #expect(reader.store.contradictions.isEmpty)

    let reply = try receiver.peer().status { $0["live"]?["kinds"] != nil }
    #expect(reply["receiver"] == "bike-7" && reply["group"] == "studio" && reply["connected"] == true)
    #expect(reply["broker"]?["state"] == "connected" && (reply["sensors"]?.integer ?? 0) > 0, "\(reply)")
    #expect(receiver.bridge.stop() == 0)
    #expect(try reader.run { reader.retained[status]?.json["state"] == "offline" })
    #expect(reader.retained[status]?.json["reason"] == "stopped", "it says goodbye, so there is no will")
  }

  @Test("what was measured while the broker was away is stored once and in order when it is back")
  func brokerAway() throws {
    let receiver = try BridgedReceiver(port: broker.port)
    let reader = try BrokerReader(port: broker.port)
    #expect(try reader.run { reader.store.count > 20 })
    broker.kill()
    let peer = try receiver.peer()
    #expect(try reader.run { !reader.isSubscribed })
    let waiting = try peer.status { ($0["spool"]?["batches"]?.integer ?? 0) >= 3 }
    #expect(waiting["broker"]?["state"] != "connected" && waiting["broker"]?["message"]?.text != nil, "\(waiting)")
    // A broker forgets what it has no reader for, so the reader has to be first.
    kill(receiver.bridge.number, SIGSTOP)
    try broker.start()
    #expect(try reader.run { reader.isSubscribed })
    kill(receiver.bridge.number, SIGCONT)
    _ = try peer.status { $0["broker"]?["state"] == "connected" && ($0["spool"]?["batches"]?.integer ?? 9) <= 1 }
    let before = reader.store.count
    #expect(try reader.run { reader.store.count > before + 100 })
    #expect(reader.store.gaps.isEmpty, "\(reader.store.gaps)")
    #expect(reader.store.missingBatches == 0 && reader.store.contradictions.isEmpty)
    #expect(reader.store.instances.count == 1)
  }

  @Test("without a daemon the receiver is blind and its sensors stale, never zero")
  func blind() throws {
    let receiver = try BridgedReceiver(port: broker.port, "[Fleet]\nLive=always")
    let reader = try BrokerReader(port: broker.port)
    let status = receiver.prefix + "status"
    let values = receiver.prefix + "now/"
    #expect(try reader.run { reader.retained.values.contains { $0.json["state"] == "streaming" } })
    #expect(try reader.run { reader.messages(below: values).count > 10 })
    let first = reader.retained[status]?.json["instance"]
    receiver.daemon.kill()
    #expect(try reader.run { reader.retained[status]?.json["state"] == "blind" })
    let sensors = receiver.prefix + "sensor/"
    #expect(
      try reader.run {
        let states = reader.retained.filter { $0.key.hasPrefix(sensors) }.map { $0.value.json["state"] }
        return !states.isEmpty && states.allSatisfy { $0 == "stale" || $0 == "disabled" }
      })
    #expect(reader.messages(below: values).allSatisfy { !$0.payload.isEmpty }, "lost is never empty")
    try receiver.startDaemon()
    #expect(try reader.run { reader.retained[status]?.json["state"] == "online" })
    #expect(reader.retained[status]?.json["instance"] != first)
    #expect(try reader.run { reader.store.instances.count == 2 })
    #expect(reader.store.gaps.isEmpty, "\(reader.store.gaps)")
  }

  @Test("a bridge that is killed leaves its will, and goes on with the next batch")
  func killed() throws {
    let receiver = try BridgedReceiver(port: broker.port)
    let reader = try BrokerReader(port: broker.port)
    let status = receiver.prefix + "status"
    #expect(try reader.run { reader.store.batches.count >= 3 })
    receiver.bridge.kill()
    #expect(try reader.run { reader.retained[status]?.json["state"] == "offline" })
    #expect(reader.retained[status]?.json["reason"] == nil)
    let last = reader.store.batches.max() ?? 0
    try receiver.startBridge()
    #expect(try reader.run { reader.retained[status]?.json["state"] == "online" })
    #expect(try reader.run { (reader.store.batches.max() ?? 0) >= last + 3 })
    #expect(reader.store.missingBatches == 0 && reader.store.contradictions.isEmpty)
  }

  @Test("a sensor that is removed while no bridge runs leaves no state and no value at the broker")
  func removedMeanwhile() throws {
    let receiver = try BridgedReceiver(port: broker.port, "[Fleet]\nLive=always")
    let reader = try BrokerReader(port: broker.port)
    let (state, value) = (receiver.prefix + "sensor/strap", receiver.prefix + "now/strap/heart_rate")
    #expect(try reader.run { reader.retained[value]?.payload.isEmpty == false })
    #expect(try reader.run { reader.retained[state]?.payload.isEmpty == false })
    #expect(receiver.bridge.stop() == 0)
    let removal = try receiver.cyclo(["forget", "strap"])
    #expect(removal.status == 0, "\(removal)")
    try receiver.startBridge()
    for topic in [state, value] { #expect(try reader.run { reader.retained[topic]?.payload.isEmpty == true }) }
    #expect(try reader.run { reader.retained[receiver.prefix + "now/wheel/speed"]?.payload.isEmpty == false })
  }

  @Test("a password that everybody can read is not used, and a wrong one is told apart")
  func passwords() throws {
    var configuration = RealBroker.Configuration()
    configuration.users = ["bike-7": "right"]
    let (folder, locked) = (try TemporaryFolder(), try RealBroker(configuration))
    let password = folder.file("password")
    let keys = "[Broker]\nUser=bike-7\nPasswordFile=\(password)"
    try "wrong\n".write(toFile: password, atomically: false, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: password)
    let receiver = try BridgedReceiver(port: locked.port, keys)
    var status = try receiver.peer().status { $0["broker"]?["state"] == "stopped" }
    #expect(status["broker"]?["reason"] == "files", "\(status)")
    #expect(receiver.bridge.stop() == 0)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: password)
    try receiver.startBridge()
    status = try receiver.peer().status { $0["broker"]?["reason"] == "denied" }
    #expect(status["broker"]?["message"]?.text?.contains("PasswordFile=") == true, "\(status)")
    #expect(try receiver.cyclo(["fleet", "status"]).output.contains("PasswordFile="))
    #expect(receiver.bridge.stop() == 0)
    try "right\n".write(toFile: password, atomically: false, encoding: .utf8)
    try receiver.startBridge()
    _ = try receiver.peer().status { $0["broker"]?["state"] == "connected" }
  }

  @Test("what a client of mqtt.sock asks is answered or refused with a reason")
  func requests() throws {
    let receiver = try BridgedReceiver(port: broker.port)
    let peer = try receiver.peer()
    #expect(peer.hello["class"] == "hello" && peer.hello["release"]?.text != nil)
    #expect(try peer.ask("ping")["class"] == "reply")
    #expect(try peer.ask("follow")["code"] == "unknown_method")
    _ = try peer.status { $0["broker"]?["state"] == "connected" }
    let shown = try receiver.cyclo(["fleet", "status"])
    #expect(shown.status == 0 && shown.output.contains("connected since"), "\(shown)")
    let json = try JSONValue.parse(Array(try receiver.cyclo(["--json", "fleet", "status"]).output.utf8))
    #expect(json["receiver"] == "bike-7")
    #expect(receiver.bridge.stop() == 0)
    let absent = try receiver.cyclo(["fleet", "status"])
    #expect(absent.status == 1 && absent.complaint.contains("no bridge listens at"), "\(absent)")
  }

  @Test("position does not leave the computer, and only the kinds that are allowed do")
  func privacy() throws {
    let receiver = try BridgedReceiver(port: broker.port, "[Fleet]\nLive=always\nKinds=power position")
    let reader = try BrokerReader(port: broker.port)
    #expect(try reader.run { reader.store.count > 10 })
    let topics = Set(reader.messages(below: receiver.prefix + "now/").map { $0.topic.split(separator: "/").last ?? "" })
    #expect(topics == ["power"])
    #expect(reader.messages(below: receiver.prefix + "log").allSatisfy { !$0.isRetained })
    #expect(reader.store.kinds == ["power"])
  }

  @Test("position leaves the computer if that is allowed")
  func position() throws {
    let receiver = try BridgedReceiver(port: broker.port, "[Fleet]\nLive=always\nPosition=yes\nKinds=position")
    let reader = try BrokerReader(port: broker.port)
    #expect(try reader.run { reader.store.count > 2 })
    #expect(reader.store.kinds == ["position"])
    #expect(try reader.run { !reader.messages(below: receiver.prefix + "now/").isEmpty })
  }
}

@Suite(.serialized, .timeLimit(.minutes(30)))
struct HomeAssistantBridgeTests {
  @Test("Home Assistant gets the receiver, the ride and each sensor, and again when it starts")
  func discovery() throws {
    let broker = try RealBroker()
    let receiver = try BridgedReceiver(port: broker.port, "[HomeAssistant]\nEnabled=yes")
    let reader = try BrokerReader(port: broker.port)
    let prefix = "homeassistant/device/bike-7/"
    let status = try receiver.peer().status { ($0["sensors"]?.integer ?? 0) > 0 }
    let expected = (status["sensors"]?.integer ?? 0) + 2
    #expect(try reader.run { reader.retained.keys.count { $0.hasPrefix(prefix) } == expected })
    let messages = reader.retained.filter { $0.key.hasPrefix(prefix) }
    #expect(messages.values.allSatisfy { $0.json["dev"]?["ids"] != nil && $0.json["cmps"] != nil })
    #expect(try reader.run { !reader.messages(below: receiver.prefix + "now/").isEmpty }, "its values are live")
    let counts = { reader.retained[receiver.prefix + "status"]?.json["counts"] }
    #expect(try reader.run { counts()?["sensors"]?.integer == expected - 2 && counts()?["streaming"] != nil })
    let before = reader.messages(below: prefix).count
    try reader.publish("online", to: "homeassistant/status")
    #expect(try reader.run { reader.messages(below: prefix).count >= before + expected })
  }
}

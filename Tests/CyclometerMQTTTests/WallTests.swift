// A bridge that reads other receivers, over a real broker: real daemons and bridges, and receivers that the
// test plays.

import Foundation
import JSON
import Linux
import TestSupport
import Testing
import Time

/// A bridge with `Groups=`, and no daemon.
private final class RealWall {
  let folder: TemporaryFolder
  private(set) var bridge: RealService

  init(port: UInt16, _ configuration: String = "[Log]\nRecords=no") throws {
    folder = try TemporaryFolder()
    let text = """
      [Broker]
      Address=mqtt://127.0.0.1:\(port)
      [Fleet]
      Receiver=wall
      \(configuration)
      [Wall]
      Groups=studio
      """
    try Files.replace(folder.file("cyclometer-mqtt.conf"), with: Array((text + "\n").utf8), mode: 0o600)
    bridge = try RealService("cyclometer-mqtt", in: folder, socket: "mqtt.sock")
  }

  func peer() throws -> BridgePeer { try BridgePeer(bridge.socket) }

  /// For records that no daemon sends.
  func untappedPeer() throws -> BridgePeer { try BridgePeer(bridge.socket, tap: nil) }
}

/// What a reader of the wall knows, by class, receiver, sensor and kind.
private struct Shown {
  private(set) var records: [JSONValue] = []

  mutating func read(_ peer: BridgePeer, until fits: (JSONValue) -> Bool) throws {
    while true {
      let record = try peer.next()
      records.append(record)
      if fits(record) { return }
    }
  }

  func last(_ fits: (JSONValue) -> Bool) -> JSONValue? { records.last(where: fits) }
}

private let online = #"{"state":"online","instance":"a","since":"2026-11-18T11:00:00.000Z"}"#

@Suite(.serialized, .timeLimit(.minutes(30)))
struct WallTests {
  private let broker: RealBroker

  init() throws { broker = try RealBroker() }

  @Test("a wall without a daemon shows real receivers live, and a killed one as offline")
  func everything() throws {
    let first = try BridgedReceiver("bike-1", port: broker.port)
    let second = try BridgedReceiver("bike-2", port: broker.port)
    let wall = try RealWall(port: broker.port)
    let peer = try wall.peer()
    let status = try peer.status { $0["wall"]?["online"] == 2 }
    #expect(status["connected"] == false && status["wall"]?["alone"] == true && status["live"]?["mode"] == "never")
    #expect(status["spool"] == nil)
    #expect(try peer.ask("subscribe")["class"] == "reply")
    var shown = Shown()
    try shown.read(peer) { $0["class"] == "snapshot_ended" }
    #expect(shown.records.first?["class"] == "broker" && shown.records.first?["state"] == "connected")
    #expect(Set(shown.records.compactMap { $0["receiver"]?.text }) == ["bike-1", "bike-2"])
    for bike in ["bike-1", "bike-2"] {
      try shown.read(peer) {
        $0["class"] == "sample" && $0["receiver"]?.text == bike && $0["kind"] == "heart_rate"
      }
      let sample = try #require(shown.records.last)
      #expect(sample["group"] == "studio" && (sample["age_ms"]?.number ?? .infinity) < 3000, "\(sample)")
      #expect(sample["bpm"] != nil && sample["instance"]?.text != nil)
    }
    second.bridge.kill()
    try shown.read(peer) { $0["class"] == "receiver" && $0["receiver"] == "bike-2" && $0["state"] == "offline" }
    first.daemon.kill()
    try shown.read(peer) { $0["class"] == "receiver" && $0["receiver"] == "bike-1" && $0["state"] == "blind" }
    let stale: (JSONValue) -> Bool = {
      $0["class"] == "sensor" && $0["receiver"] == "bike-1" && $0["sensor"]?["state"] == "stale"
    }
    if shown.last(stale) == nil { try shown.read(peer, until: stale) }
    let reader = try BrokerReader(port: broker.port)
    #expect(try reader.run { reader.retained["cyclometer/v1/studio/bike-2/status"] != nil })
    #expect(!reader.retained.keys.contains { $0.hasPrefix("cyclometer/v1/home/") }, "the wall is not a receiver")
  }

  @Test("receivers are asked for what readers want together, when they come online too, and not by the idle wall")
  func wants() throws {
    let wall = try RealWall(port: broker.port)
    let bikes = try BrokerReader(port: broker.port, id: "bikes")
    let wants = "cyclometer/v1/studio/bike-1/want"
    try bikes.publish(online, to: "cyclometer/v1/studio/bike-1/status", isRetained: true)
    let peer = try wall.peer()
    _ = try peer.status { $0["wall"]?["online"] == 1 }
    #expect(bikes.messages(below: wants).isEmpty, "there is no reader yet")
    _ = try peer.ask("subscribe", #"{"kinds":["power"],"hz":0.5}"#)
    #expect(try bikes.run { bikes.messages(below: wants).count == 1 })
    let first = try #require(bikes.messages(below: wants).last)
    #expect(first.json["kinds"] == ["power"] && first.json["hz"] == 0.5 && !first.isRetained)
    let until = try #require(first.json["until"]?.text.flatMap { ISO8601DateFormatter.wire.date(from: $0) })
    #expect(540...660 ~= until.timeIntervalSinceNow, "\(until)")
    let other = try wall.peer()
    _ = try other.ask("subscribe", #"{"kinds":["heart_rate"],"hz":4}"#)
    #expect(try bikes.run { bikes.messages(below: wants).count == 2 })
    #expect(bikes.messages(below: wants).last?.json["kinds"] == ["heart_rate", "power"])
    #expect(bikes.messages(below: wants).last?.json["hz"] == 4)
    try bikes.publish(online, to: "cyclometer/v1/studio/bike-2/status", isRetained: true)
    #expect(try bikes.run { bikes.messages(below: "cyclometer/v1/studio/bike-2/want").count == 1 })
    #expect(bikes.messages(below: wants).count == 2, "the others were asked before")
    _ = try other.ask("unsubscribe")
    _ = try peer.ask("unsubscribe")
    try bikes.publish(online, to: "cyclometer/v1/studio/bike-3/status", isRetained: true)
    _ = try peer.status { $0["wall"]?["online"] == 3 }
    #expect(bikes.messages(below: "cyclometer/v1/studio/bike-3/want").isEmpty)
  }

  @Test("when the broker comes back, a reader is told, and gets everything again")
  func brokerAway() throws {
    let wall = try RealWall(port: broker.port)
    let bikes = try BrokerReader(port: broker.port, id: "bikes")
    try bikes.publish(online, to: "cyclometer/v1/studio/bike-1/status", isRetained: true)
    let peer = try wall.peer()
    _ = try peer.status { $0["wall"]?["online"] == 1 }
    _ = try peer.ask("subscribe")
    var shown = Shown()
    try shown.read(peer) { $0["class"] == "snapshot_ended" }
    broker.kill()
    #expect(try bikes.run { !bikes.isSubscribed })
    try shown.read(peer) { $0["class"] == "broker" && $0["state"] != "connected" }
    #expect(shown.records.last?["message"]?.text != nil)
    try broker.start()
    #expect(try bikes.run { bikes.isSubscribed })
    try bikes.publish(online, to: "cyclometer/v1/studio/bike-2/status", isRetained: true)
    try shown.read(peer) { $0["class"] == "broker" && $0["state"] == "connected" }
    try shown.read(peer) { $0["class"] == "receiver" && $0["receiver"] == "bike-2" }
    let event = #"{"class":"event","event":"radar_lost","sensor":"varia-1","t":12.5,"instance":"a"}"#
    try bikes.publish(event, to: "cyclometer/v1/studio/bike-2/event/radar_lost")
    try shown.read(peer) { $0["class"] == "event" && $0["receiver"] == "bike-2" && $0["event"] == "radar_lost" }
  }

  @Test("a bridge can be a receiver and a wall, and what is asked wrongly is refused with what to do")
  func requests() throws {
    let receiver = try BridgedReceiver(port: broker.port, "[Wall]\nGroups=studio")
    let peer = try receiver.peer()
    let status = try peer.status { $0["wall"]?["online"] == 1 }
    #expect(status["connected"] == true && status["wall"]?["alone"] == nil && status["spool"] != nil)
    let refusal = try peer.ask("subscribe", #"{"groups":["home"]}"#)
    #expect(refusal["code"] == "bad_request" && refusal["message"]?.text?.contains("only studio") == true, "\(refusal)")
    #expect(try peer.ask("subscribe", #"{"hz":100}"#)["code"] == "bad_request")
    #expect(try peer.ask("subscribe", #"{"groups":["studio"]}"#)["class"] == "reply")
    var shown = Shown()
    try shown.read(peer) { $0["class"] == "sample" && $0["receiver"] == "bike-7" }
    let text = try receiver.cyclo(["fleet", "status"]).output
    #expect(text.contains("studio") && text.contains("1, 1 online"), "\(text)")
    let plain = try BridgedReceiver("bike-8", port: broker.port)
    let answer = try plain.peer().ask("subscribe")
    #expect(answer["code"] == "not_supported" && answer["message"]?.text?.contains("Groups=") == true, "\(answer)")
  }

  @Test("a reader that reads nothing costs the others nothing, and gets the newest when it reads again")
  func slow() throws {
    let wall = try RealWall(port: broker.port)
    let bikes = try BrokerReader(port: broker.port, id: "bikes")
    try bikes.publish(online, to: "cyclometer/v1/studio/bike-1/status", isRetained: true)
    let (quick, slow) = (try wall.untappedPeer(), try wall.untappedPeer())
    _ = try quick.status { $0["wall"]?["online"] == 1 }
    _ = try slow.ask("subscribe")
    _ = try quick.ask("subscribe")
    let padding = String(repeating: "x", count: 2000)
    for number in 1...2000 {
      let topic = "cyclometer/v1/studio/bike-1/now/strap-\(number % 10)/power"
      let payload =
        #"{"sensor":"strap-\#(number % 10)","kind":"power","seq":\#(number),"t":\#(number),"x":"\#(padding)"}"#
      // Not more at once than the broker acknowledges.
      while (try? bikes.publish(payload, to: topic)) == nil { try bikes.run(for: .milliseconds(1)) }
    }
    var shown = Shown()
    try shown.read(quick) { $0["seq"] == 2000 }
    shown = Shown()
    try shown.read(slow) { $0["seq"] == 2000 }
    #expect(shown.records.count < 1900, "\(shown.records.count) of 2000 records were sent in spite of newer ones")
  }
}

extension ISO8601DateFormatter {
  fileprivate static var wire: ISO8601DateFormatter {
    let formatter = ISO8601DateFormatter()
    formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
    return formatter
  }
}

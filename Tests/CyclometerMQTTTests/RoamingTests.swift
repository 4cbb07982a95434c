// One strap and several receivers: real daemons with simulated radios, a real broker and real bridges.

import Foundation
import JSON
import TestSupport
import Testing
import Time
import Wire

@testable import BridgeCore

/// A strap, and how strong each receiver receives it.
private final class Strap {
  static let address = "C0:FF:EE:00:00:01"
  private let folder: TemporaryFolder

  init(_ receivers: [String]) throws {
    folder = try TemporaryFolder()
    for receiver in receivers {
      try FileManager.default.createDirectory(atPath: scene(receiver), withIntermediateDirectories: false)
      try setStrength(nil, at: receiver)
    }
  }

  func scene(_ receiver: String) -> String { folder.file(receiver) }

  func setStrength(_ strength: Int?, at receiver: String) throws {
    let text = strength.map(String.init) ?? "none"
    try text.write(toFile: scene(receiver) + "/strength", atomically: true, encoding: .utf8)
  }
}

@Suite(.serialized, .timeLimit(.minutes(30)))
struct RoamingTests {
  private static let roaming = "[Fleet]\nRoaming=yes"
  private let broker: RealBroker

  init() throws { broker = try RealBroker() }

  private func state(_ receiver: BridgedReceiver, _ reader: BrokerReader, _ sensor: String = "strap") -> JSONValue? {
    reader.retained[receiver.prefix + "sensor/" + sensor]?.json["state"]
  }

  /// Each sensor with its holder, from the status of the bridge.
  private func shared(_ receiver: BridgedReceiver) throws -> [String] {
    let status = try receiver.peer().status { $0["shared"] != nil }
    return (status["shared"]?.items ?? []).map { each in
      ["sensor", "holder", "receiver"].compactMap { each[$0]?.text }.joined(separator: " ")
    }
  }

  /// Since when claims of two receivers stood at the same time; empty if they never did.
  private func doubleClaims(_ reader: BrokerReader) -> [String] {
    var standing: Set<Substring> = []
    var double: [String] = []
    for message in reader.messages where message.topic.hasSuffix("/claim/" + Strap.address) {
      let receiver = message.topic.split(separator: "/")[3]
      if message.payload.isEmpty { standing.remove(receiver) } else { standing.insert(receiver) }
      if standing.count > 1 { double.append("\(standing)") }
    }
    return double
  }

  /// The longest time between two heart rates.
  private func longestGap(_ reader: BrokerReader) -> Double {
    let times = reader.store.times(of: "heart_rate").map(\.t)
    return zip(times, times.dropFirst()).map { $1 - $0 }.max() ?? 0
  }

  /// What one receiver needs if the strap leaves it, and is back as soon as the link is lost.
  private func gapOfOne() throws -> Double {
    let strap = try Strap(["alone"])
    try strap.setStrength(-60, at: "alone")
    let receiver = try BridgedReceiver("alone", port: broker.port, scene: strap.scene("alone"))
    let reader = try BrokerReader(port: broker.port, id: "reader-of-one")
    #expect(try reader.run { reader.store.times(of: "heart_rate").count > 5 })
    try strap.setStrength(nil, at: "alone")
    #expect(try reader.run { state(receiver, reader) == "searching" })
    try strap.setStrength(-60, at: "alone")
    let before = reader.store.times(of: "heart_rate").count
    #expect(try reader.run { reader.store.times(of: "heart_rate").count > before + 5 })
    reader.stop()
    return longestGap(reader)
  }

  @Test("a strap that walks between two receivers has one owner, soon a new one, and every value is stored once")
  func walk() throws {
    let gapOfOne = try gapOfOne()
    let names = ["left", "right"]
    let strap = try Strap(names)
    try strap.setStrength(-50, at: "left")
    try strap.setStrength(-80, at: "right")
    let reader = try BrokerReader(port: broker.port)
    let receivers = try names.map {
      try BridgedReceiver($0, port: broker.port, Self.roaming, scene: strap.scene($0))
    }
    var owner = 0
    let walks = 4
    for walk in 0...walks {
      if walk > 0 {
        try strap.setStrength(nil, at: names[owner])
        owner = 1 - owner
        try strap.setStrength(-50, at: names[owner])
      } else if try reader.run(until: { receivers.contains { state($0, reader) == "streaming" } }) {
        // The daemons may have connected before the bridges met.
        owner = state(receivers[0], reader) == "streaming" ? 0 : 1
      }
      let instance = { reader.retained[receivers[owner].prefix + "status"]?.json["instance"]?.text }
      let count = { reader.store.times(of: "heart_rate").count { $0.instance == instance() } }
      let before = count()
      #expect(try reader.run { count() > before + 5 }, "walk \(walk)")
      let other = receivers[1 - owner]
      #expect(try reader.run { state(other, reader) == "disabled" }, "walk \(walk)")
      #expect(reader.retained[other.prefix + "sensor/strap"]?.json["reason"] == "elsewhere")
      #expect(try shared(receivers[owner]) == ["strap here"])
      #expect(try shared(other) == ["strap elsewhere \(names[owner])"])
      // It is weaker at the owner now, which keeps it all the same.
      try strap.setStrength(-85, at: names[owner])
      try strap.setStrength(-80, at: names[1 - owner])
      try reader.run(for: .seconds(4))
      #expect(state(receivers[owner], reader) == "streaming", "there is no handover of a link")
    }
    let times = reader.store.times(of: "heart_rate")
    let switches = zip(times, times.dropFirst()).count { $0.instance != $1.instance }
    #expect(switches == walks, "the links of two receivers never overlap")
    #expect(reader.store.gaps.isEmpty && reader.store.contradictions.isEmpty, "\(reader.store.gaps)")
    #expect(doubleClaims(reader).isEmpty, "\(doubleClaims(reader))")
    let gap = longestGap(reader)
    #expect(gap <= gapOfOne + 5, "\(gap) s, and \(gapOfOne) s with one receiver")
  }

  @Test("a receiver that is killed loses its sensors to another one, and without its bridge a daemon connects alone")
  func killed() throws {
    let names = ["left", "right"]
    let strap = try Strap(names)
    let reader = try BrokerReader(port: broker.port)
    let receivers = try names.map {
      try BridgedReceiver($0, port: broker.port, Self.roaming, scene: strap.scene($0))
    }
    for receiver in receivers { #expect(try reader.run { state(receiver, reader) == "disabled" }) }
    try strap.setStrength(-50, at: "left")
    try strap.setStrength(-70, at: "right")
    #expect(try reader.run { state(receivers[0], reader) == "streaming" })
    #expect(state(receivers[1], reader) == "disabled")
    receivers[0].bridge.kill()
    receivers[0].daemon.kill()
    #expect(try reader.run { state(receivers[1], reader) == "streaming" })
    receivers[1].bridge.kill()
    try strap.setStrength(nil, at: "right")
    try reader.run(for: .seconds(4))
    try strap.setStrength(-70, at: "right")
    let before = reader.store.times(of: "heart_rate").count
    try receivers[1].startBridge()
    #expect(try reader.run { reader.store.times(of: "heart_rate").count > before + 3 })
  }

  @Test("radars and pinned sensors are never disabled, and those of other receivers are left to them")
  func pinned() throws {
    let pins = "\nPin=C0:FF:EE:00:00:01@bike-7 C0:FF:EE:00:00:03@bike-8"
    let reader = try BrokerReader(port: broker.port)
    let receiver = try BridgedReceiver(port: broker.port, Self.roaming + pins)
    #expect(try reader.run { state(receiver, reader, "wheel") == "disabled" })
    // The pedals roam, and there is no other receiver.
    #expect(try reader.run { reader.retained[receiver.prefix + "claim/C0:FF:EE:00:00:04"]?.payload.isEmpty == false })
    for sensor in ["strap", "radar", "pedals"] {
      #expect(try reader.run { state(receiver, reader, sensor) == "streaming" })
    }
    let disabled = Set(
      reader.messages(below: receiver.prefix + "sensor/").filter { $0.json["state"] == "disabled" }
        .compactMap { $0.topic.split(separator: "/").last })
    #expect(disabled.isSubset(of: ["wheel", "pedals"]), "\(disabled)")
    #expect(receiver.bridge.stop() == 0)
    #expect(try reader.run { reader.retained[receiver.prefix + "claim/C0:FF:EE:00:00:04"]?.payload.isEmpty == true })
  }

  @Test("what is bonded, warns of cars, only broadcasts or is disabled by the user does not roam")
  func eligible() {
    var strap = SensorRecord(id: "strap", name: "Strap", address: Strap.address)
    strap.kinds = ["heart_rate"]
    #expect(strap.mayRoam)
    strap.state = WireWord(.disabled)
    strap.reason = WireWord(.elsewhere)
    #expect(strap.mayRoam)
    var others = Array(repeating: strap, count: 5)
    others[0].isBonded = true
    others[1].kinds = ["radar"]
    others[2].isBroadcaster = true
    others[3].reason = WireWord(.user)
    others[4].address = "nowhere"
    #expect(others.allSatisfy { !$0.mayRoam })
  }
}

// Receivers that agree on who connects to a sensor.

import JSON
import TestSupport
import Testing
import Time
import Wire

@testable import Fleet

/// The rules, for one receiver.
@Suite struct RoamingRulesTests {
  private static let address = RoamingWorld.address
  private let names: (a: FleetName, b: FleetName, c: FleetName)

  init() throws {
    names = (try #require(FleetName("a")), try #require(FleetName("b")), try #require(FleetName("c")))
  }

  /// Receiver b, connected to a broker, with a sensor that it holds.
  private func held(pins: [String: FleetName] = [:]) -> Roaming {
    var roaming = Roaming(RoamingSettings(receiver: names.b, pins: pins), at: .at(100))
    roaming.brokerConnected(at: .at(100))
    roaming.add(sensor: "strap", at: Self.address, .unlinked, at: .at(100))
    #expect(roaming.takeActions() == [.hold(sensor: "strap", listens: pins.isEmpty)])
    roaming.change(sensorAt: Self.address, to: .held, at: .at(100))
    return roaming
  }

  private func claim(_ receiver: FleetName, since: Double = 1) -> RoamingClaim {
    RoamingClaim(receiver: receiver, since: .at(since))
  }

  /// Receives the sensor every 250 ms. Returns what was done, without the strengths.
  private func receive(_ roaming: inout Roaming, from start: Double, to end: Double) -> [RoamingAction] {
    var time = start
    while time <= end {
      roaming.received(advertOf: Self.address, strength: -60, at: .at(time))
      time += 0.25
    }
    return roaming.takeActions().filter { if case .publishStrength = $0 { false } else { true } }
  }

  private func published(_ strength: Int, at time: Double) -> RoamingAction {
    .publishStrength(HeardStrength(rssiDBm: strength, t: .at(time)), address: Self.address)
  }

  private func claims(_ actions: [RoamingAction]) -> Bool { actions.contains(.connect(sensor: "strap")) }

  @Test("a sensor is free, with another receiver while its claim counts, or here")
  func holders() {
    func holder(_ roaming: Roaming, at time: Double) -> RoamingHolder? { roaming.holders(at: .at(time)).first?.holder }
    var roaming = held()
    #expect(roaming.holders(at: .at(100)).map(\.sensor) == ["strap"] && holder(roaming, at: 100) == .free)
    roaming.received(claim(names.c), to: Self.address, from: names.c, at: .at(101))
    #expect(holder(roaming, at: 101) == .other(names.c))
    #expect(holder(roaming, at: 177) == .free, "a claim that is not repeated")
    roaming.received(nil, to: Self.address, from: names.c, at: .at(110))
    #expect(claims(receive(&roaming, from: 111, to: 115)) && holder(roaming, at: 115) == .here)
    #expect(holder(held(pins: [Self.address: names.a]), at: 101) == .other(names.a))
    #expect(holder(held(pins: [Self.address: names.a]), at: 170) == .free, "its receiver is not there")
  }

  @Test("without a broker nothing is held")
  func alone() {
    var roaming = Roaming(RoamingSettings(receiver: names.b), at: .at(100))
    roaming.add(sensor: "strap", at: Self.address, .unlinked, at: .at(100))
    roaming.change(sensorAt: Self.address, to: .linked, at: .at(101))
    roaming.timePassed(at: .at(200))
    #expect(roaming.takeActions().isEmpty && roaming.deadline == nil)
  }

  @Test("the median strength is published at once and then every 2 s, and the sensor claimed after 3 s")
  func timing() {
    var roaming = held()
    roaming.received(advertOf: Self.address, strength: -80, at: .at(101))
    #expect(roaming.takeActions() == [published(-80, at: 101)])
    for (time, strength) in [(101.5, -60), (102, -62), (102.5, -90), (102.9, -61)] {
      roaming.received(advertOf: Self.address, strength: strength, at: .at(time))
    }
    #expect(roaming.takeActions().isEmpty && roaming.deadline == .at(104))
    roaming.received(advertOf: Self.address, strength: -61, at: .at(103))
    #expect(roaming.takeActions() == [published(-61, at: 103)])
    roaming.timePassed(at: .at(103.9))
    #expect(roaming.takeActions().isEmpty)
    roaming.timePassed(at: .at(104))
    let claim = RoamingClaim(receiver: names.b, since: .at(104))
    #expect(roaming.takeActions() == [.publishClaim(claim, address: Self.address), .connect(sensor: "strap")])
    roaming.change(sensorAt: Self.address, to: .linked, at: .at(105))
    #expect(roaming.takeActions().isEmpty && roaming.deadline == .at(134))
    roaming.timePassed(at: .at(134))
    #expect(roaming.takeActions() == [.publishClaim(claim, address: Self.address)])
    roaming.change(sensorAt: Self.address, to: .unlinked, at: .at(140))
    #expect(roaming.takeActions() == [.publishRelease(address: Self.address), .hold(sensor: "strap", listens: true)])
  }

  @Test(
    "the strongest wins, and of equals the smaller name",
    arguments: [
      ("a", -57, false), ("a", -60, false), ("a", -63, false), ("a", -64, true), ("c", -60, true), ("c", -57, true),
      ("c", -56, false),
    ])
  func strongest(other: String, strength: Int, wins: Bool) throws {
    var roaming = held()
    let other = try #require(FleetName(other))
    roaming.received(HeardStrength(rssiDBm: strength, t: .at(1)), of: Self.address, from: other, at: .at(101.5))
    #expect(claims(receive(&roaming, from: 101.5, to: 104.75)) == wins)
  }

  @Test("a winner that does not claim, and one that goes offline, are passed over")
  func idleWinner() {
    var roaming = held()
    var time = 101.0
    var actions: [RoamingAction] = []
    while time < 110, !claims(actions) {
      roaming.received(HeardStrength(rssiDBm: -40, t: .at(1)), of: Self.address, from: names.a, at: .at(time))
      actions = receive(&roaming, from: time, to: time + 0.75)
      time += 1
    }
    #expect(108...109 ~= time, "3 s for the comparison, and 4 s for the claim of the winner")
    roaming = held()
    roaming.received(status: true, of: names.a, at: .at(100))
    roaming.received(HeardStrength(rssiDBm: -40, t: .at(1)), of: Self.address, from: names.a, at: .at(101))
    roaming.received(status: false, of: names.a, at: .at(101.2))
    #expect(claims(receive(&roaming, from: 101.5, to: 104.75)))
  }

  @Test("a claim is respected until it is withdrawn, its receiver goes offline, or it is not repeated")
  func respected() {
    for end in 0..<3 {
      var roaming = held()
      roaming.received(status: true, of: names.a, at: .at(100))
      roaming.received(claim(names.a), to: Self.address, from: names.a, at: .at(100))
      #expect(!claims(receive(&roaming, from: 101, to: 105)), "it advertises until it is linked")
      switch end {
      case 0: roaming.received(nil, to: Self.address, from: names.a, at: .at(150))
      case 1: roaming.received(status: false, of: names.a, at: .at(150))
      default: #expect(roaming.deadline == .at(175))
      }
      #expect(claims(receive(&roaming, from: end == 2 ? 175 : 150, to: end == 2 ? 179 : 154)))
      // What the broker kept of a receiver that is away does not count.
      if end == 1 {
        roaming.received(claim(names.a, since: 2), to: Self.address, from: names.a, at: .at(155))
        #expect(roaming.takeActions().isEmpty)
      }
    }
  }

  @Test("a claim to a sensor that advertises for 10 s is ignored, also when it is repeated")
  func ignored() {
    var roaming = held()
    roaming.received(claim(names.a), to: Self.address, from: names.a, at: .at(101))
    #expect(!claims(receive(&roaming, from: 101.5, to: 111.25)))
    #expect(claims(receive(&roaming, from: 111.5, to: 115)))
    roaming.received(claim(names.a), to: Self.address, from: names.a, at: .at(116))
    roaming.change(sensorAt: Self.address, to: .linked, at: .at(117))
    #expect(roaming.takeActions().isEmpty)
    roaming.received(claim(names.a, since: 2), to: Self.address, from: names.a, at: .at(118))
    let withdrawal: [RoamingAction] = [
      .publishRelease(address: Self.address), .hold(sensor: "strap", listens: true),
    ]
    #expect(roaming.takeActions() == withdrawal, "it is new")
  }

  @Test("of two claims the smaller name keeps its own")
  func twoClaims() {
    for (other, keeps) in [(names.a, false), (names.c, true)] {
      var roaming = held()
      #expect(claims(receive(&roaming, from: 101, to: 104.5)))
      roaming.received(claim(other), to: Self.address, from: other, at: .at(105))
      #expect(roaming.takeActions().isEmpty == keeps)
    }
  }

  @Test("a receiver that cannot connect within 10 s withdraws, and leaves the sensor to others for a while")
  func cannotConnect() {
    var roaming = held()
    #expect(claims(receive(&roaming, from: 101, to: 104.5)))
    roaming.timePassed(at: .at(113.9))
    #expect(roaming.takeActions().isEmpty)
    roaming.timePassed(at: .at(114))
    #expect(roaming.takeActions() == [.publishRelease(address: Self.address), .hold(sensor: "strap", listens: true)])
    roaming.received(HeardStrength(rssiDBm: -80, t: .at(1)), of: Self.address, from: names.c, at: .at(115))
    #expect(!claims(receive(&roaming, from: 115, to: 118.5)))
    #expect(claims(receive(&roaming, from: 125, to: 129)), "there is no other")
  }

  @Test("a sensor that is linked when the broker comes is claimed, and not disabled")
  func linkedBefore() {
    var roaming = Roaming(RoamingSettings(receiver: names.b), at: .at(100))
    roaming.add(sensor: "strap", at: Self.address, .linked, at: .at(100))
    roaming.brokerConnected(at: .at(101))
    let claim = RoamingClaim(receiver: names.b, since: .at(101))
    #expect(roaming.takeActions() == [.publishClaim(claim, address: Self.address)])
    roaming.brokerDisconnected(at: .at(110))
    roaming.timePassed(at: .at(115))
    roaming.brokerConnected(at: .at(120))
    #expect(roaming.takeActions() == [.publishClaim(claim, address: Self.address)], "the broker may have forgotten it")
  }

  @Test("5 s after the broker is gone each connects as if it were alone")
  func brokerGone() {
    var roaming = held()
    roaming.brokerDisconnected(at: .at(110))
    #expect(roaming.deadline == .at(115))
    roaming.timePassed(at: .at(114))
    #expect(roaming.takeActions().isEmpty)
    roaming.timePassed(at: .at(115))
    #expect(roaming.takeActions() == [.connect(sensor: "strap")] && roaming.deadline == nil)
    roaming.brokerConnected(at: .at(120))
    #expect(roaming.takeActions() == [.hold(sensor: "strap", listens: true)])
  }

  @Test("a pinned sensor is left to its receiver, and is free after a minute without it")
  func pinned() {
    var roaming = held(pins: [Self.address: names.c])
    roaming.received(status: true, of: names.c, at: .at(100))
    #expect(receive(&roaming, from: 101, to: 105).isEmpty)
    roaming.received(status: false, of: names.c, at: .at(110))
    #expect(roaming.deadline == .at(170))
    #expect(receive(&roaming, from: 150, to: 169).isEmpty)
    roaming.timePassed(at: .at(170))
    #expect(roaming.takeActions() == [.hold(sensor: "strap", listens: true)])
    #expect(claims(receive(&roaming, from: 170, to: 174)))
    roaming.change(sensorAt: Self.address, to: .linked, at: .at(175))
    roaming.received(status: true, of: names.c, at: .at(180))
    #expect(roaming.takeActions() == [.publishRelease(address: Self.address), .hold(sensor: "strap", listens: false)])
  }

  @Test("who enables the sensor here wants it here, whatever others claim")
  func wanted() {
    var roaming = held()
    roaming.received(claim(names.a), to: Self.address, from: names.a, at: .at(101))
    roaming.change(sensorAt: Self.address, to: .unlinked, at: .at(102))
    let own = RoamingClaim(receiver: names.b, since: .at(102))
    #expect(roaming.takeActions() == [.publishClaim(own, address: Self.address)])
    roaming.timePassed(at: .at(112))
    #expect(roaming.takeActions() == [.publishRelease(address: Self.address), .hold(sensor: "strap", listens: true)])
  }

  @Test("the hold's own delay is not taken for the user")
  func unconfirmedHold() {
    var roaming = Roaming(RoamingSettings(receiver: names.b), at: .at(100))
    roaming.brokerConnected(at: .at(100))
    roaming.add(sensor: "strap", at: Self.address, .unlinked, at: .at(100))
    roaming.change(sensorAt: Self.address, to: .unlinked, at: .at(100))
    #expect(roaming.takeActions() == [.hold(sensor: "strap", listens: true)])
  }

  @Test("a claim of an earlier run is withdrawn, and so are all when the sensors go")
  func leftovers() {
    var roaming = held()
    roaming.received(claim(names.b), to: Self.address, from: names.b, at: .at(101))
    #expect(roaming.takeActions() == [.publishRelease(address: Self.address)])
    #expect(claims(receive(&roaming, from: 102, to: 106)))
    roaming.received(claim(names.b, since: 105), to: Self.address, from: names.b, at: .at(106))
    #expect(roaming.takeActions().isEmpty)
    roaming.removeAll()
    #expect(roaming.takeActions() == [.publishRelease(address: Self.address)] && roaming.deadline == nil)
    roaming.add(sensor: "strap", at: Self.address, .unlinked, at: .at(110))
    #expect(roaming.takeActions() == [.hold(sensor: "strap", listens: true)])
    roaming.remove(sensorAt: Self.address, isFreed: true)
    #expect(roaming.takeActions() == [.connect(sensor: "strap")])
  }

  @Test("payloads and topics are those of the contract, and strange ones are not used")
  func messages() throws {
    let text = #"{"receiver":"b","since":1.5}"#
    #expect(String(decoding: claim(names.b, since: 1.5).payload, as: UTF8.self) == text)
    #expect(RoamingClaim(try JSONValue.parse(text)) == claim(names.b, since: 1.5))
    #expect(RoamingClaim(try JSONValue.parse(#"{"receiver":"b","since":1e300}"#)) == nil)
    let strength = HeardStrength(rssiDBm: -61, t: .at(7))
    #expect(String(decoding: strength.payload, as: UTF8.self) == #"{"rssi_dbm":-61,"t":7}"#)
    var roaming = held()
    for rssi in [Int.min, .max] {
      let strange = HeardStrength(rssiDBm: rssi, t: .at(1))
      roaming.received(strange, of: Self.address, from: names.a, at: .at(101))
    }
    _ = receive(&roaming, from: 101, to: 105)
    let home = homeTopics.group
    let topic = homeTopics.claim(Self.address)
    #expect(topic == "cyclometer/v1/home/rx-1f09a3/claim/C0:FF:EE:00:00:01")
    #expect(PeerTopic(topic, in: home)?.subject == .claim(Self.address))
    #expect(PeerTopic(homeTopics.strength(Self.address), in: home)?.subject == .strength(Self.address))
    #expect(PeerTopic(homeTopics.status, in: home)?.receiver == homeTopics.receiver)
    #expect(homeTopics.ofPeers[1] == "cyclometer/v1/home/+/heard/+")
    for other in [
      "cyclometer/v1/home/rx-1f09a3/claim/strap", "cyclometer/v1/home/rx-1f09a3/claim",
      "cyclometer/v1/home/A/status", "cyclometer/v1/gym/a/status", "cyclometer/v2/home/a/status", "", "a/b/c/d/e/f",
      "cyclometer/v1/home/a/claim/C0:FF:EE:00:00:0g", "cyclometer/v1/home/a/status/x",
    ] { #expect(PeerTopic(other, in: home) == nil, "\(other)") }
  }
}

/// The rules, for many receivers.
@Suite struct RoamingWorldTests {
  @Test("the strongest of many receivers gets the sensor, and keeps it until the link is lost")
  func walk() {
    let world = RoamingWorld(["a", "b", "c", "d"])
    for (name, strength) in [("a", -85), ("b", -80), ("c", -60), ("d", -75)] { world[name].strength = strength }
    #expect(world.run(within: .seconds(6)) { world.owner != nil })
    #expect(world.owner?.text == "c")
    (world["c"].strength, world["d"].strength) = (-88, -50)
    world.run(for: .seconds(120))
    #expect(world.owner?.text == "c" && world.links.count == 1)
    world["c"].strength = nil
    #expect(world.run(within: .seconds(6)) { world.owner?.text == "d" })
    #expect(world.links.count == 2 && world.broken == 0 && world.failedAttempts == 0)
  }

  @Test(
    "with a broker that loses and delays messages, the sensor is soon linked again, and to one receiver only",
    arguments: 1...6)
  func lossy(seed: UInt64) {
    let weather = RoamingWorld.Weather(loss: 0.3, delay: .milliseconds(500), advertLoss: 0.5)
    let world = RoamingWorld(["a", "b", "c", "d", "e", "f"], weather: weather, seed: seed)
    var random = SeededRandom(seed &+ 1000)
    for _ in 0..<40 {
      for receiver in world.receivers {
        receiver.strength = Int.random(in: 0..<4, using: &random) == 0 ? nil : .random(in: -95 ... -50, using: &random)
      }
      world["a"].strength = .random(in: -95 ... -50, using: &random)
      world.dropLink()
      world.run(for: .seconds(30))
      #expect(world.owner != nil)
    }
    let waits = world.waits.sorted()
    #expect(waits.count >= 40)
    #expect(waits[waits.count * 9 / 10] <= .seconds(6), "\(waits.suffix(8))")
    #expect(waits[waits.count - 1] <= .seconds(25), "\(waits.suffix(8))")
    #expect(world.broken <= 6 && world.failedAttempts <= 6, "\(world.broken) broken, \(world.failedAttempts) failed")
  }

  @Test("the sensor of a receiver that crashes goes to another one")
  func crash() {
    let world = RoamingWorld(["a", "b"])
    (world["a"].strength, world["b"].strength) = (-50, -70)
    #expect(world.run(within: .seconds(6)) { world.owner != nil } && world.owner?.text == "a")
    world.crash("a")
    #expect(world.run(within: .seconds(6)) { world.owner != nil } && world.owner?.text == "b")
  }

  @Test("without a broker each tries as if it were alone, and a link outlives the outage")
  func outage() {
    let world = RoamingWorld(["a", "b", "c"])
    for (name, strength) in [("a", -80), ("b", -70), ("c", -50)] { world[name].strength = strength }
    #expect(world.run(within: .seconds(6)) { world.owner != nil } && world.owner?.text == "c")
    for name in ["a", "b", "c"] { world.cut(name) }
    world.run(for: .seconds(60))
    #expect(world.links.count == 1 && !world["a"].isHeld && !world["b"].isHeld)
    world.dropLink()
    #expect(world.run(within: .seconds(2)) { world.owner != nil }, "no receiver waits for others")
    let owner = world.owner
    for name in ["a", "b", "c"] { world.join(name) }
    world.run(for: .seconds(60))
    #expect(world.owner == owner && world.broken == 0)
    #expect(world.receivers.count { $0.isHeld } == 2)
  }

  @Test("a pinned sensor stays with its receiver, and others have it while that one is away")
  func pin() throws {
    let world = RoamingWorld(["a", "b"], pins: [RoamingWorld.address: try #require(FleetName("b"))])
    (world["a"].strength, world["b"].strength) = (-50, -90)
    #expect(world.run(within: .seconds(30)) { world.owner != nil } && world.owner?.text == "b")
    world.dropLink()
    #expect(world.run(within: .seconds(30)) { world.owner != nil } && world.owner?.text == "b")
    world.crash("b")
    #expect(!world.run(within: .seconds(55)) { world.owner != nil })
    #expect(world.run(within: .seconds(15)) { world.owner?.text == "a" })
  }
}

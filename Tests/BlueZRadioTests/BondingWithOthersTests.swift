// Bonding next to other agents and clients on the bus, without a user, and with lost bonds.

import BlueZRadio
import DBus
import EventLoop
import Radio
import TestSupport
import Testing
import Wire

struct BondingWithOthersTests {
  /// Bonding that bluetoothd starts asks the default agent. Pair asks the agent of its caller.
  @Test(
    "when the default agent does not bond the sensor, Pair asks our agent",
    arguments: [("it refuses", true), ("it does not answer", false)])
  func otherAgentRefuses(name: String, answers: Bool) throws {
    let stand = try RadioStand.discovered { fake in
      fake.sensors[0].bonding = .passkey(99)
      fake.sensors[0].characteristic("2a37")?.needsBond = true
    }
    let other = try OtherAgent(stand, answers: answers)
    let probe = try linkToPair(stand)
    #expect(try stand.world.run { probe.isOpen })
    #expect(stand.fake.agentClients == [other.bus.connection?.name, stand.bus.connection?.name])
    let failure = try #require(try probe.subscribe(RadioStand.rate))
    #expect(failure.needsBond && failure.reason == .bondLost)
    #expect(other.asked == ["RequestPasskey"] && stand.questions.isEmpty)
    probe.link.bond()
    #expect(try stand.world.run { probe.failure != nil })
    #expect(probe.failure?.needsUser == false)
    try stand.discoverAgain()
    let next = try linkToPair(stand)
    try stand.waitForQuestion().answer(.passkey(99))
    #expect(try stand.world.run { next.isOpen })
    #expect(try next.subscribe(RadioStand.rate) == nil)
    #expect(other.asked.filter { $0 != "Cancel" } == ["RequestPasskey"], "Pair asked ours")
    next.close()
    try stand.world.run(for: .seconds(1))
    #expect(stand.fake.agentClients == [other.bus.connection?.name], "the other is still the default")
  }

  /// Observed with BlueZ 5.82, whose AcquireNotify hangs when bonding fails.
  @Test("a StartNotify refused before bonding is retried, without AcquireNotify")
  func startRefusedBeforeBonding() throws {
    let refused = Refusals(2, of: "StartNotify", .bluezFailed("Failed to register notify session"))
    let (stand, probe) = try pairing(.passkey(5)) { $0.script.refuse = { refused.next($0) } }
    #expect(try stand.world.run { probe.isOpen })
    var isSubscribed = false
    probe.link.subscribe(RadioStand.rate) { isSubscribed = (try? $0.get()) != nil }
    let question = try stand.waitForQuestion()
    #expect(refused.left == 0 && refused.others["AcquireNotify"] == nil)
    question.answer(.passkey(5))
    #expect(try stand.world.run { isSubscribed })
  }

  /// BlueZ 5.87 does this. On the next link only our agent is asked.
  @Test("when bluetoothd hangs up after a refused bonding, Pair asks our agent")
  func hangUpAfterRefusal() throws {
    let stand = try RadioStand.discovered { fake in
      fake.sensors[0].bonding = .passkey(99)
      fake.sensors[0].characteristic("2a37")?.needsBond = true
      fake.script.hangsUpUnbonded = .seconds(2)
      fake.script.saysDisconnectReason = true
    }
    let other = try OtherAgent(stand)
    let probe = try linkToPair(stand)
    #expect(try stand.world.run { probe.isOpen })
    probe.link.subscribe(RadioStand.rate) { _ in }
    #expect(try stand.world.run { probe.failure != nil })
    #expect(probe.failure?.needsUser == false && other.asked == ["RequestPasskey"])
    try stand.discoverAgain()
    let next = try linkToPair(stand)
    try stand.waitForQuestion().answer(.passkey(99))
    #expect(try stand.world.run { next.isOpen })
    #expect(try next.subscribe(RadioStand.rate) == nil)
    #expect(other.asked == ["RequestPasskey"])
  }

  @Test(
    "a failed bonding reports its cause",
    arguments: [
      ("refused", BusError.authenticationFailed, "the passkey was wrong, or the sensor refused it"),
      ("cancelled", .authenticationCanceled, "cancelled"),
    ])
  func bondingFailures(name: String, error: BusError, sentence: String) throws {
    let (stand, probe) = try pairing(.passkey(1)) { $0.script.onPair = { _ in error } }
    #expect(try stand.world.run { probe.isOpen })
    #expect(try probe.subscribe(RadioStand.rate)?.needsBond == true)
    probe.link.bond()
    #expect(try stand.world.run { probe.failure != nil })
    try stand.discoverAgain()
    let next = try linkToPair(stand)
    #expect(try stand.world.run { next.failure?.needsUser == true })
    #expect(next.failure?.detail.contains(sentence) == true, "\(next.failure?.detail ?? "")")
  }

  /// Without a user the daemon neither bonds the sensor nor removes the device.
  @Test("a sensor that lost its bond is reported, and its device is kept")
  func lostBond() throws {
    let stand = try RadioStand.discovered { fake in
      fake.sensors[0].isPaired = true
      fake.script.refuse = { $0.member == "AcquireNotify" || $0.member == "StartNotify" ? .notPaired : nil }
    }
    let probe = try stand.openLink()
    let failure = try probe.subscribe(RadioStand.rate)
    #expect(failure?.reason == .bondLost && failure?.needsUser == true)
    #expect(!probe.link.closeAndForget())
    #expect(stand.fake.count(of: "RemoveDevice") == 0 && stand.belt.isPaired)
  }

  @Test("pairing a sensor that lost its bond bonds it again")
  func lostBondPairedAgain() throws {
    let (stand, probe) = try pairing(.justWorks) { fake in
      fake.sensors[0].isPaired = true
      fake.script.refuse = { [unowned fake] in
        fake.sensors[0].isPaired && fake.sensors[0].bondings == 0 && $0.member == "AcquireNotify" ? .notPaired : nil
      }
    }
    #expect(try stand.world.run { probe.isOpen })
    #expect(try probe.subscribe(RadioStand.rate)?.needsBond == true)
    probe.link.bond()
    #expect(try stand.world.run { probe.failure?.kind == .gone && stand.fake.count(of: "RemoveDevice") == 1 })
    try stand.discoverAgain()
    let next = try linkToPair(stand)
    #expect(try stand.world.run { next.isOpen })
    #expect(try next.subscribe(RadioStand.rate) == nil)
    #expect(stand.belt.isPaired && stand.belt.bondings == 1 && next.link.isBonded)
  }

  @Test("forgetBond removes only an existing bond")
  func forgetBond() throws {
    let stand = try RadioStand.discovered { $0.sensors[0].isPaired = true }
    let address = try #require(RadioStand.address)
    #expect(stand.radio.forgetBond(with: address))
    #expect(try stand.world.run { !stand.belt.isPaired && stand.fake.count(of: "RemoveDevice") == 1 })
    try stand.world.settle()
    #expect(!stand.radio.forgetBond(with: address), "the bond is gone")
    let stranger = try #require(DeviceAddress("C0:00:00:00:00:02"))
    #expect(!stand.radio.forgetBond(with: stranger), "unknown device")
    #expect(stand.fake.count(of: "RemoveDevice") == 1)
  }

  @Test("a bond stays when bluetoothd refuses to remove it")
  func bondNotRemoved() throws {
    let stand = try RadioStand.discovered { fake in
      fake.sensors[0].isPaired = true
      fake.script.refuse = { $0.member == "RemoveDevice" ? BusError.bluezFailed("busy") : nil }
    }
    let address = try #require(RadioStand.address)
    #expect(stand.radio.forgetBond(with: address), "removal was requested")
    #expect(try stand.world.run { stand.fake.count(of: "RemoveDevice") == 1 })
    try stand.world.settle()
    #expect(stand.belt.isPaired)
  }

  @Test("a bond missing on this computer is detected without AcquireNotify")
  func bondMissingHere() throws {
    let stand = try RadioStand.discovered { $0.sensors[0].characteristic("2a37")?.needsBond = true }
    let probe = try stand.makeLink()
    probe.link.shouldBeBonded = true
    probe.open()
    #expect(try stand.world.run { probe.isOpen })
    let failure = try probe.subscribe(RadioStand.rate)
    #expect(failure?.reason == .bondLost && failure?.needsUser == true)
    #expect(stand.fake.count(of: "AcquireNotify") == 0 && stand.fake.count(of: "RegisterAgent") == 0)
    #expect(!probe.link.isBonded)
  }

  /// Up to BlueZ 5.77, AcquireNotify would not be answered.
  @Test("on BlueZ 5.66 a required bond is detected without AcquireNotify")
  func requiredBondDetected() throws {
    let stand = try RadioStand.discovered { fake in
      fake.script.release = (5, 66)
      fake.sensors[0].characteristic("2a37")?.needsBond = true
    }
    let failure = try stand.openLink().subscribe(RadioStand.rate)
    #expect(failure?.needsBond == true, "\(String(describing: failure))")
    #expect(stand.fake.count(of: "AcquireNotify") == 0)
  }

  @Test("a disconnect for an authentication failure means a lost bond")
  func authenticationFailure() throws {
    let stand = try RadioStand.discovered { fake in
      fake.sensors[0].isPaired = true
      fake.script.saysDisconnectReason = true
      fake.script.onResolve = { _, _ in .never }
    }
    let probe = try stand.makeLink()
    probe.open()
    #expect(try stand.world.run { stand.belt.isConnected })
    stand.belt.dropLink(.authentication)
    #expect(try stand.world.run { probe.failure?.reason == .bondLost && probe.failure?.needsUser == true })
  }

  @Test("without a user there is no question, no agent and no Pair")
  func noUser() throws {
    let stand = try RadioStand.discovered { fake in
      fake.sensors[0].characteristic("2a37")?.needsBond = true
      fake.script.answersFailedAcquire = true
    }
    let probe = try stand.openLink()
    #expect(try probe.subscribe(RadioStand.rate)?.reason == .bondLost)
    #expect(stand.fake.count(of: "RegisterAgent") == 0 && stand.fake.count(of: "Pair") == 0)
  }

  @Test("the agent refuses to bond a sensor that the user is not pairing")
  func otherSensor() throws {
    let (stand, probe) = try pairing(.passkey(5))
    #expect(try stand.world.run { probe.isOpen })
    let chest = stand.fake.addSensor("C0:00:00:00:00:09", name: "Chest")
    chest.bonding = .passkey(6)
    chest.advertise()
    stand.radio.search(SearchDemand())
    #expect(try stand.world.run { stand.fake.adapters[0].device(chest) != nil })
    let path = try #require(stand.fake.adapters[0].device(chest))
    let other = stand.world.makeBus()
    #expect(try stand.world.run { other.isConnected })
    var error: BusError?
    other.call(BusMessage.call(to: "org.bluez", path: path, interface: "org.bluez.Device1", member: "Pair")) { result in
      if case .failure(let failure) = result { error = failure }
    }
    #expect(try stand.world.run { error == .authenticationFailed })
    #expect(stand.questions.isEmpty && !chest.isPaired)
  }

  @Test(
    "the agent refuses calls from anyone but bluetoothd",
    arguments: ["RequestPasskey", "RequestConfirmation", "RequestAuthorization", "Cancel", "Release"])
  func otherCallers(member: String) throws {
    let (stand, probe) = try pairing(.passkey(5))
    #expect(try stand.world.run { probe.isOpen })
    probe.link.subscribe(RadioStand.rate) { _ in }
    let question = try stand.waitForQuestion()
    let stranger = stand.world.makeBus()
    #expect(try stand.world.run { stranger.isConnected })
    let path = try #require(stand.fake.adapters[0].device(stand.belt))
    var error: BusError?
    let call = BusMessage.call(
      to: try #require(stand.bus.connection?.name), path: "/org/cyclometer/agent", interface: "org.bluez.Agent1",
      member: member)
    stranger.call(call.append(.objectPath(path), .uint32(1))) { result in
      if case .failure(let failure) = result { error = failure }
    }
    #expect(try stand.world.run { error?.name == .accessDenied })
    #expect(stand.questions.count == 1 && question.isOpen)
  }

  @Test(
    "the agent refuses calls that it does not support",
    arguments: [
      ("a PIN is for older devices", "RequestPinCode", [Value](), "org.bluez.Error.Rejected"),
      ("no arguments", "RequestConfirmation", [], "org.freedesktop.DBus.Error.UnknownMethod"),
      ("no such method", "RequestMoney", [], "org.freedesktop.DBus.Error.UnknownMethod"),
    ])
  func unsupportedCalls(
    name: String, member: String, arguments: [Value], error: BusError.Name
  ) throws {
    let (stand, probe) = try pairing(.passkey(5))
    #expect(try stand.world.run { probe.isOpen })
    let answer = try stand.fake.askAgent(of: stand.belt, member, arguments, in: stand.world)
    #expect(answer?.name == error)
  }

  @Test("a passkey to type on the sensor is accepted without a question")
  func displayRequests() throws {
    let (stand, probe) = try pairing(.passkey(5))
    #expect(try stand.world.run { probe.isOpen })
    #expect(
      try stand.fake.askAgent(of: stand.belt, "DisplayPasskey", [.uint32(12), .uint16(0)], in: stand.world) == nil)
    #expect(try stand.fake.askAgent(of: stand.belt, "DisplayPinCode", [.string("1")], in: stand.world) == nil)
    #expect(stand.questions.isEmpty)
  }
}

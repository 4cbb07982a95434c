// A sensor that wants a bond, while a user pairs it and otherwise; and other agents and strangers on the bus.

import DBus
import DaemonCore
import EventLoop
import TestSupport
import Testing
import Wire

/// A belt that shows its passkey, heard, and a link to it that a user's pairing made.
private func pairing(
  _ bonding: FakeBonding, _ prepare: (FakeBlueZ) -> Void = { _ in }
) throws -> (RadioStand, LinkProbe) {
  let stand = try RadioStand.heard { fake in
    fake.sensors[0].bonding = bonding
    fake.sensors[0].characteristic("2a37")?.needsBond = true
    prepare(fake)
  }
  return (stand, try link(stand))
}

/// Open, with whatever it takes to be.
private func link(_ stand: RadioStand) throws -> LinkProbe {
  let probe = try stand.makeLink()
  probe.link.mayBond = true
  probe.open()
  return probe
}

extension RadioStand {
  fileprivate func waitForQuestion(_ number: Int = 1, within span: Duration = .seconds(20)) throws -> PairingQuestion {
    #expect(try world.run(within: span) { questions.count == number })
    return try #require(questions.last)
  }

  fileprivate func hearAgain() throws {
    adverts = []
    radio.search(SearchDemand())
    #expect(try world.run { adverts.contains { !$0.isConnected } })
    radio.search(nil)
    try world.settle()
  }
}

/// Another process on the bus with an agent of its own, which is the default.
private final class OtherAgent {
  let bus: Bus
  private(set) var asked: [String] = []
  private let export: Export

  init(_ stand: RadioStand, answers: Bool = true) throws {
    let bus = stand.world.makeBus()
    self.bus = bus
    var note: (String) -> Void = { _ in }
    export = bus.export("/other") { call in
      note(call.member ?? "")
      guard answers else { return .later }
      return .reply(.error(BusError("org.bluez.Error.Rejected"), to: call))
    }
    #expect(try stand.world.run { bus.isConnected })
    note = { [weak self] in self?.asked.append($0) }
    tell("RegisterAgent", .objectPath("/other"), .string("KeyboardDisplay"))
    tell("RequestDefaultAgent", .objectPath("/other"))
    try stand.world.run(for: .milliseconds(10))
  }

  private func tell(_ member: String, _ arguments: Value...) {
    let call = Message.call(
      to: "org.bluez", path: "/org/bluez", interface: "org.bluez.AgentManager1", member: member)
    bus.call(call.append(arguments)) { result in
      if case .failure(let error) = result { Issue.record("\(member): \(error)") }
    }
  }
}

struct BondingTests {
  @Test func aPasskeyIsAskedForAndTheValuesCome() throws {
    let (stand, probe) = try pairing(.passkey(12345))
    #expect(try stand.world.run { probe.isOpen })
    var isSubscribed = false
    probe.link.subscribe(RadioStand.rate) { result in
      #expect((try? result.get()) != nil)
      isSubscribed = true
    }
    let question = try stand.waitForQuestion()
    #expect(question.ask == .passkey && question.address == RadioStand.address)
    // The user looks for it longer than anything else may take.
    try stand.world.run(for: .seconds(28))
    question.answer(.passkey(12345))
    #expect(try stand.world.run { isSubscribed })
    #expect(stand.belt.isPaired && stand.belt.characteristic("2a37")?.isAcquired == true)
    stand.belt.notify("2a37", [0, 60])
    #expect(try stand.world.run { probe.values == [[0, 60]] })
    #expect(stand.fake.count(of: "Pair") == 0, "bluetoothd bonded by itself")
  }

  @Test func aPasskeyIsShownToBeCompared() throws {
    let (stand, probe) = try pairing(.confirmation(42))
    #expect(try stand.world.run { probe.isOpen })
    var isSubscribed = false
    probe.link.subscribe(RadioStand.rate) { _ in isSubscribed = true }
    let question = try stand.waitForQuestion()
    #expect(question.ask == .confirmation(passkey: 42))
    question.answer(.confirmed)
    #expect(try stand.world.run { isSubscribed && stand.belt.isPaired })
  }

  @Test func whatShowsNothingIsBondedWithoutAQuestion() throws {
    let (stand, probe) = try pairing(.justWorks)
    #expect(try stand.world.run { probe.isOpen })
    #expect(try probe.subscribe(RadioStand.rate) == nil)
    #expect(stand.belt.isPaired && stand.questions.isEmpty)
  }

  @Test func aWrongPasskeyEndsItAndNeedsTheUser() throws {
    let (stand, probe) = try pairing(.passkey(12345))
    #expect(try stand.world.run { probe.isOpen })
    probe.link.subscribe(RadioStand.rate) { #expect((try? $0.get()) == nil, "subscribed") }
    try stand.waitForQuestion().answer(.passkey(54321))
    #expect(try stand.world.run { probe.failure != nil })
    #expect(probe.failure?.needsUser == true)
    #expect(probe.failure?.detail.contains("the passkey was wrong") == true, "\(probe.failure?.detail ?? "")")
    try stand.world.run(for: .seconds(1))
    #expect(!stand.belt.isPaired && stand.fake.agentClients.isEmpty)
    // The user can try again.
    try stand.hearAgain()
    let next = try link(stand)
    #expect(try stand.world.run { next.isOpen })
    var isSubscribed = false
    next.link.subscribe(RadioStand.rate) { _ in isSubscribed = true }
    try stand.waitForQuestion(2).answer(.passkey(12345))
    #expect(try stand.world.run { isSubscribed && stand.belt.isPaired })
    #expect(stand.fake.count(of: "RemoveDevice") == 0)
  }

  @Test func aUserWhoRefusesEndsIt() throws {
    let (stand, probe) = try pairing(.confirmation(42))
    #expect(try stand.world.run { probe.isOpen })
    probe.link.subscribe(RadioStand.rate) { #expect((try? $0.get()) == nil, "subscribed") }
    try stand.waitForQuestion().answer(nil)
    #expect(try stand.world.run { probe.failure?.needsUser == true })
    #expect(probe.failure?.detail.contains("refused") == true)
    #expect(!stand.belt.isPaired)
  }

  @Test func aLinkThatEndsTakesTheQuestionBack() throws {
    let (stand, probe) = try pairing(.passkey(1))
    #expect(try stand.world.run { probe.isOpen })
    probe.link.subscribe(RadioStand.rate) { #expect((try? $0.get()) == nil, "subscribed") }
    let question = try stand.waitForQuestion()
    stand.belt.dropLink(.timeout)
    #expect(try stand.world.run { !question.isOpen })
    question.answer(.passkey(1))
    try stand.world.run(for: .seconds(5))
    #expect(!stand.belt.isPaired)
    #expect(probe.failure?.needsUser == true)
  }

  @Test func aPairingThatIsGivenUpLeavesNoAgentAndNoQuestion() throws {
    let (stand, probe) = try pairing(.passkey(1))
    #expect(try stand.world.run { probe.isOpen })
    #expect(stand.fake.agentClients == [stand.bus.connection?.name])
    probe.link.subscribe(RadioStand.rate) { _ in Issue.record("subscribed") }
    let question = try stand.waitForQuestion()
    probe.close()
    try stand.world.run(for: .seconds(5))
    #expect(!question.isOpen && stand.fake.agentClients.isEmpty && !stand.belt.isConnected)
  }

  @Test func bluetoothdThatDiesInMidQuestionIsToldAnewOfTheAgent() throws {
    let (stand, probe) = try pairing(.passkey(7))
    #expect(try stand.world.run { probe.isOpen })
    probe.link.subscribe(RadioStand.rate) { #expect((try? $0.get()) == nil, "subscribed") }
    let question = try stand.waitForQuestion()
    stand.fake.crash()
    #expect(try stand.world.run { probe.failure?.reason == .bluetoothdGone && !question.isOpen })
    #expect(probe.failure?.needsUser == false)
    question.answer(.passkey(7))
    stand.fake.start()
    #expect(try stand.world.run { stand.radio.condition == .ready })
    try stand.hearAgain()
    let next = try link(stand)
    #expect(try stand.world.run { next.isOpen })
    var isSubscribed = false
    next.link.subscribe(RadioStand.rate) { _ in isSubscribed = true }
    try stand.waitForQuestion(2).answer(.passkey(7))
    #expect(try stand.world.run { isSubscribed && stand.belt.isPaired })
  }
}

struct BondingWithOthersTests {
  /// bluetoothd's own bonding asks the default agent; ours is asked for what we ask for.
  @Test(arguments: [("it refuses", true), ("nobody sits before it", false)])
  func whereAnotherAgentRefusesPairAsksOurs(name: String, answers: Bool) throws {
    let stand = try RadioStand.heard { fake in
      fake.sensors[0].bonding = .passkey(99)
      fake.sensors[0].characteristic("2a37")?.needsBond = true
    }
    let other = try OtherAgent(stand, answers: answers)
    let probe = try link(stand)
    #expect(try stand.world.run { probe.isOpen })
    #expect(stand.fake.agentClients == [other.bus.connection?.name, stand.bus.connection?.name])
    let failure = try #require(try probe.subscribe(RadioStand.rate))
    #expect(failure.needsBond && failure.reason == .bondLost)
    #expect(other.asked == ["RequestPasskey"] && stand.questions.isEmpty)
    probe.link.bond()
    #expect(try stand.world.run { probe.failure != nil })
    #expect(probe.failure?.needsUser == false)
    try stand.hearAgain()
    let next = try link(stand)
    try stand.waitForQuestion().answer(.passkey(99))
    #expect(try stand.world.run { next.isOpen })
    #expect(try next.subscribe(RadioStand.rate) == nil)
    #expect(other.asked.filter { $0 != "Cancel" } == ["RequestPasskey"], "Pair asked ours")
    next.close()
    try stand.world.run(for: .seconds(1))
    #expect(stand.fake.agentClients == [other.bus.connection?.name], "the other is the default still")
  }

  @Test(arguments: [
    ("refused", BusError.authenticationFailed, "the passkey was wrong, or the sensor refused it"),
    ("cancelled", .authenticationCanceled, "it was cancelled"),
  ])
  func aBondingThatFailsSaysWhy(name: String, error: BusError, sentence: String) throws {
    let (stand, probe) = try pairing(.passkey(1)) { $0.script.onPair = { _ in error } }
    #expect(try stand.world.run { probe.isOpen })
    #expect(try probe.subscribe(RadioStand.rate)?.needsBond == true)
    probe.link.bond()
    #expect(try stand.world.run { probe.failure != nil })
    try stand.hearAgain()
    let next = try link(stand)
    #expect(try stand.world.run { next.failure?.needsUser == true })
    #expect(next.failure?.detail.contains(sentence) == true, "\(next.failure?.detail ?? "")")
  }

  /// Without a user nothing is done about it: neither asked for, nor removed.
  @Test func aSensorThatForgotItsBondIsSaidTo() throws {
    let stand = try RadioStand.heard { fake in
      fake.sensors[0].isPaired = true
      fake.script.refuse = { $0.member == "AcquireNotify" || $0.member == "StartNotify" ? .notPaired : nil }
    }
    let probe = try stand.openLink()
    let failure = try probe.subscribe(RadioStand.rate)
    #expect(failure?.reason == .bondLost && failure?.needsUser == true)
    #expect(!probe.link.closeAndForget())
    #expect(stand.fake.count(of: "RemoveDevice") == 0 && stand.belt.isPaired)
  }

  @Test func aSensorThatForgotItsBondIsBondedAnewWhereItsUserPairsIt() throws {
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
    try stand.hearAgain()
    let next = try link(stand)
    #expect(try stand.world.run { next.isOpen })
    #expect(try next.subscribe(RadioStand.rate) == nil)
    #expect(stand.belt.isPaired && stand.belt.bondings == 1 && next.link.isBonded)
  }

  @Test func aBondThatIsGoneFromHereIsFoundOutWithoutAcquiring() throws {
    let stand = try RadioStand.heard { $0.sensors[0].characteristic("2a37")?.needsBond = true }
    let probe = try stand.makeLink()
    probe.link.shouldBeBonded = true
    probe.open()
    #expect(try stand.world.run { probe.isOpen })
    let failure = try probe.subscribe(RadioStand.rate)
    #expect(failure?.reason == .bondLost && failure?.needsUser == true)
    #expect(stand.fake.count(of: "AcquireNotify") == 0 && stand.fake.count(of: "RegisterAgent") == 0)
    #expect(!probe.link.isBonded)
  }

  /// The first time cannot be foreseen: 5.66 answers it never.
  @Test func aSensorThatDidNotAnswerAnAcquireIsAskedOtherwiseTheNextTime() throws {
    let stand = try RadioStand.heard { $0.sensors[0].characteristic("2a37")?.needsBond = true }
    let probe = try stand.openLink()
    #expect(try probe.subscribe(RadioStand.rate)?.kind == .unanswered)
    probe.close()
    stand.fake.crash()
    stand.fake.start()
    #expect(try stand.world.run { stand.radio.condition == .ready })
    try stand.hearAgain()
    let next = try stand.openLink()
    #expect(try next.subscribe(RadioStand.rate)?.reason == .bondLost)
    #expect(stand.fake.count(of: "AcquireNotify") == 1)
  }

  @Test func anEndForTheWantOfAuthenticationIsALostBond() throws {
    let stand = try RadioStand.heard { fake in
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

  @Test func withoutAUserNobodyIsAskedAndNoAgentIsThere() throws {
    let stand = try RadioStand.heard { fake in
      fake.sensors[0].characteristic("2a37")?.needsBond = true
      fake.script.answersFailedAcquire = true
    }
    let probe = try stand.openLink()
    #expect(try probe.subscribe(RadioStand.rate)?.reason == .bondLost)
    #expect(stand.fake.count(of: "RegisterAgent") == 0 && stand.fake.count(of: "Pair") == 0)
  }

  @Test func anotherSensorsBondingIsRefused() throws {
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
    other.call(Message.call(to: "org.bluez", path: path, interface: "org.bluez.Device1", member: "Pair")) { result in
      if case .failure(let failure) = result { error = failure }
    }
    #expect(try stand.world.run { error == .authenticationFailed })
    #expect(stand.questions.isEmpty && !chest.isPaired)
  }

  @Test(arguments: ["RequestPasskey", "RequestConfirmation", "RequestAuthorization", "Cancel", "Release"])
  func strangersAreRefused(member: String) throws {
    let (stand, probe) = try pairing(.passkey(5))
    #expect(try stand.world.run { probe.isOpen })
    probe.link.subscribe(RadioStand.rate) { _ in }
    let question = try stand.waitForQuestion()
    let stranger = stand.world.makeBus()
    #expect(try stand.world.run { stranger.isConnected })
    let path = try #require(stand.fake.adapters[0].device(stand.belt))
    var error: BusError?
    let call = Message.call(
      to: try #require(stand.bus.connection?.name), path: "/org/cyclometer/agent", interface: "org.bluez.Agent1",
      member: member)
    stranger.call(call.append(.objectPath(path), .uint32(1))) { result in
      if case .failure(let failure) = result { error = failure }
    }
    #expect(try stand.world.run { error?.name == .accessDenied })
    #expect(stand.questions.count == 1 && question.isOpen)
  }

  @Test(arguments: [
    ("a PIN is for older devices", "RequestPinCode", [Value](), "org.bluez.Error.Rejected"),
    ("no arguments", "RequestConfirmation", [], "org.freedesktop.DBus.Error.UnknownMethod"),
    ("no such method", "RequestMoney", [], "org.freedesktop.DBus.Error.UnknownMethod"),
  ])
  func whatBluetoothdMayNotAskIsRefused(
    name: String, member: String, arguments: [Value], error: BusError.Name
  ) throws {
    let (stand, probe) = try pairing(.passkey(5))
    #expect(try stand.world.run { probe.isOpen })
    let answer = try stand.fake.askAgent(of: stand.belt, member, arguments, in: stand.world)
    #expect(answer?.name == error)
  }

  @Test func aPasskeyToBeTypedOnTheSensorIsTaken() throws {
    let (stand, probe) = try pairing(.passkey(5))
    #expect(try stand.world.run { probe.isOpen })
    #expect(
      try stand.fake.askAgent(of: stand.belt, "DisplayPasskey", [.uint32(12), .uint16(0)], in: stand.world) == nil)
    #expect(try stand.fake.askAgent(of: stand.belt, "DisplayPinCode", [.string("1")], in: stand.world) == nil)
    #expect(stand.questions.isEmpty)
  }
}

// A sensor that requires a bond, while a user pairs it.

import BlueZRadio
import DBus
import EventLoop
import Radio
import TestSupport
import Testing
import Wire

struct BondingTests {
  @Test("after the user enters the passkey, the sensor is bonded and values arrive")
  func passkeyEntered() throws {
    let (stand, probe) = try pairing(.passkey(12345))
    #expect(try stand.world.run { probe.isOpen })
    var isSubscribed = false
    probe.link.subscribe(RadioStand.rate) { result in
      #expect((try? result.get()) != nil)
      isSubscribed = true
    }
    let question = try stand.waitForQuestion()
    #expect(question.ask == .passkey && question.address == RadioStand.address)
    // The user needs longer than any other step may take.
    try stand.world.run(for: .seconds(28))
    question.answer(.passkey(12345))
    #expect(try stand.world.run { isSubscribed })
    #expect(stand.belt.isPaired && stand.belt.characteristic("2a37")?.isSubscribed == true)
    stand.belt.notify("2a37", [0, 60])
    #expect(try stand.world.run { probe.values == [[0, 60]] })
    #expect(stand.fake.count(of: "Pair") == 0, "bluetoothd bonded by itself")
  }

  @Test("a passkey to compare is shown, and confirming it bonds the sensor")
  func passkeyCompared() throws {
    let (stand, probe) = try pairing(.confirmation(42))
    #expect(try stand.world.run { probe.isOpen })
    var isSubscribed = false
    probe.link.subscribe(RadioStand.rate) { _ in isSubscribed = true }
    let question = try stand.waitForQuestion()
    #expect(question.ask == .confirmation(passkey: 42))
    question.answer(.confirmed)
    #expect(try stand.world.run { isSubscribed && stand.belt.isPaired })
  }

  @Test("a sensor without display or keypad is bonded without a question")
  func justWorks() throws {
    let (stand, probe) = try pairing(.justWorks)
    #expect(try stand.world.run { probe.isOpen })
    #expect(try probe.subscribe(RadioStand.rate) == nil)
    #expect(stand.belt.isPaired && stand.questions.isEmpty)
  }

  @Test("a wrong passkey ends the pairing, and the user can try again")
  func wrongPasskey() throws {
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
    try stand.discoverAgain()
    let next = try linkToPair(stand)
    #expect(try stand.world.run { next.isOpen })
    var isSubscribed = false
    next.link.subscribe(RadioStand.rate) { _ in isSubscribed = true }
    try stand.waitForQuestion(2).answer(.passkey(12345))
    #expect(try stand.world.run { isSubscribed && stand.belt.isPaired })
    #expect(stand.fake.count(of: "RemoveDevice") == 0)
  }

  @Test("a question that the user refuses ends the pairing")
  func refusedByUser() throws {
    let (stand, probe) = try pairing(.confirmation(42))
    #expect(try stand.world.run { probe.isOpen })
    probe.link.subscribe(RadioStand.rate) { #expect((try? $0.get()) == nil, "subscribed") }
    try stand.waitForQuestion().answer(nil)
    #expect(try stand.world.run { probe.failure?.needsUser == true })
    #expect(probe.failure?.detail.contains("refused") == true)
    #expect(!stand.belt.isPaired)
  }

  @Test("the question is withdrawn when the link drops")
  func linkDropsDuringQuestion() throws {
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

  @Test("an abandoned pairing leaves no agent and no question")
  func abandonedPairing() throws {
    let (stand, probe) = try pairing(.passkey(1))
    #expect(try stand.world.run { probe.isOpen })
    #expect(stand.fake.agentClients == [stand.bus.connection?.name])
    probe.link.subscribe(RadioStand.rate) { _ in Issue.record("subscribed") }
    let question = try stand.waitForQuestion()
    probe.close()
    try stand.world.run(for: .seconds(5))
    #expect(!question.isOpen && stand.fake.agentClients.isEmpty && !stand.belt.isConnected)
  }

  @Test("after bluetoothd crashes during a question, the agent is registered again")
  func crashDuringQuestion() throws {
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
    try stand.discoverAgain()
    let next = try linkToPair(stand)
    #expect(try stand.world.run { next.isOpen })
    var isSubscribed = false
    next.link.subscribe(RadioStand.rate) { _ in isSubscribed = true }
    try stand.waitForQuestion(2).answer(.passkey(7))
    #expect(try stand.world.run { isSubscribed && stand.belt.isPaired })
  }
}

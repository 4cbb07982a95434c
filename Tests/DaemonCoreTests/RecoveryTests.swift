// How a session recovers from each kind of failure, in virtual time.

import JSON
import Linux
import ProgramKit
import Radio
import TestSupport
import Testing
import Time
import Wire

@testable import Connections
@testable import DaemonCore

private let aborted = LinkFailure(.transient, .connectingFailed, "le-connection-abort-by-local")
private let flap = LinkOutcome.flaps(aborted, upFor: .milliseconds(50))

extension TestDaemon {
  /// The number of links since `start`.
  fileprivate func links(since start: Int) -> Int { radio.links.count - start }

  fileprivate var session: SensorSession? { daemon.sensors.sessions.first }

  /// Drops the strap's link. `outcome` decides how each following link ends, counted from 1.
  fileprivate func loseStrap(_ outcome: @escaping (Int) -> LinkOutcome?) -> Int {
    let before = radio.links.count
    radio.outcome = { outcome($0 - before) }
    radio.link?.lose()
    return before
  }
}

@Suite struct RecoveryTests {
  @Test("an aborted connect is retried within its turn")
  func abortedConnectRetriedWithinTurn() throws {
    let test = try TestDaemon()
    let client = try test.pairStrap()
    let before = test.loseStrap { $0 <= 5 ? flap : .opens }
    #expect(try test.run(within: .seconds(4)) { test.isSubscribed })
    #expect(test.links(since: before) == 6)
    test.radio.link?.notify([0x00, 0x49])
    try test.run(for: .milliseconds(1))
    // The retries need no advert and publish no state each. Once subscribed, the state has no
    // failure.
    let states = try client.all("state").suffix(5)
    #expect(states.map { $0["state"] } == ["searching", "connecting", "connecting", "connecting", "streaming"])
    #expect(states.map { $0["reason"]?.text } == ["link_lost", nil, "connecting_failed", nil, nil])
  }

  @Test("after nine quick retries the attempts slow down")
  func afterNineQuickRetriesAttemptsSlow() throws {
    let test = try TestDaemon()
    _ = try test.pairStrap()
    let before = test.loseStrap { _ in .flaps(aborted, upFor: .milliseconds(20)) }
    try test.run(for: .seconds(6))
    // The tenth link was up, so the sensor is present and gets another turn of ten. The pauses
    // grow.
    let links = test.links(since: before)
    #expect(links >= 10 && links <= 30, "\(links)")
    try test.run(for: .seconds(60))
    #expect(test.links(since: before) < 120)
  }

  @Test("quick retries end at the deadline of the connect")
  func quickRetriesEndAtDeadline() throws {
    let test = try TestDaemon()
    _ = try test.pairStrap()
    // The kernel does this for an absent sensor.
    let before = test.loseStrap { _ in .fails(aborted, after: .milliseconds(3900)) }
    try test.run(for: .seconds(2))
    test.radio.advertise()
    try test.run(for: .seconds(60))
    // Each retry takes 4 s of the kernel's 20 s.
    #expect(test.links(since: before) <= 6)
    #expect(test.state() == .searching && test.radio.isSearching)
  }

  @Test("a device that BlueZ removed is discovered again by its address")
  func deviceThatBlueZRemovedDiscoveredAgain() throws {
    let test = try TestDaemon()
    _ = try test.pairStrap()
    let gone = LinkFailure(.gone, .connectingFailed, "gone: the test dropped it")
    let before = test.loseStrap { $0 <= 2 ? .fails(gone, after: .milliseconds(10)) : .opens }
    try test.run(for: .seconds(1))
    #expect(test.links(since: before) == 1 && test.radio.isSearching)
    test.radio.advertise()
    try test.run(for: .milliseconds(100))
    #expect(test.links(since: before) == 2 && test.state() == .searching)
    // The pause is 4 s from the second failure on, however often the sensor advertises.
    for _ in 0..<38 {
      test.radio.advertise()
      try test.run(for: .milliseconds(100))
    }
    #expect(test.links(since: before) == 2)
    try test.run(for: .seconds(1))
    #expect(test.isSubscribed)
  }

  @Test("a sensor held by another program is retried after a pause")
  func sensorHeldByAnotherProgramRetried() throws {
    let test = try TestDaemon()
    _ = try test.pairStrap()
    test.radio.subscribing = .failure(LinkFailure(.busy, .heldElsewhere, "Notify acquired"))
    test.radio.link?.lose()
    try test.run(for: .seconds(1))
    #expect(test.state() == .searching && test.reason() == .heldElsewhere)
    test.radio.subscribing = .success(())
    test.radio.advertise()
    try test.run(for: .seconds(2))
    #expect(test.state() == .searching)
    try test.run(for: .seconds(2))
    #expect(test.isSubscribed)
  }

  @Test("outdated services are removed once per connect", arguments: [true, false])
  func outdatedServicesRemovedOncePerConnect(isAllowed: Bool) throws {
    let test = try TestDaemon()
    _ = try test.pairStrap()
    test.radio.mayForget = isAllowed
    test.radio.subscribing = .failure(LinkFailure(.outdated, .linkLost, "ATT error: 0x01"))
    test.radio.link?.lose()
    for _ in 0..<100 {
      test.radio.advertise()
      try test.run(for: .milliseconds(100))
    }
    #expect(test.radio.forgotten == (isAllowed ? 1 : 0))
    test.radio.subscribing = .success(())
    for _ in 0..<100 where !test.isSubscribed {
      test.radio.advertise()
      try test.run(for: .milliseconds(100))
    }
    #expect(test.isSubscribed)
  }

  @Test("a sensor without its services is removed once and looked at again")
  func sensorWithoutServicesRemoved() throws {
    let test = try TestDaemon()
    _ = try test.pairStrap()
    test.radio.mayForget = true
    let offers = test.radio.offers
    test.radio.offers = []
    test.radio.link?.lose()
    try test.run(for: .milliseconds(300))
    #expect(test.radio.forgotten == 1 && test.state() == .searching)
    test.radio.offers = offers
    test.radio.advertise()
    try test.run(for: .milliseconds(500))
    #expect(test.isSubscribed)
  }

  @Test("a sensor without a first value is resubscribed once")
  func sensorWithoutFirstValueResubscribed() throws {
    let test = try TestDaemon()
    let client = try test.pairStrap()
    test.radio.link?.lose()
    try test.run(for: .milliseconds(300))
    let link = try #require(test.radio.link)
    #expect(test.isSubscribed && link.subscriptions == [.measurement])
    try test.run(for: .seconds(6))
    #expect(test.state() == .stale)
    #expect(link.subscriptions == [.measurement, .measurement])
    link.notify([0x00, 0x49])
    try test.run(for: .seconds(7))
    #expect(test.state() == .stale && link.subscriptions.count == 2, "it has spoken: its silence is its own")
    #expect(try client.all("sample").count == 2)
  }

  @Test("the longest gap between values is measured")
  func longestGap() throws {
    let test = try TestDaemon()
    let client = try test.pairStrap()
    test.radio.accepts = false
    test.radio.link?.lose()
    try test.run(for: .seconds(60))
    test.radio.accepts = true
    test.radio.advertise()
    try test.run(for: .milliseconds(200))
    test.radio.link?.notify([0x00, 0x49])
    client.send(#"{"id":5,"method":"sensors"}"#)
    try test.run(for: .milliseconds(10))
    let link = try client.reply(5)?["result"]?["sensors"]?.items?.first?["link"]
    #expect(link?["reconnects"] == 1)
    let gap = link?["longest_gap_s"]?.number ?? 0
    #expect(gap > 60 && gap < 61)
  }
}

@Suite struct LostBondTests {
  /// A bonded strap that streams.
  private func bonded() throws -> (TestDaemon, TestClient) {
    let test = try TestDaemon()
    test.radio.isBonded = true
    return (test, try test.pairStrap())
  }

  @Test("the roster stores that a sensor is bonded")
  func rosterStoresThatSensorBonded() throws {
    let (test, _) = try bonded()
    #expect(test.daemon.sensors.roster.sensors.first?.isBonded == true)
    let again = Roster(folder: test.folder.path, log: Log { _ in })
    #expect(again.sensors.first?.isBonded == true)
    test.radio.link?.lose()
    try test.run(for: .milliseconds(300))
    #expect(test.radio.link?.shouldBeBonded == true)
  }

  @Test("a lost bond is an error that tells how to fix it")
  func lostBondErrorThatTellsHow() throws {
    let (test, client) = try bonded()
    let before = test.loseStrap { _ in
      .fails(LinkFailure(.needsUser, .bondLost, "org.bluez.Error.AuthenticationFailed"), after: .milliseconds(10))
    }
    try test.run(for: .seconds(1))
    #expect(test.state() == .error && test.reason() == .bondLost)
    #expect(try client.all("state").last?["reason"] == "bond_lost")
    #expect(test.logged.lines.contains { $0.contains("cyclo pair \(DeviceAddress.strap)") })
    for _ in 0..<600 {
      test.radio.advertise()
      try test.run(for: .seconds(1))
    }
    #expect(test.links(since: before) == 1)
  }

  @Test("repeated disconnects of a bonded sensor mean a lost bond")
  func repeatedDisconnectsOfBondedSensorMean() throws {
    let (test, _) = try bonded()
    let before = test.loseStrap { _ in flap }
    #expect(try test.run(within: .seconds(10)) { test.state() == .error })
    #expect(test.reason() == .bondLost && test.links(since: before) == ReconnectPolicy.endsThatMeanALostBond)
    #expect(test.session?.connection.failure?.detail.contains("cyclo pair") == true)
    // Only a few links per minute, although the sensor advertises all the time.
    for _ in 0..<600 {
      test.radio.advertise()
      try test.run(for: .seconds(1))
    }
    #expect(test.links(since: before) <= 50)
    // If the sensor was only at the edge of its range, it recovers by itself.
    test.radio.outcome = { _ in .opens }
    for _ in 0..<70 where !test.isSubscribed {
      test.radio.advertise()
      try test.run(for: .seconds(1))
    }
    #expect(test.isSubscribed)
  }

  /// If BlueZ has cached the services, the link opens and is even subscribed before it ends.
  @Test("links of a bonded sensor that end without a value also mean a lost bond")
  func endsWithoutValue() throws {
    let (test, _) = try bonded()
    let before = test.loseStrap { _ in .opens }
    for _ in 0..<600 where test.state() != .error {
      test.radio.advertise()
      try test.run(for: .milliseconds(100))
      if test.isSubscribed { test.radio.link?.lose() }
    }
    #expect(test.reason() == .bondLost)
    #expect(test.links(since: before) == ReconnectPolicy.endsThatMeanALostBond)
  }

  @Test("repeated disconnects without a bond are not an error")
  func notBonded() throws {
    let test = try TestDaemon()
    _ = try test.pairStrap()
    _ = test.loseStrap { _ in flap }
    for _ in 0..<120 {
      test.radio.advertise()
      try test.run(for: .seconds(1))
      #expect(test.state() != .error)
    }
  }

  @Test("pairing again restores a lost bond, and keeps id, name and settings", arguments: [true, false])
  func pairingAgainRestoresLostBond(isSaid: Bool) throws {
    let (test, client) = try bonded()
    client.send(#"{"id":3,"method":"rename","params":{"sensor":"polar-h10-0001","name":"Mine"}}"#)
    client.send(#"{"id":4,"method":"set","params":{"sensor":"polar-h10-0001","key":"priority","value":3}}"#)
    try test.run(for: .milliseconds(10))
    let lost = LinkFailure(.needsUser, .bondLost, "org.bluez.Error.AuthenticationFailed")
    _ = test.loseStrap { _ in isSaid ? .fails(lost, after: .milliseconds(10)) : flap }
    #expect(try test.run(within: .seconds(10)) { test.state() == .error })
    // The failure persists as long as this computer keeps the old bond.
    test.radio.outcome = { [unowned radio = test.radio] _ in
      radio.isBonded ? (isSaid ? .fails(lost, after: .milliseconds(10)) : flap) : .opens
    }
    client.send(#"{"id":9,"method":"pair","params":{"address":"\#(DeviceAddress.strap)"}}"#)
    for _ in 0..<200 where test.state() != .streaming {
      test.radio.advertise()
      try test.run(for: .milliseconds(100))
      if test.radio.hasOpenLink, !test.radio.isBonded { test.radio.link?.notify([0x00, 0x50]) }
    }
    #expect(test.radio.forgottenBonds == 1)
    try test.run(for: .milliseconds(10))
    let reply = try client.reply(9)?["result"]
    #expect(reply?["id"] == "polar-h10-0001" && reply?["name"] == "Mine" && reply?["settings"]?["priority"] == 3)
    #expect(test.daemon.sensors.sessions.count == 1 && test.daemon.sensors.roster.sensors.count == 1)
    #expect(test.state() == .streaming)
    #expect(try client.all("sensor").last?["change"] == "changed")
  }

  @Test("an added adapter that is on makes the daemon retry after a lost bond")
  func newAdapter() throws {
    let (test, _) = try bonded()
    let before = test.loseStrap { _ in .fails(LinkFailure(.needsUser, .bondLost, "no"), after: .milliseconds(10)) }
    try test.run(for: .seconds(1))
    #expect(test.state() == .error && test.links(since: before) == 1)
    test.radio.outcome = { _ in .opens }
    test.radio.delegate?.radioChanged(RadioAdapter(name: "hci1", address: "00:11:22:33:44:66", state: .on))
    #expect(test.state() == .error, "one that was only power-cycled has no other bond")
    test.radio.delegate?.radioGainedAdapter()
    #expect(test.state() != .error)
    test.radio.advertise()
    #expect(try test.run(within: .seconds(10)) { test.isSubscribed })
  }

  @Test("pairing a sensor that works is refused")
  func alreadyPaired() throws {
    let (test, client) = try bonded()
    client.send(#"{"id":9,"method":"pair","params":{"address":"\#(DeviceAddress.strap)"}}"#)
    try test.run(for: .milliseconds(10))
    #expect(try client.reply(9)?["code"] == "already_paired")
    #expect(test.state() == .streaming)
  }

  @Test("a failed repeated pairing leaves the sensor unchanged")
  func failedPairing() throws {
    let (test, client) = try bonded()
    _ = test.loseStrap { _ in .fails(LinkFailure(.needsUser, .bondLost, "no"), after: .milliseconds(10)) }
    try test.run(for: .seconds(1))
    client.send(#"{"id":9,"method":"pair","params":{"address":"\#(DeviceAddress.strap)"}}"#)
    try test.run(for: .milliseconds(10))
    client.send(#"{"id":10,"method":"cancel"}"#)
    try test.run(for: .milliseconds(10))
    #expect(try client.reply(9)?["code"] == "cancelled")
    #expect(
      test.state() == .error && test.daemon.sensors.roster.sensors.count == 1 && test.daemon.pairing.pairings.isEmpty)
  }
}

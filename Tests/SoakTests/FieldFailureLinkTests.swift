// Rows of docs/field-failures.md that affect one sensor. It streams again without help, and the
// others are not affected.

import DBus
import EventLoop
import Linux
import TestSupport
import Testing
import Vocabulary

@testable import soak

struct FieldFailureLinkTests {
  @Test(
    "a connect that fails four times is tried a fifth time",
    arguments: [
      ("1: up for a moment, then aborted", ConnectOutcome.flap(upFor: .milliseconds(80), .connectionAborted)),
      ("1: in the words of before 5.62", .fail(.bluezFailed("Software caused connection abort"))),
      ("3: canceled, on a Low Energy sensor", .fail(.connectionCanceled, after: .milliseconds(300))),
    ])
  func connectThatFailsFourTimesTried(name: String, outcome: ConnectOutcome) throws {
    let field = try Field()
    let before = field.one.fake.connectAttempts
    field.one.connects = Array(repeating: outcome, count: 4)
    field.house.cut(field.one)
    try field.streamAgain()
    #expect(field.one.fake.connectAttempts == before + 5)
    #expect(field.states(of: field.one).contains { $0.hasSuffix("ing connecting_failed") })
    #expect(!field.published.contains { $0.contains("error") })
    #expect(field.onlyOneWasConcerned)
  }

  /// Row 2: the client that started it has ended, and BlueZ continues.
  @Test("a connect left over from a dead client is cancelled")
  func connectLeftOverFromDeadClient() throws {
    let field = try Field()
    let path = try #require(field.house.fake.adapters[0].device(field.one.fake))
    field.one.fake.goAway()
    // The kernel has given up, so only this sensor needs adverts.
    try field.pass(.seconds(25))
    field.one.connects = [.never]
    field.one.fake.isInRange = true
    let client = field.house.world.makeBus()
    #expect(try field.house.world.run { client.isConnected })
    client.call(.call(to: "org.bluez", path: path, interface: "org.bluez.Device1", member: "Connect")) { _ in }
    try field.pass(.seconds(1))
    client.stop()
    #expect(field.house.fake.adapters[0].connectsUnderWay == 1)
    field.one.fake.advertise()
    try field.streamAgain()
    #expect(field.logged.contains("InProgress"))
    #expect(field.onlyOneWasConcerned)
  }

  /// Row 4.
  @Test("a device that vanishes while connecting is found again")
  func deviceThatVanishesWhileConnectingFound() throws {
    let field = try Field()
    field.one.connects = [.vanish(after: .milliseconds(100))]
    field.house.cut(field.one)
    try field.streamAgain()
    #expect(field.logged.contains("gone"))
    #expect(field.onlyOneWasConcerned)
  }

  /// Row 5.
  @Test("services that never resolve are requested on a new link")
  func servicesThatNeverResolveRequested() throws {
    let field = try Field()
    field.one.resolves = [.never]
    field.house.cut(field.one)
    try field.streamAgain()
    #expect(field.logged.contains("services not resolved"))
    #expect(field.onlyOneWasConcerned)
  }

  /// Row 7.
  @Test("notifications held by another process are reported, and used once they are free")
  func notificationsHeldByAnotherProcessReported() throws {
    let field = try Field()
    let characteristic = try #require(field.one.fake.services.first?.characteristics.first)
    characteristic.isHeldByAnother = true
    field.house.cut(field.one)
    try field.pass(.seconds(20))
    #expect(field.states(of: field.one).last == "searching held_elsewhere")
    characteristic.isHeldByAnother = false
    try field.streamAgain()
    #expect(field.onlyOneWasConcerned)
  }

  /// Row 7: repeated notifications are genuine samples. A gap in `seq` would mean that the daemon
  /// lost one.
  @Test("notifications that arrive twice are published twice")
  func notificationsThatArriveTwicePublishedTwice() throws {
    let field = try Field()
    field.one.isDoubling = true
    let before = field.house.listener.samples
    try field.pass(.seconds(10))
    #expect(field.house.listener.samples > before)
    #expect(field.published.isEmpty)
  }

  /// Row 8: reported as stale, then reconnected until it sends.
  @Test("a connected but silent sensor becomes stale and is reconnected")
  func connectedButSilentSensorBecomesStale() throws {
    let field = try Field()
    let before = field.one.fake.connectAttempts
    field.one.isMute = true
    try field.pass(.seconds(60))
    #expect(Array(field.states(of: field.one).prefix(2)) == ["stale silent", "searching silent"])
    #expect(field.one.fake.connectAttempts > before)
    #expect(field.one.fake.connectAttempts < before + 10)
    field.one.isMute = false
    try field.streamAgain(within: .seconds(60))
    #expect(field.onlyOneWasConcerned)
  }

  /// Row 13: neither a sensor that was never in range nor one that does not answer a Connect.
  @Test("an absent sensor does not delay others")
  func absentSensorDoesNotDelayOthers() throws {
    let field = try Field()
    field.one.fake.goAway()
    try field.pass(.seconds(10))
    #expect(field.onlyOneWasConcerned)
    // It advertised once and left before its turn. Each Connect takes the kernel's 20 s.
    field.one.fake.advertise()
    field.one.fake.isInRange = false
    field.house.fake.crash()
    field.house.fake.start()
    try field.streamAgain(without: [field.one], within: .seconds(60))
    field.one.fake.stopAdvertising()
    let count = field.published.count
    try field.pass(.seconds(600))
    #expect(field.published.dropFirst(count).allSatisfy { $0.hasPrefix(field.one.id + " ") })
    field.one.fake.advertise()
    try field.streamAgain()
  }

  /// Row 14: the log contains the reason if BlueZ reports one.
  @Test("the reason of a lost link is reported")
  func reasonOfLostLinkReported() throws {
    let field = try Field()
    field.one.fake.dropLink(.timeout)
    try field.streamAgain()
    #expect(field.states(of: field.one).first == "searching link_lost")
    #expect(field.logged.contains("link lost: org.bluez.Reason.Timeout"))
  }

  /// Row 14: a supervision timeout that is too short drops the link twice a minute.
  @Test("a link that drops every 30 s is rebuilt each time")
  func linkThatDropsEvery30S() throws {
    let field = try Field()
    for _ in 0..<20 {
      field.one.fake.dropLink(.timeout)
      try field.streamAgain(within: .seconds(10))
      try field.pass(.seconds(30))
    }
    #expect(field.onlyOneWasConcerned)
    #expect(field.states(of: field.one).count == 60, "only searching, connecting and streaming")
  }
}

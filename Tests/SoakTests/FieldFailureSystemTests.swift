// Rows of docs/field-failures.md that affect all sensors. The reason is published, and all eight
// stream again without help.

import EventLoop
import Linux
import TestSupport
import Testing
import Vocabulary

@testable import soak

struct FieldFailureSystemTests {
  /// Row 9.
  @Test("all sensors stream again after bluetoothd is killed")
  func allSensorsStreamAgainAfterBluetoothd() throws {
    let field = try Field()
    field.house.fake.crash()
    try field.pass(.seconds(60))
    #expect(field.wasSaidOfAll("searching bluetoothd_gone"))
    field.house.fake.start()
    try field.streamAgain()
  }

  /// Row 10.
  @Test("all sensors stream again on an adapter that returns under another name")
  func allSensorsStreamAgainOnAdapter() throws {
    let field = try Field()
    field.house.fake.removeAdapter(field.house.fake.adapters[0])
    try field.pass(.seconds(60))
    #expect(field.wasSaidOfAll("searching adapter_absent"))
    field.house.fake.addAdapter("hci1")
    try field.streamAgain()
    #expect(field.logged.contains("adapter hci1"))
  }

  /// Row 10: switching off one adapter does not apply to an adapter that is plugged in later.
  @Test("an adapter that is plugged in again is powered on")
  func adapterThatPluggedInAgainPowered() throws {
    let field = try Field()
    let adapter = field.house.fake.adapters[0]
    adapter.setPowered(false)
    try field.pass(.seconds(5))
    field.house.fake.script.autoEnable = false
    field.house.fake.removeAdapter(adapter)
    try field.pass(.seconds(5))
    field.house.fake.addAdapter("hci1")
    try field.streamAgain()
  }

  /// Row 11.
  @Test("all sensors stream again when the adapter is unblocked")
  func allSensorsStreamAgainWhenAdapter() throws {
    let field = try Field()
    field.house.fake.adapters[0].setBlocked(true)
    try field.pass(.seconds(60))
    #expect(field.wasSaidOfAll("searching adapter_off") || field.wasSaidOfAll("searching adapter_blocked"))
    field.house.fake.adapters[0].setBlocked(false)
    field.house.fake.adapters[0].setPowered(true)
    try field.streamAgain()
  }

  /// Row 12: discovery is reported to run but receives nothing.
  @Test("discovery that finds nothing for 90 s is restarted")
  func discoveryThatFindsNothingFor90() throws {
    let field = try Field()
    field.one.fake.goAway()
    // The kernel has given up, and discovery runs.
    try field.pass(.seconds(25))
    field.house.fake.adapters[0].goDeaf()
    field.one.fake.advertise()
    try field.pass(.seconds(60))
    #expect(field.house.listener.state(of: field.one) == "searching")
    try field.streamAgain(within: .seconds(40))
    #expect(field.onlyOneWasConcerned)
  }

  /// Row 12: `bluetoothctl scan on` at the same time, and a wrong `Discovering`.
  @Test("discovery that is refused and reported as not running still finds the sensor")
  func discoveryThatRefusedAndReported() throws {
    let field = try Field()
    field.house.fake.script.claimedDiscovering = false
    field.house.refuse("StartDiscovery", at: nil, with: .inProgress, for: .seconds(10))
    field.one.fake.goAway()
    try field.pass(.seconds(12))
    field.one.fake.advertise()
    try field.streamAgain()
    #expect(field.onlyOneWasConcerned)
  }

  /// Row 13: an adapter that holds five of the eight.
  @Test("sensors beyond an adapter's capacity are reported, and connect through a second one")
  func sensorsBeyondAdaptersCapacityReported() throws {
    let field = try Field()
    let adapter = field.house.fake.adapters[0]
    adapter.slots = 5
    adapter.setPowered(false)
    try field.pass(.seconds(5))
    adapter.setPowered(true)
    try field.pass(.seconds(120))
    let waiting = field.house.sensors.filter { !$0.fake.isConnected }
    #expect(waiting.count == 3)
    for sensor in waiting { #expect(field.states(of: sensor).contains("searching no_slots")) }
    try field.streamAgain(without: waiting)
    field.house.fake.addAdapter("hci1", address: "00:11:22:33:44:66")
    try field.streamAgain(within: .seconds(60))
    #expect(field.house.fake.adapters.map(\.links) == [5, 3])
  }

  /// Row 15.
  @Test("sleep disconnects, wake reconnects")
  func sleepDisconnectsWakeReconnects() throws {
    let field = try Field()
    field.house.logind.prepareForSleep(true)
    try field.pass(.milliseconds(500))
    #expect(field.wasSaidOfAll("searching suspended"))
    #expect(field.house.sensors.allSatisfy { !$0.fake.isConnected })
    #expect(field.house.fake.adapters[0].discoverySessions == 0)
    field.house.world.time.sleep(for: .seconds(3 * 3600))
    try field.pass(.milliseconds(1))
    field.house.logind.prepareForSleep(false)
    try field.streamAgain()
  }

  /// Row 15: logind exits during the sleep, or never reports its end.
  @Test("the end of a sleep is not missed", arguments: [true, false])
  func endOfSleepNotMissed(isThereALogind: Bool) throws {
    let field = try Field()
    field.house.logind.prepareForSleep(true)
    try field.pass(.milliseconds(500))
    if !isThereALogind { field.house.logind.leave() }
    try field.streamAgain(within: isThereALogind ? .seconds(60) + Field.bound : Field.bound)
  }

  /// Row 15: logind did not announce it, and BlueZ still reports every link as connected.
  @Test("an unannounced sleep does no harm")
  func unannouncedSleepDoesNoHarm() throws {
    let field = try Field()
    for sensor in field.house.sensors { sensor.isMute = true }
    field.house.world.time.sleep(for: .seconds(3600))
    try field.pass(.milliseconds(1))
    for sensor in field.house.sensors { sensor.isMute = false }
    try field.streamAgain()
  }

  /// Row 17: a crowded start line. FieldFailureFloodTests measures its cost for a real daemon.
  @Test("a flood of unknown devices disturbs no sensor")
  func floodOfUnknownDevicesDisturbs() throws {
    let field = try Field()
    try field.pass(.seconds(60))
    let before = try field.house.takeStock()
    field.house.fake.adapters[0].flood(signalsPerSecond: 2000, for: .seconds(10))
    try field.pass(.seconds(10))
    #expect(field.published.isEmpty)
    try field.pass(.seconds(60))
    let after = try field.house.takeStock()
    #expect(after.watches == before.watches)
    #expect(after.deadlines == before.deadlines)
    #expect(after.matchRules == before.matchRules)
  }

  /// Row 19: subscribers stay connected and are notified.
  @Test("subscribers stay connected when the bus restarts")
  func subscribersStayConnectedWhenBusRestarts() throws {
    let field = try Field()
    field.house.stopBus()
    try field.pass(.seconds(60))
    #expect(field.wasSaidOfAll("searching bus_gone"))
    field.house.startBus()
    try field.streamAgain()
    #expect(field.house.listener.adapters.suffix(2) == ["absent", "on"])
  }

  /// Row 20, in virtual time. HostileClientTests uses a real daemon.
  @Test("misbehaving clients disturb no others")
  func misbehavingClientsDisturbNoOthers() throws {
    let field = try Field()
    field.house.misbehave(for: .seconds(60))
    try field.pass(.seconds(120))
    #expect(field.published.isEmpty)
    try field.streamAgain()
  }
}

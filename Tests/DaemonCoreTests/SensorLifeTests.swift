// The life of one sensor, in virtual time: what is published when it is discovered, connects, goes
// silent, is lost and reconnects.

import JSON
import Radio
import TestSupport
import Testing
import Vocabulary
import Wire

@testable import DaemonCore
@testable import Sensing

@Suite struct SensorLifeTests {
  @Test("a discovered sensor is connected and streams")
  func streams() throws {
    let test = try TestDaemon()
    let client = try test.pairStrap()
    #expect(test.state() == .streaming)
    #expect(try client.all("sample").map { $0["bpm"] } == [72])
    #expect(try client.reply(2)?["result"]?["id"] == "polar-h10-0001")
    #expect(try client.all("sensor").first?["change"] == "added")
  }

  @Test("discovery runs only while a sensor is missing")
  func discovery() throws {
    let test = try TestDaemon()
    #expect(!test.radio.isSearching)
    _ = try test.pairStrap()
    #expect(test.radio.demands.contains { $0 != nil })
    #expect(!test.radio.isSearching)
  }

  @Test("a lost link is reported at once, and the sensor reconnects")
  func reconnects() throws {
    let test = try TestDaemon()
    let client = try test.pairStrap()
    test.radio.link?.lose()
    try test.run(for: .milliseconds(1))
    let lost = try client.all("state").last { $0["state"] == "searching" }
    #expect(lost?["reason"] == "link_lost")
    try test.run(for: .milliseconds(200))
    #expect(test.isSubscribed && test.state() == .connecting, "no value came yet")
    test.radio.link?.notify([0x00, 0x49])
    try test.run(for: .milliseconds(1))
    #expect(test.state() == .streaming)
    #expect(try client.all("sample").map { $0["seq"] } == [1, 2])
  }

  @Test("a sensor that left is searched for by discovery after at most 21 s")
  func sensorThatLeftSearched() throws {
    let test = try TestDaemon()
    _ = try test.pairStrap()
    test.radio.accepts = false
    test.radio.link?.lose()
    #expect(try test.run(within: .seconds(21)) { test.state() == .searching && test.radio.isSearching })
    #expect(test.reason() == .connectingFailed)
    test.radio.accepts = true
    try test.run(for: .seconds(60))
    #expect(test.state() == .searching)
    test.radio.advertise()
    try test.run(for: .milliseconds(200))
    #expect(test.isSubscribed)
  }

  @Test("a silent sensor becomes stale, then its link is rebuilt")
  func silentSensorBecomesStaleThenLink() throws {
    let test = try TestDaemon()
    let client = try test.pairStrap()
    try test.run(for: .milliseconds(4900))
    #expect(test.state() == .streaming)
    try test.run(for: .milliseconds(200))
    #expect(test.state() == .stale)
    #expect(try client.all("state").last?["reason"] == "silent")
    #expect(try client.all("sample").count == 1)
    test.radio.accepts = false
    try test.run(for: .seconds(11))
    #expect(test.radio.links.first?.isClosed == true)
    #expect(test.state() != .stale)
  }

  @Test("the status line counts streaming sensors and names the obstacle")
  func statusLine() throws {
    let test = try TestDaemon()
    #expect(test.daemon.statusLine == "No sensor is paired")
    _ = try test.pairStrap()
    #expect(test.daemon.statusLine == "1 of 1 sensor streams")
    test.radio.change(to: .adapterOff)
    #expect(test.daemon.statusLine == "1 of 1 sensor streams. Bluetooth: adapter off")
  }

  /// The balance of an Assioma is valid only while there is power.
  @Test("a device name that arrives later selects the device's quirks")
  func lateName() throws {
    let power = Endpoint(service: BluetoothUUID(0x1818), characteristic: BluetoothUUID(0x2a63))
    let test = try TestDaemon()
    test.radio.offers = [power]
    let client = try test.pairStrap(name: "Pedals", measurement: power, first: [0x01, 0, 0, 0, 100])
    #expect(try client.samples().last?["pedal_balance_pct"] == 50)
    test.radio.advertise(name: "ASSIOMA12345")
    test.radio.link?.notify([0x01, 0, 0, 0, 100], from: power)
    try test.run(for: .milliseconds(10))
    let last = try client.samples().last
    #expect(last?["seq"] == 2 && last?["power_w"] == 0 && last?["pedal_balance_pct"] == nil)
    #expect(test.daemon.sensors.sessions.first?.reader.deviceName == "ASSIOMA12345")
  }

  @Test("a value makes a stale sensor stream again")
  func streamsAgain() throws {
    let test = try TestDaemon()
    let client = try test.pairStrap()
    try test.run(for: .seconds(6))
    #expect(test.state() == .stale)
    test.radio.link?.notify([0x00, 0x50])
    try test.run(for: .milliseconds(1))
    #expect(test.state() == .streaming)
    #expect(try client.all("sample").last?["bpm"] == 80)
  }

  @Test("a second silence becomes stale as soon as the first")
  func secondSilence() throws {
    let test = try TestDaemon()
    _ = try test.pairStrap()
    try test.run(for: .seconds(6))
    test.radio.link?.notify([0x00, 0x50])
    try test.run(for: .milliseconds(4900))
    #expect(test.state() == .streaming)
    try test.run(for: .milliseconds(200))
    #expect(test.state() == .stale)
  }

  @Test("a sensor that may sleep is watched again when it wakes")
  func sleepingSensor() throws {
    let test = try TestDaemon()
    let measurement = Endpoint.wheel
    test.radio.offers = [measurement]
    let client = try test.pairStrap()
    let standing: [UInt8] = [0x02, 5, 0, 0, 4]
    test.radio.link?.notify([0x02, 4, 0, 0, 0], from: measurement)
    try test.run(for: .seconds(1))
    test.radio.link?.notify(standing, from: measurement)
    try test.run(for: .seconds(3))
    test.radio.link?.notify(standing, from: measurement)
    try test.run(for: .seconds(600))
    #expect(test.state() == .stale && test.radio.link != nil, "it sleeps, and its link stays")
    #expect(try client.samples().map { $0["cadence_rpm"] } == [60, 0])
    test.radio.link?.notify([0x02, 6, 0, 0, 8], from: measurement)
    test.radio.link?.notify([0x02, 7, 0, 0, 12], from: measurement)
    try test.run(for: .milliseconds(2900))
    #expect(test.state() == .streaming)
    try test.run(for: .milliseconds(200))
    #expect(test.state() == .stale)
    test.radio.accepts = false
    try test.run(for: .seconds(8))
    #expect(test.radio.links.first?.isClosed == true)
  }

  @Test("a standing wheel has no missed packets")
  func standingWheel() throws {
    let test = try TestDaemon()
    let measurement = Endpoint.wheel
    test.radio.offers = [measurement]
    let client = try test.pairStrap()
    for turn in UInt8(0)..<20 {
      test.radio.link?.notify([0x02, 4 + min(turn, 14), 0, 0, 4 * min(turn, 14)], from: measurement)
      try test.run(for: .seconds(1))
    }
    try test.run(for: .seconds(600))
    #expect(test.state() == .stale)
    test.radio.link?.notify([0x02, 19, 0, 0, 60], from: measurement)
    client.send(#"{"id":9,"method":"sensors"}"#)
    try test.run(for: .milliseconds(1))
    let link = try client.reply(9)?["result"]?["sensors"]?.items?.first?["link"]
    #expect(link?["packets"] == 21 && link?["missed"] == 0)
  }

  @Test("refused bytes publish nothing, and the next valid ones do")
  func refusedBytes() throws {
    let test = try TestDaemon()
    let client = try test.pairStrap()
    test.radio.link?.notify([])
    test.radio.link?.notify([0x01, 0x48])
    test.radio.link?.notify([0x00, 0x51])
    try test.run(for: .milliseconds(1))
    #expect(try client.all("sample").map { $0["bpm"] } == [72, 81])
  }

  @Test("late values from an old link are ignored")
  func oldLink() throws {
    let test = try TestDaemon()
    let client = try test.pairStrap()
    let old = test.radio.link
    old?.lose()
    try test.run(for: .milliseconds(200))
    old?.notify([0x00, 0x99])
    old?.lose()
    try test.run(for: .milliseconds(1))
    #expect(test.isSubscribed)
    #expect(try client.all("sample").count == 1)
  }

  @Test(
    "a problem of the radio is the reason of every sensor",
    arguments: [StateReason.busGone, .bluetoothdGone, .adapterAbsent, .adapterOff, .adapterBlocked])
  func obstacles(obstacle: StateReason) throws {
    let test = try TestDaemon()
    let client = try test.pairStrap()
    test.radio.accepts = false
    test.radio.change(to: obstacle)
    test.radio.link?.lose(obstacle)
    try test.run(for: .milliseconds(1))
    #expect(test.state() == .searching)
    #expect(test.reason() == obstacle)
    #expect(try client.all("state").last?["reason"]?.text == obstacle.rawValue)
    test.radio.accepts = true
    test.radio.change(to: nil)
    test.radio.advertise()
    try test.run(for: .milliseconds(300))
    #expect(test.isSubscribed)
  }

  @Test("failed connects back off")
  func backOff() throws {
    let test = try TestDaemon()
    _ = try test.pairStrap()
    test.radio.accepts = false
    test.radio.link?.lose()
    var hearing = 0
    while hearing < 1200 {
      try test.run(for: .milliseconds(100))
      test.radio.advertise()
      hearing += 1
    }
    // In two minutes the attempts get longer and have pauses. Not every advert starts one.
    #expect(test.radio.links.count <= 10)
    #expect(test.state() == .connecting || test.state() == .searching)
  }

  /// The sensor worked before, so bluetoothd's list of its services may just be incomplete.
  @Test("a paired sensor without a known service is retried with backoff")
  func missingService() throws {
    let folder = try TemporaryFolder()
    let first = try TestDaemon(in: folder)
    _ = try first.pairStrap()
    first.daemon.stop()
    let test = try TestDaemon(in: folder, runtime: folder.path + "/second")
    test.radio.offers = []
    for _ in 0..<60 {
      test.radio.advertise()
      try test.run(for: .seconds(1))
      #expect(test.state() != .error)
    }
    #expect(test.reason() == .unsupported)
    #expect((3...15).contains(test.radio.links.count), "with growing pauses")
    test.radio.offers = [.measurement]
    for _ in 0..<40 where !test.isSubscribed {
      test.radio.advertise()
      try test.run(for: .seconds(1))
    }
    #expect(test.isSubscribed)
  }

  @Test("one sensor connects at a time, and discovery stops meanwhile")
  func oneSensorConnectsAtTime() throws {
    let test = try TestDaemon()
    let client = try test.pairStrap()
    client.send(#"{"id":3,"method":"pair","params":{"address":"\#(DeviceAddress.other)"}}"#)
    try test.run(for: .milliseconds(1))
    test.radio.accepts = false
    test.radio.link?.lose()
    test.radio.advertise()
    test.radio.advertise(.other, name: "Second")
    try test.run(for: .milliseconds(500))
    #expect(test.radio.links.filter { !$0.isClosed }.map(\.address) == [.other])
    #expect(!test.radio.isSearching)
    test.radio.advertise()
    try test.run(for: .milliseconds(500))
    #expect(test.radio.links.filter { !$0.isClosed }.map(\.address) == [.other])
    test.radio.accepts = true
    try test.run(for: .seconds(5))
    #expect(test.radio.links.last?.address == .strap)
  }
}

@Suite struct HardLuckTests {
  @Test("a sensor that hangs up after each subscription is reconnected with pauses")
  func hangsUp() throws {
    let test = try TestDaemon()
    _ = try test.pairStrap()
    test.radio.link?.lose()
    for _ in 0..<600 {
      try test.run(for: .milliseconds(100))
      if test.state() == .streaming { test.radio.link?.lose() }
      test.radio.advertise()
    }
    // In a minute there are about a dozen links, without the pauses there would be hundreds.
    #expect(test.radio.links.count < 20)
  }

  @Test("a service without its main characteristic does not affect the others")
  func incompleteService() throws {
    let test = try TestDaemon()
    test.radio.offers.append(Endpoint(service: BluetoothUUID(0x1816), characteristic: BluetoothUUID(0x2a5c)))
    let client = try test.pairStrap()
    #expect(test.state() == .streaming)
    #expect(try client.reply(2)?["result"]?["plugins"]?.texts == ["heart_rate"])
  }

  @Test("invalid bytes do not end a silence")
  func garbage() throws {
    let test = try TestDaemon()
    _ = try test.pairStrap()
    try test.run(for: .seconds(6))
    test.radio.link?.notify([])
    try test.run(for: .milliseconds(1))
    #expect(test.state() == .stale)
  }

  @Test("a failed pairing leaves no sample behind")
  func failedPairing() throws {
    let test = try TestDaemon()
    let listener = try test.connect()
    listener.send(#"{"id":1,"method":"subscribe"}"#)
    let battery = Endpoint(service: BluetoothUUID(0x180f), characteristic: BluetoothUUID(0x2a19))
    test.radio.offers.append(battery)
    let client = try test.connect()
    client.send(#"{"id":7,"method":"pair","params":{"address":"\#(DeviceAddress.strap)"}}"#)
    try test.run(for: .milliseconds(1))
    test.radio.advertise()
    try test.run(for: .milliseconds(300))
    test.radio.link?.notify([64], from: battery)
    client.send(#"{"id":8,"method":"cancel"}"#)
    listener.send(#"{"id":2,"method":"poll"}"#)
    try test.run(for: .milliseconds(10))
    #expect(try listener.all("sample").isEmpty)
    #expect(try listener.reply(2)?["result"]?["records"]?.items == [])
  }

  @Test("a link that is up gets time to resolve its services")
  func slowServices() throws {
    let test = try TestDaemon()
    _ = try test.pairStrap()
    test.radio.accepts = false
    test.radio.link?.lose()
    try test.run(for: .milliseconds(1500))
    let link = try #require(test.radio.link)
    link.delegate?.linkIsUp(link)
    try test.run(for: .seconds(5))
    #expect(!link.isClosed)
    link.delegate?.link(link, openedWith: test.radio.offers)
    try test.run(for: .milliseconds(100))
    #expect(test.isSubscribed)
  }
}

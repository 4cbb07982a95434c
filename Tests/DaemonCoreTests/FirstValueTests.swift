// A sensor streams once its values arrive. A subscription or a battery level is not enough.

import EventLoop
import JSON
import Linux
import Radio
import SensorKit
import TestSupport
import Testing
import Time
import Vocabulary
import Wire

@testable import Connections
@testable import DaemonCore
@testable import Sensing

private let battery = Endpoint(service: BluetoothUUID(0x180f), characteristic: BluetoothUUID(0x2a19))

extension TestDaemon {
  /// Drops the strap's link. Afterwards it is connected and subscribed, and has sent no value.
  fileprivate func reconnectStrap() throws {
    radio.link?.lose()
    try run(for: .milliseconds(300))
  }

  fileprivate func link(_ client: TestClient, _ id: Int) throws -> JSONValue? {
    client.send(#"{"id":\#(id),"method":"sensors"}"#)
    try run(for: .milliseconds(5))
    return try client.reply(id)?["result"]?["sensors"]?.items?.first?["link"]
  }

  /// The strap advertises twice a second, accepts every connect and sends no value.
  fileprivate func waitInSilence(seconds: Int) throws {
    for _ in 0..<seconds * 2 {
      radio.advertise()
      try run(for: .milliseconds(500))
    }
  }
}

@Suite struct FirstValueTests {
  @Test("a subscribed sensor is connecting until its first value")
  func connectingUntilValue() throws {
    let test = try TestDaemon()
    let client = try test.pairStrap()
    try test.reconnectStrap()
    #expect(test.isSubscribed && test.state() == .connecting)
    #expect(!test.daemon.queue.isBusy, "its turn ended with the subscription")
    test.radio.link?.notify([0x00, 0x49])
    try test.run(for: .milliseconds(1))
    #expect(test.state() == .streaming)
    #expect(try client.all("sample").map { $0["bpm"] } == [72, 73])
  }

  @Test("a battery level does not start streaming, and follows the first value")
  func batteryLevel() throws {
    let test = try TestDaemon()
    test.radio.offers.append(battery)
    let client = try test.pairStrap()
    try test.run(for: .milliseconds(100))
    let before = try client.all("sample").count
    try test.reconnectStrap()
    test.radio.link?.notify([64], from: battery)
    try test.run(for: .seconds(1))
    #expect(test.state() == .connecting)
    #expect(try client.all("sample").count == before)
    test.radio.link?.notify([63], from: battery)
    test.radio.link?.notify([0x00, 0x49])
    try test.run(for: .milliseconds(10))
    #expect(test.state() == .streaming)
    let samples = try client.all("sample").dropFirst(before)
    #expect(samples.map { $0["kind"] } == ["heart_rate", "battery"], "the newest level, once")
    #expect(samples.last?["battery_pct"] == 63)
  }

  @Test("refused bytes do not start streaming")
  func refusedBytes() throws {
    let test = try TestDaemon()
    _ = try test.pairStrap()
    try test.reconnectStrap()
    test.radio.link?.notify([0x01, 0x48])
    try test.run(for: .milliseconds(1))
    #expect(test.state() == .connecting)
  }

  @Test("a sensor that sends no value becomes stale without ever streaming")
  func noValue() throws {
    let test = try TestDaemon()
    let client = try test.pairStrap()
    let before = try client.all("state").count { $0["state"] == "streaming" }
    let lines = test.logged.lines.count
    try test.reconnectStrap()
    let subscribed = test.loop.now
    #expect(try test.run(within: .seconds(6)) { test.state() == .stale })
    #expect(test.loop.now - subscribed < .milliseconds(5000))
    try test.waitInSilence(seconds: 1200)
    #expect(try client.all("state").count { $0["state"] == "streaming" } == before)
    #expect(!test.logged.lines.dropFirst(lines).contains { $0.contains("streams") })
  }

  /// A strap that hangs on its belt overnight: it accepts connects but measures nothing.
  @Test("reconnects of a silent sensor back off")
  func silentReconnectsBackOff() throws {
    let test = try TestDaemon()
    _ = try test.pairStrap()
    var (links, counts) = (test.radio.links.count, [Int]())
    for _ in 0..<4 {
      try test.waitInSilence(seconds: 900)
      counts.append(test.radio.links.count - links)
      links = test.radio.links.count
    }
    // Without the backoff there would be 26, then 20 per 15 minutes.
    #expect(counts.first.map { $0 <= 7 } == true && counts.dropFirst().allSatisfy { $0 <= 2 }, "\(counts)")
    test.radio.link?.notify([0x00, 0x49])
    try test.run(for: .milliseconds(1))
    #expect(test.state() == .streaming || test.radio.link == nil)
  }

  @Test("one value per connect does not reset the backoff, but steady values do")
  func singleValues() {
    let first = Duration.seconds(15)
    var silences = SilenceBackOff()
    #expect(silences.limit(first) == first)
    for doublings in 1...8 {
      silences.streamed(for: .zero, first)
      silences.reconnected()
      #expect(silences.limit(first) == first * (1 << min(doublings, SilenceBackOff.mostDoublings)))
    }
    silences.streamed(for: first, first)
    #expect(silences.limit(first) == first)
  }

  /// A strap that lay in a drawer and is then worn, on the same link.
  @Test("a ride resets the backoff for silence on the same link")
  func rideResetsBackOff() throws {
    let test = try TestDaemon()
    _ = try test.pairStrap()
    try test.waitInSilence(seconds: 900)
    #expect(try test.run(within: .seconds(600)) { test.isSubscribed })
    let link = try #require(test.radio.link)
    for _ in 0..<60 {
      link.notify([0x00, 0x49])
      try test.run(for: .seconds(1))
    }
    let limit = try #require(test.daemon.sensors.sessions.first?.reader.silence?.reconnectAfter)
    try test.run(for: limit + .seconds(1))
    #expect(link.isClosed, "reconnected after the first limit, not after a doubled one")
  }

  @Test("reconnects after silence are counted apart from lost links")
  func silentReconnectsAreCountedApart() throws {
    let test = try TestDaemon()
    let client = try test.pairStrap()
    #expect(try test.link(client, 5)?["silent_reconnects"] == nil)
    try test.waitInSilence(seconds: 60)
    let link = try test.link(client, 6)
    #expect(link?["reconnects"] == 0 && link?["silent_reconnects"]?.integer ?? 0 >= 1)
    try test.reconnectStrap()
    #expect(try test.link(client, 7)?["reconnects"] == 1)
  }

  @Test("a connected sensor accepts commands before its first value")
  func commandWithoutValue() throws {
    let test = try TestDaemon()
    let client = try test.pairStrap()
    try test.reconnectStrap()
    client.send(#"{"id":5,"method":"command","params":{"sensor":"polar-h10-0001","name":"reset_energy"}}"#)
    try test.run(for: .milliseconds(20))
    #expect(try client.reply(5)?["code"] == "not_supported", "it lacks the control point, and is not said to be away")
  }

  @Test("an advert without a value does not start streaming")
  func emptyAdvert() throws {
    let test = try TestDaemon()
    let client = try test.connect()
    client.send(#"{"id":1,"method":"subscribe"}"#)
    client.send(#"{"id":2,"method":"pair","params":{"address":"\#(DeviceAddress.other)"}}"#)
    try test.run(for: .milliseconds(1))
    var advert = Advert(address: .other, name: "TPMS1_000002", rssi: -70, services: [])
    advert.manufacturerData = [Advert.ManufacturerData(company: 0x0100, value: [0x80, 0xea, 0xca])]
    test.radio.delegate?.radio(received: advert)
    try test.run(for: .milliseconds(1))
    #expect(try !client.all("state").contains { $0["state"] == "streaming" })
  }
}

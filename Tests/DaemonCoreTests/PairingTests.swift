// Pairing and scanning through the control socket, in virtual time.

import JSON
import Radio
import TestSupport
import Testing
import Vocabulary
import Wire

@testable import DaemonCore
@testable import Serving

@Suite struct PairingTests {
  private func askToPair(_ test: TestDaemon, _ more: String = "") throws -> TestClient {
    let client = try test.connect()
    client.send(#"{"id":7,"method":"pair","params":{"address":"\#(DeviceAddress.strap)"\#(more)}}"#)
    try test.run(for: .milliseconds(1))
    return client
  }

  @Test("pairing a sensor that never advertises times out after 45 s")
  func neverFound() throws {
    let test = try TestDaemon()
    let client = try askToPair(test)
    try test.run(for: .milliseconds(44_900))
    let early = try client.reply(7)
    #expect(early == nil)
    try test.run(for: .milliseconds(200))
    #expect(try client.reply(7)?["code"] == "timeout")
    #expect(!test.radio.isSearching)
    #expect(test.daemon.sensors.roster.sensors.isEmpty)
  }

  @Test("pairing fails with the reason when the sensor cannot be connected")
  func cannotConnect() throws {
    let test = try TestDaemon()
    test.radio.accepts = false
    let client = try askToPair(test)
    test.radio.advertise()
    try test.run(for: .seconds(46))
    #expect(try client.reply(7)?["code"] == "pairing_failed")
  }

  @Test("pairing a device that is not a sensor fails at once")
  func notASensor() throws {
    let test = try TestDaemon()
    test.radio.offers = []
    let client = try askToPair(test)
    test.radio.advertise()
    try test.run(for: .seconds(1))
    #expect(try client.reply(7)?["code"] == "pairing_failed")
    #expect(test.daemon.pairing.pairings.isEmpty)
  }

  @Test("pairing fails at once without an adapter")
  func noAdapter() throws {
    let test = try TestDaemon()
    try test.run(for: .seconds(3))
    test.radio.change(to: .adapterAbsent)
    let client = try askToPair(test)
    #expect(try client.reply(7)?["code"] == "adapter_unavailable")
  }

  @Test("right after the start, pairing waits for the radio")
  func radioStarting() throws {
    let test = try TestDaemon()
    test.radio.change(to: .busGone)
    let client = try askToPair(test)
    test.radio.change(to: nil)
    test.radio.advertise()
    try test.run(for: .milliseconds(200))
    test.radio.link?.notify([0x00, 0x48])
    try test.run(for: .milliseconds(1))
    #expect(try client.reply(7)?["class"] == "reply")
  }

  @Test("pairing waits at most 3 s for the radio after the start")
  func radioNeverStarts() throws {
    let test = try TestDaemon()
    test.radio.change(to: .busGone)
    let client = try askToPair(test)
    try test.run(for: .milliseconds(2900))
    let early = try client.reply(7)
    #expect(early == nil)
    try test.run(for: .milliseconds(200))
    #expect(try client.reply(7)?["code"] == "adapter_unavailable")
  }

  @Test("a pairing that waits for the radio can be cancelled")
  func cancelledWhileStarting() throws {
    let test = try TestDaemon()
    test.radio.change(to: .busGone)
    let client = try askToPair(test)
    client.send(#"{"id":8,"method":"cancel"}"#)
    try test.run(for: .milliseconds(1))
    #expect(try client.reply(8)?["class"] == "reply")
    let cancelled = try client.reply(7)
    #expect(cancelled?["code"] == "cancelled")
    test.radio.change(to: nil)
    try test.run(for: .seconds(4))
    #expect(test.daemon.pairing.pairings.isEmpty && !test.radio.isSearching)
    #expect(try client.all("error").count == 1, "it is answered once")
    client.send(#"{"id":9,"method":"pair","params":{"address":"\#(DeviceAddress.strap)"}}"#)
    try test.run(for: .milliseconds(1))
    #expect(test.daemon.pairing.pairings.count == 1, "and the next request is taken")
  }

  @Test("a pairing that waits for the radio ends with its client")
  func clientLeavesWhileStarting() throws {
    let test = try TestDaemon()
    test.radio.change(to: .busGone)
    _ = try askToPair(test)
    try test.run(for: .milliseconds(1))
    #expect(test.daemon.server?.clientCount == 0)
    test.radio.change(to: nil)
    try test.run(for: .seconds(4))
    #expect(test.daemon.pairing.pairings.isEmpty && !test.radio.isSearching)
  }

  @Test("an adapter removed during pairing is the reason for the failure")
  func adapterRemoved() throws {
    let test = try TestDaemon()
    let client = try askToPair(test)
    try test.run(for: .seconds(10))
    test.radio.change(to: .adapterAbsent)
    try test.run(for: .seconds(34))
    let early = try client.reply(7)
    #expect(early == nil, "it may come back")
    try test.run(for: .seconds(2))
    let refusal = try client.reply(7)
    #expect(refusal?["code"] == "adapter_unavailable")
    #expect(refusal?["message"]?.text?.contains("in the way: ") == true, "\(refusal?.encoded ?? "nothing")")
    #expect(test.daemon.pairing.pairings.isEmpty)
  }

  @Test("a connection without a value does not complete a pairing")
  func noValue() throws {
    let test = try TestDaemon()
    let client = try askToPair(test)
    test.radio.advertise()
    try test.run(for: .seconds(4))
    let early = try client.reply(7)
    #expect(early == nil)
    #expect(test.daemon.sensors.roster.sensors.isEmpty)
  }

  @Test("pairing keeps the user's name and role, and derives the id from the device")
  func nameAndRole() throws {
    let test = try TestDaemon()
    let client = try askToPair(test, #","name":"Anna's strap","role":"left""#)
    test.radio.advertise()
    try test.run(for: .milliseconds(200))
    test.radio.link?.notify([0x00, 0x48])
    try test.run(for: .milliseconds(1))
    let sensor = try client.reply(7)?["result"]
    #expect(sensor?["id"] == "polar-h10-0001")
    #expect(sensor?["name"] == "Anna's strap")
    #expect(sensor?["role"] == "left")
    #expect(sensor?["plugins"]?.texts == ["heart_rate"])
  }

  @Test("cancel ends the pairing and disconnects the sensor")
  func cancelled() throws {
    let test = try TestDaemon()
    let client = try askToPair(test)
    test.radio.advertise()
    try test.run(for: .milliseconds(200))
    client.send(#"{"id":8,"method":"cancel"}"#)
    try test.run(for: .milliseconds(1))
    let cancelled = try client.reply(8)
    #expect(cancelled?["class"] == "reply")
    #expect(try client.reply(7)?["class"] == "error")
    #expect(!test.radio.hasOpenLink)
  }

  @Test("paired sensors survive a restart")
  func restart() throws {
    let folder = try TemporaryFolder()
    let first = try TestDaemon(in: folder)
    _ = try first.pairStrap()
    first.daemon.stop()
    #expect(!first.radio.hasOpenLink)
    let path = folder.path + "/second"
    let second = try TestDaemon(in: folder, runtime: path)
    #expect(second.state() == .searching)
    #expect(second.radio.demands.isEmpty)
    try second.run(for: .milliseconds(1))
    #expect(second.radio.isSearching)
  }

  @Test("forgetting a sensor disconnects it and discards its last value")
  func forgotten() throws {
    let test = try TestDaemon()
    let client = try test.pairStrap()
    client.send(#"{"id":3,"method":"forget","params":{"sensor":"polar-h10-0001"}}"#)
    client.send(#"{"id":4,"method":"poll"}"#)
    try test.run(for: .milliseconds(1))
    #expect(try client.reply(3)?["result"]?["id"] == "polar-h10-0001")
    #expect(try client.reply(4)?["result"]?["records"]?.items == [])
    #expect(try client.all("sensor").last?["change"] == "removed")
    #expect(!test.radio.hasOpenLink)
  }
}

@Suite struct ScanTests {
  @Test("an unchanged sensor is reported once per scan")
  func found() throws {
    let test = try TestDaemon()
    let client = try test.connect()
    client.send(#"{"id":1,"method":"scan","params":{"seconds":10}}"#)
    try test.run(for: .milliseconds(1))
    #expect(test.radio.isSearching)
    for _ in 0..<50 {
      test.radio.advertise()
      try test.run(for: .milliseconds(100))
    }
    #expect(try client.all("found").count == 1)
    let found = try client.all("found").first
    #expect(found?["id"] == "polar-h10-0001")
    #expect(found?["paired"] == false)
    #expect(found?["kinds"]?.texts == ["heart_rate"])
    try test.run(for: .seconds(10))
    #expect(try client.all("scan_ended").count == 1)
    #expect(!test.radio.isSearching)
  }

  @Test("devices that are not sensors are listed only with all:true")
  func allDevices() throws {
    let test = try TestDaemon()
    let some = try test.connect()
    let all = try test.connect()
    some.send(#"{"id":1,"method":"scan"}"#)
    all.send(#"{"id":1,"method":"scan","params":{"all":true}}"#)
    try test.run(for: .milliseconds(1))
    test.radio.delegate?.radio(received: Advert(address: .other, name: "Fridge", rssi: -50, services: []))
    try test.run(for: .milliseconds(1))
    #expect(try some.all("found").isEmpty)
    #expect(try all.all("found").map { $0["name"] } == ["Fridge"])
  }

  @Test("a sensor connected by another program is listed without adverts")
  func connectedSensor() throws {
    let test = try TestDaemon()
    var held = Advert(address: .other, name: "Held", rssi: nil, services: [.init(0x180d)])
    held.isConnected = true
    test.radio.held = [held]
    let client = try test.connect()
    client.send(#"{"id":1,"method":"scan"}"#)
    try test.run(for: .milliseconds(1))
    #expect(try client.all("found").map { $0["name"] } == ["Held"])
  }

  @Test("a scan ends when its client disconnects")
  func clientLeaves() throws {
    let test = try TestDaemon()
    do {
      let client = try test.connect()
      client.send(#"{"id":1,"method":"scan"}"#)
      try test.run(for: .milliseconds(1))
      #expect(test.radio.isSearching)
    }
    try test.run(for: .milliseconds(1))
    #expect(test.daemon.pairing.scans.isEmpty)
    #expect(!test.radio.isSearching)
  }
}

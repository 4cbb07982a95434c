// A capture through the control socket: everything that passes a sensor's link, undecoded, until it is cancelled.

import SensorKit
import TestSupport
import Testing
import Wire

@testable import DaemonCore

@Suite struct CaptureTests {
  @Test func whatPassesTheLinkIsToldUndecoded() throws {
    let test = try TestDaemon()
    let client = try test.pairStrap()
    client.send(#"{"id":7,"method":"capture"}"#)
    try test.run(for: .milliseconds(50))
    test.radio.link?.notify([0x10, 0x48, 0xa5, 0x01])
    test.radio.link?.notify([])
    try test.run(for: .milliseconds(10))
    test.radio.link?.lose()
    try test.run(for: .milliseconds(500))
    let raw = try client.all("raw")
    #expect(
      raw.prefix(5).compactMap { $0["op"]?.text } == ["connected", "read", "notify", "notify", "disconnected"],
      "begun in the middle, a capture says first what a decoder has to know")
    #expect(raw.count > 5 && raw[5]["op"] == "connected")
    #expect(raw[2]["source"] == "2a37" && raw[2]["hex"] == "1048a501" && raw[2]["sensor"] == "polar-h10-0001")
    #expect(raw[3]["hex"] == "", "what the plugin refuses is captured all the same")
    #expect(raw[2]["t"]?.number == raw[3]["t"]?.number)
  }

  @Test func itEndsWhenItIsCancelledAndWithItsClient() throws {
    let test = try TestDaemon()
    let listener = try test.pairStrap()
    listener.send(#"{"id":7,"method":"capture","params":{"sensors":["polar-h10-0001"]}}"#)
    try test.run(for: .milliseconds(50))
    listener.send(#"{"id":8,"method":"scan"}"#)
    try test.run(for: .milliseconds(1))
    #expect(try listener.reply(8)?["code"] == "busy")
    listener.send(#"{"id":9,"method":"cancel"}"#)
    try test.run(for: .milliseconds(1))
    let count = try listener.all("raw").count
    test.radio.link?.notify([0, 0x48])
    try test.run(for: .milliseconds(1))
    #expect(try listener.all("raw").count == count && test.daemon.captures.isEmpty)

    var leaver: TestClient? = try test.connect()
    leaver?.send(#"{"id":1,"method":"capture"}"#)
    try test.run(for: .milliseconds(1))
    #expect(!test.daemon.captures.isEmpty)
    leaver = nil
    try test.run(for: .milliseconds(1))
    #expect(test.daemon.captures.isEmpty)
  }

  @Test func onlyTheSensorsThatWereAskedFor() throws {
    let test = try TestDaemon()
    let client = try test.pairStrap()
    client.send(#"{"id":7,"method":"capture","params":{"sensors":["other-0002"]}}"#)
    try test.run(for: .milliseconds(1))
    #expect(try client.reply(7)?["code"] == "no_such_sensor")
    client.send(#"{"id":8,"method":"capture","params":{"sensors":[]}}"#)
    test.radio.link?.notify([0, 0x48])
    try test.run(for: .milliseconds(1))
    #expect(try client.all("raw").isEmpty)
  }

  @Test func adverts() throws {
    let test = try TestDaemon()
    let client = try test.pairStrap()
    test.radio.link?.lose()
    test.radio.accepts = false
    try test.run(for: .seconds(3))
    client.send(#"{"id":7,"method":"capture"}"#)
    try test.run(for: .milliseconds(1))
    var advert = Advert(address: .strap, name: "Polar H10", rssi: -50, services: [BluetoothUUID(0x180d)])
    advert.manufacturerData = [Advert.ManufacturerData(company: 0x006b, value: [0x3b, 0x48])]
    test.radio.delegate?.radio(heard: advert)
    try test.run(for: .milliseconds(1))
    let raw = try client.all("raw").last
    #expect(raw?["op"] == "advert" && raw?["source"] == "006b" && raw?["hex"] == "3b48")
    advert.manufacturerData = []
    advert.serviceData = [Advert.ServiceData(service: BluetoothUUID(0xfff0), value: [0x07])]
    test.radio.delegate?.radio(heard: advert)
    try test.run(for: .milliseconds(1))
    let next = try client.all("raw").last
    #expect(next?["op"] == "service" && next?["source"] == "fff0" && next?["hex"] == "07")
  }
}

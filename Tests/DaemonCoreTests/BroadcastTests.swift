// Sensors that only advertise, in virtual time. They stream from their first advert on, are never
// connected, and become stale.

import JSON
import Linux
import Radio
import TestSupport
import Testing
import Wire

@testable import DaemonCore

@Suite struct BroadcastTests {
  /// A valve cap: 2.23 bar above the air, 32 degrees, 51 % battery, no alarm.
  private func capAdvert() -> Advert {
    var advert = Advert(address: .other, name: "TPMS1_000002", rssi: -70, services: [])
    let value: [UInt8] = [0x80, 0xea, 0xca, 0, 0, 2, 0x6e, 0x6a, 3, 0, 0xa0, 0x0c, 0, 0, 0x33, 0]
    advert.manufacturerData = [Advert.ManufacturerData(company: 0x0100, value: value)]
    return advert
  }

  private func pairCap(_ test: TestDaemon) throws -> TestClient {
    let client = try test.connect()
    client.send(#"{"id":1,"method":"subscribe"}"#)
    client.send(#"{"id":2,"method":"pair","params":{"address":"\#(DeviceAddress.other)","role":"front"}}"#)
    try test.run(for: .milliseconds(1))
    test.radio.delegate?.radio(received: capAdvert())
    try test.run(for: .milliseconds(1))
    return client
  }

  @Test("an advert is enough to pair a broadcaster, without a connection")
  func pairs() throws {
    let test = try TestDaemon()
    let client = try pairCap(test)
    let sensor = try client.reply(2)?["result"]
    #expect(sensor?["plugins"]?.texts == ["tire_pressure"])
    #expect(sensor?["state"] == "streaming")
    #expect(test.radio.links.isEmpty)
    let sample = try client.all("sample").first
    #expect(sample?["kind"] == "tire_pressure")
    #expect(sample?["wheel"] == "front")
  }

  /// A simulation, or a release without support for the cap, stores a sensor without plugins.
  @Test("a broadcaster without plugins gets them from its first advert")
  func pluginsFromAdvert() throws {
    let folder = try TemporaryFolder()
    let entry = #"{"id":"cap","address":"\#(DeviceAddress.other)","name":"TPMS1_000002","plugins":[]}"#
    let roster = #"{"version":1,"sensors":[\#(entry)]}"#
    try Files.replace(folder.file("roster.json"), with: Array(roster.utf8), mode: 0o600)
    let test = try TestDaemon(in: folder)
    let client = try test.connect()
    client.send(#"{"id":1,"method":"subscribe"}"#)
    try test.run(for: .milliseconds(1))
    test.radio.delegate?.radio(received: capAdvert())
    try test.run(for: .milliseconds(1))
    client.send(#"{"id":2,"method":"sensors"}"#)
    try test.run(for: .milliseconds(1))
    let sensor = try client.reply(2)?["result"]?["sensors"]?.items?.first
    #expect(sensor?["plugins"]?.texts == ["tire_pressure"] && sensor?["kinds"]?.texts?.first == "tire_pressure")
    #expect(try client.all("sensor").contains { $0["change"] == "changed" })
  }

  @Test("a repeated advert is a new sample, and discovery asks for repeats")
  func repeats() throws {
    let test = try TestDaemon()
    let client = try pairCap(test)
    #expect(test.radio.demands.last.flatMap(\.self) == SearchDemand(repeats: true))
    try test.run(for: .seconds(5))
    test.radio.delegate?.radio(received: capAdvert())
    try test.run(for: .milliseconds(1))
    #expect(try client.all("sample").filter { $0["kind"] == "tire_pressure" }.map { $0["seq"] } == [1, 2])
  }

  @Test("15 minutes without an advert make a broadcaster stale")
  func stale() throws {
    let test = try TestDaemon()
    let client = try pairCap(test)
    let id = try client.reply(2)?["result"]?["id"]?.text ?? ""
    try test.run(for: .seconds(899))
    #expect(test.state(id) == .streaming)
    try test.run(for: .seconds(2))
    #expect(test.state(id) == .stale)
    test.radio.delegate?.radio(received: capAdvert())
    try test.run(for: .milliseconds(1))
    #expect(test.state(id) == .streaming)
  }

  @Test("without a radio a broadcaster is searching")
  func noRadio() throws {
    let test = try TestDaemon()
    let client = try pairCap(test)
    let id = try client.reply(2)?["result"]?["id"]?.text ?? ""
    test.radio.change(to: .adapterOff)
    #expect(test.state(id) == .searching)
    #expect(test.reason(id) == .adapterOff)
    test.radio.change(to: nil)
    test.radio.delegate?.radio(received: capAdvert())
    try test.run(for: .milliseconds(1))
    #expect(test.state(id) == .streaming)
  }

  /// After a start, only an advert with values tells the daemon that the sensor needs no
  /// connection.
  @Test("after its first advert with values, a broadcaster is not connected")
  func connectsStop() throws {
    let folder = try TemporaryFolder()
    let first = try TestDaemon(in: folder)
    let id = try pairCap(first).reply(2)?["result"]?["id"]?.text ?? ""
    first.daemon.stop()
    let test = try TestDaemon(in: folder, runtime: folder.path + "/second")
    test.radio.offers = []
    test.radio.advertise(.other, name: "TPMS1_000002")
    try #require(try test.run(within: .seconds(60)) { test.reason(id) == .unsupported })
    #expect(test.state(id) == .searching)
    // The next attempt would start with an advert.
    test.radio.advertise(.other, name: "TPMS1_000002")
    let attempts = test.radio.links.count
    test.radio.delegate?.radio(received: capAdvert())
    try test.run(for: .milliseconds(1))
    #expect(test.state(id) == .streaming)
    try test.run(for: .seconds(300))
    #expect(test.state(id) == .streaming)
    #expect(test.radio.links.count == attempts)
  }
}

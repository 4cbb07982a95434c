// A sensor that reveals its own address only after bonding.

import JSON
import Radio
import TestSupport
import Testing
import Wire

@testable import DaemonCore

@Suite struct PrivateAddressTests {
  private let own = DeviceAddress.standIn(0xaa)

  @Test("a sensor is stored with its own address")
  func ownAddress() throws {
    let test = try TestDaemon()
    let client = try test.connect()
    client.send(#"{"id":2,"method":"pair","params":{"address":"\#(DeviceAddress.strap)"}}"#)
    try test.run(for: .milliseconds(10))
    test.radio.advertise()
    try test.run(for: .milliseconds(200))
    test.radio.link?.reveal(own)
    test.radio.link?.notify([0x00, 0x48])
    try test.run(for: .milliseconds(10))
    #expect(try client.reply(2)?["result"]?["address"]?.text == own.text)
    test.radio.link?.lose()
    try test.run(for: .seconds(5))
    test.radio.advertise(own)
    try test.run(for: .seconds(1))
    test.radio.link?.notify([0x00, 0x48])
    #expect(test.state() == .streaming)
  }

  @Test("a sensor that reveals its own address later stays the same sensor")
  func sensorThatRevealsOwnAddressLater() throws {
    let test = try TestDaemon()
    let client = try test.pairStrap()
    test.radio.link?.reveal(own)
    try test.run(for: .milliseconds(10))
    #expect(try client.all("sensor").last?["sensor"]?["address"]?.text == own.text)
    #expect(try client.all("sensor").last?["sensor"]?["id"] == "polar-h10-0001")
    test.daemon.stop()
    let restarted = try TestDaemon(in: test.folder, runtime: test.folder.path + "/second")
    restarted.radio.advertise(own)
    try restarted.run(for: .milliseconds(200))
    restarted.radio.link?.notify([0x00, 0x48])
    #expect(restarted.state() == .streaming)
  }

  @Test("a sensor paired again under another address keeps its id")
  func sensorPairedAgainUnderAnotherAddress() throws {
    let test = try TestDaemon()
    _ = try test.pairStrap()
    test.radio.link?.reveal(own)
    test.radio.link?.lose()
    let client = try test.connect()
    client.send(#"{"id":3,"method":"pair","params":{"address":"\#(DeviceAddress.other)"}}"#)
    try test.run(for: .seconds(3))
    test.radio.advertise(.other)
    try test.run(for: .milliseconds(200))
    test.radio.link?.reveal(own)
    test.radio.link?.notify([0x00, 0x48])
    try test.run(for: .milliseconds(10))
    #expect(try client.reply(3)?["result"]?["id"] == "polar-h10-0001")
    #expect(test.daemon.sensors.sessions.map(\.id) == ["polar-h10-0001"])
    #expect(test.state() == .streaming)
  }

  @Test("a duplicate of a paired sensor is removed once its own address is known")
  func alreadyPaired() throws {
    let test = try TestDaemon()
    let client = try test.pairStrap()
    client.send(#"{"id":3,"method":"pair","params":{"address":"\#(DeviceAddress.other)"}}"#)
    try test.run(for: .milliseconds(10))
    test.radio.advertise(.other, name: "Other")
    try test.run(for: .milliseconds(200))
    test.radio.link?.notify([0x00, 0x49])
    try test.run(for: .milliseconds(10))
    #expect(test.daemon.sensors.sessions.count == 2)
    test.radio.link?.reveal(.strap)
    try test.run(for: .milliseconds(10))
    #expect(test.daemon.sensors.sessions.map(\.id) == ["polar-h10-0001"])
    #expect(test.daemon.sensors.roster.sensors.map(\.id) == ["polar-h10-0001"])
    #expect(try client.all("sensor").last?["change"] == "removed")
  }
}

// Clients that keep a sensor disabled while they are connected, and listen to its adverts.

import EventLoop
import JSON
import Radio
import TestSupport
import Testing
import Wire

@testable import DaemonCore

@Suite struct SensorHoldTests {
  private static let id = "polar-h10-0001"

  private func hold(_ test: TestDaemon, listen: Bool = false) throws -> TestClient {
    let client = try test.connect()
    client.send(
      #"{"id":3,"method":"disable","params":{"sensor":"\#(Self.id)","while_connected":true,"listen":\#(listen)}}"#)
    try test.run(for: .milliseconds(10))
    return client
  }

  @Test("a held sensor is disabled with the reason elsewhere, and nothing is saved")
  func held() throws {
    let test = try TestDaemon()
    let witness = try test.pairStrap()
    let holder = try hold(test)
    let result = try #require(try holder.reply(3)?["result"])
    #expect(result["state"] == "disabled" && result["reason"] == "elsewhere")
    #expect(try witness.all("state").last?["reason"] == "elsewhere")
    #expect(test.daemon.sensors.roster.sensor(Self.id)?.isEnabled == true)
    #expect(!test.radio.isSearching, "without listen it costs no scan")
  }

  @Test("the sensor is connected again when the last client that holds it disconnects")
  func released() throws {
    let test = try TestDaemon()
    let witness = try test.pairStrap()
    var first: TestClient? = try hold(test)
    var second: TestClient? = try hold(test)
    #expect(first != nil && second != nil)
    first = nil
    try test.run(for: .milliseconds(10))
    #expect(test.state() == .disabled)
    second = nil
    try test.run(for: .milliseconds(10))
    #expect(test.state() == .searching)
    test.radio.advertise()
    try test.run(for: .milliseconds(200))
    test.radio.link?.notify([0x00, 0x48])
    try test.run(for: .milliseconds(10))
    #expect(test.state() == .streaming)
    #expect(try witness.all("state").compactMap { $0["reason"]?.text }.contains("elsewhere"))
  }

  @Test("a client that has closed only its sending side keeps its hold")
  func halfClosed() throws {
    let test = try TestDaemon()
    _ = try test.pairStrap()
    let holder = try hold(test)
    try holder.stopSending()
    try test.run(for: .seconds(1))
    #expect(test.state() == .disabled)
  }

  @Test("enable by any client ends the hold")
  func enabled() throws {
    let test = try TestDaemon()
    let user = try test.pairStrap()
    var holder: TestClient? = try hold(test)
    #expect(holder != nil)
    user.send(#"{"id":4,"method":"enable","params":{"sensor":"\#(Self.id)"}}"#)
    try test.run(for: .milliseconds(10))
    #expect(test.state() != .disabled)
    holder = nil
    try test.run(for: .milliseconds(10))
    #expect(test.state() != .disabled)
  }

  @Test("a sensor that the user disables stays disabled after the hold")
  func disabledByUser() throws {
    let test = try TestDaemon()
    let user = try test.pairStrap()
    var holder: TestClient? = try hold(test)
    #expect(holder != nil)
    user.send(#"{"id":4,"method":"disable","params":{"sensor":"\#(Self.id)"}}"#)
    try test.run(for: .milliseconds(10))
    #expect(test.reason() == .user)
    holder = nil
    try test.run(for: .milliseconds(10))
    #expect(test.state() == .disabled && test.reason() == .user)
  }

  @Test("a client that listens gets at most four adverts per second")
  func adverts() throws {
    let test = try TestDaemon()
    let other = try test.pairStrap()
    let holder = try hold(test, listen: true)
    #expect(test.radio.demands.last??.repeats == true)
    for _ in 0..<20 {
      test.radio.advertise()
      try test.run(for: .milliseconds(100))
    }
    let adverts = try holder.all("advert")
    #expect((6...8).contains(adverts.count), "2 s, and 250 ms between two")
    #expect(adverts.allSatisfy { $0["sensor"]?.text == Self.id && $0["rssi_dbm"]?.integer == -61 })
    let times = adverts.compactMap { $0["t"]?.number }
    #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 >= 0.25 })
    #expect(test.state() == .disabled)
    #expect(try other.all("advert").isEmpty)
  }

  @Test("listening ends with a hold that does not listen")
  func listeningEnds() throws {
    let test = try TestDaemon()
    _ = try test.pairStrap()
    let holder = try hold(test, listen: true)
    #expect(test.radio.isSearching)
    holder.send(#"{"id":5,"method":"disable","params":{"sensor":"\#(Self.id)","while_connected":true}}"#)
    try test.run(for: .milliseconds(10))
    #expect(!test.radio.isSearching && test.state() == .disabled)
  }

  @Test("listen without while_connected is refused")
  func listenAlone() throws {
    let test = try TestDaemon()
    let client = try test.pairStrap()
    client.send(#"{"id":4,"method":"disable","params":{"sensor":"\#(Self.id)","listen":true}}"#)
    try test.run(for: .milliseconds(10))
    #expect(try client.reply(4)?["code"] == "bad_request")
    #expect(test.state() == .streaming)
  }

  @Test("a forgotten sensor ends its holds")
  func forgotten() throws {
    let test = try TestDaemon()
    let user = try test.pairStrap()
    _ = try hold(test, listen: true)
    user.send(#"{"id":4,"method":"forget","params":{"sensor":"\#(Self.id)"}}"#)
    try test.run(for: .milliseconds(10))
    #expect(test.daemon.sensors.holds.isEmpty && !test.radio.isSearching)
  }
}

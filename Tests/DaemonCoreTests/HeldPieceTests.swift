// A plugin that holds a partial record states a deadline. The session must meet it even if no
// packet follows.

import EventLoop
import JSON
import Radio
import TestSupport
import Testing
import Vocabulary
import Wire

@testable import DaemonCore

extension Endpoint {
  fileprivate static let bike = Endpoint(service: BluetoothUUID(0x1826), characteristic: BluetoothUUID(0x2ad2))
  fileprivate static let radar = Endpoint(
    service: BluetoothUUID(maker: "6a4e3200-667b-11e3-949a-0800200c9a66"),
    characteristic: BluetoothUUID(maker: "6a4e3203-667b-11e3-949a-0800200c9a66"))
}

@Suite struct HeldPieceTests {
  /// Cadence and power, with the flag "more data".
  private static let piece: [UInt8] = [0x45, 0x00, 0xb4, 0x00, 0xc8, 0x00]
  /// One car, in the first of two packets.
  private static let firstPiece: [UInt8] = [0x30, 0x81, 0x14, 0x28]
  private static let emptyRoad: [UInt8] = [0x12]

  private func pair(_ endpoint: Endpoint, _ name: String, first: [UInt8]) throws -> (TestDaemon, TestClient) {
    let test = try TestDaemon()
    test.radio.offers = [endpoint]
    return (test, try test.pairStrap(name: name, measurement: endpoint, first: first))
  }

  private func powers(_ client: TestClient) throws -> [Int] {
    try client.samples().filter { $0["kind"] == "power" }.compactMap { $0["power_w"]?.integer }
  }

  private func roads(_ client: TestClient) throws -> [JSONValue] {
    try client.samples().filter { $0["kind"] == "radar" }
  }

  @Test("a partial machine record counts as the first value after one second")
  func firstValue() throws {
    let (test, client) = try pair(.bike, "Stages Bike", first: Self.piece)
    try test.run(for: .milliseconds(980))
    #expect(try powers(client).isEmpty && client.reply(2)?["class"] != "ok")
    try test.run(for: .milliseconds(20))
    #expect(test.daemon.sensors.sessions.first?.state == .streaming)
    #expect(try powers(client) == [200])
    try test.run(for: .seconds(2))
    #expect(try powers(client) == [200], "each piece once")
  }

  @Test("a machine that sends only partial records streams without a break")
  func piecesAlone() throws {
    let (test, client) = try pair(.bike, "Stages Bike", first: Self.piece)
    for _ in 0..<20 {
      try test.run(for: .seconds(1))
      test.radio.link?.notify(Self.piece, from: .bike)
    }
    #expect(try powers(client).count >= 18)
    #expect(try client.all("state").map { $0["state"] }.last == "streaming")
    #expect(try !client.all("state").contains { $0["state"] == "stale" })
  }

  @Test("a partial record makes a stale machine stream again")
  func afterSilence() throws {
    let (test, client) = try pair(.bike, "Stages Bike", first: [0x44, 0x00, 0x00, 0x00, 0xb4, 0x00, 0xc8, 0x00])
    #expect(try test.run(within: .seconds(5)) { test.daemon.sensors.sessions.first?.state == .stale })
    test.radio.link?.notify(Self.piece, from: .bike)
    try test.run(for: .milliseconds(1010))
    #expect(test.daemon.sensors.sessions.first?.state == .streaming)
    #expect(try powers(client).last == 200)
  }

  @Test("a partial record held when the link ends is never published")
  func lostLink() throws {
    let (test, client) = try pair(.bike, "Stages Bike", first: [0x44, 0x00, 0x00, 0x00, 0xb4, 0x00, 0xc8, 0x00])
    let before = try powers(client).count
    test.radio.link?.notify(Self.piece, from: .bike)
    test.radio.link?.lose()
    try test.run(for: .seconds(3))
    #expect(test.isSubscribed)
    #expect(try powers(client).count == before)
  }

  @Test("a car in a first radar packet is published after 250 ms without the second")
  func radar() throws {
    let (test, client) = try pair(.radar, "RTL515", first: Self.emptyRoad)
    test.radio.link?.notify(Self.emptyRoad, from: .radar)
    try test.run(for: .milliseconds(1))
    let before = try roads(client).count
    test.radio.link?.notify(Self.firstPiece, from: .radar)
    try test.run(for: .milliseconds(245))
    #expect(try roads(client).count == before)
    try test.run(for: .milliseconds(10))
    let road = try roads(client).last
    #expect(try roads(client).count == before + 1)
    #expect(road?["clear"] == false && road?["targets"]?.items?.count == 1)
    #expect(test.daemon.sensors.sessions.first?.state == .streaming)
  }
}

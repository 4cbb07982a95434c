// A capture through the control socket: all bytes of a sensor's link, undecoded, until it is
// cancelled.

import JSON
import Linux
import Radio
import SensorKit
import TestSupport
import Testing
import Time
import Vocabulary

@testable import DaemonCore
@testable import Sensing

@Suite struct CaptureTests {
  @Test("a capture delivers all bytes of a link, undecoded")
  func raw() throws {
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

  @Test("a capture ends with cancel or with its client")
  func ends() throws {
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

  @Test("a capture covers only the requested sensors")
  func selected() throws {
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

  @Test("a capture includes the payload of adverts")
  func adverts() throws {
    let test = try TestDaemon()
    let client = try test.pairStrap()
    test.radio.link?.lose()
    test.radio.accepts = false
    try test.run(for: .seconds(3))
    client.send(#"{"id":7,"method":"capture"}"#)
    try test.run(for: .milliseconds(1))
    var advert = Advert(address: .strap, name: "Polar H10", rssi: -50, services: [BluetoothUUID(0x180d)])
    advert.manufacturerData = [Advert.ManufacturerData(company: 0x006b, value: [0x3b, 0x48])]
    test.radio.delegate?.radio(received: advert)
    try test.run(for: .milliseconds(1))
    let raw = try client.all("raw").last
    #expect(raw?["op"] == "advert" && raw?["source"] == "006b" && raw?["hex"] == "3b48")
    advert.manufacturerData = []
    advert.serviceData = [Advert.ServiceData(service: BluetoothUUID(0xfff0), value: [0x07])]
    test.radio.delegate?.radio(received: advert)
    try test.run(for: .milliseconds(1))
    let next = try client.all("raw").last
    #expect(next?["op"] == "service" && next?["source"] == "fff0" && next?["hex"] == "07")
  }

  /// The readable characteristics of the sensor.
  private static let readable = [
    Endpoint.location, Endpoint(service: BluetoothUUID(0x180f), characteristic: BluetoothUUID(0x2a19)),
    Endpoint(service: BluetoothUUID(0x180a), characteristic: BluetoothUUID(0x2a29)),
    Endpoint(service: BluetoothUUID(0x180a), characteristic: BluetoothUUID(0x2a24)),
  ]

  private func makeReadable(sourceLocation: SourceLocation = #_sourceLocation) throws -> (
    TestDaemon, TestClient, ScriptedLink
  ) {
    let test = try TestDaemon()
    test.radio.offers = [.measurement] + Self.readable
    let client = try test.pairStrap()
    try test.run(for: .seconds(1))
    return (test, client, try #require(test.radio.link, sourceLocation: sourceLocation))
  }

  @Test("2,000 captures that were cancelled cause no further reads")
  func capturesThatEndedReadNothing() throws {
    let (test, _, link) = try makeReadable()
    let client = try test.connect()
    for _ in 0..<100 {
      for _ in 0..<20 {
        client.send(#"{"id":3,"method":"capture"}"#)
        client.send(#"{"id":4,"method":"cancel"}"#)
      }
      // As fast as the quota allows.
      try test.run(for: .milliseconds(50))
      try client.receive()
    }
    try test.run(for: .seconds(1))
    #expect(try client.all("reply").count == 4000, "all were begun and ended")
    #expect(test.daemon.captures.isEmpty && test.daemon.sensors.sessions.first?.reader.waitingActions == 0)
    let before = link.reads.count
    try test.run(for: .seconds(79))
    #expect(link.reads.count == before)
  }

  @Test("captures share their reads, and each gets every value once")
  func capturesShareReads() throws {
    let (test, _, link) = try makeReadable()
    let before = link.reads.count
    let clients = try (0..<20).map { _ in try test.connect() }
    for client in clients { client.send(#"{"id":3,"method":"capture"}"#) }
    try test.run(for: .seconds(1))
    #expect(link.reads.count - before <= Self.readable.count + 1, "one may have been under way before the others began")
    for client in clients {
      let read = try client.all("raw").filter { $0["op"] == "read" }.compactMap { $0["source"]?.text }
      #expect(read == ["2a38"], "the others have no value")
      #expect(try client.all("raw").count { $0["op"] == "connected" } == 1)
    }
  }

  @Test("a command goes before the reads of captures")
  func commandsGoFirst() throws {
    let (test, _, link) = try makeReadable()
    let queue = ActionQueue(
      on: link, offered: Set(Self.readable), infos: [], owner: try #require(test.daemon.sensors.sessions.first).reader)
    let capture = Anyone()
    queue.read(Self.readable, for: capture)
    let one: [UInt8] = [1]
    var batch = Batch()
    let last = try #require(Self.readable.last)
    batch.write(one.span, to: last.service, last.characteristic, withResponse: true)
    queue.add(batch, forCommand: true)
    try test.run(for: .milliseconds(15))
    #expect(test.radio.written == [[1]], "after the read that was under way")
    queue.endReads(for: capture)
    #expect(queue.count == 0)
  }

  @Test("plugin reads wait once, and the queue is bounded")
  func boundedQueue() throws {
    let (test, _, link) = try makeReadable()
    let queue = ActionQueue(
      on: link, offered: Set(Self.readable), infos: [], owner: try #require(test.daemon.sensors.sessions.first).reader)
    for _ in 0..<1000 {
      var batch = Batch()
      for endpoint in Self.readable { batch.read(endpoint.service, endpoint.characteristic) }
      queue.add(batch)
    }
    #expect(queue.count == Self.readable.count, "the first is under way, and waits once more")
    let one: [UInt8] = [1]
    for _ in 0..<1000 {
      var batch = Batch()
      batch.write(one.span, to: Self.readable[0].service, Self.readable[0].characteristic, withResponse: true)
      queue.add(batch)
    }
    #expect(queue.count == ActionQueue.capacity)
  }
}

private final class Anyone {}

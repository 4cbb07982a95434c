// What the broker publishes for a client that disappears, and when.

import EventLoop
import Linux
import MQTT
import TestSupport
import Testing
import Time

@Suite(.timeLimit(.minutes(30)))
struct WillTests {
  static let versions: [BrokerSettings.Version] = [.v5, .v311]
  static let topic = "status"

  /// The shortest keep-alive that there is.
  static func addWill(to settings: inout BrokerSettings, _ version: BrokerSettings.Version = .v5) {
    settings.will = BrokerWill(topic: topic, payload: Array("offline".utf8))
    (settings.keepAlive, settings.version) = (.seconds(5), version)
  }

  @Test(
    "the will is published for a client that disappears, but not for one that says goodbye", arguments: versions)
  func publishesWill(_ version: BrokerSettings.Version) throws {
    let (broker, loop) = (try RealBroker(), try EventLoop())
    let watcher = try TestClient.connected(broker.settings("watcher"), in: loop)
    try watcher.subscribe(to: "#")
    var settings = broker.settings("client")
    Self.addWill(to: &settings, version)
    for isPolite in [true, false] {
      var client: TestClient? = try TestClient.connected(settings, in: loop)
      if isPolite { client?.connection.stop() }
      let start = loop.now
      client = nil
      if isPolite {
        try watcher.poll { broker.log.components(of: "Received DISCONNECT from client") == 1 }
        _ = try loop.run(until: loop.now + .seconds(7)) { false }
        #expect(watcher.messages == [])
      } else {
        try watcher.wait { !watcher.messages.isEmpty }
        // Mosquitto counts in whole seconds.
        if version == .v5 { #expect(loop.now.seconds(since: start) > 4) }
      }
    }
    #expect(watcher.messages.map(\.topic) == [Self.topic])
    #expect(watcher.messages.first?.payload == Array("offline".utf8))
  }

  @Test("with MQTT 5, a link that is cut for 1 s again and again publishes no will, and each message arrives once")
  func survivesCuts() throws {
    let (broker, loop) = (try RealBroker(), try EventLoop())
    let watcher = try TestClient.connected(broker.settings("watcher"), in: loop)
    for filter in [Self.topic, "up"] { try watcher.subscribe(to: filter) }
    let link = try CuttableLink(to: broker.port, in: loop)
    var settings = broker.settings("client")
    settings.address = BrokerAddress(host: "127.0.0.1", port: link.port, isEncrypted: false)
    Self.addWill(to: &settings)
    var retry = RetryPolicy.prompt
    // Half of it, by the chance of the test's client.
    retry.afterLoss = .seconds(2)
    let client = try TestClient.connected(settings, in: loop, retry: retry)
    try client.subscribe(to: "down")
    let rounds = UInt8(8)
    for round in 1...rounds {
      // With and without time for its acknowledgement.
      let goal = client.acknowledged.count + 1
      try client.publish([round], to: "up")
      if round.isMultiple(of: 2) { try client.wait { client.acknowledged.count == goal } }
      link.cut()
      try client.wait { !client.connection.isConnected }
      #expect(client.connection.unacknowledgedCount == 0)
      try watcher.publish([round], to: "down")
      try watcher.wait { watcher.connection.unacknowledgedCount == 0 }
      try client.wait { client.sessions.count == Int(round) + 1 }
      try client.subscribe(to: "down")
    }
    let acknowledged = client.acknowledged.count
    try client.publish([0], to: "up")
    try client.wait { client.acknowledged.count == acknowledged + 1 && client.messages.count >= rounds }
    try watcher.wait { watcher.messages.last?.payload == [0] }
    // What came during a cut is sent once, whether the subscription was kept or is new.
    #expect(client.messages.map(\.payload) == (1...rounds).map { [$0] })
    // Nothing is sent again after a cut: what was not acknowledged is the caller's.
    let received = watcher.messages.map(\.payload)
    #expect(Set(received).count == received.count)
    #expect((1...rounds).allSatisfy { !$0.isMultiple(of: 2) || received.contains([$0]) })
    #expect(!watcher.messages.contains { $0.topic == Self.topic })
    link.cut()
    client.connection.stop()
    try watcher.wait { watcher.messages.last?.topic == Self.topic }
  }

  /// Of a CONNECT packet.
  static func isCleanStart(_ greeting: [UInt8]) -> Bool { greeting[9] & 2 != 0 }

  @Test("only a client with a will continues its session, and only with MQTT 5 after a loss", arguments: 0..<3)
  func continuesSession(_ row: Int) throws {
    let loop = try EventLoop()
    let broker = try StandInBroker(in: loop)
    var goodbye: [UInt8] = []
    let version: BrokerSettings.Version = row == 1 ? .v311 : .v5
    broker.answer = { packet in
      if packet[0] == 0xe0 { goodbye = packet }
      return packet[0] == 0x10 ? version == .v5 ? Packet.accepted5 : Packet.accepted311 : []
    }
    var settings = broker.settings
    Self.addWill(to: &settings, version)
    if row == 2 { settings.will = nil }
    let client = try TestClient.connected(settings, in: loop)
    broker.closeAll()
    try client.wait { client.sessions.count == 2 }
    #expect(broker.greetings.map(Self.isCleanStart) == (row == 0 ? [true, false] : [true, true]))
    client.connection.stop()
    try client.wait { !goodbye.isEmpty }
    // With a session, the broker is told to forget it: a session expiry of 0 s.
    #expect(goodbye == (row == 0 ? [0xe0, 7, 0, 5, 0x11, 0, 0, 0, 0] : [0xe0, 0]))
  }
}

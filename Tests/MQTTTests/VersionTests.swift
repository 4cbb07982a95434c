// Brokers of MQTT 5 and of 3.1.1, and their answers, from a stand-in.

import EventLoop
import Linux
import MQTT
import TestSupport
import Testing
import Time

struct VersionTests {
  /// The level of the protocol in a CONNECT packet.
  static func level(_ greeting: [UInt8]) -> UInt8 { greeting[8] }

  @Test("a broker that does not know MQTT 5 gets 3.1.1, at once and from then on")
  func fallsBack() throws {
    let loop = try EventLoop()
    let broker = try StandInBroker(in: loop)
    broker.answer = { packet in
      guard packet[0] == 0x10 else { return [] }
      return Self.level(packet) == 5 ? Packet.refused311(1) : Packet.accepted311
    }
    let client = try TestClient.connected(broker.settings, in: loop)
    #expect(client.failures == [])
    #expect(client.sessions.map(\.version) == ["3.1.1"])
    broker.closeAll()
    try client.wait { client.sessions.count == 2 }
    #expect(client.failures == [.closed])
    #expect(broker.greetings.map(Self.level) == [5, 4, 4])
  }

  @Test("a refusal of MQTT 5 in its own format is understood too")
  func fallsBackFrom5() throws {
    let loop = try EventLoop()
    let broker = try StandInBroker(in: loop)
    broker.answer = { packet in
      guard packet[0] == 0x10 else { return [] }
      return Self.level(packet) == 5 ? Packet.refused5(0x84) : Packet.accepted311
    }
    let client = try TestClient.connected(broker.settings, in: loop)
    #expect(client.sessions.map(\.version) == ["3.1.1"])
  }

  @Test("where only MQTT 5 is wanted, there is no other")
  func insistsOn5() throws {
    let loop = try EventLoop()
    let broker = try StandInBroker(in: loop)
    broker.answer = { _ in Packet.refused311(1) }
    var settings = broker.settings
    settings.version = .v5
    let client = TestClient(settings, in: loop)
    try client.wait { client.failures.count == 2 }
    #expect(client.failures[0] == .refused(.unsupportedVersion))
    #expect(broker.greetings.map(Self.level) == [5, 5])
  }

  @Test(
    "refusals of MQTT 3.1.1 are translated",
    arguments: [(2, 0x85), (3, 0x88), (4, 0x86), (5, 0x87), (6, 0x80)] as [(UInt8, UInt8)])
  func translatesRefusals(_ code: UInt8, _ reason: UInt8) throws {
    let loop = try EventLoop()
    let broker = try StandInBroker(in: loop)
    broker.answer = { _ in Packet.refused311(code) }
    var settings = broker.settings
    settings.version = .v311
    let client = TestClient(settings, in: loop)
    try client.wait { !client.failures.isEmpty }
    #expect(client.failures[0] == .refused(BrokerRefusal(code: reason)))
  }

  @Test("every reason code of a refusal is reported, whatever it is", arguments: UInt8(0x80)...0xff)
  func reportsRefusals(_ code: UInt8) throws {
    // It has its own test.
    guard code != 0x84 else { return }
    let loop = try EventLoop()
    let broker = try StandInBroker(in: loop)
    broker.answer = { _ in Packet.refused5(code) }
    let client = TestClient(broker.settings, in: loop)
    try client.wait { !client.failures.isEmpty }
    #expect(client.failures[0] == .refused(BrokerRefusal(code: code)))
    #expect("\(client.failures[0])".hasPrefix("the broker refused the connection: "))
  }

  @Test("a broker that ends the connection gives its reason", arguments: [0x8b, 0x8e, 0x98, 0xff] as [UInt8])
  func reportsEnd(_ code: UInt8) throws {
    let loop = try EventLoop()
    let broker = try StandInBroker(in: loop)
    broker.answer = { $0[0] == 0x10 ? Packet.accepted5 : [] }
    let client = try TestClient.connected(broker.settings, in: loop)
    broker.send(Packet.disconnect5(code))
    try client.wait { !client.failures.isEmpty }
    #expect(client.failures[0] == (code == 0x8e ? .takenOver : .ended(BrokerRefusal(code: code))))
    #expect(client.failures[0].needsUser == (code == 0x8e))
    // Without properties, there is a shorter form.
    try client.wait { client.connection.isConnected }
    broker.send([0xe0, 1, code])
    try client.wait { client.failures.count == 2 }
    #expect(client.failures[1] == client.failures[0])
  }

  @Test("a broker that ends the connection without a reason has closed it")
  func reportsPlainEnd() throws {
    let loop = try EventLoop()
    let broker = try StandInBroker(in: loop)
    broker.answer = { $0[0] == 0x10 ? Packet.accepted5 : [] }
    let client = try TestClient.connected(broker.settings, in: loop)
    broker.send(Packet.disconnect5(0))
    try client.wait { !client.failures.isEmpty }
    #expect(client.failures[0] == .closed)
  }

  @Test("the broker's keep-alive, and what it cannot do, hold instead of ours")
  func followsProperties() throws {
    let loop = try EventLoop()
    let broker = try StandInBroker(in: loop)
    var pings = 0
    broker.answer = { packet in
      if packet[0] == 0xc0 { pings += 1 }
      // Server keep-alive 5 s, 7 messages at once, packets of 300 bytes, and no retained messages.
      let properties: [UInt8] = [0x13, 0, 5, 0x21, 0, 7, 0x27, 0, 0, 1, 44, 0x25, 0]
      return packet[0] == 0x10
        ? [0x20, UInt8(3 + properties.count), 0, 0, UInt8(properties.count)] + properties : [0xd0, 0]
    }
    let client = try TestClient.connected(broker.settings, in: loop)
    let session = try #require(client.sessions.first)
    #expect(session.unacknowledgedLimit == 7)
    #expect(session.messageLimit == 300)
    // Ours is a minute.
    try client.wait(40) { pings == 1 }
  }

  @Test("a broker's keep-alive of 0 turns pings off, and nothing wakes the loop")
  func turnsPingsOff() throws {
    let loop = try EventLoop()
    let broker = try StandInBroker(in: loop)
    broker.answer = { $0[0] == 0x10 ? [0x20, 6, 0, 0, 3, 0x13, 0, 0] : [] }
    let client = try TestClient.connected(broker.settings, in: loop)
    #expect(loop.deadlineCount == 0)
    #expect(client.failures == [])
  }

  @Test("the user that a broker names with a message is passed on, and other properties are not")
  func passesUserOn() throws {
    let loop = try EventLoop()
    let broker = try StandInBroker(in: loop)
    broker.answer = { $0[0] == 0x10 ? Packet.accepted5 : [] }
    let client = try TestClient.connected(broker.settings, in: loop)
    let properties: [[(String, String)]] = [
      [], [("user", "ann")], [("team", "blue"), ("user", "bob")], [("user", "")], [("users", "eve")],
      Array(repeating: ("a", "b"), count: 16) + [("user", "late")],
    ]
    for pairs in properties { broker.send(Packet.message5(to: "t", [7], user: pairs)) }
    try client.wait { client.messages.count == properties.count }
    #expect(client.messages.map(\.user) == [nil, "ann", "bob", "", nil, nil])
    #expect(client.messages.allSatisfy { $0.payload == [7] })
  }

  @Test("an acknowledgement with a reason is a refusal")
  func reportsRefusedMessage() throws {
    let loop = try EventLoop()
    let broker = try StandInBroker(in: loop)
    broker.answer = { packet in
      switch packet[0] {
      case 0x10: Packet.accepted5
      // The id is behind the topic `t`.
      case 0x32: [0x40, 4, packet[5], packet[6], 0x97, 0]
      default: []
      }
    }
    let client = try TestClient.connected(broker.settings, in: loop)
    let id = try client.publish([1], to: "t")
    try client.wait { client.events.contains(.acknowledged(id, BrokerRefusal(code: 0x97))) }
    #expect(client.connection.unacknowledgedCount == 0)
  }

  @Test("each filter of a subscription is granted or refused", arguments: [.v5, .v311] as [BrokerSettings.Version])
  func reportsRefusedSubscription(_ version: BrokerSettings.Version) throws {
    let loop = try EventLoop()
    let broker = try StandInBroker(in: loop)
    let code: UInt8 = version == .v5 ? 0x87 : 0x80
    broker.answer = { packet in
      switch packet[0] {
      case 0x10: version == .v5 ? Packet.accepted5 : Packet.accepted311
      case 0x82: Packet.subscribed(packet, [0, code], isVersion5: version == .v5)
      default: []
      }
    }
    var settings = broker.settings
    settings.version = version
    let client = try TestClient.connected(settings, in: loop)
    let id = try client.connection.subscribe(to: ["mine", "foreign"])
    try client.wait { client.events.contains(.subscribed(id, [nil, BrokerRefusal(code: code)])) }
  }

  @Test("an acknowledgement of something that was never sent changes nothing")
  func ignoresForeignAcknowledgement() throws {
    let loop = try EventLoop()
    let broker = try StandInBroker(in: loop)
    broker.answer = { $0[0] == 0x10 ? Packet.accepted5 : [] }
    let client = try TestClient.connected(broker.settings, in: loop)
    try client.publish([1], to: "t")
    broker.send([0x40, 2, 0x77, 0x77])
    _ = try loop.run(until: loop.now + .milliseconds(100)) { false }
    #expect(client.acknowledged == [])
    #expect(client.connection.unacknowledgedCount == 1)
    #expect(client.connection.isConnected)
  }

  @Test("every byte that a broker cuts an answer at ends in a failure, not in a hang")
  func handlesCutAnswers() throws {
    for answer in [Packet.accepted5, Packet.accepted311, Packet.refused5(0x87)] {
      for length in 0..<answer.count {
        let loop = try EventLoop()
        let broker = try StandInBroker(in: loop)
        var hasAnswered = false
        broker.answer = { _ in
          hasAnswered = true
          return Array(answer.prefix(length))
        }
        let client = TestClient(broker.settings, in: loop)
        try client.wait { hasAnswered }
        broker.closeAll()
        try client.wait { !client.failures.isEmpty }
        #expect(client.failures[0] == .closedBeforeAnswer, "\(answer) \(length)")
      }
    }
  }
}

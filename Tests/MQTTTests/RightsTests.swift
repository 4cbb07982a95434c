// Users, passwords and rights, as Mosquitto checks them.

import EventLoop
import Linux
import MQTT
import TestSupport
import Testing
import Time

@Suite(.timeLimit(.minutes(30)))
struct RightsTests {
  static let versions: [BrokerSettings.Version] = [.v5, .v311]

  static func broker() throws -> RealBroker {
    var configuration = RealBroker.Configuration()
    configuration.users = ["rider": "right", "wall": "other"]
    configuration.rights = [
      "pattern write cyclometer/v1/home/%u/#", "pattern read cyclometer/v1/home/%u/want", "user wall",
      "topic read cyclometer/v1/home/#",
    ]
    return try RealBroker(configuration)
  }

  static func settings(
    _ broker: RealBroker, _ user: String?, _ password: String?, _ version: BrokerSettings.Version = .newest
  ) -> BrokerSettings {
    var settings = broker.settings(user ?? "nameless")
    (settings.user, settings.password, settings.version) = (user, password, version)
    return settings
  }

  @Test("the right password is accepted, a wrong one and none are refused", arguments: versions)
  func checksPassword(_ version: BrokerSettings.Version) throws {
    let (broker, loop) = (try Self.broker(), try EventLoop())
    _ = try TestClient.connected(Self.settings(broker, "rider", "right", version), in: loop)
    for (user, password) in [("rider", "wrong"), ("rider", nil), ("stranger", "right"), (nil, nil)] {
      let client = TestClient(Self.settings(broker, user, password, version), in: loop)
      try client.wait { !client.failures.isEmpty }
      #expect([.refused(.notAuthorized), .refused(.badCredentials)].contains(client.failures[0]))
      #expect("\(client.failures[0])".contains("check User= and PasswordFile="))
      #expect(client.failures[0].needsUser)
      client.connection.stop()
    }
  }

  @Test("a foreign topic: MQTT 5 reports the refusal, and nothing arrives with either version", arguments: versions)
  func refusesForeignTopic(_ version: BrokerSettings.Version) throws {
    let (broker, loop) = (try Self.broker(), try EventLoop())
    let wall = try TestClient.connected(Self.settings(broker, "wall", "other"), in: loop)
    try wall.subscribe(to: "cyclometer/v1/home/#")
    let rider = try TestClient.connected(Self.settings(broker, "rider", "right", version), in: loop)
    let foreign = try rider.publish([1], to: "cyclometer/v1/home/other/log")
    let own = try rider.publish([2], to: "cyclometer/v1/home/rider/log")
    try rider.wait { rider.events.contains(.acknowledged(own, nil)) }
    #expect(rider.events.contains(.acknowledged(foreign, version == .v5 ? .notAuthorized : nil)))
    try wall.wait { !wall.messages.isEmpty }
    #expect(wall.messages.map(\.payload) == [[2]])
  }

  @Test("a will on a foreign topic is not published")
  func refusesForeignWill() throws {
    let (broker, loop) = (try Self.broker(), try EventLoop())
    let wall = try TestClient.connected(Self.settings(broker, "wall", "other"), in: loop)
    try wall.subscribe(to: "cyclometer/v1/home/#")
    for topic in ["cyclometer/v1/home/other/status", "cyclometer/v1/home/rider/status"] {
      var settings = Self.settings(broker, "rider", "right")
      settings.will = BrokerWill(topic: topic, payload: [1])
      _ = try TestClient.connected(settings, in: loop)
    }
    try wall.wait { !wall.messages.isEmpty }
    #expect(wall.messages.map(\.topic) == ["cyclometer/v1/home/rider/status"])
  }
}

// What a broker refuses, and whom the bridge does not trust: it says so, keeps the records, and disturbs
// no other receiver.

import Foundation
import JSON
import Linux
import TestSupport
import Testing
import Time

/// One at a time, because each has several processes.
@Suite(.serialized, .timeLimit(.minutes(30)))
struct RefusalTests {
  private let authority: ThrowawayAuthority

  init() throws { authority = try ThrowawayAuthority() }

  private func encryptedBroker(
    _ names: [String] = ["DNS:localhost"], requiresClientCertificate: Bool = false
  ) throws -> RealBroker {
    var configuration = RealBroker.Configuration()
    configuration.certificate = try authority.issue("broker", names)
    configuration.requiresClientCertificate = requiresClientCertificate
    return try RealBroker(configuration)
  }

  private func keys(_ broker: RealBroker, authorities: String, _ more: String = "") -> String {
    "[Broker]\nAddress=mqtts://localhost:\(broker.port)\nCA=\(authorities)\n\(more)"
  }

  /// The bridge has said it in its status, to the user and in its log, once, and what was measured waits. With
  /// `mayCloseFirst`, the broker can close before the bridge has read why, and the next attempt tells.
  private func expectRefusal(
    _ receiver: BridgedReceiver, _ reason: String, _ words: String, mayCloseFirst: Bool = false
  ) throws {
    let status = try receiver.peer().status {
      let said = $0["broker"]?["reason"]?.text
      return (mayCloseFirst ? said == reason : said != nil) && ($0["spool"]?["records"]?.integer ?? 0) > 0
    }
    #expect(status["broker"]?["reason"]?.text == reason, "\(status)")
    #expect(status["broker"]?["message"]?.text?.contains(words) == true, "\(status)")
    #expect(try receiver.cyclo(["fleet", "status"]).output.contains(words))
    let lines = receiver.bridge.diagnostics.split(separator: "\n").filter { $0.contains(words) }
    #expect(lines.count == 1 && lines[0].contains("broker: not connected"), "\(receiver.bridge.diagnostics)")
  }

  @Test("a broker with a trusted certificate gets every record, once the configuration names its authority")
  func trusted() throws {
    let broker = try encryptedBroker()
    let reader = try BrokerReader(port: broker.port, authorities: authority.file)
    let other = try ThrowawayAuthority()
    let receiver = try BridgedReceiver(port: broker.port, keys(broker, authorities: other.file))
    try expectRefusal(receiver, "untrusted", "check CA=")
    #expect(receiver.bridge.stop() == 0)
    try receiver.configure(keys(broker, authorities: authority.file))
    try receiver.startBridge()
    #expect(try reader.run { reader.store.count > 100 })
    #expect(reader.store.gaps.isEmpty && reader.store.missingBatches == 0, "\(reader.store.gaps)")
    #expect(reader.store.batches.min() == 1, "what waited came, too")
  }

  @Test("a certificate for another name is refused, and nothing is sent to that broker")
  func wrongName() throws {
    let broker = try encryptedBroker(["DNS:broker.example"])
    let receiver = try BridgedReceiver(port: broker.port, keys(broker, authorities: authority.file))
    try expectRefusal(receiver, "untrusted", "the broker's certificate is not for 'localhost'")
    #expect(!broker.log.contains("cyclometer-bike-7"))
  }

  @Test("a bridge whose certificate is of another authority is refused by the broker")
  func foreignCertificate() throws {
    let broker = try encryptedBroker(requiresClientCertificate: true)
    let other = try ThrowawayAuthority()
    let foreign = try other.issue("bike-7")
    let more = "Certificate=\(foreign.certificate)\nKey=\(foreign.key)"
    let receiver = try BridgedReceiver(port: broker.port, keys(broker, authorities: authority.file, more))
    try expectRefusal(receiver, "denied", "check Certificate= and Key=", mayCloseFirst: true)
    #expect(!broker.log.contains("cyclometer-bike-7"))
  }

  @Test("a receiver that uses another one's topics is refused and told which, and its records wait")
  func foreignTopic() throws {
    var configuration = RealBroker.Configuration()
    configuration.users = ["bike-7": "bike-7", "bike-8": "bike-8", "wall": "wall"]
    configuration.rights = [
      "pattern write cyclometer/v1/studio/%u/#", "pattern read cyclometer/v1/studio/%u/want", "user wall",
      "topic read cyclometer/#",
    ]
    let broker = try RealBroker(configuration)
    let folder = try TemporaryFolder()
    func account(_ user: String) throws -> String {
      let file = folder.file(user)
      try Files.replace(file, with: Array(user.utf8), mode: 0o600)
      return "[Broker]\nUser=\(user)\nPasswordFile=\(file)"
    }
    let reader = try BrokerReader(port: broker.port, user: "wall")
    let honest = try BridgedReceiver("bike-8", port: broker.port, try account("bike-8"))
    // It has its own password, and the name of somebody else.
    let foreign = try BridgedReceiver("bike-9", port: broker.port, try account("bike-7"))
    let topic = foreign.prefix + "log"
    let status = try foreign.peer().status { $0["broker"]?["refused"]?.texts?.contains(topic) == true }
    #expect(status["broker"]?["state"] == "connected" && (status["spool"]?["batches"]?.integer ?? 0) > 0, "\(status)")
    #expect(foreign.bridge.diagnostics.contains("\(topic) was refused (not authorized"))
    #expect(try foreign.cyclo(["fleet", "status"]).output.contains(topic))
    let before = reader.store.count
    #expect(try reader.run { reader.store.count > before + 50 })
    #expect(reader.messages(below: foreign.prefix).isEmpty)
    #expect(reader.store.gaps.isEmpty && reader.store.missingBatches == 0, "\(reader.store.gaps)")
    #expect(reader.retained[honest.prefix + "status"]?.json["state"] == "online")
  }

  @Test("of two bridges with the same name one stops with what to do, and the other one goes on")
  func nameTaken() throws {
    let broker = try RealBroker()
    let pair = [try BridgedReceiver(port: broker.port), try BridgedReceiver(port: broker.port)]
    let peers = try pair.map { try $0.peer() }
    func states() throws -> [JSONValue] { try peers.map { try $0.ask("status")["result"]?["broker"] ?? .null } }
    let deadline = MonotonicTime.now + .seconds(300)
    while try !states().contains(where: { $0["state"] == "stopped" }) {
      try #require(MonotonicTime.now < deadline)
      try Waiting.until(.now + .milliseconds(200))
    }
    let loser = try #require(try states().firstIndex { $0["state"] == "stopped" })
    let winner = 1 - loser
    let stopped = try states()[loser]
    #expect(stopped["reason"] == "name_taken", "\(stopped)")
    #expect(stopped["message"]?.text?.contains("give each receiver a name of its own") == true, "\(stopped)")
    let sentence = "gave up, because another client has the same name (set Receiver= and restart)"
    let lines = pair[loser].bridge.diagnostics.split(separator: "\n").filter { $0.contains(sentence) }
    #expect(lines.count == 1, "\(pair[loser].bridge.diagnostics)")
    #expect(!pair[winner].bridge.diagnostics.contains(sentence))
    _ = try peers[winner].status { $0["broker"]?["state"] == "connected" }
    let waiting = try peers[loser].status { ($0["spool"]?["records"]?.integer ?? 0) > 50 }
    #expect(waiting["broker"]?["state"] == "stopped", "it stays stopped, and keeps its records")
  }
}

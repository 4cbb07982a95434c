// Requests from afar, through a real broker to a real daemon.

import Foundation
import JSON
import Linux
import TestSupport
import Testing
import Time

@Suite(.serialized, .timeLimit(.minutes(30)))
struct ControlTests {
  private static let control = "[Fleet]\nControl=yes\nAllow=ride"
  private static let lap = #"{"id":"x1","method":"ride","params":{"action":"lap"}}"#
  private let broker: RealBroker

  init() throws { broker = try RealBroker() }

  private func answers(_ reader: BrokerReader, _ receiver: BridgedReceiver) -> [JSONValue] {
    reader.messages(below: receiver.prefix + "done").map(\.json)
  }

  /// The number of the current lap; nil before the ride.
  private func lap(_ reader: BrokerReader) -> Int? { reader.store.newest("ride")?["lap"]?.integer }

  @Test("an allowed request is done by the daemon, answered, and logged with its sender")
  func allowed() throws {
    let receiver = try BridgedReceiver(port: broker.port, Self.control)
    let reader = try BrokerReader(port: broker.port)
    let status = try receiver.peer().status { $0["control"]?["connected"] == true }
    #expect(status["control"]?["allowed"] == ["ride"], "\(status)")
    // The bike needs a moment to move.
    #expect(try reader.run { lap(reader) == 1 })
    try reader.publish(Self.lap, to: receiver.prefix + "do")
    #expect(try reader.run { !answers(reader, receiver).isEmpty })
    let answer = answers(reader, receiver)[0]
    #expect(answer["class"] == "reply" && answer["id"] == "x1" && answer["result"]?["changed"] == true, "\(answer)")
    #expect(try reader.run { lap(reader) == 2 })
    #expect(reader.messages(below: receiver.prefix + "done").allSatisfy { !$0.isRetained })
    #expect(receiver.bridge.diagnostics.contains("control: ride from somebody"))
    #expect(try receiver.cyclo(["fleet", "status"]).output.contains("allowed: ride"))
  }

  @Test("what is not allowed, too late, or not a request is refused with a reason, and nothing is done")
  func refused() throws {
    let receiver = try BridgedReceiver(port: broker.port, Self.control)
    let reader = try BrokerReader(port: broker.port)
    _ = try receiver.peer().status { $0["control"]?["connected"] == true && $0["broker"]?["state"] == "connected" }
    #expect(try reader.run { lap(reader) == 1 })
    let requests = [
      (#"{"id":1,"method":"command","params":{"sensor":"wheel","name":"zero_offset"}}"#, "denied"),
      (#"{"id":2,"method":"pair","params":{"address":"C0:FF:EE:00:00:09"}}"#, "denied"),
      (#"{"id":3,"method":"set","params":{"sensor":"wheel","key":"priority","value":1}}"#, "denied"),
      (#"{"id":4,"method":"ride","params":{"action":"lap"},"until":"2020-01-01T00:00:00Z"}"#, "timeout"),
      (#"{"id":5,"method":"ride","params":{"action":"fly"}}"#, "bad_request"),
      (#"{"id":6,"method":"ride","params":5}"#, "bad_request"), ("lap", "bad_json"),
    ]
    for (request, _) in requests { try reader.publish(request, to: receiver.prefix + "do") }
    #expect(try reader.run { answers(reader, receiver).count == requests.count })
    let refusals = answers(reader, receiver)
    #expect(Set(refusals.compactMap { $0["code"]?.text }) == Set(requests.map(\.1)), "\(refusals)")
    #expect(refusals.allSatisfy { $0["class"] == "error" && $0["message"]?.text?.isEmpty == false })
    for (id, code) in [(1, "denied"), (4, "timeout"), (5, "bad_request")] {
      #expect(refusals.contains { $0["id"]?.integer == id && $0["code"]?.text == code }, "\(id): \(refusals)")
    }
    #expect(receiver.bridge.diagnostics.contains("control: refused a request from somebody (denied"))
    try reader.run(for: .seconds(4))
    #expect(lap(reader) == 1)
  }

  @Test("a request that the broker kept is not done")
  func kept() throws {
    let receiver = try BridgedReceiver(port: broker.port, Self.control)
    let reader = try BrokerReader(port: broker.port)
    #expect(try reader.run { lap(reader) == 1 })
    #expect(receiver.bridge.stop() == 0)
    try reader.publish(Self.lap, to: receiver.prefix + "do", isRetained: true)
    try reader.run(for: .milliseconds(500))
    try receiver.startBridge()
    #expect(try reader.run { !answers(reader, receiver).isEmpty })
    #expect(answers(reader, receiver)[0]["code"] == "denied", "\(answers(reader, receiver))")
    try reader.run(for: .seconds(4))
    #expect(lap(reader) == 1)
  }

  @Test("without a daemon a request waits until its time, and is then not done any more")
  func late() throws {
    let receiver = try BridgedReceiver(port: broker.port, Self.control)
    let reader = try BrokerReader(port: broker.port)
    let peer = try receiver.peer()
    _ = try peer.status { $0["control"]?["connected"] == true && $0["broker"]?["state"] == "connected" }
    receiver.daemon.kill()
    let status = try peer.status { $0["control"]?["connected"] == false }
    #expect(status["control"]?["message"]?.text != nil, "\(status)")
    let until = ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: 3))
    let request = #"{"id":7,"method":"ride","params":{"action":"new"},"until":"\#(until)"}"#
    try reader.publish(request, to: receiver.prefix + "do")
    #expect(try reader.run { !answers(reader, receiver).isEmpty })
    #expect(answers(reader, receiver)[0]["id"]?.integer == 7 && answers(reader, receiver)[0]["code"] == "timeout")
    try receiver.startDaemon()
    _ = try peer.status { $0["control"]?["connected"] == true }
    try reader.publish(#"{"id":8,"method":"ride","params":{"action":"new"}}"#, to: receiver.prefix + "do")
    #expect(try reader.run { answers(reader, receiver).count == 2 })
    #expect(answers(reader, receiver)[1]["id"]?.integer == 8 && answers(reader, receiver)[1]["class"] == "reply")
  }

  @Test("without Control=yes and Roaming=yes nothing is done, and control.sock is never opened")
  func off() throws {
    let receiver = try BridgedReceiver(port: broker.port)
    let reader = try BrokerReader(port: broker.port)
    #expect(receiver.bridge.stop() == 0)
    let path = receiver.daemon.controlSocket
    // Whatever connects to the path connects to this test.
    try FileManager.default.removeItem(atPath: path)
    let listener = try UnixSocket.listen(at: path, mode: 0o600)
    try receiver.startBridge()
    _ = try receiver.peer().status { $0["broker"]?["state"] == "connected" && $0["connected"] == true }
    let before = reader.store.count
    try reader.publish(Self.lap, to: receiver.prefix + "do")
    #expect(try reader.run { reader.store.count > before + 50 && lap(reader) != nil })
    #expect(answers(reader, receiver).isEmpty && lap(reader) == 1)
    #expect(try receiver.peer().ask("status")["result"]?["control"] == nil)
    let isUsed = try Waiting.untilReadable(listener.number, deadline: .now)
    #expect(!isUsed, "something has connected to control.sock")
  }
}

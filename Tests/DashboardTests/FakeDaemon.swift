// A daemon as the dashboard's server sees it: both sockets in the loop of the test. Its samples are
// what a test publishes, and it keeps what was requested.

import EventLoop
import JSON
import Linux
import ProgramKit
import Serving
import Time
import Wire

final class FakeDaemon: RequestHandler {
  private static let control = SocketRole("control", isReserved: true)
  private static let metrics = SocketRole("metrics")

  private let publisher: Publisher
  private let folder: String
  private let loop: EventLoop
  private var sockets: SocketServer?
  private var seq = 0
  /// The requests of control.sock: the method, and the parameters in JSON.
  private(set) var requests: [String] = []
  private(set) var lastParameters = JSONValue.null
  /// Connections of control.sock that have ended.
  private(set) var endedControls = 0
  /// Pairings that wait for their end.
  private var pairings: [Asker] = []
  /// Neither answers nor closes its connections, as a process that was stopped.
  var isFrozen = false

  init(in folder: String, _ loop: EventLoop) throws {
    (self.folder, self.loop) = (folder, loop)
    publisher = Publisher(loop: loop)
    try start(instance: "one")
  }

  func start(instance: String) throws {
    let hello = HelloRecord(release: "0.1.0", instance: instance)
    let sockets = SocketServer(loop: loop, log: Log(level: .error), publisher: publisher, hello: hello, handler: self)
    try sockets.listen(at: folder + "/control.sock", mode: 0o600, role: Self.control)
    try sockets.listen(at: folder + "/metrics.sock", mode: 0o600, role: Self.metrics)
    self.sockets = sockets
  }

  func stop() {
    sockets?.close()
    sockets = nil
  }

  func ended(_ client: Client) {
    if client.role == Self.control { endedControls += 1 }
  }

  func answer(_ request: Request, from asker: Asker) throws(Refusal) -> Answer {
    guard !isFrozen, let client = asker.client else { return .later }
    if client.role == Self.control {
      requests.append("\(request.method) \(request.params.encoded)")
      lastParameters = request.params
    }
    switch request.method {
    case "subscribe": return .done.then { client.subscribe(Filter(snapshot: false)) }
    case "sensors":
      return .result { $0.value(["sensors": [["id": "strap", "kinds": ["heart_rate"], "state": "streaming"]]]) }
    case "status":
      return .result {
        $0.value([
          "adapters": [["class": "adapter", "adapter": "hci0", "state": "on"]],
          "versions": ["cyclometer": "0.1.0", "bluez": "5.66"],
        ])
      }
    case "scan":
      return .done.then { client.send(TestRecord("found", [.init("id", "spare"), .init("rssi_dbm", -60)])) }
    case "pair":
      pairings.append(asker)
      client.send(TestRecord("prompt", [.init("prompt", "p1"), .init("ask", "passkey")]))
      return .later
    case "answer":
      for pairing in pairings { pairing.answer(.result { $0.value(["id": "spare"]) }) }
      pairings = []
      return .done
    case "set": throw Refusal(.badRequest, "circumference_mm is a number from 300 to 4000")
    case "ride": return .result { $0.value(["changed": true]) }
    default: return .result { $0.value(request.params == .null ? [:] : request.params) }
    }
  }

  func sample(_ kind: String, sensor: String = "ride", _ value: Double = 1) {
    seq += 1
    publisher.publish(
      TestRecord(
        "sample",
        [
          .init("sensor", .string(sensor)), .init("kind", .string(kind)), .init("seq", .number(Double(seq))),
          .init("t", .number(loop.now.seconds)), .init("value", .number(value)),
        ]))
  }

  /// A second of a ride, as the daemon derives it.
  func rideSecond(_ second: Int, speed: Double) {
    let ride: [JSONValue.Member] = [
      .init("ride_id", "00000000000000ff"), .init("ride_time_s", .number(Double(second))),
      .init("moving_time_s", .number(Double(second))), .init("distance_m", .number(Double(second) * speed)),
      .init("paused", false), .init("lap", 1),
    ]
    for (kind, members) in [("ride", ride), ("speed", [.init("speed_mps", .number(speed))])] {
      seq += 1
      publisher.publish(
        TestRecord(
          "sample",
          [
            .init("sensor", "ride"), .init("kind", .string(kind)), .init("seq", .number(Double(seq))),
            .init("t", .number(loop.now.seconds)), .init("time", .string(Clock.calendar.isoText)), .init("age_ms", 0),
          ] + members))
    }
  }

  func event(_ name: String) {
    publisher.publish(TestRecord("event", [.init("event", .string(name)), .init("t", .number(loop.now.seconds))]))
  }
}

/// Any record.
struct TestRecord: Record {
  static let className = ""
  let name: String
  let members: [JSONValue.Member]

  init(_ name: String, _ members: [JSONValue.Member]) { (self.name, self.members) = (name, members) }

  init?(_ json: JSONValue) { nil }

  func write(into writer: inout JSONWriter) {
    writer.beginRecord(name)
    writeMembers(into: &writer)
    writer.endObject()
  }

  func writeMembers(into writer: inout JSONWriter) {
    for member in members { writer.member(member.name, member.value) }
  }
}

// Names, topics, and the payloads about a receiver, its sensors and requests from afar.

import JSON
import Testing
import Time
import Wire

@testable import Fleet

@Suite struct FleetNameTests {
  @Test(
    "a name has 1 to 32 small letters, digits and hyphens",
    arguments: [
      ("home", true), ("rx-1f09a3", true), ("7", true), (String(repeating: "a", count: 32), true), ("", false),
      (String(repeating: "a", count: 33), false), ("Home", false), ("a/b", false), ("a+", false), ("#", false),
      ("a b", false), ("ä", false), ("a_b", false),
    ])
  func names(_ text: String, _ isName: Bool) {
    #expect((FleetName(text)?.text == text) == isName)
  }

  @Test("the name of a machine is always the same, differs between machines, and does not have its id")
  func machine() {
    let id = "5e0c9d1d72f34cf0a6bb3bd3fa6a3e01"
    let name = FleetName(machineID: id + "\n")
    #expect(name == FleetName(machineID: id))
    #expect(FleetName(name.text) == name)
    #expect(name.text.hasPrefix("rx-"))
    #expect(name.text.utf8.count == 9)
    let names = Set((0..<1_000).map { FleetName(machineID: "machine \($0)").text })
    #expect(names.count == 1_000)
  }

  @Test("topics are those of the contract")
  func topics() {
    #expect(homeTopics.status == "cyclometer/v1/home/rx-1f09a3/status")
    #expect(homeTopics.log == "cyclometer/v1/home/rx-1f09a3/log")
    #expect(homeTopics.want == "cyclometer/v1/home/rx-1f09a3/want")
    #expect(homeTopics.request == "cyclometer/v1/home/rx-1f09a3/do")
    #expect(homeTopics.answer == "cyclometer/v1/home/rx-1f09a3/done")
    #expect(homeTopics.sensor("polar-h10-1a2b") == "cyclometer/v1/home/rx-1f09a3/sensor/polar-h10-1a2b")
    #expect(homeTopics.clientID == "cyclometer-rx-1f09a3")
  }
}

@Suite struct ReceiverStatusTests {
  private func text(_ status: ReceiverStatus) -> String { String(decoding: status.payload, as: UTF8.self) }

  @Test("the birth tells everything, the will nothing but that the receiver is gone")
  func payloads() throws {
    var status = ReceiverStatus(.online)
    status.protocolVersion = "1.0"
    status.release = "0.2.0"
    status.instance = "5e0c9d1d72f34cf0a6bb3bd3fa6a3e01"
    status.boot = "b6f1c2d0"
    status.since = WallTime("2026-11-22T15:00:00.000Z")
    status.clock = ClockReading(
      t: .at(81234.5), time: try #require(WallTime("2026-11-22T15:00:00.000Z")), isSynchronized: true)
    status.spool = SpoolCount(records: 0)
    let expected =
      #"{"state":"online","protocol":"1.0","release":"0.2.0","instance":"5e0c9d1d72f34cf0a6bb3bd3fa6a3e01","#
      + #""boot":"b6f1c2d0","since":"2026-11-22T15:00:00.000Z","clock":{"t":81234.5,"#
      + #""time":"2026-11-22T15:00:00.000Z","synchronized":true},"spool":{"records":0}}"#
    #expect(text(status) == expected)
    #expect(ReceiverStatus(try JSONValue.parse(expected)) == status)
    #expect(text(.will) == #"{"state":"offline"}"#)
    #expect(text(.farewell) == #"{"state":"offline","reason":"stopped"}"#)
    #expect(text(ReceiverStatus(.blind)) == #"{"state":"blind"}"#)
  }

  @Test("a clock that was set is told from one that goes on")
  func clocks() {
    let reading = ClockReading(t: .at(100), time: WallTime(seconds: 1_795_000_000), isSynchronized: true)
    func other(_ t: Double, _ seconds: Int64, _ nanoseconds: Int32 = 0, _ isSynchronized: Bool = true) -> ClockReading {
      ClockReading(
        t: .at(t), time: WallTime(seconds: seconds, nanoseconds: nanoseconds), isSynchronized: isSynchronized)
    }
    #expect(reading.agrees(with: other(3700, 1_795_003_600)))
    #expect(reading.agrees(with: other(3700, 1_795_003_600, 40_000_000)))
    #expect(!reading.agrees(with: other(3700, 1_795_003_600, 60_000_000)))
    #expect(!reading.agrees(with: other(3700, 1_795_003_599, 900_000_000)))
    #expect(!reading.agrees(with: other(3700, 1_795_003_600, 0, false)))
    #expect(!reading.agrees(with: other(101, 3)))
    #expect(!reading.agrees(with: other(101, 253_402_300_799)))
    #expect(!reading.agrees(with: other(101, -60_000_000_000)))
  }

  @Test("a loss stands in the place of its last batch")
  func loss() throws {
    let from = RecordMoment(t: .at(100.5), time: WallTime("2026-11-22T15:00:00.000Z"))
    let loss = LossRecord(records: 9_000, batches: 100...199, from: from, to: RecordMoment(t: .at(400), time: nil))
    let expected =
      #"{"batch":199,"instance":"a","records":[{"class":"loss","records":9000,"batches":[100,199],"#
      + #""from":"2026-11-22T15:00:00.000Z","from_t":100.5,"to_t":400}]}"#
    #expect(String(decoding: loss.batch(instance: "a"), as: UTF8.self) == expected)
    let record = try #require(try JSONValue.parse(expected)["records"]?.items?.first)
    #expect(LossRecord(record) == loss)
    let unknown = LossRecord(records: nil, batches: 7...7, from: nil, to: nil)
    let short = #"{"batch":7,"records":[{"class":"loss","batches":[7,7]}]}"#
    #expect(String(decoding: unknown.batch(instance: nil), as: UTF8.self) == short)
  }
}

@Suite struct SensorBoardTests {
  private struct Harness {
    var board: SensorBoard
    private(set) var published: [Published] = []

    init(published: [String] = []) { board = SensorBoard(published: published) }

    mutating func change(_ body: (inout SensorBoard, SensorBoard.Sink) -> Void) {
      var new: [Published] = []
      body(&board) { new.append(Published(topic: $0, payload: String(decoding: $1, as: UTF8.self))) }
      published += new
    }
  }

  private static func sensor(_ id: String, _ state: SensorState? = nil) -> SensorRecord {
    var sensor = SensorRecord(id: id, name: id, address: "A0:9E:1A:00:1A:2B")
    sensor.state = state.map { WireWord($0) }
    return sensor
  }

  private static let since = WallTime("2026-11-22T15:00:00.000Z")
  private static let head = #","name":"strap","address":"A0:9E:1A:00:1A:2B","plugins":[],"kinds":[],"#

  @Test("counts are those of the listed sensors")
  func counts() {
    var harness = Harness()
    #expect(harness.board.counts.sensors == 0)
    harness.change { $0.replaceAll(with: [Self.sensor("strap", .streaming), Self.sensor("radar", .stale)], $1) }
    #expect(harness.board.counts.sensors == 2 && harness.board.counts.streaming == 1)
    harness.change { $0.add(StateRecord(sensor: "radar", state: .streaming, since: Self.since), $1) }
    #expect(harness.board.counts.streaming == 2)
    harness.change { $0.daemonGone(at: nil, $1) }
    #expect(harness.board.counts.sensors == 2 && harness.board.counts.streaming == 0)
  }

  @Test("a state changes what is published of its sensor, with since")
  func states() {
    var harness = Harness()
    harness.change { $0.add(StateRecord(sensor: "strap", state: .streaming, since: Self.since), $1) }
    #expect(harness.published.isEmpty)
    harness.change { $0.replaceAll(with: [Self.sensor("strap", .streaming)], $1) }
    harness.change { $0.add(StateRecord(sensor: "strap", state: .stale, reason: .silent, since: Self.since), $1) }
    harness.change { $0.add(StateRecord(sensor: "strap", state: .stale, reason: .silent, since: Self.since), $1) }
    let since = #""since":"2026-11-22T15:00:00.000Z"}"#
    #expect(
      harness.published == [
        Published(topic: "strap", payload: #"{"id":"strap""# + Self.head + #""state":"streaming","# + since),
        Published(
          topic: "strap", payload: #"{"id":"strap""# + Self.head + #""state":"stale","reason":"silent","# + since),
      ])
  }

  @Test("a sensor that was forgotten leaves an empty message, also if that was while the bridge did not run")
  func forgotten() {
    var harness = Harness(published: ["gone", "strap"])
    harness.change { $0.replaceAll(with: [Self.sensor("strap", .streaming), Self.sensor("crank", .streaming)], $1) }
    #expect(harness.published.map(\.topic) == ["gone", "strap", "crank"])
    #expect(harness.published[0].payload.isEmpty)
    harness.change { $0.add(SensorChangeRecord(.removed, Self.sensor("crank")), $1) }
    harness.change { $0.add(SensorChangeRecord(.removed, Self.sensor("crank")), $1) }
    #expect(harness.published.suffix(1) == [Published(topic: "crank", payload: "")])
    #expect(harness.published.count == 4)
    #expect(harness.board.published == ["strap"])
    harness.change { $0.replaceAll(with: [], $1) }
    #expect(harness.published.suffix(1) == [Published(topic: "strap", payload: "")])
  }

  @Test("without a daemon every sensor is stale, but what the user disabled stays so")
  func daemonGone() {
    var harness = Harness()
    harness.change {
      $0.replaceAll(with: [Self.sensor("crank", .disabled), Self.sensor("strap", .streaming)], $1)
    }
    harness.change { $0.daemonGone(at: Self.since, $1) }
    #expect(harness.published.count == 3)
    #expect(harness.published[2].topic == "strap")
    #expect(
      harness.published[2].payload.hasSuffix(
        #""state":"stale","reason":"daemon_gone","since":"2026-11-22T15:00:00.000Z"}"#))
    harness.change { $0.replaceAll(with: [Self.sensor("strap", .searching)], $1) }
    #expect(harness.published.suffix(2).map(\.topic) == ["crank", "strap"])
    #expect(harness.published[4].payload.hasSuffix(#""state":"searching"}"#))
  }

  @Test("all is published again for a broker that has forgotten it")
  func again() {
    var harness = Harness()
    harness.change { $0.replaceAll(with: [Self.sensor("strap", .streaming), Self.sensor("crank", .stale)], $1) }
    let before = harness.published.sorted { $0.topic < $1.topic }
    harness.change { $0.publishAll($1) }
    #expect(Array(harness.published.suffix(2)) == before)
  }

  @Test("an id that cannot be a level of a topic is not published")
  func badID() {
    var harness = Harness()
    harness.change { $0.replaceAll(with: [Self.sensor("a/b"), Self.sensor("+")], $1) }
    #expect(harness.published.isEmpty)
  }
}

@Suite struct RemoteControlTests {
  private static let wall = WallTime(seconds: 1_795_000_000)
  static let lap = #"{"id":"x1","method":"ride","params":{"action":"lap"}}"#

  private func request(
    _ message: String, allowing methods: [RemoteMethod] = [.ride, .command], isRetained: Bool = false,
    wall: WallTime? = Self.wall
  ) throws(ErrorRecord) -> RemoteRequest {
    try RemoteControl(allowing: methods).request(
      Array(message.utf8).span, isRetained: isRetained, at: .at(10), wall: wall)
  }

  @Test("an allowed request is passed on until its time, or for 10 s")
  func allowed() throws {
    let request = try request(Self.lap)
    #expect(request.method == .ride)
    #expect(request.params == ["action": "lap"])
    #expect(request.deadline == .at(20))
    let until = #"{"id":1,"method":"command","until":"2026-11-18T11:06:45Z"}"#
    #expect(try self.request(until).deadline == .at(15))
    #expect(try self.request(until, wall: nil).deadline == .at(20))
    #expect(try self.request(#"{"id":1,"method":"ride","until":"2036-01-01T00:00:00Z"}"#).deadline == .at(610))
  }

  @Test(
    "a request without a name that can be printed is somebody's",
    arguments: [
      ("ann", "ann"), ("CN=wall 1", "somebody"), ("", "somebody"), (nil, "somebody"), ("a\nb", "somebody"),
      (String(repeating: "a", count: 65), "somebody"),
    ] as [(String?, String)])
  func senders(_ user: String?, _ expected: String) { #expect(RemoteControl.sender(user) == expected) }

  @Test("answers have the id as it came")
  func answers() throws {
    let request = try request(Self.lap)
    #expect(
      String(decoding: request.answer(["changed": true]), as: UTF8.self)
        == #"{"class":"reply","id":"x1","result":{"changed":true}}"#)
    #expect(
      String(decoding: request.refusal("busy", "wait"), as: UTF8.self)
        == #"{"class":"error","id":"x1","code":"busy","message":"wait"}"#)
    #expect(String(decoding: request.expiry, as: UTF8.self).contains(#""code":"timeout""#))
  }

  @Test(
    "everything else is refused with a reason",
    arguments: [
      (RemoteControlTests.lap, [], false, ErrorCode.denied), (RemoteControlTests.lap, [.command], false, .denied),
      (RemoteControlTests.lap, [.ride], true, .denied),
      (#"{"id":1,"method":"pair"}"#, [.ride, .command], false, .denied),
      (#"{"id":1,"method":"set"}"#, [.ride, .command], false, .denied),
      (#"{"id":1,"method":"import"}"#, [.ride, .command], false, .denied),
      (#"{"id":1,"method":"fly"}"#, [.ride, .command], false, .unknownMethod),
      (#"{"id":1,"method":"ride","until":"2020-01-01T00:00:00Z"}"#, [.ride], false, .timeout),
      (#"{"id":1,"method":"ride","until":5}"#, [.ride], false, .badRequest),
      (#"{"method":"ride"}"#, [.ride], false, .badRequest), ("", [.ride], false, .badJSON),
      ("[1]", [.ride], false, .badJSON),
    ] as [(String, [RemoteMethod], Bool, ErrorCode)])
  func refused(_ message: String, _ methods: [RemoteMethod], _ isRetained: Bool, _ code: ErrorCode) throws {
    let error = #expect(throws: ErrorRecord.self) {
      try request(message, allowing: methods, isRetained: isRetained)
    }
    #expect(error?.code == code)
    let payload = try JSONValue.parse(error?.payload ?? [])
    #expect(payload["class"] == "error")
    #expect(payload["message"]?.text?.isEmpty == false)
  }
}

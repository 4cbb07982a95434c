// Which lines are kept as what, and that memory stays bounded whatever arrives.

import JSON
import Testing
import Time

@testable import WebFrames

@Suite struct LiveBoardTests {
  private let world = FrameWorld()

  static let lines: [(name: String, line: String, isKept: Bool)] = [
    ("a sample", #"{"class":"sample","sensor":"a","kind":"speed","seq":1,"t":1}"#, true),
    ("a sample with its members in another order", #"{"kind":"speed","t":1,"sensor":"a","class":"sample"}"#, true),
    ("a sample with spaces", #"{ "class": "sample", "sensor": "a", "kind": "speed" }"#, true),
    ("a sample of an id with a quote", #"{"class":"sample","sensor":"a\"b","kind":"speed","t":1}"#, true),
    ("a sample without a kind", #"{"class":"sample","sensor":"a","t":1}"#, false),
    ("a sample that is cut off", #"{"class":"sample","sensor":"a","kind":"speed","t":1"#, false),
    ("a sample that ends early", #"{"class":"sample","sensor":"a"}"#, false),
    ("a state", #"{"class":"state","sensor":"a","state":"stale"}"#, true),
    ("a state of nothing", #"{"class":"state","state":"stale"}"#, false),
    ("a sensor", #"{"class":"sensor","change":"added","sensor":{"name":"A","id":"a"}}"#, true),
    ("a sensor that is not an object", #"{"class":"sensor","change":"added","sensor":"a"}"#, false),
    ("an adapter", #"{"class":"adapter","adapter":"hci0","state":"on"}"#, true),
    ("an event", #"{"class":"event","event":"lap"}"#, true),
    ("a prompt, which is for one page", #"{"class":"prompt","prompt":"p1","ask":"confirm"}"#, false),
    ("a found device", #"{"class":"found","id":"a"}"#, false),
    ("the end of a snapshot", #"{"class":"snapshot_ended"}"#, false),
    ("another class", #"{"class":"lag","dropped":1}"#, false),
    ("no class", #"{"sensor":"a"}"#, false),
    ("an array", "[1]", false),
    ("nothing", "", false),
    ("no JSON", "speed}", false),
    ("a carriage return, which ends a line of a stream", "{\"class\":\"event\",\r\"event\":\"lap\"}", false),
  ]

  @Test("records for pages are kept as they came, others are not", arguments: lines)
  func kept(_ row: (name: String, line: String, isKept: Bool)) throws {
    #expect(world.line(row.line) == row.isKept, "\(row.name)")
    let records = try #require(try world.snapshot()["records"]?.items)
    #expect(records == (row.isKept ? [try JSONValue.parse(row.line)] : []), "\(row.name)")
  }

  @Test("every prefix of every line is refused or kept without harm", arguments: lines)
  func prefixes(_ row: (name: String, line: String, isKept: Bool)) throws {
    for count in 0..<row.line.utf8.count { world.line(String(decoding: row.line.utf8.prefix(count), as: UTF8.self)) }
    _ = try world.snapshot()
  }

  @Test("the same sensor and kind is one record, in whatever order its members are")
  func identity() throws {
    world.sample("speed", "a")
    world.line(#"{"kind":"speed","sensor":"a","class":"sample","seq":7}"#)
    world.sample("speed", "b")
    world.sample("power", "a")
    #expect(try world.snapshotRecords() == ["speed:7", "speed:1", "power:1"])
  }

  @Test("a flood of sensors forgets the samples that changed longest ago, and neither states nor radar")
  func flood() throws {
    world.state("strap", "streaming")
    world.sample("radar", "varia")
    for number in 0..<2000 { world.sample("speed", "sensor-\(number)") }
    let records = try world.snapshotRecords()
    #expect(records.count == BoardRecords.mostSamples + 2)
    #expect(records.prefix(2) == ["state:strap:streaming", "radar:1"])
    let sensors = try world.snapshot()["records"]?.items?.compactMap { $0["sensor"]?.text }
    #expect(sensors?.last == "sensor-1999" && sensors?[2] == "sensor-\(2000 - BoardRecords.mostSamples)")
  }

  @Test("a flood of events keeps the newest ones for a reader that is stuck")
  func events() throws {
    let reader = try world.reader()
    for number in 0..<100 { world.event("lap\(number)") }
    let messages = try reader.read()
    #expect(messages.map(\.records) == [(100 - BoardRecords.mostEvents..<100).map { "event:lap\($0)" }])
  }

  @Test("a flood of states and of kinds is bounded")
  func statesAndKinds() throws {
    for number in 0..<1000 { world.state("s\(number)", "stale") }
    for number in 0..<1000 { world.sample("kind\(number)") }
    #expect(try world.snapshotRecords().count == BoardRecords.mostStates + LiveBoard.mostKinds)
  }

  @Test("many long lines are bounded in bytes; states outlive them")
  func longLines() throws {
    world.state("strap", "streaming")
    let long = #","text":"\#(String(repeating: "x", count: 60_000))""#
    for number in 0..<100 { world.sample("speed", "sensor-\(number)", fields: long) }
    let records = try world.snapshotRecords()
    #expect(records.first == "state:strap:streaming" && records.count == BoardRecords.mostBytes / 60_000 + 1)
  }

  @Test("a removed sensor takes its samples and state along; its removal reaches readers")
  func removal() throws {
    let reader = try world.reader()
    world.state("strap", "streaming")
    world.sample("heart_rate", "strap")
    world.sample("power", "pedals")
    world.line(#"{"class":"sensor","change":"removed","sensor":{"id":"strap"}}"#)
    #expect(try reader.read().map(\.records) == [["power:1", "sensor:strap:removed"]])
    world.pass(250)
    world.sample("heart_rate", "strap")
    #expect(try reader.read().map(\.records) == [["heart_rate:2"]])
  }

  @Test("a snapshot has events of the last ten seconds only")
  func eventsInSnapshot() throws {
    world.event("radar_lost")
    world.sample("speed")
    world.pass(10_000)
    #expect(try world.snapshotRecords() == ["event:radar_lost", "speed:1"])
    world.pass(1)
    #expect(try world.snapshotRecords() == ["speed:1"])
    #expect(try world.snapshot()["now"]?.number == world.now.seconds)
  }

  @Test("records of this server are kept by their name, and all is forgotten when the daemon restarts")
  func own() throws {
    let reader = try world.reader()
    world.board.publish(Array(#"{"class":"service","state":"absent"}"#.utf8), as: "daemon", at: world.now)
    world.board.publish(Array(#"{"class":"service","state":"there"}"#.utf8), as: "daemon", at: world.now)
    world.board.publish(Array(#"{"class":"recording"}"#.utf8), as: "recorder", at: world.now)
    #expect(try reader.read().map(\.records) == [["service", "recording"]])
    world.board.forgetAll()
    #expect(try world.snapshotRecords() == [])
    world.pass(250)
    world.sample("speed")
    #expect(try reader.read().map(\.records) == [["speed:1"]])
  }
}

@Suite struct RideSeriesTests {
  private let world = FrameWorld()

  private func ride(_ id: String) { world.sample("ride", fields: #","ride_id":"\#(id)","distance_m":5"#) }

  private func series() throws -> JSONValue { try #require(try world.snapshot()["series"]) }

  private func speeds() throws -> [JSONValue]? { try series()["speed_mps"]?.items }

  @Test("a value of the ride gives a point a second, and a gap is null")
  func points() throws {
    ride("a")
    for speed in [5, 6] {
      world.sample("speed", fields: #","speed_mps":\#(speed),"source":"wheel""#)
      world.pass(1000)
    }
    world.pass(2000)
    world.sample("speed", fields: #","speed_mps":7.5"#)
    world.sample("speed", "wheel", fields: #","speed_mps":99"#)
    world.sample("heart_rate", fields: #","bpm":140"#)
    let series = try series()
    #expect(series["start"]?.number == 81_000 && series["step_s"]?.integer == 1)
    #expect(series["speed_mps"]?.items == [5, 6, .null, .null, 7.5])
    #expect(series["bpm"]?.items == [.null, .null, .null, .null, 140])
    #expect(series["power_w"]?.items == [.null, .null, .null, .null, .null])
  }

  @Test("what only a sensor has is that of the first one of the ride")
  func sensorValues() throws {
    world.sample("oxygen", "finger", fields: #","spo2_pct":90"#)
    ride("a")
    world.sample("oxygen", "finger", fields: #","spo2_pct":97"#)
    world.sample("oxygen", "ear", fields: #","spo2_pct":50"#)
    world.sample("hrv", fields: #","rmssd_ms":42,"breaths_per_min":18.5"#)
    let series = try series()
    #expect(series["spo2_pct"]?.items == [97] && series["breaths_per_min"]?.items == [18.5])
    #expect(series["smo2_pct"]?.items == [.null])
  }

  @Test("a long ride keeps at most 240 points, each the mean of its time")
  func halving() throws {
    ride("a")
    for second in 0..<1000 {
      if !(400..<500).contains(second) { world.sample("speed", fields: #","speed_mps":\#(second)"#) }
      world.pass(1000)
    }
    let points = try #require(try speeds())
    #expect(try series()["step_s"]?.integer == 8 && points.count == 125)
    #expect(points[0] == 3.5 && points[124] == 995.5)
    #expect(points[50..<62].allSatisfy { $0 == .null } && points[49] == 395.5)
    // Of seconds 496 to 503, half were measured.
    #expect(points[62] == 501.5)
  }

  @Test("another ride begins a new series")
  func newRide() throws {
    ride("a")
    world.sample("speed", fields: #","speed_mps":5"#)
    world.pass(5000)
    ride("b")
    world.sample("speed", fields: #","speed_mps":6"#)
    #expect(try speeds() == [6])
    #expect(try series()["start"]?.number == 81_005)
  }

  @Test("what the recorder has from before this server's start can be added")
  func filled() throws {
    ride("a")
    world.sample("speed", fields: #","speed_mps":5"#)
    world.board.fillSeries { series in
      series.extend(backTo: world.now + .seconds(-3))
      series.add(4, of: 0, at: world.now + .seconds(-3))
      series.add(9, of: 0, at: world.now + .seconds(-4))
      series.extend(backTo: world.now)
    }
    #expect(try speeds() == [4, .null, .null, 5])
  }

  @Test("a time or number that cannot be one is ignored")
  func nonsense() throws {
    for t in ["1e400", "-1e300", "9e9", "null", "\"1\""] {
      world.line(#"{"class":"sample","sensor":"ride","kind":"speed","seq":1,"t":\#(t),"speed_mps":5}"#)
    }
    for speed in ["1e400", "null", "\"5\"", "[5]"] { world.sample("speed", fields: #","speed_mps":\#(speed)"#) }
    #expect(try speeds() == [])
  }
}

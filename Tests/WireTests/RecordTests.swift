// Records are written as in the protocol's examples, byte for byte, and read back.

import CaptureFormat
import JSON
import SampleLines
import SensorKit
import Testing
import Time
import Vocabulary
import Wire

func written(_ body: (inout JSONWriter) -> Void) -> String {
  var writer = JSONWriter()
  body(&writer)
  return String(decoding: writer.bytes, as: UTF8.self)
}

@Suite struct RecordTests {
  static let strap: SensorRecord = {
    var strap = SensorRecord(id: "polar-h10-1a2b", name: "Polar H10", address: "A0:9E:1A:00:1A:2B")
    strap.plugins = ["heart_rate", "battery"]
    strap.kinds = ["heart_rate", "battery"]
    strap.state = WireWord(.stale)
    strap.reason = WireWord(.silent)
    strap.role = WireWord(.front)
    strap.batteryPct = 87
    strap.rssiDBm = -61
    strap.settings = ["priority": 2]
    strap.facts = ["body_location": "chest"]
    strap.link = LinkRecord(reconnects: 2, silentReconnects: 0, longestGapS: 1.5, packets: 40, missed: 1)
    return strap
  }()

  static func heartRate(into batch: inout Batch) {
    batch.sample(.heartRate)
    batch.set(.bpm, 142)
    batch.beginNumbers(.rrMs)
    batch.append(421.875)
    batch.append(423.828125)
    batch.set(.sensorContact, "detected")
  }

  static let header = SampleHeader(
    sensor: "polar-h10-1a2b", sequence: 4711, time: MonotonicTime(nanoseconds: 81_234_567_891_000),
    wallTime: WallTime(seconds: 1_795_252_502, nanoseconds: 417_900_000))

  static let start = #"{"class":"sample","sensor":"polar-h10-1a2b","kind":"heart_rate","seq":4711,"t":81234.567891,"#
  static let fields = #","bpm":142,"rr_ms":[421.875,423.828125],"sensor_contact":"detected"}"#

  @Test("a sample is written as in the protocol's example")
  func sampleExample() {
    var batch = Batch()
    Self.heartRate(into: &batch)
    var sample = EncodedSample()
    sample.encode(.heartRate, batch.entries[0], of: batch, Self.header)
    let line = Self.start + #""time":"2026-11-21T09:15:02.417Z","age_ms":0"# + Self.fields
    #expect(String(decoding: sample.line, as: UTF8.self) == line + "\n")
  }

  @Test("a sample that is sent again carries its age")
  func sampleAge() {
    var batch = Batch()
    Self.heartRate(into: &batch)
    var sample = EncodedSample()
    let header = SampleHeader(sensor: Self.header.sensor, sequence: 4711, time: Self.header.time)
    sample.encode(.heartRate, batch.entries[0], of: batch, header)
    for (age, text) in [(0, "0"), (7, "7"), (86_400_000, "86400000"), (-5, "0")] {
      let line = written { writer in
        writer.sample(sample, ageMS: age)
        writer.endLine()
      }
      #expect(line == Self.start + #""age_ms":\#(text)"# + Self.fields + "\n")
    }
  }

  @Test("the reply to a poll contains samples with their ages")
  func pollReply() throws {
    var batch = Batch()
    Self.heartRate(into: &batch)
    var sample = EncodedSample()
    sample.encode(.heartRate, batch.entries[0], of: batch, Self.header)
    let line = written { writer in
      writer.replyLine(RequestID(9)) { writer in
        writer.beginObject()
        writer.member("records")
        writer.beginArray()
        writer.sample(sample, ageMS: 10)
        writer.sample(sample, ageMS: 20)
        writer.endArray()
        writer.endObject()
      }
    }
    let ages = try JSONValue.parse(line)["result"]?["records"]?.items?.map { $0["age_ms"] }
    #expect(ages == [10, 20])
  }

  @Test("fields whose number is not finite are omitted")
  func notFinite() {
    var batch = Batch()
    batch.sample(.battery)
    batch.set(.batteryPct, Double.nan)
    batch.set(.bpm, Double.infinity)
    batch.set(Field("alarm"), false)
    batch.beginObjects(Field("targets"))
    batch.nextObject()
    batch.set(Field("id"), 3)
    batch.set(Field("distance_m"), Double.nan)
    batch.nextObject()
    batch.endObjects()
    let line = written { writer in
      writer.beginObject()
      writer.fields(of: batch.entries[0], in: batch)
      writer.endObject()
    }
    #expect(line == #"{"alarm":false,"targets":[{"id":3},{}]}"#)
  }

  @Test("facts, answers and refusals are lines of their own")
  func factsAndAnswers() {
    var batch = Batch()
    let time = MonotonicTime(seconds: 0.25)
    batch.fact(.bodyLocation, "chest")
    let name: [UInt8] = [0x53, 0xc3, 0xbc, 0x6c, 0x6d]
    batch.fact(Field("manufacturer"), text: name.span)
    batch.answer()
    batch.set(Field("request_opcode"), 1)
    batch.set(Field("result"), "success")
    let text = written { writer in
      writer.factLines(sensor: "hr1", time: time, batch.entries[0], of: batch)
      writer.factLines(sensor: "hr1", time: time, batch.entries[1], of: batch)
      writer.answerLine(sensor: "hr1", time: time, batch.entries[2], of: batch)
      writer.refusedLine(sensor: "hr1", time: time, source: "2a37", DecodeError(.truncated, at: 3))
    }
    #expect(
      text == """
        {"class":"fact","sensor":"hr1","t":0.25,"name":"body_location","value":"chest"}
        {"class":"fact","sensor":"hr1","t":0.25,"name":"manufacturer","value":"Sülm"}
        {"class":"answer","sensor":"hr1","t":0.25,"request_opcode":1,"result":"success"}
        {"class":"refused","sensor":"hr1","t":0.25,"source":"2a37","error":"truncated","offset":3}

        """)
  }

  static let lines: [(String, Message)] = [
    (
      #"{"class":"hello","protocol":"1.0","release":"0.1.0","instance":"5e0c","limits":{"line":65536,"clients":256}}"#,
      .hello(HelloRecord(release: "0.1.0", instance: "5e0c"))
    ),
    (
      #"{"class":"state","sensor":"a","state":"stale","reason":"silent","since":"2026-11-21T09:15:02.417Z","retry_ms":4000}"#,
      .state(
        StateRecord(
          sensor: "a", state: .stale, reason: .silent,
          since: WallTime(seconds: 1_795_252_502, nanoseconds: 417_000_000), retryMS: 4000))
    ),
    (
      #"{"class":"state","sensor":"a","state":"streaming"}"#, .state(StateRecord(sensor: "a", state: .streaming))
    ),
    (
      #"{"class":"adapter","adapter":"hci0","address":"00:11:22:33:44:55","state":"on"}"#,
      .adapter(AdapterRecord(adapter: "hci0", address: "00:11:22:33:44:55", state: .on))
    ),
    (
      #"{"class":"adapter","adapter":"hci0","state":"on","links":{"interval_ms":[7.5,50],"latency":0,"supervision_timeout_ms":420}}"#,
      .adapter(
        AdapterRecord(
          adapter: "hci0", state: .on,
          links: LinkParameters(
            shortestIntervalMS: 7.5, longestIntervalMS: 50, latency: 0, supervisionTimeoutMS: 420)))
    ),
    (
      #"{"class":"found","id":"a","address":"A0:9E:1A:00:1A:2B","name":"Polar \"H10\"","rssi_dbm":-61,"#
        + #""kinds":["heart_rate"],"plugins":["heart_rate"],"paired":false}"#,
      .found(
        FoundRecord(
          id: "a", address: "A0:9E:1A:00:1A:2B", name: "Polar \"H10\"", rssiDBm: -61, kinds: ["heart_rate"],
          plugins: ["heart_rate"]))
    ),
    (
      #"{"class":"sensor","change":"added","sensor":{"id":"polar-h10-1a2b","name":"Polar H10","#
        + #""address":"A0:9E:1A:00:1A:2B","plugins":["heart_rate","battery"],"kinds":["heart_rate","battery"],"#
        + #""state":"stale","reason":"silent","role":"front","battery_pct":87,"rssi_dbm":-61,"#
        + #""settings":{"priority":2},"facts":{"body_location":"chest"},"link":{"reconnects":2,"longest_gap_s":1.5,"packets":40,"missed":1}}}"#,
      .sensor(SensorChangeRecord(.added, strap))
    ),
    (#"{"class":"lag","dropped":37}"#, .lag(LagRecord(dropped: 37))),
    (#"{"class":"scan_ended"}"#, .scanEnded),
    (#"{"class":"inspect_ended"}"#, .inspectEnded(InspectEndedRecord())),
    (#"{"class":"inspect_ended","reason":"link_lost"}"#, .inspectEnded(InspectEndedRecord(reason: .linkLost))),
    (
      #"{"class":"advert","sensor":"a","rssi_dbm":-61,"t":81234.567891}"#,
      .advert(AdvertRecord(sensor: "a", rssiDBm: -61, t: 81234.567891))
    ),
    (
      #"{"class":"raw","sensor":"a","t":0.25,"op":"notify","source":"2a37","hex":"1048a501"}"#,
      .raw(raw(.value(.notify, BluetoothUUID(0x2a37), [0x10, 0x48, 0xa5, 0x01])))
    ),
    (
      #"{"class":"raw","sensor":"a","t":0.25,"op":"advert","source":"0100","hex":""}"#, .raw(raw(.advert(0x0100, [])))
    ),
    (
      #"{"class":"raw","sensor":"a","t":0.25,"op":"service","source":"1826","hex":"01"}"#,
      .raw(raw(.serviceData(BluetoothUUID(0x1826), [1])))
    ),
    (#"{"class":"raw","sensor":"a","t":0.25,"op":"disconnected"}"#, .raw(raw(.disconnected))),
    (
      #"{"class":"raw","sensor":"gps","t":0.25,"op":"report","report":"{\"class\":\"TPV\"}"}"#,
      .report(RawReport(time: MonotonicTime(seconds: 0.25), report: #"{"class":"TPV"}"#))
    ),
    (
      #"{"class":"prompt","prompt":"p1","ask":"confirm","sensor":"a","passkey":"000042"}"#,
      .prompt(PromptRecord(prompt: "p1", ask: .confirm, sensor: "a", passkey: "000042"))
    ),
    (
      #"{"class":"error","id":1,"code":"no_such_sensor","message":"no sensor is called a"}"#,
      .error(ErrorRecord(id: RequestID(1), .noSuchSensor, "no sensor is called a"))
    ),
    (
      #"{"class":"error","code":"bad_json","message":"x"}"#, .error(ErrorRecord(id: nil, .badJSON, "x"))
    ),
  ]

  static func raw(_ event: CaptureEvent) -> RawRecord {
    RawRecord(sensor: "a", time: MonotonicTime(seconds: 0.25), event: event)
  }

  static func line(of message: Message) -> String {
    written { writer in
      switch message {
      case .hello(let record): writer.line(record)
      case .error(let record): writer.line(record)
      case .state(let record): writer.line(record)
      case .sensor(let record): writer.line(record)
      case .adapter(let record): writer.line(record)
      case .found(let record): writer.line(record)
      case .advert(let record): writer.line(record)
      case .lag(let record): writer.line(record)
      case .raw(let record): writer.line(record)
      case .report(let record): writer.line(record)
      case .prompt(let record): writer.line(record)
      case .event(let record): writer.line(record)
      case .snapshotEnded: writer.line(SnapshotEndedRecord())
      case .scanEnded: writer.line(ScanEndedRecord())
      case .inspectEnded(let record): writer.line(record)
      case .reply(let id, let result): writer.replyLine(id) { $0.value(result) }
      case .sample, .other: break
      }
    }
  }

  @Test("records are written and read byte for byte", arguments: lines)
  func roundTrip(_ row: (line: String, message: Message)) throws {
    #expect(Self.line(of: row.message) == row.line + "\n")
    #expect(try Message.parse(Array(row.line.utf8).span) == row.message)
  }

  @Test("a client reads a sample")
  func clientSample() throws {
    let json = try JSONValue.parse(Self.start + #""age_ms":12"# + Self.fields)
    guard case .sample(let sample) = Message(json) else {
      Issue.record("not a sample")
      return
    }
    #expect(sample.sensor == "polar-h10-1a2b" && sample.sequence == 4711 && sample.ageMS == 12)
    #expect(sample["bpm"] == 142 && sample.fields.map(\.name) == ["bpm", "rr_ms", "sensor_contact"])
  }

  @Test("a record of an unknown class is kept, and so is an unknown reason")
  func unknownValues() throws {
    let future = try JSONValue.parse(#"{"class":"weather","rain":true}"#)
    #expect(Message(future) == .other(className: "weather", future))
    let state = try JSONValue.parse(#"{"class":"state","sensor":"a","state":"stale","reason":"moonlight"}"#)
    let record = try #require(StateRecord(state))
    #expect(record.state.known == .stale && record.reason?.known == nil && record.reason?.text == "moonlight")
    #expect(Message(state) == .state(record))
  }
}

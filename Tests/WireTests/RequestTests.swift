// Requests become typed values or errors with the protocol's codes. Ids are returned unchanged.

import JSON
import Testing
import Vocabulary
import Wire

@Suite struct RequestTests {
  static func parse(_ line: String) throws(ErrorRecord) -> Request {
    try Request.parse(Array(line.utf8).span)
  }

  static let calls: [(String, Call)] = [
    (#"{"id":1,"method":"subscribe"}"#, .subscribe(Filter())),
    (#"{"method":"ping","id":1,"params":{"x":1},"y":2}"#, .ping),
    (#"{"id":1,"method":"ping","params":null}"#, .ping),
    (#" { "id" : 1 , "method" : "status" } "#, .status),
    (#"{"id":1,"method":"sensors"}"#, .sensors),
    (#"{"id":1,"method":"plugins"}"#, .plugins(id: nil)),
    (#"{"id":1,"method":"plugins","params":{"plugin":"battery"}}"#, .plugins(id: "battery")),
    (#"{"id":1,"method":"unsubscribe"}"#, .unsubscribe),
    (#"{"id":1,"method":"cancel"}"#, .cancel),
    (
      #"{"id":1,"method":"subscribe","params":{"kinds":["heart_rate"],"sensors":["a"],"max_hz":4,"snapshot":false,"#
        + #""events":false}}"#,
      .subscribe(Filter(kinds: ["heart_rate"], sensors: ["a"], events: false, maxHz: 4, snapshot: false))
    ),
    (#"{"id":1,"method":"poll","params":{"kinds":[]}}"#, .poll(Filter(kinds: []))),
    (#"{"id":1,"method":"poll","params":{"kinds":null}}"#, .poll(Filter())),
    (#"{"id":1,"method":"scan","params":{"seconds":2.5,"all":true}}"#, .scan(ScanParameters(seconds: 2.5, all: true))),
    (
      #"{"id":1,"method":"pair","params":{"address":"A0:9E:1A:00:00:01","name":"Strap","role":"rear"}}"#,
      .pair(PairParameters(address: "A0:9E:1A:00:00:01", name: "Strap", role: .rear))
    ),
    (
      #"{"id":1,"method":"inspect","params":{"address":"A0:9E:1A:00:00:01","seconds":5}}"#,
      .inspect(InspectParameters(address: "A0:9E:1A:00:00:01", seconds: 5))
    ),
    (#"{"id":1,"method":"forget","params":{"sensor":"a"}}"#, .forget(sensor: "a")),
    (#"{"id":1,"method":"disable","params":{"sensor":"a"}}"#, .disable(DisableParameters(sensor: "a"))),
    (
      #"{"id":1,"method":"disable","params":{"sensor":"a","while_connected":true,"listen":true}}"#,
      .disable(DisableParameters(sensor: "a", whileConnected: true, listen: true))
    ),
    (
      #"{"id":1,"method":"ride_settings","params":{"auto_pause":false,"lap_distance_m":""}}"#,
      .rideSettings(changes: [JSONValue.Member("auto_pause", false), JSONValue.Member("lap_distance_m", "")])
    ),
    (#"{"id":1,"method":"rename","params":{"sensor":"a","name":"Red"}}"#, .rename(sensor: "a", name: "Red")),
    (
      #"{"id":1,"method":"answer","params":{"prompt":"p1","value":"042"}}"#,
      .answer(AnswerParameters(prompt: "p1", value: "042"))
    ),
    (
      #"{"id":1,"method":"set","params":{"sensor":"a","key":"priority","value":1}}"#,
      .set(SettingParameters(sensor: "a", key: "priority", value: 1))
    ),
    (
      #"{"id":1,"method":"set","params":{"sensor":"a","key":"priority"}}"#,
      .set(SettingParameters(sensor: "a", key: "priority", value: nil))
    ),
    (
      #"{"id":1,"method":"command","params":{"sensor":"a","name":"reset"}}"#,
      .command(CommandParameters(sensor: "a", name: "reset"))
    ),
    (
      #"{"id":1,"method":"command","params":{"sensor":"a","name":"target","params":{"b":2.5,"a":-1}}}"#,
      .command(CommandParameters(sensor: "a", name: "target", numbers: ["a": -1, "b": 2.5]))
    ),
    (
      ##"{"id":1,"method":"replay","params":{"lines":["#cyclometer-capture 1"]}}"##,
      .replay(ReplayParameters(lines: ["#cyclometer-capture 1"]))
    ),
    (
      #"{"id":1,"method":"replay","params":{"lines":[],"speed":8}}"#, .replay(ReplayParameters(lines: [], speed: 8))
    ),
    (#"{"id":1,"method":"ride","params":{"action":"lap"}}"#, .ride(RideParameters(.lap))),
    (#"{"id":1,"method":"rider"}"#, .rider(changes: [])),
    (
      #"{"id":1,"method":"rider","params":{"weight_kg":70,"sex":""}}"#,
      .rider(changes: [JSONValue.Member("weight_kg", 70), JSONValue.Member("sex", "")])
    ),
    (#"{"id":1,"method":"bike"}"#, .bike(BikeParameters())),
    (
      #"{"id":1,"method":"bike","params":{"name":"Gravel","rename":"Winter","sensors":["a"],"circumference_mm":2200,"#
        + #""rear_pressure_pa":""}}"#,
      .bike(
        BikeParameters(
          name: "Gravel", newName: "Winter", sensors: ["a"],
          settings: [JSONValue.Member("circumference_mm", 2200), JSONValue.Member("rear_pressure_pa", "")]))
    ),
    (
      #"{"id":1,"method":"bike","params":{"name":"Gravel","remove":true}}"#,
      .bike(BikeParameters(name: "Gravel", isRemoved: true))
    ),
    (#"{"id":1,"method":"export"}"#, .export),
    (#"{"id":1,"method":"import","params":{"version":1,"sensors":[]}}"#, .import(["version": 1, "sensors": []])),
    (#"{"id":1,"method":"ping","method":"status"}"#, .status),
  ]

  @Test("requests become typed calls", arguments: calls)
  func typedCalls(_ row: (line: String, call: Call)) throws {
    #expect(try Self.parse(row.line).call() == row.call)
  }

  @Test("a client's request is parsed as the same call", arguments: calls)
  func clientRequests(_ row: (line: String, call: Call)) throws {
    let line = written { writer in
      writer.request(RequestID(5), row.call)
      writer.endLine()
    }
    let request = try Self.parse(String(line.dropLast()))
    #expect(try request.call() == row.call)
    #expect(request.id == RequestID(5) && request.method == row.call.method.rawValue)
  }

  static let failures: [(String, ErrorCode, hasID: Bool)] = [
    ("garbage", .badJSON, false), ("[]", .badJSON, false), ("7", .badJSON, false), (#""x""#, .badJSON, false),
    (#"{"id":1"#, .badJSON, false), ("{} {}", .badJSON, false), ("null", .badJSON, false),
    ("{}", .badRequest, false), (#"{"id":1}"#, .badRequest, true), (#"{"method":"ping"}"#, .badRequest, false),
    (#"{"id":null,"method":"ping"}"#, .badRequest, false), (#"{"id":[1],"method":"ping"}"#, .badRequest, false),
    (#"{"id":true,"method":"ping"}"#, .badRequest, false), (#"{"id":1,"method":2}"#, .badRequest, true),
    (#"{"id":1,"method":"ping","params":[]}"#, .badRequest, true),
    (#"{"id":1,"method":"sing","params":5}"#, .unknownMethod, true),
    (#"{"id":1,"method":"sing"}"#, .unknownMethod, true), (#"{"id":1,"method":""}"#, .unknownMethod, true),
    (#"{"id":1,"method":"subscribe","params":{"kinds":"heart_rate"}}"#, .badRequest, true),
    (#"{"id":1,"method":"subscribe","params":{"kinds":[1]}}"#, .badRequest, true),
    (#"{"id":1,"method":"subscribe","params":{"max_hz":0}}"#, .badRequest, true),
    (#"{"id":1,"method":"subscribe","params":{"max_hz":"4"}}"#, .badRequest, true),
    (#"{"id":1,"method":"subscribe","params":{"snapshot":1}}"#, .badRequest, true),
    (#"{"id":1,"method":"scan","params":{"seconds":-1}}"#, .badRequest, true),
    (#"{"id":1,"method":"pair"}"#, .badRequest, true),
    (#"{"id":1,"method":"inspect","params":{"seconds":5}}"#, .badRequest, true),
    (#"{"id":1,"method":"inspect","params":{"address":"x","seconds":601}}"#, .badRequest, true),
    (#"{"id":1,"method":"pair","params":{"address":"x","role":"top"}}"#, .badRequest, true),
    (#"{"id":1,"method":"forget","params":{}}"#, .badRequest, true),
    (#"{"id":1,"method":"replay","params":{"lines":[],"speed":0.0009}}"#, .badRequest, true),
    (#"{"id":1,"method":"replay","params":{"lines":[],"speed":1e-12}}"#, .badRequest, true),
    (#"{"id":1,"method":"replay","params":{"lines":[],"speed":1000.1}}"#, .badRequest, true),
    (#"{"id":1,"method":"replay","params":{"lines":[],"speed":"4"}}"#, .badRequest, true),
    (#"{"id":1,"method":"ride","params":{"action":"fly"}}"#, .badRequest, true),
    (#"{"id":1,"method":"bike","params":{"circumference_mm":2000}}"#, .badRequest, true),
    (#"{"id":1,"method":"bike","params":{"name":"Gravel","sensors":"a"}}"#, .badRequest, true),
    (#"{"id":1,"method":"import","params":[]}"#, .badRequest, true),
  ]

  @Test("an invalid request fails with its code", arguments: failures)
  func invalidRequests(_ row: (line: String, code: ErrorCode, hasID: Bool)) {
    var (id, refusal): (RequestID?, Refusal?)
    do throws(ErrorRecord) {
      let request = try Self.parse(row.line)
      id = request.id
      do throws(Refusal) { _ = try request.call() } catch { refusal = error }
    } catch {
      (id, refusal) = (error.id, error.refusal)
    }
    #expect(refusal?.code == row.code)
    #expect(id == (row.hasID ? RequestID(1) : nil))
    #expect(refusal?.message.isEmpty == false)
  }

  @Test(
    "the access that a method needs is known before its parameters are checked",
    arguments: [#"{"address":7}"#, "5", "[]"])
  func accessFirst(_ params: String) throws {
    let request = try Self.parse(#"{"id":1,"method":"pair","params":\#(params)}"#)
    #expect(try Method(request.method).needsControl)
    #expect(throws: Refusal.self) { try request.call() }
  }

  @Test("a name for pairing has 1 to 64 characters and no control characters")
  func pairingNames() throws {
    let names: [(String, isAccepted: Bool)] = [
      ("x", true), (String(repeating: "é", count: 64), true), ("Mein Gurt", true),
      ("", false), (String(repeating: "x", count: 65), false), (#"a\nb"#, false), (#"a\u001b[2J"#, false),
      ("a\u{7f}", false), ("a\u{9b}", false), ("a\u{202e}b", false), ("a\u{2028}b", false), ("🚴‍♂️", true),
    ]
    for (name, isAccepted) in names {
      let request = try Self.parse(
        #"{"id":1,"method":"pair","params":{"address":"A0:9E:1A:00:00:01","name":"\#(name)"}}"#)
      let code: ErrorCode?
      do throws(Refusal) {
        _ = try request.call()
        code = nil
      } catch {
        code = error.code
      }
      #expect(code == (isAccepted ? nil : .badRequest), "\(name)")
    }
  }

  @Test(
    "an id is returned exactly as it was sent",
    arguments: [
      "1", "-7", "9007199254740993", "123456789012345678901234567890", "1.50", "1e2", #""x""#, #""""#, #""é\u0041\n""#,
    ])
  func ids(_ id: String) throws {
    let request = try Self.parse(#"{"id": \#(id) ,"method":"ping"}"#)
    #expect(written { $0.replyLine(request.id) } == #"{"class":"reply","id":\#(id),"result":{}}"# + "\n")
  }

  @Test("an id of 2,000 characters is refused")
  func longID() {
    let error = #expect(throws: ErrorRecord.self) {
      try Self.parse(#"{"id":"\#(String(repeating: "x", count: 2000))","method":"ping"}"#)
    }
    #expect(error?.code == .badRequest)
  }

  @Test("a filter passes only the kinds and sensors that it names")
  func filters() {
    let filter = Filter(kinds: ["power", "speed"], sensors: ["a"])
    #expect(filter.passes(sensor: "a", kind: "speed"))
    #expect(!filter.passes(sensor: "b", kind: "speed"))
    #expect(!filter.passes(sensor: "a", kind: "cadence"))
    #expect(Filter().passes(sensor: "b", kind: "cadence"))
    #expect(!Filter(kinds: []).passes(sensor: "a", kind: "speed"))
  }
}

// The requests of logbook.sock become typed values or refusals, and are written as they are read.

import JSON
import LogbookWire
import Testing
import Time
import Wire

@Suite struct LogbookRequestTests {
  static func call(_ method: String, _ params: String) throws -> LogbookCall {
    let line = #"{"id":1,"method":"\#(method)","params":\#(params)}"#
    return try LogbookCall(Request.parse(Array(line.utf8).span))
  }

  static func line(_ request: some LogbookRequest) -> String {
    var writer = JSONWriter()
    writer.request(RequestID(7), request)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// Parameters with every member, in the order of the line, which must come back the same.
  static let complete: [(method: String, params: String)] = [
    ("status", "{}"), ("backup", "{}"), ("subscribe", "{}"), ("unsubscribe", "{}"), ("cancel", "{}"), ("ping", "{}"),
    ("list", "{}"),
    (
      "list",
      #"{"before":12,"limit":200,"sport":"cycling","from":"2026-05-01T00:00:00.000Z","to":"2026-06-01T00:00:00.000Z","#
        + #""text":"alps","deleted":true}"#
    ),
    ("show", #"{"id":3}"#), ("laps", #"{"id":3,"after":20}"#),
    ("series", #"{"id":3,"fields":["power_w","bpm"],"sensor":"strap","points":4000,"from_s":1.5,"to_s":60}"#),
    ("track", #"{"id":3,"sensor":"gps","points":2,"from_s":0,"to_s":60}"#),
    (
      "stats",
      #"{"by":"month","week_start":"sunday","before_period":"2026-05","sport":"running","from":"2026-01-01T00:00:00.000Z","to":"2027-01-01T00:00:00.000Z"}"#
    ),
    ("stats", #"{"by":"day"}"#), ("fitness", "{}"), ("records", "{}"),
    ("fitness", #"{"sport":"running","from":"2026-01-01T00:00:00.000Z","to":"2027-01-01T00:00:00.000Z"}"#),
    (
      "records",
      #"{"sport":"running","week_start":"monday","from":"2026-01-01T00:00:00.000Z","to":"2027-01-01T00:00:00.000Z"}"#
    ),
    ("export", #"{"id":3,"format":"tcx","start":"2026-05-03T07:30:00.000Z"}"#),
    ("import", #"{"name":"tour.gpx","bytes":90000,"as":"route"}"#),
    ("put", #"{"transfer":1,"offset":45000,"base64":"Zm9v"}"#),
    ("put", #"{"transfer":1,"offset":0,"base64":"Zm9v","end":true,"bytes":3}"#),
    (
      "add",
      #"{"sport":"swimming","start":"2026-05-03T07:30:00.000Z","utc_offset_s":7200,"elapsed_time_s":1800,"#
        + #""distance_m":1500,"ascent_m":0,"energy_kcal":400,"bpm_avg":131,"name":"Lake","note":"cold","bike":"none"}"#
    ),
    (
      "edit",
      #"{"id":3,"if_version":2,"name":"","note":"n","bike":"Gravel","sport":"cycling","#
        + #""start":"2026-05-03T07:30:00.000Z","utc_offset_s":-3600,"elapsed_time_s":60.5,"distance_m":10}"#
    ),
    ("crop", #"{"id":3,"if_version":1,"from_s":10,"to_s":20}"#), ("crop", #"{"id":3,"to_s":20}"#),
    ("split", #"{"id":3,"if_version":1,"at_s":1800}"#), ("join", #"{"ids":[3,1,2]}"#),
    ("revert", #"{"id":3,"if_version":9}"#), ("delete", #"{"id":3,"if_version":9}"#), ("restore", #"{"id":3}"#),
    ("routes", #"{"before":4,"limit":1,"text":"alps"}"#), ("route", #"{"id":3,"format":"gpx"}"#),
    ("route", #"{"id":3,"points":64}"#),
    ("route_add", #"{"activity":3,"name":"Home","from_s":1,"to_s":2}"#), ("route_remove", #"{"id":3}"#),
    ("route_edit", #"{"id":3,"name":"Col"}"#),
    ("route_add", #"{"name":"Drawn","latitude_deg":[47.5,47.6],"longitude_deg":[7.5,-7.25]}"#),
    ("segments", #"{"before":4,"limit":1,"activity":12}"#),
    ("segment", #"{"id":3}"#), ("segment_propose", #"{"activity":3}"#),
    ("segment_add", #"{"activity":3,"name":"Climb","from_s":1,"to_s":2}"#), ("segment_remove", #"{"id":3}"#),
    ("segment_edit", #"{"id":3,"name":"Col"}"#),
    ("efforts", #"{"segment":3,"before":4,"limit":1}"#),
  ]

  @Test("a request is written as it was read", arguments: complete)
  func roundTrip(_ row: (method: String, params: String)) throws {
    let written = Self.line(of: try Self.call(row.method, row.params))
    #expect(written == #"{"id":7,"method":"\#(row.method)","params":\#(row.params)}"#)
  }

  @Test("the rows above cover every method")
  func allMethods() {
    #expect(Set(Self.complete.map(\.method)) == Set(LogbookMethod.allCases.map(\.rawValue)))
  }

  private static func line(of call: LogbookCall) -> String {
    switch call {
    case .status: line(LogbookStatusRequest())
    case .backup: line(BackupRequest())
    case .subscribe: line(LogbookSubscribeRequest())
    case .unsubscribe: line(LogbookUnsubscribeRequest())
    case .cancel: line(CancelTransferRequest())
    case .ping: line(LogbookPingRequest())
    case .list(let request): line(request)
    case .show(let request): line(request)
    case .laps(let request): line(request)
    case .series(let request): line(request)
    case .track(let request): line(request)
    case .stats(let request): line(request)
    case .fitness(let request): line(request)
    case .records(let request): line(request)
    case .export(let request): line(request)
    case .import(let request): line(request)
    case .put(let request): line(request)
    case .add(let request): line(request)
    case .edit(let request): line(request)
    case .crop(let request): line(request)
    case .split(let request): line(request)
    case .join(let request): line(request)
    case .revert(let request): line(request)
    case .delete(let request): line(request)
    case .restore(let request): line(request)
    case .routes(let request): line(request)
    case .route(let request): line(request)
    case .routeAdd(let request): line(request)
    case .routeEdit(let request): line(request)
    case .routeRemove(let request): line(request)
    case .segments(let request): line(request)
    case .segment(let request): line(request)
    case .segmentPropose(let request): line(request)
    case .segmentAdd(let request): line(request)
    case .segmentEdit(let request): line(request)
    case .segmentRemove(let request): line(request)
    case .efforts(let request): line(request)
    }
  }

  static let refused: [(method: String, params: String, message: String)] = [
    ("status", "[]", "params is an object"), ("show", "3", "params is an object"),
    ("show", "{}", "id is missing: an id, a whole number from 1"),
    ("show", #"{"id":null}"#, "id is missing: an id, a whole number from 1"),
    ("show", #"{"id":"last"}"#, "id is a whole number from 1 to 9007199254740991"),
    ("show", #"{"id":0}"#, "id is a whole number from 1 to 9007199254740991"),
    ("show", #"{"id":1.5}"#, "id is a whole number from 1 to 9007199254740991"),
    ("show", #"{"id":1e300}"#, "id is a whole number from 1 to 9007199254740991"),
    ("list", #"{"limit":201}"#, "limit is a whole number from 1 to 200"),
    ("list", #"{"from":"yesterday"}"#, "from is a time such as 2026-05-03T07:30:00.000Z"),
    ("list", #"{"from":"9999-05-03T07:30:00.000Z"}"#, "from is a time such as 2026-05-03T07:30:00.000Z"),
    ("list", #"{"deleted":1}"#, "deleted is true or false"),
    (
      "list", #"{"sport":"Not a sport"}"#,
      "sport is a sport such as cycling, running, swimming or strength_training"
    ),
    ("series", #"{"id":1,"points":4001}"#, "points is a whole number from 2 to 4000"),
    ("series", #"{"id":1,"fields":[]}"#, "fields is an array of 1 to 64 strings"),
    ("series", #"{"id":1,"fields":[1]}"#, "fields is an array of 1 to 64 strings"),
    ("series", #"{"id":1,"from_s":5,"to_s":5}"#, "from_s is less than to_s"),
    ("track", #"{"id":1,"from_s":-1}"#, "from_s is a number from 0 to 31622400"),
    (
      "route_add", #"{"name":"Drawn","latitude_deg":[47.5,47.6],"longitude_deg":[7.5,-7.25],"to_s":5}"#,
      "from_s and to_s are for a part of an activity: give activity"
    ),
    ("stats", "{}", "by is missing: one of day, week, month, year"),
    ("stats", #"{"by":"week","week_start":"friday"}"#, "week_start is one of monday, sunday"),
    ("stats", #"{"by":"hour"}"#, "by is one of day, week, month, year"),
    ("fitness", #"{"from":"today"}"#, "from is a time such as 2026-05-03T07:30:00.000Z"),
    ("export", #"{"id":1,"format":"kml"}"#, "format is one of fit, gpx, tcx, csv, ndjson"),
    ("export", #"{"id":1}"#, "format is missing: one of fit, gpx, tcx, csv, ndjson"),
    ("import", #"{"bytes":1}"#, "name is missing: a string of 1 to 256 bytes"),
    ("import", #"{"name":"","bytes":1}"#, "name is missing: a string of 1 to 256 bytes"),
    ("import", #"{"name":"x","bytes":0}"#, "bytes is a whole number from 1 to 2147483648"),
    ("put", #"{"transfer":1,"offset":0,"base64":"Zg"}"#, "base64 is Base64 with padding, of at most 45000 bytes"),
    ("put", #"{"transfer":1,"offset":0}"#, "base64 is missing: Base64 with padding, of at most 45000 bytes"),
    (
      "put", #"{"transfer":1,"offset":0,"base64":"\#(String(repeating: "AAAA", count: 15_001))"}"#,
      "base64 is Base64 with padding, of at most 45000 bytes"
    ),
    (
      "put", #"{"transfer":1,"offset":3,"base64":"Zg==","end":true,"bytes":3}"#,
      "bytes is where the last piece ends"
    ),
    ("put", #"{"transfer":1,"offset":-1,"base64":""}"#, "offset is a whole number from 0 to 2147483648"),
    (
      "add", #"{"start":"2026-05-03T07:30:00.000Z","elapsed_time_s":1}"#,
      "sport is missing: a sport such as cycling, running, swimming or strength_training"
    ),
    (
      "add", #"{"sport":"running","elapsed_time_s":1}"#, "start is missing: a time such as 2026-05-03T07:30:00.000Z"
    ),
    ("edit", #"{"id":1,"bpm_avg":0}"#, "bpm_avg is a number from 1 to 300"),
    ("edit", #"{"id":1,"if_version":0}"#, "if_version is a whole number from 1 to 9007199254740991"),
    ("crop", #"{"id":1}"#, "from_s or to_s is missing: a number of seconds"),
    ("crop", #"{"id":1,"from_s":9,"to_s":8}"#, "from_s is less than to_s"),
    ("split", #"{"id":1,"at_s":0}"#, "at_s is above 0"),
    ("split", #"{"id":1}"#, "at_s is missing: a number from 0 to 31622400"),
    ("join", #"{"ids":[1]}"#, "ids is an array of 2 to 32 different ids"),
    ("join", #"{"ids":[1,1]}"#, "ids is an array of 2 to 32 different ids"),
    ("join", #"{"ids":[1,"2"]}"#, "ids is an array of 2 to 32 different ids"),
    ("join", "{}", "ids is missing: an array of 2 to 32 different ids"),
    ("segment_add", #"{"activity":1,"name":"x","from_s":1}"#, "to_s is missing: a number of seconds"),
    ("efforts", "{}", "segment is missing: an id, a whole number from 1"),
    ("edit", #"{"id":1,"name":"\#(String(repeating: "x", count: 257))"}"#, "name is a string of at most 256 bytes"),
  ]

  @Test("a malformed request is refused with what was expected", arguments: refused)
  func malformed(_ row: (method: String, params: String, message: String)) {
    #expect(throws: Refusal(.badRequest, row.message)) { try Self.call(row.method, row.params) }
  }

  @Test("an unknown method is refused by its name")
  func unknownMethod() {
    #expect(throws: Refusal(.unknownMethod, "no method is called scan")) { try Self.call("scan", "{}") }
  }

  @Test("unknown members are ignored, and null means omitted")
  func lenient() throws {
    #expect(try Self.call("list", #"{"before":null,"later":[1]}"#) == .list(ListRequest()))
    #expect(try Self.call("status", "null") == .status)
  }

  @Test("a piece of the greatest size fits into a line")
  func pieceFits() {
    var request = PutRequest()
    (request.transfer, request.offset, request.end) = (RequestLimits.ids.upperBound, RequestLimits.backup, true)
    request.piece = Piece([UInt8](repeating: 255, count: Piece.mostBytes))
    request.bytes = RequestLimits.backup + Piece.mostBytes
    #expect(Self.line(request).utf8.count < LineSplitter.protocolLimit)
  }
}

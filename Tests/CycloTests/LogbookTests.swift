// `cyclo logbook` against a scripted recorder.

import Foundation
import JSON
import Linux
import Testing

@Suite struct LogbookTests {
  static let hello =
    #"{"class":"hello","logbook":"1.0","release":"0.4.0","instance":"a","limits":{"line":65536,"clients":32}}"#
  static let ride =
    #"{"id":12,"version":1,"state":"complete","sport":"cycling","name":"Alps","start":"2026-05-03T07:30:00.000Z","#
    + #""utc_offset_s":7200,"elapsed_time_s":9000,"distance_m":61200,"bpm_avg":141}"#
  static let run =
    #"{"id":11,"version":1,"state":"complete","sport":"running","start":"2026-05-02T22:30:00.000Z","#
    + #""utc_offset_s":7200,"elapsed_time_s":1800}"#

  private func with(
    _ script: StandInDaemon.Script, _ body: (StandInDaemon) throws -> Void
  ) throws {
    let recorder = try StandInDaemon(script, socket: "logbook.sock", greetings: [Self.hello])
    defer { recorder.stop() }
    try body(recorder)
  }

  private func parameters(_ recorder: StandInDaemon, _ method: String) -> [String] {
    recorder.requests.filter { $0["method"]?.text == method }.map { $0["params"]?.encoded ?? "" }
  }

  @Test("list shows activities with their local start")
  func list() throws {
    try with(["list": [[.reply(#"{"activities":[\#(Self.ride),\#(Self.run)]}"#)]]]) { recorder in
      let outcome = try cyclo("logbook", "list", "--sport", "cycling", socket: recorder.controlSocket)
      #expect(outcome.status == 0)
      #expect(outcome.lines.count == 3)
      #expect(outcome.output.contains("2026-05-03 09:30"))
      #expect(outcome.output.contains("61.20 km"))
      #expect(parameters(recorder, "list") == [#"{"limit":50,"sport":"cycling"}"#])
    }
  }

  @Test("without a zone, the start and the day of an activity are in UTC, wherever the terminal is")
  func noZone() throws {
    let imported = #"{"id":9,"version":1,"state":"complete","sport":"cycling","start":"2026-05-02T22:30:00.000Z"}"#
    try with(["list": [[.reply(#"{"activities":[\#(imported)]}"#)]], "delete": [[.reply(imported)]]]) { recorder in
      let environment = ["TZ": "Asia/Tokyo"]
      let list = try cyclo("logbook", "list", socket: recorder.controlSocket, environment: environment)
      #expect(list.output.contains("2026-05-02 22:30"), "\(list.output)")
    }
  }

  @Test("a date means the local day, and an ambiguous one lists the candidates")
  func dates() throws {
    let both = #"{"activities":[\#(Self.ride),\#(Self.run)]}"#
    let script: StandInDaemon.Script = [
      "list": [[.reply(both)]], "delete": [[.reply(Self.ride)]],
    ]
    try with(script) { recorder in
      // 22:30 UTC is half past midnight of the next day.
      let ambiguous = try cyclo("logbook", "delete", "2026-05-03", socket: recorder.controlSocket)
      #expect(ambiguous.status == 1)
      #expect(ambiguous.complaint.contains("ambiguous"))
      #expect(ambiguous.complaint.contains("12  2026-05-03 09:30  Alps"))
      #expect(parameters(recorder, "delete").isEmpty)
      let none = try cyclo("logbook", "delete", "2026-05-02", socket: recorder.controlSocket)
      #expect(none.complaint.contains("there is no activity on 2026-05-02"))
      let last = try cyclo("logbook", "delete", "last", socket: recorder.controlSocket)
      #expect(last.output == "Deleted 12: Alps, 2026-05-03 09:30\n")
      #expect(parameters(recorder, "delete") == [#"{"id":12}"#])
      #expect(try cyclo("logbook", "delete", "2026-02-31", socket: recorder.controlSocket).status == 2)
    }
  }

  @Test("export writes the pieces in order, and only a complete file gets its name")
  func export() throws {
    let begin = StandInDaemon.Step.reply(#"{"transfer":3,"name":"a.gpx","left_out":["RR intervals"]}"#)
    func data(_ rest: String) -> StandInDaemon.Step { .line(#"{"class":"data","transfer":3,\#(rest)}"#) }
    let script: StandInDaemon.Script = [
      "export": [
        [begin, data(#""offset":0,"base64":"Zm9v""#), data(#""offset":3,"base64":"YmFy","end":true,"bytes":6"#)],
        [begin, data(#""offset":0,"base64":"Zm9v""#), data(#""offset":4,"base64":"YmFy","end":true,"bytes":7"#)],
        [begin, data(#""offset":0,"base64":"Zm9v""#), data(#""offset":3,"base64":"YmFy","end":true,"bytes":6"#)],
      ]
    ]
    try with(script) { recorder in
      let path = recorder.folder + "/ride.gpx"
      let whole = try cyclo("logbook", "export", "12", "--format", "gpx", "-o", path, socket: recorder.controlSocket)
      #expect(whole.status == 0)
      #expect(whole.complaint.contains("Not in this format: RR intervals"))
      #expect(String(decoding: try Files.read(path), as: UTF8.self) == "foobar")
      #expect(parameters(recorder, "export") == [#"{"id":12,"format":"gpx"}"#])
      let other = recorder.folder + "/other.gpx"
      let torn = try cyclo("logbook", "export", "12", "-o", other, socket: recorder.controlSocket)
      #expect(torn.status == 1)
      #expect(!Files.exists(other))
      #expect(!Files.exists(other + ".new"))
      #expect(try cyclo("logbook", "export", "12", "-o", "-", socket: recorder.controlSocket).output == "foobar")
    }
  }

  @Test("import sends a large file in pieces; warnings go to standard error")
  func importing() throws {
    let script: StandInDaemon.Script = [
      "import": [[.reply(#"{"transfer":1}"#)]],
      "put": [
        [.reply(#"{"bytes":45000}"#)], [.reply(#"{"bytes":90000}"#)],
        [.reply(#"{"bytes":90001,"added":[13],"warnings":["no times"]}"#)],
      ],
    ]
    try with(script) { recorder in
      let path = recorder.folder + "/tour.gpx"
      let content = (0..<90_001).map { UInt8(truncatingIfNeeded: $0) }
      try Files.replace(path, with: content, mode: 0o600)
      let outcome = try cyclo("logbook", "import", path, socket: recorder.controlSocket)
      #expect(outcome.status == 0)
      #expect(outcome.output == "\(path): added activity 13\n")
      #expect(outcome.complaint.contains("no times"))
      #expect(parameters(recorder, "import") == [#"{"name":"tour.gpx","bytes":90001}"#])
      let puts = recorder.requests.filter { $0["method"]?.text == "put" }.compactMap { $0["params"] }
      let sent = puts.compactMap { $0["base64"]?.text.flatMap { Data(base64Encoded: $0) } }.reduce(Data(), +)
      #expect(sent == Data(content))
      #expect(puts.map { $0["offset"]?.integer } == [0, 45_000, 90_000])
      #expect(puts.last?["end"] == true)
    }
  }

  @Test("without a recorder it says how to start it, with exit status 1")
  func noRecorder() throws {
    let outcome = try cyclo("logbook", "list", socket: "/nonexistent/control.sock")
    #expect(outcome.status == 1)
    #expect(outcome.complaint.contains("no recorder listens at /nonexistent/logbook.sock"))
    #expect(outcome.complaint.contains("systemctl start cyclometer-recorder"))
  }

  @Test("show prints totals, laps, zones and graphs, also without a terminal")
  func show() throws {
    let detail = String(Self.ride.dropLast()) + #","zone_times_s":[0,600,1200]}"#
    let laps = #"{"laps":[{"lap":1,"start_s":0,"lap_time_s":600},{"lap":2,"start_s":600,"lap_time_s":700}]}"#
    let series =
      #"{"id":12,"step_s":15,"pieces":[{"start_s":0,"fields":[{"field":"bpm","min":[100,120,null],"#
      + #""mean":[110,140,null],"max":[120,150,null]}]}]}"#
    let encoded = Data(series.utf8).base64EncodedString()
    let script: StandInDaemon.Script = [
      "show": [[.reply(detail)]], "laps": [[.reply(laps)]],
      "series": [
        [
          .reply(#"{"transfer":1}"#),
          .line(
            #"{"class":"data","transfer":1,"offset":0,"base64":"\#(encoded)","end":true,"bytes":\#(series.utf8.count)}"#
          ),
        ]
      ],
    ]
    try with(script) { recorder in
      let outcome = try cyclo("logbook", "show", "12", socket: recorder.controlSocket)
      #expect(outcome.status == 0)
      for text in [
        "12  Alps (cycling)  2026-05-03 09:30", "distance    61.20 km", "LAP", "HEART RATE ZONES", "110 bpm to 140 bpm",
      ] {
        #expect(outcome.output.contains(text))
      }
      #expect(try cyclo("--json", "logbook", "show", "12", socket: recorder.controlSocket).lines == [detail])
    }
  }

  @Test("fitness and records are tables, and --json prints the reply")
  func training() throws {
    let best = #"{"activity":12,"start":"2026-05-02T22:30:00.000Z","utc_offset_s":7200,"#
    let fitness =
      #"{"rows":[{"day":"2026-05-03","training_load":142.5,"fitness":61.2,"fatigue":70.4,"form":-5.1},"#
      + #"{"day":"2026-05-02","training_load":0,"fitness":59.3,"fatigue":64.4,"form":-1}],"#
      + #""activities":2,"without_load":1}"#
    let records =
      #"{"sports":[{"sport":"cycling","activities":150,"farthest":\#(best)"distance_m":61200},"#
      + #""best_powers":[{"duration_s":1,"power_w":900,"activity":3},{"duration_s":300,"power_w":312,"activity":3}]}],"#
      + #""streaks":{"days":{"current":1,"longest":12,"from":"2026-05-01","to":"2026-05-12"},"#
      + #""weeks":{"current":0,"longest":52,"from":"2025-06-02","to":"2026-05-31"}}}"#
    let script: StandInDaemon.Script = [
      "fitness": [[.reply(fitness)], [.reply(fitness)]], "records": [[.reply(records)], [.reply(records)]],
    ]
    try with(script) { recorder in
      let socket = recorder.controlSocket
      let table = try cyclo("logbook", "fitness", "--limit", "1", socket: socket)
      #expect(table.output.contains("2026-05-03  142.5  61.2     70.4     -5.1"), "\(table.output)")
      #expect(!table.output.contains("2026-05-02"))
      #expect(table.complaint.contains("1 of 2 activities"), "\(table.complaint)")
      #expect(try cyclo("--json", "logbook", "fitness", "--sport", "running", socket: socket).lines == [fitness])
      #expect(parameters(recorder, "fitness") == ["{}", #"{"sport":"running"}"#])
      let list = try cyclo("logbook", "records", "--sport", "cycling", socket: socket)
      for text in [
        "farthest", "61.20 km", "2026-05-03", "power, 5 min", "312 W", "1 day in a row now", "longest: 12 days",
      ] {
        #expect(list.output.contains(text), "\(text): \(list.output)")
      }
      #expect(!list.output.contains("900"))
      #expect(parameters(recorder, "records").last == #"{"sport":"cycling"}"#)
      #expect(try cyclo("--json", "logbook", "records", socket: socket).lines == [records])
    }
  }

  @Test("edit sends each change, and stats and add use their options")
  func changes() throws {
    let script: StandInDaemon.Script = [
      "edit": [[.reply(Self.ride)]], "crop": [[.reply(Self.ride)]], "join": [[.reply(Self.ride)]],
      "add": [[.reply(Self.ride)]],
      "stats": [
        [
          .reply(
            #"{"rows":[{"period":"2026-W18","activities":3,"moving_time_s":7200,"distance_m":50000,"ascent_m":600}],"#
              + #""more":true}"#)
        ], [.reply(#"{"rows":[{"period":"2020-W53","activities":1,"moving_time_s":600}]}"#)],
      ],
    ]
    try with(script) { recorder in
      let socket = recorder.controlSocket
      _ = try cyclo(
        "logbook", "edit", "12", "--title", "New", "--crop", "0:30-1:45:00", "--join", "11", socket: socket)
      #expect(parameters(recorder, "edit") == [#"{"id":12,"name":"New"}"#])
      #expect(parameters(recorder, "crop") == [#"{"id":12,"from_s":30,"to_s":6300}"#])
      #expect(parameters(recorder, "join") == [#"{"ids":[12,11]}"#])
      #expect(try cyclo("logbook", "edit", "12", socket: socket).status == 2)
      #expect(try cyclo("logbook", "edit", "12", "--crop", "x", socket: socket).status == 2)
      #expect(try cyclo("logbook", "add", "--sport", "swimming", socket: socket).status == 2)
      _ = try cyclo(
        "logbook", "add", "--sport", "swimming", "--start", "2026-05-03T09:30", "--duration", "30:00", "--distance",
        "1.5km", socket: socket)
      #expect(
        parameters(recorder, "add") == [
          #"{"sport":"swimming","start":"2026-05-03T09:30:00.000Z","utc_offset_s":0,"elapsed_time_s":1800,"#
            + #""distance_m":1500}"#
        ])
      let stats = try cyclo("logbook", "stats", "--by", "week", socket: socket)
      #expect(stats.output.contains("2026-W18"))
      #expect(stats.output.contains("50.00 km"))
      #expect(stats.output.contains("2020-W53"))
      #expect(parameters(recorder, "stats") == [#"{"by":"week"}"#, #"{"by":"week","before_period":"2026-W18"}"#])
    }
  }
}

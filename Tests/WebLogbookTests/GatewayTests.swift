// What pages ask of the logbook, answered by a real recorder.

import EventLoop
import JSON
import Linux
import Testing
import Time

@testable import WebLogbook

@Suite struct GatewayTests {
  @Test("activities are listed in pages, as the query says")
  func list() throws {
    let world = try LogbookWorld()
    let ids = try (1...3).map { try world.add("Swim \($0)", day: $0) }
    let first = try world.ask("GET", "activities?limit=2&sport=swimming")
    #expect(first.status == 200 && first.fields["content-type"] == "application/json")
    #expect(first.fields["cache-control"] == "no-store" && first.fields["content-security-policy"] != nil)
    #expect(first.json["activities"]?.items?.compactMap { $0["id"]?.integer } == [ids[2], ids[1]])
    #expect(first.json["more"] == true)
    let second = try world.ask("GET", "activities?limit=2&before=\(ids[1])")
    #expect(second.json["activities"]?.items?.compactMap { $0["id"]?.integer } == [ids[0]])
    #expect(try world.ask("GET", "activities?text=swim+2").json["activities"]?.items?.count == 1)
    #expect(try world.ask("GET", "activities?sport=cycling").json["activities"] == [])
    #expect(try world.ask("GET", "stats?by=year").json["rows"]?.items?.first?["activities"] == 3)
    #expect(try world.ask("GET", "stats?by=day").json["rows"]?.items?.count == 3)
  }

  @Test("fitness and records are those of the logbook")
  func training() throws {
    let world = try LogbookWorld()
    let ids = try (1...3).map { try world.add("Swim \($0)", day: $0) }
    let fitness = try world.ask("GET", "fitness?from=2000-01-01T00:00:00.000Z&to=2026-07-01T00:00:00.000Z")
    #expect(fitness.status == 200 && fitness.json["activities"] == 3 && fitness.json["without_load"] == 3)
    #expect(fitness.json["rows"]?.items?.first?["day"] == "2026-06-30")
    let records = try world.ask("GET", "records?sport=swimming")
    #expect(records.json["sports"]?.items?.first?["longest"]?["activity"]?.integer == ids[0], "\(records.text)")
    #expect(records.json["streaks"]?["days"]?["longest"] == 3)
    #expect(try world.ask("GET", "fitness?from=yesterday").status == 400)
    #expect(try world.ask("GET", "records?sport=A").text.contains("sport"))
    #expect(try world.ask("POST", "records", "{}").status == 404)
  }

  @Test("a query with a mistake is refused with the sentence of the logbook")
  func mistakes() throws {
    let world = try LogbookWorld()
    for (target, word) in [
      ("activities?limit=many", "limit"), ("activities?limit=1000", "limit"),
      ("activities/1/export?format=pdf", "format"),
      ("activities/1/export", "format"), ("stats", "by"), ("activities/1/series?points=1", "points"),
      ("activities/1/laps?after=many", "after"),
    ] {
      let answer = try world.ask("GET", target)
      #expect(answer.status == 400 && answer.text.contains(word), "\(target): \(answer.text)")
    }
    for target in ["activities/99", "activities/zero", "activities/0", "activities/99/export?format=gpx", "routes/7"] {
      #expect(try world.ask("GET", target).status == 404, "\(target)")
    }
    #expect(try world.ask("POST", "activities", "[]").status == 400)
    #expect(try world.ask("POST", "activities", "{").text.contains("not JSON"))
    #expect(try world.ask("POST", "activities", #"{"sport":"swimming"}"#).text.contains("start"))
  }

  @Test("a change names the version that it builds on")
  func versions() throws {
    let world = try LogbookWorld()
    let id = try world.add()
    let shown = try world.ask("GET", "activities/\(id)")
    #expect(shown.fields["etag"] == "\"1\"" && shown.json["name"] == "Swim")
    #expect(try world.ask("PATCH", "activities/\(id)", #"{"name":"Lake"}"#).status == 428)
    #expect(try world.ask("PATCH", "activities/\(id)", #"{"name":"Lake"}"#, ifMatch: "\"7\"").status == 412)
    #expect(try world.ask("PATCH", "activities/\(id)", #"{"name":"Lake"}"#, ifMatch: "1").status == 412)
    let changed = try world.ask("PATCH", "activities/\(id)", #"{"name":"Lake","id":99}"#, ifMatch: "\"1\"")
    #expect(changed.status == 200 && changed.json["name"] == "Lake" && changed.fields["etag"] == "\"2\"")
    #expect(try world.ask("PATCH", "activities/\(id)", #"{"note":"Cold"}"#, ifMatch: "*").json["version"] == 3)
  }

  @Test("a deleted activity is restored")
  func deletion() throws {
    let world = try LogbookWorld()
    let id = try world.add()
    #expect(try world.ask("DELETE", "activities/\(id)").status == 428)
    #expect(try world.ask("DELETE", "activities/\(id)", ifMatch: "\"1\"").json["deleted"] != nil)
    #expect(try world.ask("GET", "activities").json["activities"] == [])
    #expect(try world.ask("GET", "activities?deleted=true").json["activities"]?.items?.count == 1)
    #expect(try world.ask("POST", "activities/\(id)/restore", "{}").status == 200)
    #expect(try world.ask("GET", "activities").json["activities"]?.items?.count == 1)
  }

  @Test("a file is imported, edited, and exported in every format")
  func files() throws {
    let world = try LogbookWorld()
    let file = LogbookWorld.gpx(3000)
    #expect(file.count > 200_000)
    let imported = try world.upload("tour.gpx", file)
    let id = try #require(imported.json["added"]?.items?.first?.integer, "\(imported.text)")
    #expect(try world.upload("tour.gpx", file).json["duplicate_of"] == .array([.number(Double(id))]))
    let types = [
      "fit": "application/vnd.ant.fit", "gpx": "application/gpx+xml", "tcx": "application/vnd.garmin.tcx+xml",
      "csv": "text/csv; charset=utf-8", "ndjson": "application/x-ndjson",
    ]
    for (format, type) in types {
      let export = try world.ask("GET", "activities/\(id)/export?format=\(format)")
      #expect(export.status == 200 && export.isWhole && export.body.count > 10_000, "\(format)")
      #expect(export.fields["content-type"] == type)
      let name = export.fields["content-disposition"] ?? ""
      #expect(name.hasPrefix("attachment; filename=\"2026-05-01-") && name.hasSuffix(".\(format)\""), "\(name)")
    }
    let head = try world.ask("HEAD", "activities/\(id)/export?format=gpx")
    #expect(head.status == 200 && head.body.isEmpty)
    let track = try world.ask("GET", "activities/\(id)/track?points=100")
    #expect(track.fields["content-type"] == "application/json" && track.json.members != nil)
    #expect(try world.ask("GET", "activities/\(id)/series?fields=altitude_m&points=10").json.members != nil)
    let laps = try world.ask("GET", "activities/\(id)/laps")
    #expect(laps.json["laps"]?.items?.first?["lap"] == 1 && laps.json["laps"]?.items?.first?["start_s"] == 0)
    #expect(try world.ask("GET", "activities/\(id)/laps?after=1").json["laps"] == [])
    let version = try world.ask("GET", "activities/\(id)").fields["etag"]
    let cropped = try world.ask("POST", "activities/\(id)/crop", #"{"from_s":600}"#, ifMatch: version)
    #expect(cropped.status == 200, "\(cropped.text)")
    let split = try world.ask(
      "POST", "activities/\(id)/split", #"{"at_s":900}"#, ifMatch: cropped.fields["etag"])
    let parts = try #require(split.json["activities"]?.items, "\(split.text)").compactMap { $0["id"]?.integer }
    #expect(parts.count == 2)
    let joined = try world.ask("POST", "activities/\(parts[0])/join", #"{"ids":[\#(parts[1])]}"#)
    #expect(joined.status == 200 && joined.json["id"]?.integer == id, "\(joined.text)")
    #expect(joined.json["edited"] == true)
    #expect(try world.ask("POST", "activities/\(id)/revert", "{}").status == 428)
    #expect(try world.ask("POST", "activities/\(id)/revert", "{}", ifMatch: version).status == 412)
    let reverted = try world.ask("POST", "activities/\(id)/revert", "{}", ifMatch: joined.fields["etag"])
    #expect(reverted.status == 200 && reverted.json["edited"] == nil, "\(reverted.text)")
  }

  @Test("routes and segments are made of an activity, shown and removed")
  func routes() throws {
    let world = try LogbookWorld()
    let imported = try world.upload("tour.gpx", LogbookWorld.gpx(3000))
    let id = try #require(imported.json["added"]?.items?.first?.integer, "\(imported.text)")
    let route = try world.ask("POST", "routes", #"{"activity":\#(id),"name":"Mühle \"1\""}"#)
    let number = try #require(route.json["id"]?.integer, "\(route.text)")
    #expect(try world.ask("GET", "routes").json["routes"]?.items?.count == 1)
    #expect(try world.ask("GET", "routes/\(number)").json["points"]?.items?.isEmpty == false)
    let file = try world.ask("GET", "routes/\(number)?format=gpx")
    #expect(file.isWhole && file.fields["content-disposition"]?.hasPrefix("attachment; filename=\"") == true)
    let renamed = try world.ask("PATCH", "routes/\(number)", #"{"name":"Mill"}"#)
    #expect(renamed.status == 200 && renamed.json["name"] == "Mill", "\(renamed.text)")
    #expect(try world.ask("PATCH", "routes/\(number)", #"{"name":""}"#).status == 400)
    #expect(try world.ask("DELETE", "routes/\(number)").status == 200)
    #expect(try world.ask("DELETE", "routes/\(number)").status == 404)
    #expect(try world.ask("GET", "activities/\(id)/proposals").json["proposals"]?.items?.isEmpty == true)
    let segment = try world.ask("POST", "segments", #"{"activity":\#(id),"name":"Hill","from_s":600,"to_s":1500}"#)
    let hill = try #require(segment.json["id"]?.integer, "\(segment.text)")
    #expect(try world.ask("GET", "segments").json["segments"]?.items?.count == 1)
    #expect(try world.ask("GET", "segments?limit=5&activity=\(id)").json["segments"]?.items?.count == 1)
    #expect(try world.ask("GET", "segments/\(hill)").json["efforts"]?.items?.count == 1)
    #expect(try world.ask("PATCH", "segments/\(hill)", #"{"name":"Wall"}"#).json["name"] == "Wall")
    #expect(try world.ask("DELETE", "segments/\(hill)").status == 200)
    #expect(try world.ask("POST", "segments/\(hill)/crop", "{}").status == 404)
  }

  @Test("routes are drawn and imported, and bad ones are refused")
  func newRoutes() throws {
    let world = try LogbookWorld()
    let drawn = try world.ask(
      "POST", "routes", #"{"name":"Drawn","latitude_deg":[47,47.01],"longitude_deg":[7,7.0]}"#)
    #expect(drawn.status == 200 && drawn.json["points"]?.integer == 2, "\(drawn.text)")
    let half = try world.ask("POST", "routes", #"{"name":"x","latitude_deg":[47,47.01],"longitude_deg":[7]}"#)
    #expect(half.status == 400 && half.text.utf8.count > 20, "\(half.text)")
    let imported = try world.upload("tour.gpx", LogbookWorld.gpx(300), as: "route")
    #expect(imported.json["routes"]?.items?.count == 1 && imported.json["added"]?.items?.isEmpty != false)
    #expect(try world.upload("tour.gpx", LogbookWorld.gpx(300), as: "walk").status == 400)
    #expect(try world.ask("GET", "routes").json["routes"]?.items?.count == 2)
  }

  @Test("a file that cannot be read is refused with the reason, and leaves nothing")
  func badFile() throws {
    let world = try LogbookWorld()
    let answer = try world.upload("tour.gpx", Array("<gpx><trk>".utf8) + [UInt8](repeating: 0x20, count: 300_000))
    #expect(answer.status == 400 && answer.text.utf8.count > 10, "\(answer.text)")
    #expect(try world.upload("", [1]).status == 400)
    #expect(try world.ask("GET", "activities").json["activities"] == [])
  }

  @Test("a client that does not read its export does not hold up others")
  func slowReader() throws {
    let world = try LogbookWorld()
    let imported = try world.upload("tour.gpx", LogbookWorld.gpx(20_000))
    let id = try #require(imported.json["added"]?.items?.first?.integer, "\(imported.text)")
    let slow = try world.client()
    slow.stop()
    try slow.send(Array("GET /api/1/activities/\(id)/export?format=gpx HTTP/1.1\r\nHost: bike\r\n\r\n".utf8))
    try world.run(for: .seconds(1))
    #expect(try world.ask("GET", "activities/\(id)/export?format=gpx").isWhole)
    #expect(try world.ask("GET", "activities").status == 200)
  }

  @Test("many requests at once are all answered")
  func many() throws {
    let world = try LogbookWorld()
    _ = try world.add()
    let clients = try (0..<40).map { _ in try world.client() }
    for client in clients {
      try client.send(Array("GET /api/1/activities HTTP/1.1\r\nHost: bike\r\nConnection: close\r\n\r\n".utf8))
    }
    for client in clients { #expect(try client.answer().status == 200) }
  }

  @Test("without a recorder the answer is 503 with the reason, and works when there is one")
  func absent() throws {
    let world = try LogbookWorld(withRecorder: false)
    let answer = try world.ask("GET", "activities")
    #expect(answer.status == 503 && answer.text.contains("no recorder answers"))
    #expect(try world.upload("tour.gpx", LogbookWorld.gpx(100)).status == 503)
    try world.startRecorder()
    #expect(try world.ask("GET", "activities").status == 200)
  }

  @Test("a recorder that does not answer gives 503 after 5 s")
  func silent() throws {
    let world = try LogbookWorld(withRecorder: false)
    let listener = try UnixSocket.listen(at: world.logbookSocket, mode: 0o600)
    let client = try world.client()
    try client.send(Array("GET /api/1/activities HTTP/1.1\r\nHost: bike\r\nConnection: close\r\n\r\n".utf8))
    try world.run(for: .milliseconds(4900))
    #expect(client.received.isEmpty)
    let answer = try client.answer(within: .milliseconds(200))
    #expect(answer.status == 503 && answer.text.contains("in time"))
    withExtendedLifetime(listener) {}
  }

  @Test(
    "the name of a file survives in a field of HTTP",
    arguments: [
      ("a.gpx", "attachment; filename=\"a.gpx\""),
      ("Mühle.gpx", "attachment; filename=\"M__hle.gpx\"; filename*=UTF-8''M%c3%bchle.gpx"),
      ("a\"\r\nX: b", "attachment; filename=\"a___X: b\"; filename*=UTF-8''a%22%0d%0aX%3a%20b"),
    ])
  func names(_ name: String, _ field: String) {
    #expect(FileName.disposition(name) == field)
  }
}

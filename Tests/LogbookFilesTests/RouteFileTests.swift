// Routes from files, and as files.

import ActivityFiles
import ActivityVectors
import JSON
import Logbook
import LogbookFiles
import LogbookWire
import SQLite
import Testing
import Time
import Wire

@Suite struct RouteFileTests {
  private let logbook: FilesLogbook

  private static let courses = ["course.fit", "course.tcx", "route.gpx", "track.gpx"]

  init() throws { logbook = try FilesLogbook() }

  private func route(_ id: Int) throws -> StoredRoute { try RouteBook(logbook.database).find(id) }

  private func course(_ name: String) throws -> [UInt8] { try Vector.bytes("routes/\(name)") }

  private static func gpx(_ content: String) -> [UInt8] {
    Array(#"<gpx version="1.1" creator="test" xmlns="http://www.topografix.com/GPX/1/1">\#(content)</gpx>"#.utf8)
  }

  private static func points(_ element: String, _ count: Int) -> String {
    (0..<count).map { #"<\#(element) lat="47.\#(100_000 + $0 * 10)" lon="8.5"><ele>400</ele></\#(element)>"# }.joined()
  }

  // MARK: Import

  @Test("courses become routes without being asked for", arguments: courses)
  func imported(name: String) throws {
    let expected = try Vector.json("routes/expect.json")
    let reply = try logbook.import(try course(name))
    #expect(reply.added == [] && reply.routes == [1] && reply.warnings == [])
    let route = try route(1)
    let length = try #require(expected["length_m"]?.number)
    #expect(route.name == expected["name"]?.text && route.points == expected["points"]?.items?.count)
    #expect(route.cues == expected["cues"]?.items?.count && abs(route.distanceM / length - 1) < 0.005)
    #expect(route.source == String(name.suffix(3)) && route.addedUTCMS == 1_777_777_777_000)
    #expect(route.ascentM != nil && route.descentM != nil)
  }

  @Test("the points and cues of a course are stored", arguments: courses)
  func stored(name: String) throws {
    try logbook.import(try course(name))
    let expected = try Vector.json("routes/expect.json")
    let document = try JSONValue.parse(try logbook.export(route: 1))
    let points = try #require(document["points"]?.items)
    for (found, wanted) in zip(points, expected["points"]?.items ?? []) {
      #expect(abs((found["latitude_deg"]?.number ?? 0) - (wanted["lat"]?.number ?? 90)) < 2e-6)
      #expect(abs((found["altitude_m"]?.number ?? 0) - (wanted["altitude_m"]?.number ?? 9000)) < 0.2)
      #expect(abs((found["distance_m"]?.number ?? 0) - (wanted["distance_m"]?.number ?? 9000)) < 15)
    }
    let cues = try #require(document["cues"]?.items)
    for (found, wanted) in zip(cues, expected["cues"]?.items ?? []) {
      #expect(abs((found["distance_m"]?.number ?? 0) - (wanted["distance_m"]?.number ?? 9000)) < 15)
      #expect(found["text"]?.text?.isEmpty == false && found["kind"]?.text?.isEmpty == false)
    }
  }

  @Test("a course that is there already is not added again, unless it was removed", arguments: courses)
  func duplicates(name: String) throws {
    try logbook.import(try course(name))
    let rows = try logbook.rowCount()
    let again = try logbook.import(try course(name))
    #expect(again.routes.isEmpty && again.warnings == ["the route is in the logbook already: route 1"])
    #expect(try logbook.rowCount() == rows)
    let removal = RouteRemoval([1], in: logbook.database)
    while try removal.step() {}
    #expect(try logbook.rowCount() == 0)
    #expect(try logbook.import(try course(name)).routes == [2])
  }

  @Test("an activity can be imported as a route, and a FIT course cannot be an activity")
  func targets() throws {
    #expect(try logbook.import(try Vector.bytes("ride.gpx"), as: .route).routes == [1])
    #expect(throws: Refusal.self) { try logbook.import(try course("course.fit"), as: .activity) }
    #expect(try route(1).points > 10 && logbook.database.integer("SELECT count(*) FROM activity") == 0)
  }

  @Test("a file with several routes has each of them")
  func several() throws {
    let file = Self.gpx(
      "<rte><name>One</name>\(Self.points("rtept", 3))</rte><rte>\(Self.points("rtept", 1))</rte>"
        + "<rte>\(Self.points("rtept", 1200))</rte>")
    let work = try logbook.begin(file, named: "maps/Black Forest.v2.gpx")
    while try work.step() {}
    #expect(work.reply.routes == [1, 2])
    #expect(try route(1).name == "One" && route(2).name == "Black Forest.v2")
    #expect(try route(1).points == 3 && route(2).points == 1200)
    #expect(try logbook.import(file).routes.isEmpty)
  }

  @Test("a file without a way to follow is refused, and nothing stays")
  func empty() throws {
    let file = Self.gpx("<rte>\(Self.points("rtept", 1))</rte>")
    #expect(throws: Refusal.self) { try logbook.import(file) }
    #expect(try logbook.rowCount() == 0)
  }

  @Test("a cancelled import leaves nothing, at any step, and neither does a crash")
  func cancelled() throws {
    let file = Self.gpx("<rte>\(Self.points("rtept", 510))</rte><rte>\(Self.points("rtept", 3))</rte>")
    var steps = 0
    while true {
      let work = try logbook.begin(file)
      var hasMore = true
      for _ in 0..<steps where hasMore { hasMore = try work.step() }
      guard hasMore else { break }
      #expect(try RouteBook(logbook.database).routes(RoutesRequest()).routes.isEmpty)
      if steps % 2 == 0 {
        work.cancel()
        do throws(Refusal) { while try work.step() {} } catch { #expect(error.code == .cancelled) }
      } else {
        let cleanup = try ImportCleanup(logbook.database)
        while try cleanup.step() {}
      }
      #expect(try logbook.rowCount() == 0, "after \(steps) steps")
      steps += 1
    }
    #expect(steps > 15)
  }

  // MARK: Export

  @Test("a route as a file is the same route", arguments: courses, [RouteFormat.gpx, .fit, .tcx])
  func exported(name: String, format: RouteFormat) throws {
    try logbook.import(try course(name))
    let file = try logbook.export(route: 1, format)
    #expect(try logbook.export(route: 1, format, inPieces: 100) == file)
    let other = try FilesLogbook()
    #expect(try other.import(file).warnings == [])
    let (before, after) = (try route(1), try RouteBook(other.database).find(1))
    #expect(after.name == before.name && after.points == before.points && after.cues == before.cues)
    #expect(abs(after.distanceM - before.distanceM) < 1 && after.note == (format == .fit ? nil : before.note))
    let lists = try [logbook, other].map { try JSONValue.parse(try $0.export(route: 1)) }
    for (one, two) in zip(lists[0]["cues"]?.items ?? [], lists[1]["cues"]?.items ?? []) {
      #expect(one["text"] == two["text"])
      // TCX has fewer kinds.
      #expect(one["kind"] == two["kind"] || format == .tcx)
      #expect(abs((one["distance_m"]?.number ?? 0) - (two["distance_m"]?.number ?? -9)) < 36)
    }
  }

  @Test("what a format does not have is listed", arguments: RouteFormat.allCases)
  func leftOut(format: RouteFormat) throws {
    let content = #"<name>N</name><desc>Long</desc>\#(Self.points("rtept", 3))"#
    let cue = #"<rtept lat="47.11" lon="8.5"><name>Turn</name><sym>sharp_left</sym></rtept>"#
    for (file, fit, tcx) in [
      (Self.gpx("<rte>\(content)\(cue)</rte>"), ["notes"], ["some kinds of turns"]),
      (Self.gpx("<rte>\(Self.points("rtept", 2))</rte>"), [], []),
    ] {
      let book = try RouteBook(logbook.database)
      let export = try RouteExport(try book.find(try add(file)), as: format, book.table)
      while try export.step() {}
      #expect(export.leftOut == (format == .fit ? fit : format == .tcx ? tcx : []))
    }
  }

  @Test("a FIT course begins with its size")
  func size() throws {
    try logbook.import(try course("route.gpx"))
    let file = try logbook.export(route: 1, .fit)
    let size = (0..<4).reduce(0) { $0 | Int(file[4 + $1]) << (8 * $1) }
    #expect(size == file.count - 16)
  }

  @Test("the document of a route is that of the protocol")
  func document() throws {
    try logbook.import(try course("course.fit"))
    let bytes = try logbook.export(route: 1, inPieces: 77)
    let document = try #require(RouteDocument(try JSONValue.parse(bytes.span)))
    #expect(document.points.count == document.route.points && document.cues.count == document.route.cues)
    let line = try add(Self.gpx("<rte>\(Self.points("rtept", 2))</rte>"))
    #expect(try JSONValue.parse(try logbook.export(route: line))["cues"] == nil)
  }

  private func add(_ file: [UInt8]) throws -> Int { try #require(try logbook.import(file).routes.first) }

  @Test("a route that is removed while it is sent is not a shorter one", arguments: RouteFormat.allCases)
  func removed(format: RouteFormat) throws {
    let id = try add(Self.gpx("<rte>\(Self.points("rtept", 1200))</rte>"))
    let book = try RouteBook(logbook.database)
    let work = try RouteExport(try book.find(id), as: format, book.table)
    if format == .fit { _ = try work.step() } else { _ = try work.next(atMost: 100) }
    let removal = RouteRemoval([Int64(id)], in: logbook.database)
    while try removal.step() {}
    #expect(throws: Refusal(.noSuchActivity, "route 1 was removed")) {
      while try work.step() {}
      while try work.next(atMost: 45_000) != nil {}
    }
  }

  // MARK: Long routes

  // A release build has to keep the limit with a long route.
  #if DEBUG
    private static let longRoute = 3000
    private static let limit = Duration.seconds(2)
  #else
    private static let longRoute = 100_000
    private static let limit = Duration.milliseconds(50)
  #endif

  /// Like a way on a map with a place at every 100th point.
  private static func long(_ count: Int) -> [UInt8] {
    let places = stride(from: 0, to: min(count, 90_000), by: 100).map { index in
      #"<wpt lat="\#(46 + Double(index) / 50_000)" lon="8.5"><name>\#(index)</name></wpt>"#
    }
    let line = (0..<count).map { index in
      #"<trkpt lat="\#(46 + Double(index) / 50_000)" lon="8.5"><ele>\#(400 + index % 900)</ele></trkpt>"#
    }
    return gpx(places.joined() + "<trk><name>Long</name><trkseg>\(line.joined())</trkseg></trk>")
  }

  @Test("no step takes long when a long route is imported and exported")
  func steps() throws {
    var greatest = Duration.zero
    func measure(_ body: () throws -> Bool) throws {
      var hasMore = true
      while hasMore { greatest = max(greatest, try ContinuousClock().measure { hasMore = try body() }) }
    }
    let work = try logbook.begin(Self.long(Self.longRoute))
    try measure { try work.step() }
    print("import of \(Self.longRoute) points: greatest step \(greatest)")
    #expect(greatest < Self.limit && work.reply.warnings == [])
    let book = try RouteBook(logbook.database)
    let route = try book.find(try #require(work.reply.routes.first))
    #expect(route.points == Self.longRoute && route.cues == min(Self.longRoute, 90_000) / 100)
    for format in RouteFormat.allCases {
      greatest = .zero
      let export = try RouteExport(route, as: format, book.table)
      var count = 0
      try measure { try export.step() }
      try measure {
        let piece = try export.next(atMost: 45_000)
        count += piece?.count ?? 0
        return piece != nil
      }
      print("\(format) of \(Self.longRoute) points: \(count) bytes, greatest step \(greatest)")
      #expect(greatest < Self.limit && count > Self.longRoute * 15)
    }
  }
}

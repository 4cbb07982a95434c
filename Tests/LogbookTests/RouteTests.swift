// Routes: how they are stored, found and removed, and routes from activities.

import ActivityFiles
import Earth
import LogbookWire
import SQLite
import Testing
import Time
import Wire

@testable import Logbook

@Suite struct RouteTests {
  private let logbook: TestLogbook
  private let book: RouteBook

  private var table: RouteTable { book.table }

  init() throws {
    logbook = try TestLogbook()
    book = try RouteBook(logbook.database)
  }

  /// About 111 m of latitude are a thousandth of a degree.
  private static func point(_ thousandths: Double, _ altitude: Double? = nil, at distance: Double? = nil) -> RoutePoint
  {
    let position = Coordinate(latitude: 47 + thousandths / 1000, longitude: 8)
    return RoutePoint(position: position ?? home, altitude: altitude, distance: distance)
  }

  private static let home = Coordinate(latitude: 47, longitude: 8) ?? fallback
  private static var fallback: Coordinate { preconditionFailure("47/8 is a place") }

  private static func cue(_ name: String, at distance: Double? = nil, near thousandths: Double? = nil) -> RouteCue {
    var cue = RouteCue(kind: .generic, position: thousandths.map { point($0).position }, distance: distance)
    cue.name = name
    return cue
  }

  @discardableResult
  private func add(_ points: [RoutePoint], cues: [RouteCue] = [], name: String? = "Loop") throws -> StoredRoute {
    var row = StoredRoute()
    (row.name, row.addedUTCMS) = (name, 1_777_777_777_000)
    var route = NewRoute(row)
    for point in points {
      route.add(point)
      try route.flush(table)
    }
    for cue in cues { route.add(cue) }
    while try route.finish(table) {}
    try table.complete(route.row)
    return try book.find(Int(route.row.id))
  }

  private func points(of id: Int64) throws -> [RoutePoint] {
    var (all, next) = ([RoutePoint](), 0)
    while true {
      let some = try table.points(of: id, from: &next, atMost: 7)
      if some.isEmpty { return all }
      all += some
    }
  }

  private func routes(_ change: (inout RoutesRequest) -> Void = { _ in }) throws -> [Int] {
    var request = RoutesRequest()
    change(&request)
    return try book.routes(request).routes.map(\.id)
  }

  private func rows() throws -> Int64 {
    try ["route", "route_point", "cue"].reduce(0) { sum, table in
      sum + (try logbook.database.integer("SELECT count(*) FROM \(table)") ?? 0)
    }
  }

  private func refusal(_ body: () throws(Refusal) -> Void) -> ErrorCode? {
    do throws(Refusal) { try body() } catch { return error.code }
    return nil
  }

  // MARK: Points and cues

  struct Distances: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let given: [Double?]
    let stored: [Double]
  }

  @Test(
    "distances rise from zero",
    arguments: [
      Distances(testDescription: "given", given: [0, 100, 250], stored: [0, 100, 250]),
      Distances(testDescription: "a part of a longer way", given: [5000, 5100, 5250], stored: [0, 100, 250]),
      Distances(testDescription: "missing", given: [nil, nil, nil], stored: [0, 111.2, 222.4]),
      Distances(testDescription: "one is missing", given: [0, nil, 250], stored: [0, 111.2, 250]),
      Distances(testDescription: "falling", given: [0, 100, 50], stored: [0, 100, 100]),
      Distances(testDescription: "not a number", given: [.nan, .infinity, 250], stored: [0, 111.2, 250]),
      Distances(testDescription: "beyond all limits", given: [0, 1e300, 5], stored: [0, 1e9, 1e9]),
    ])
  func distances(_ row: Distances) throws {
    let route = try add(row.given.enumerated().map { Self.point(Double($0), at: $1) })
    let distances = try points(of: route.id).map { (($0.distance ?? -1) * 10).rounded() / 10 }
    #expect(distances == row.stored)
    #expect((route.distanceM * 10).rounded() / 10 == row.stored.last && route.points == 3)
  }

  @Test("ascent and descent leave out the noise, and are unknown without altitudes")
  func climbs() throws {
    let heights: [Double?] = [500, 505, 498, 560, 555, nil, 620, 400, 405]
    let route = try add(heights.enumerated().map { Self.point(Double($0), $1) })
    #expect(route.ascentM == 122 && route.descentM == 220)
    #expect(try points(of: route.id).map(\.altitude) == heights)
    let flat = try add([Self.point(0), Self.point(1)])
    #expect(flat.ascentM == nil && flat.descentM == nil)
  }

  @Test("cues come in the order of the way, and those with a place only at the nearest point")
  func cues() throws {
    let way = (0..<30).map { Self.point(Double($0), at: 1000 + Double($0) * 100) }
    let cues = [
      Self.cue("end", at: 9000), Self.cue("third", near: 3.2), Self.cue("first", at: 1100), Self.cue("same", at: 1300),
      Self.cue("before", at: 5), Self.cue("nowhere"),
    ]
    let route = try add(way, cues: cues)
    var next = 0
    let stored = try table.cues(of: route.id, from: &next, atMost: 10)
    #expect(stored.map(\.name) == ["before", "first", "third", "same", "end"])
    #expect(stored.map(\.distance) == [0, 100, 300, 300, 2900] && route.cues == 5 && next == 5)
  }

  @Test("the kinds of cues survive, also unknown ones")
  func kinds() throws {
    let cues = [6, 23, 52, 250].map { RouteCue(kind: CueKind(rawValue: $0), distance: Double($0)) }
    let route = try add([Self.point(0), Self.point(9)], cues: cues)
    var next = 0
    #expect(try table.cues(of: route.id, from: &next, atMost: 10).map(\.kind) == cues.map(\.kind))
  }

  @Test("what is too much is counted")
  func limits() throws {
    var route = NewRoute(StoredRoute())
    for _ in 0..<NewRoute.mostCues + 3 { route.add(Self.cue("left", at: 5)) }
    for index in 0..<NewRoute.mostPoints + 4 { route.add(Self.point(Double(index % 2))) }
    #expect(route.dropped == 7 && route.row.points == NewRoute.mostPoints)
  }

  // MARK: Lists

  @Test("pages are complete and newest first")
  func pages() throws {
    for _ in 0..<7 { try add([Self.point(0), Self.point(1)]) }
    var (ids, request) = ([Int](), RoutesRequest())
    request.limit = 3
    while true {
      let reply = try book.routes(request)
      ids += reply.routes.map(\.id)
      guard reply.hasMore else { break }
      request.before = ids.last
    }
    #expect(ids == [7, 6, 5, 4, 3, 2, 1])
    #expect(try routes { $0.limit = 7 } == ids)
  }

  @Test("a page with long names ends where the line is full")
  func longNames() throws {
    let name = String(repeating: "\u{1}", count: RequestLimits.name)
    for _ in 0..<60 { try add([Self.point(0), Self.point(1)], name: name) }
    var request = RoutesRequest()
    request.limit = 200
    let reply = try book.routes(request)
    #expect(reply.hasMore && 30..<60 ~= reply.routes.count)
    request.before = reply.routes.last?.id
    #expect(try book.routes(request).routes.count == 60 - reply.routes.count)
  }

  @Test(
    "names are searched in any case",
    arguments: [
      ("ÜBER", [1]), ("grossGLOCKNER", [1]), ("οδος", [2]), ("100%", []), ("", [3, 2, 1]), ("o", [1]),
    ])
  func search(text: String, found: [Int]) throws {
    for name in ["Über den Großglockner", "ΟΔΟΣ", nil] { try add([Self.point(0), Self.point(1)], name: name) }
    #expect(try routes { $0.text = text } == found)
  }

  @Test("a record has what the route has")
  func record() throws {
    let way = [Self.point(0, 500), Self.point(9, 560)]
    let record = try add(way, cues: [Self.cue("left", at: 5)]).record
    #expect(record.id == 1 && record.name == "Loop" && record.points == 2 && record.cues == 1)
    #expect(record.ascentM == 60 && record.descentM == 0 && record.added == WallTime(seconds: 1_777_777_777))
  }

  // MARK: Removal

  @Test("a removed route is gone with its points and cues, and its id is not used again")
  func removal() throws {
    let long = try add((0..<1200).map { Self.point(Double($0 % 100)) }, cues: [Self.cue("left", at: 5)])
    let other = try add([Self.point(0), Self.point(1)], cues: [Self.cue("left", at: 5)])
    let removal = RouteRemoval([long.id], in: logbook.database)
    var steps = 0
    while try removal.step() {
      steps += 1
      #expect(try routes() == [2], "after \(steps) steps")
    }
    #expect(steps == 5)
    #expect(try rows() == 4 && points(of: other.id).count == 2)
    #expect(refusal { () throws(Refusal) in _ = try book.find(1) } == .noSuchActivity)
    let last = RouteRemoval([other.id], in: logbook.database)
    while try last.step() {}
    #expect(try rows() == 0)
    #expect(try add([Self.point(0), Self.point(1)]).id == 3)
  }

  @Test("a route that is not complete is in no list")
  func incomplete() throws {
    var route = NewRoute(StoredRoute())
    for index in 0..<600 { route.add(Self.point(Double(index))) }
    try route.flush(table)
    #expect(try rows() == 501 && routes().isEmpty)
    #expect(refusal { () throws(Refusal) in _ = try book.find(1) } == .noSuchActivity)
    #expect(try RouteTable.incomplete(in: logbook.database) == [1])
    while try route.finish(table) {}
    try table.complete(route.row)
    #expect(try RouteTable.incomplete(in: logbook.database).isEmpty && routes() == [1])
    #expect(try points(of: 1).map(\.distance) == points(of: 1).map(\.distance).sorted { $0 ?? 0 < $1 ?? 0 })
  }

  // MARK: Routes from activities

  private func copy(_ change: (inout RouteAddRequest) -> Void = { _ in }) throws -> StoredRoute {
    var request = RouteAddRequest()
    (request.activity, request.name) = (1, "Home")
    change(&request)
    let copying = try RouteCopying(request, table, now: WallTime(seconds: 1_777_777_777))
    while try copying.step() {}
    return try book.find(Int(copying.row.id))
  }

  /// Rides 11 m north each second, but stands from the second 100 to 199.
  private func ride() throws {
    try logbook.record(
      (0..<400).map { second in
        let north = second < 100 ? second : second < 200 ? 100 : second - 100
        return line(
          "ride", "position", Double(second),
          #""latitude_deg":\#(47 + Double(north) / 10_000),"longitude_deg":8,"altitude_m":\#(400 + north)"#, seq: second
        )
      })
  }

  @Test("an activity becomes a route, without the places where it stood")
  func copied() throws {
    try ride()
    let route = try copy()
    #expect(route.name == "Home" && route.source == "recorded" && route.addedUTCMS == 1_777_777_777_000)
    #expect(300...302 ~= route.points && abs(route.distanceM - 3325) < 2)
    #expect(try points(of: route.id).first?.position.latitude == 47)
    #expect(try points(of: route.id).last?.position.latitude == 47.0299)
  }

  @Test("a part of an activity becomes a route")
  func part() throws {
    try ride()
    let route = try copy { ($0.fromS, $0.toS) = (50, 90) }
    #expect(route.points == 40 && abs(route.distanceM - 39 * 11.12) < 1)
    #expect(try points(of: route.id).first?.position.latitude == 47.005)
  }

  @Test("an activity without a track is refused, and nothing stays")
  func withoutTrack() throws {
    try logbook.record((0..<100).map { line("strap", "heart_rate", Double($0), "\"bpm\":120", seq: $0) })
    #expect(throws: Refusal(.badRequest, "this part of the activity has no track")) { try copy() }
    #expect(throws: Refusal.noSuchActivity(7)) { try copy { $0.activity = 7 } }
    #expect(try rows() == 0)
  }

  // MARK: Long routes

  #if DEBUG
    private static let longRoute = 20_000
    private static let limit = Duration.seconds(1)
  #else
    private static let longRoute = 100_000
    private static let limit = Duration.milliseconds(15)
  #endif

  @Test("a long route is stored, read and removed in short steps")
  func long() throws {
    var route = NewRoute(StoredRoute())
    var times: [Duration] = []
    func measure(_ body: () throws -> Bool) throws {
      var hasMore = true
      while hasMore { times.append(try ContinuousClock().measure { hasMore = try body() }) }
    }
    for index in 0..<NewRoute.mostCues {
      route.add(Self.cue("left", at: Double(index), near: 5))
      if index % 20 == 0 { route.add(Self.cue("right", near: Double(index / 100))) }
    }
    var index = 0
    try measure {
      for _ in 0..<200 {
        route.add(Self.point(Double(index) / 1000))
        index += 1
      }
      try route.flush(table)
      return index < Self.longRoute
    }
    let reading = times.count
    try measure { try route.finish(table) }
    try table.complete(route.row)
    let removal = RouteRemoval([route.row.id], in: logbook.database)
    try measure { try removal.step() }
    let nearlyAll = times.sorted()[times.count * 99 / 100]
    print(
      "\(Self.longRoute) points, \(NewRoute.mostCues) cues: \(reading) + \(times.count - reading) steps,",
      "99 % \(nearlyAll), greatest \(times.max() ?? .zero)")
    #expect(nearlyAll < Self.limit)
    #expect(try rows() == 0)
  }
}

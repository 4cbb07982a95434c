// Segments and efforts in a logbook: made of activities, searched in slices, listed in pages.

import ActivityFiles
import Earth
import JSON
import LogbookWire
import SQLite
import Testing
import Time
import Wire

@testable import Logbook

@Suite struct SegmentTests {
  private let logbook: TestLogbook
  private let catalogue: ActivityCatalogue
  private let book: SegmentBook

  private static let day: Int64 = 86_400_000
  private static let square: [Way.Corner] = [(0, 0), (200, 0), (200, 200), (0, 200), (0, 0)]

  init() throws {
    logbook = try TestLogbook()
    catalogue = try ActivityCatalogue(logbook.database)
    book = try SegmentBook(logbook.database)
  }

  // MARK: Activities

  /// Samples of a way, with these members of `power` and `heart_rate` by the second.
  private static func lines(
    _ way: Way, power: (Int64) -> Double? = { _ in nil }, bpm: (Int64) -> Double? = { _ in nil }
  ) -> [String] {
    way.positions.flatMap { position, atMS in
      let t = Double(atMS) / 1000 + 0.25
      var lines = [
        line(
          "ride", "position", t,
          "\"latitude_deg\":\(position.latitude),\"longitude_deg\":\(position.longitude),\"altitude_m\":\(400 + t / 2)"),
        line("ride", "speed", t, "\"speed_mps\":10"),
      ]
      if let watts = power(atMS / 1000) { lines.append(line("ride", "power", t, "\"power_w\":\(watts)")) }
      if let beats = bpm(atMS / 1000) { lines.append(line("ride", "heart_rate", t, "\"bpm\":\(beats)")) }
      return lines
    }
  }

  /// On that day.
  @discardableResult
  private func record(_ corners: [Way.Corner], day: Int64 = 1, lines: ((Way) -> [String])? = nil) throws -> Int64 {
    let way = Way(corners)
    return try logbook.record(lines?(way) ?? Self.lines(way)) { row in
      (row.sortMS, row.startUTCMS, row.startMS) = (day * Self.day, day * Self.day, 250)
    }
  }

  private func segment(of activity: Int64, from: Double, to: Double, name: String = "Hill") throws -> Int {
    var request = SegmentAddRequest()
    (request.activity, request.name, request.fromS, request.toS) = (Int(activity), name, from, to)
    let copying = try SegmentCopying(request, in: logbook.database)
    while try copying.step() {}
    return try book.add(copying.segment())
  }

  @discardableResult
  private func search() throws -> EffortSearch {
    let search = try EffortSearch(in: logbook.database)
    while try search.step() {}
    return search
  }

  private func efforts(_ segment: Int, before: Int64? = nil, limit: Int? = nil) throws -> EffortsReply {
    var request = EffortsRequest()
    (request.segment, request.before, request.limit) = (segment, before.map(Int.init), limit)
    let page = try EffortPage(request, in: book, catalogue)
    while try page.step() {}
    return page.reply
  }

  private func segments(before: Int? = nil, limit: Int? = nil, activity: Int? = nil) throws -> SegmentsReply {
    var request = SegmentsRequest()
    (request.before, request.limit, request.activity) = (before, limit, activity)
    let page = try SegmentPage(request, in: logbook.database, catalogue)
    while try page.step() {}
    return page.reply
  }

  private func edit(_ id: Int64, _ change: (inout StoredActivity) -> Void) throws {
    var row = try logbook.find(id)
    change(&row)
    try logbook.table.replace(row)
  }

  // MARK: Efforts

  @Test("a segment of a part of a ride has that part as an effort, to the millisecond")
  func ownEffort() throws {
    let id = try record([(0, 0), (2000, 0)]) { way in
      Self.lines(way, power: { 30..<80 ~= $0 ? 200 : 400 }, bpm: { 30..<80 ~= $0 ? 150 : 100 })
    }
    try edit(id) { $0.utcOffsetS = 7200 }
    let segment = try segment(of: id, from: 30, to: 80.5)
    try search()
    let reply = try efforts(segment)
    try #require(reply.efforts.count == 1 && !reply.hasMore)
    let effort = reply.efforts[0]
    #expect(effort.segment == segment && effort.activity == Int(id))
    #expect(effort.startS == 30.25 && effort.timeS == 50)
    #expect(effort.start == WallTime(milliseconds: Self.day + 30_250) && effort.utcOffsetS == 7200)
    #expect(effort.powerAvgW == 200 && effort.bpmAvg == 150)
    #expect(effort.speedAvgMps.map { abs($0 - 10) < 0.01 } == true)
    let listed = try #require(try segments().segments.first)
    #expect(listed.id == segment && listed.name == "Hill" && listed.efforts == 1 && listed.bestTimeS == 50)
    #expect(listed.distanceM.map { abs($0 - 500) < 0.5 } == true)
    #expect(listed.ascentM.map { abs($0 - 25) < 1 } == true)
  }

  @Test("a sensor that is missing gives no value, and one that was lost the mean of what it sent")
  func sensors() throws {
    let first = try record([(0, 0), (2000, 0)])
    let segment = try segment(of: first, from: 30, to: 80.5)
    let second = try record([(0, 5), (2000, 5)], day: 2) { way in Self.lines(way, bpm: { $0 < 50 ? 140 : nil }) }
    try search()
    let reply = try efforts(segment)
    #expect(reply.efforts.map(\.activity) == [Int(second), Int(first)])
    #expect(reply.efforts.map(\.powerAvgW) == [nil, nil])
    #expect(reply.efforts.map(\.bpmAvg) == [140, nil])
  }

  @Test("efforts come newest first, and those of an activity stay on one page")
  func pages() throws {
    let lap = Self.square.dropFirst()
    let older = try record([(-50, 0)] + Self.square + lap + lap + [(50, 0)], day: 5)
    let segment = try segment(of: older, from: 5, to: 85.3)
    let newer = try record([(-50, 0)] + Self.square + lap + [(50, 0)], day: 9)
    let oldest = try record([(-50, 0)] + Self.square + [(50, 0)], day: 2)
    try search()
    let all = try efforts(segment)
    #expect(all.efforts.map(\.activity) == [newer, newer, older, older, older, oldest].map { Int($0) })
    #expect(all.efforts.map { $0.startS.rounded() } == [85, 5, 165, 85, 5, 5] && !all.hasMore)
    let first = try efforts(segment, limit: 3)
    #expect(first.efforts.map(\.activity) == [Int(newer), Int(newer)] && first.hasMore)
    let second = try efforts(segment, before: newer, limit: 1)
    #expect(second.efforts.map(\.activity) == [Int(older), Int(older), Int(older)] && second.hasMore)
    let third = try efforts(segment, before: older, limit: 1)
    #expect(third.efforts.map(\.activity) == [Int(oldest)] && !third.hasMore)
    #expect(throws: Refusal(.noSuchActivity, "there is no segment 99")) { try efforts(99) }
    #expect(throws: Refusal(.noSuchActivity, "there is no activity 99")) { try efforts(segment, before: 99) }
  }

  @Test("one request has the shortest time of an activity on each segment")
  func timesOfActivity() throws {
    let fast = try record([(-50, 0)] + Self.square + [(50, 0)])
    let square = try segment(of: fast, from: 5, to: 85.3)
    let straight = try record([(5000, 0), (7000, 0)], day: 2)
    let other = try segment(of: straight, from: 30, to: 80.5)
    // The second lap is twice as fast as the first.
    let slow = Way([(-50, 0)] + Self.square, speed: 5)
    let laps = try record(Self.square, day: 3) { _ in
      Self.lines(slow) + Self.lines(Way(Self.square + [(50, 0)], fromMS: 171_000))
    }
    try search()
    let efforts = try efforts(square).efforts.filter { $0.activity == Int(laps) }.map(\.timeS)
    try #require(efforts.count == 2 && efforts[0] < efforts[1] - 50, "\(efforts)")
    let ofLaps = try segments(activity: Int(laps)).segments
    #expect(ofLaps.map(\.id) == [other, square] && ofLaps.map(\.activityTimeS) == [nil, efforts[0]])
    #expect(try segments(activity: Int(straight)).segments.map(\.activityTimeS) == [50, nil])
    #expect(try segments().segments.map(\.activityTimeS) == [nil, nil])
    #expect(throws: Refusal(.noSuchActivity, "there is no activity 99")) { try segments(activity: 99) }
  }

  @Test("a new activity is searched for all segments, and nothing is searched twice")
  func newActivity() throws {
    let id = try record([(0, 0), (2000, 0)])
    let near = try segment(of: id, from: 30, to: 80.5)
    let other = try segment(of: id, from: 100, to: 150, name: "Flat")
    #expect(try search().readings == 3)
    #expect(try search().readings == 0)
    try record([(-100, 3), (2000, 3)], day: 2)
    try record([(-100, 50_000), (2000, 50_000)], day: 3)
    #expect(try search().readings == 4)
    #expect(try efforts(near).efforts.count == 2)
    #expect(try efforts(other).efforts.count == 2)
    #expect(try segments().segments.map(\.efforts) == [2, 2])
  }

  @Test("an activity that shows something else has other efforts; one that is deleted has none in lists")
  func edits() throws {
    let id = try record([(0, 0), (2000, 0)])
    let segment = try segment(of: id, from: 30, to: 80.5)
    try search()
    try edit(id) { $0.spans = [ActivitySpan(activity: id, fromMS: 20_000, toMS: nil, atMS: 0)] }
    try search()
    #expect(try efforts(segment).efforts.map(\.startS) == [10.25])
    try edit(id) { $0.spans = [ActivitySpan(activity: id, fromMS: 60_000, toMS: nil, atMS: 0)] }
    #expect(try search().segments == [Int64(segment)], "a segment that loses an effort is reported")
    #expect(try efforts(segment).efforts.isEmpty)
    #expect(try search().segments.isEmpty)
    try edit(id) { $0.spans = nil }
    try search()
    #expect(try efforts(segment).efforts.map(\.startS) == [30.25])
    try logbook.database.execute("DELETE FROM effort_search")
    #expect(try efforts(segment).efforts.isEmpty)
    try search()
    #expect(try efforts(segment).efforts.map(\.startS) == [30.25])
    try edit(id) { $0.deletedUTCMS = 1 }
    #expect(try efforts(segment).efforts.isEmpty)
    #expect(try segments().segments.map(\.efforts) == [0])
    let later = try self.segment(of: id, from: 100, to: 150)
    try search()
    try edit(id) { $0.deletedUTCMS = nil }
    #expect(try efforts(segment).efforts.count == 1)
    #expect(try efforts(later).efforts.count == 1)
  }

  @Test("a recording is searched when it has ended")
  func recording() throws {
    let id = try record([(0, 0), (2000, 0)])
    try edit(id) { $0.state = .recording }
    let segment = try segment(of: id, from: 30, to: 80.5)
    try search()
    #expect(try efforts(segment).efforts.isEmpty)
    try edit(id) { $0.state = .complete }
    try search()
    #expect(try efforts(segment).efforts.count == 1)
  }

  @Test("a segment goes with its efforts, and so does an activity, at any step")
  func removal() throws {
    let id = try record([(0, 0), (2000, 0)])
    let segment = try segment(of: id, from: 30, to: 80.5)
    let other = try self.segment(of: id, from: 100, to: 150)
    try search()
    let removal = try SegmentRemoval(segment, in: book, logbook.database)
    while try removal.step() {}
    #expect(throws: Refusal(.noSuchActivity, "there is no segment \(segment)")) { try efforts(segment) }
    #expect(try logbook.database.integer("SELECT count(*) FROM effort") == 1)
    #expect(try logbook.database.integer("SELECT count(*) FROM segment_point WHERE segment = \(segment)") == 0)
    try edit(id) { $0.deletedUTCMS = 1 }
    let purge = try PurgeWork(before: WallTime(milliseconds: 10), in: logbook.database)
    while try purge.step() {}
    #expect(try logbook.table.find(id) == nil)
    for table in ["effort", "track_box", "effort_search"] {
      #expect(try logbook.database.integer("SELECT count(*) FROM \(table)") == 0, "\(table)")
    }
    #expect(try segments().segments.map(\.id) == [other])
  }

  @Test("a search that is interrupted at any step is completed by the next one")
  func interrupted() throws {
    let id = try record([(0, 0), (2000, 0)])
    for steps in 0..<60 {
      let segment = try segment(of: id, from: 30, to: 80.5)
      try logbook.database.execute("DELETE FROM effort_search")
      let search = try EffortSearch(in: logbook.database)
      var hasMore = true
      for _ in 0..<steps where hasMore { hasMore = try search.step() }
      try self.search()
      #expect(try efforts(segment).efforts.count == 1, "after \(steps) steps")
      let removal = try SegmentRemoval(segment, in: book, logbook.database)
      while try removal.step() {}
      if !hasMore { return }
    }
    Issue.record("the search has more steps")
  }

  @Test("the search in an activity is repeated if a stop interrupts it, also for segments that are searched")
  func interruptedActivity() throws {
    let id = try record([(0, 0), (2000, 0)])
    let segment = try segment(of: id, from: 30, to: 80.5)
    try search()
    for steps in 0..<60 {
      try logbook.database.execute("DELETE FROM effort_search")
      let search = try EffortSearch(in: logbook.database)
      var hasMore = true
      for _ in 0..<steps where hasMore { hasMore = try search.step() }
      try self.search()
      #expect(try efforts(segment).efforts.count == 1, "after \(steps) steps")
      if !hasMore { return }
    }
    Issue.record("the search has more steps")
  }

  // MARK: New segments

  @Test(
    "what is not a segment is refused",
    arguments: [
      ("too short", 10.0, 15.0, ErrorCode.badRequest, "a segment needs positions of 100 m to 50 km"),
      ("after the end", 500, 600, .badRequest, "a segment needs positions of 100 m to 50 km"),
      ("over a gap", 80, 160, .badRequest, "positions of 41 s are missing in this part"),
      ("the same again", 30, 60, .duplicate, "segment 1 has the same line"),
    ])
  func refused(name: String, from: Double, to: Double, code: ErrorCode, message: String) throws {
    let id = try record([(0, 0), (2000, 0)]) { Self.lines($0.without(100_000..<140_000)) }
    _ = try segment(of: id, from: 30, to: 60)
    #expect(throws: Refusal(code, message)) { try segment(of: id, from: from, to: to) }
  }

  @Test("pages of segments, the newest first")
  func segmentPages() throws {
    let id = try record([(0, 0), (2000, 0)])
    let ids = try (1...5).map { try segment(of: id, from: Double($0), to: 60) }
    let first = try segments(limit: 2)
    #expect(first.segments.map(\.id) == [ids[4], ids[3]] && first.hasMore)
    let last = try segments(before: ids[1], limit: 2)
    #expect(last.segments.map(\.id) == [ids[0]] && !last.hasMore)
    let long = String(repeating: "\u{1}", count: 256)
    for second in 6..<60 { _ = try segment(of: id, from: Double(second), to: 80, name: long) }
    let full = try segments(limit: 200)
    #expect(full.segments.count < 59 && full.hasMore)
    var writer = JSONWriter()
    full.write(into: &writer)
    #expect(writer.bytes.count < 65_000)
  }

  // MARK: Slices

  @Test("a search over 1,000 activities reads those that were near, and looks at few rows in each step")
  func slices() throws {
    let id = try record([(0, 0), (2000, 0)])
    try search()
    try logbook.database.execute(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
      INSERT INTO activity(id, uuid, state, source, sport, sort_ms, end_ms)
        SELECT 100 + i, randomblob(16), 'complete', 'recorded', 'cycling', i, 7200000 FROM n;
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
      INSERT INTO effort_search SELECT 100 + i, NULL, 7200000, 0 FROM n;
      WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 23999)
      INSERT INTO track_box SELECT 101 + i / 24, i % 24 * 300, 48, 8, 48.1, 8.1 FROM n;
      """)
    let segment = try segment(of: id, from: 30, to: 80.5)
    let search = try EffortSearch(in: logbook.database)
    var (steps, longest) = (1, Duration.zero)
    var hasMore = true
    while hasMore {
      longest = max(longest, try ContinuousClock().measure { hasMore = try search.step() })
      steps += 1
    }
    print("efforts in 1,001 activities: \(steps) steps, the greatest \(longest)")
    #expect(search.readings == 1 && steps < 100)
    #expect(longest < .milliseconds(500))
    #expect(try efforts(segment).efforts.map(\.activity) == [Int(id)])
  }

  @Test("the document of a long segment is read and written some hundred points at a time")
  func document() throws {
    let id = try record([(0, 0), (12_000, 0)])
    let segment = try segment(of: id, from: 10, to: 1190.5)
    try search()
    let detail = try SegmentDetail(of: segment, in: book, logbook.database)
    while try detail.step() {}
    var pieces: [[UInt8]] = []
    while let piece = detail.next(atMost: 40_000) { pieces.append(piece) }
    // The head, and 500, 500 and 181 points.
    #expect(pieces.count == 4 && pieces.allSatisfy { !$0.isEmpty && $0.count <= 40_000 })
    let document = try #require(SegmentDocument(try JSONValue.parse(Array(pieces.joined()))))
    #expect(document.segment.id == segment && document.segment.efforts == 1 && document.points.count == 1181)
    let best = try #require(document.best)
    #expect(best.effort == document.last?.effort && best.effort.timeS == 1180 && best.timesS.last == 1180)
    #expect(document.segment.bestTimeS == 1180)
    #expect(detail.next(atMost: 10) == nil)
  }

  @Test("the document of a segment without efforts has its line only, in pieces of any size")
  func documentWithoutEfforts() throws {
    let id = try record([(0, 0), (2000, 0)])
    let segment = try segment(of: id, from: 30, to: 80.5)
    let detail = try SegmentDetail(of: segment, in: book, logbook.database)
    while try detail.step() {}
    var text: [UInt8] = []
    while let piece = detail.next(atMost: 7) { text += piece }
    let document = try #require(SegmentDocument(try JSONValue.parse(text)))
    #expect(document.points.count == 51 && document.best == nil && document.segment.bestTimeS == nil)
  }

  @Test("pages of a segment with thousands of efforts are read in slices")
  func manyEfforts() throws {
    let id = try record([(0, 0), (2000, 0)])
    let segment = try segment(of: id, from: 30, to: 80.5)
    try logbook.database.execute(
      """
      INSERT INTO effort_search SELECT id, NULL, end_ms, 0 FROM activity;
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2600)
      INSERT INTO effort SELECT \(segment), \(id), 100000 * i, 100000 * i + 50000 + i, NULL, NULL FROM n
      """)
    var request = EffortsRequest()
    request.segment = segment
    let page = try EffortPage(request, in: book, catalogue)
    var steps = 1
    while try page.step() { steps += 1 }
    #expect(steps == 6 && page.reply.efforts.count == 2600)
    let listed = try #require(try segments().segments.first)
    #expect(listed.efforts == 2600 && listed.bestTimeS == 50.001)
  }
}

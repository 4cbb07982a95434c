// Which parts of an activity are proposed as segments, and how much is read for that.

import Earth
import LogbookWire
import SQLite
import Testing
import Time
import Wire

@testable import Logbook

@Suite struct SegmentProposalTests {
  private let logbook: TestLogbook

  init() throws { logbook = try TestLogbook() }

  /// On that day, at 10 m/s.
  @discardableResult
  private func ride(_ corners: [Way.Corner], day: Int64) throws -> Int64 {
    let lines = Way(corners).positions.map { position, atMS in
      line(
        "ride", "position", Double(atMS) / 1000 + 0.25,
        "\"latitude_deg\":\(position.latitude),\"longitude_deg\":\(position.longitude)")
    }
    return try logbook.record(lines) { row in (row.sortMS, row.startMS) = (day * 86_400_000, 250) }
  }

  private func search() throws {
    let search = try EffortSearch(in: logbook.database)
    while try search.step() {}
  }

  private func propose(_ activity: Int64, mostRows: Int = 10_000) throws -> SegmentProposals {
    var request = SegmentProposeRequest()
    request.activity = Int(activity)
    let proposals = try SegmentProposals(request, in: logbook.database, mostRows: mostRows)
    while try proposals.step() {}
    return proposals
  }

  @Test("rides at other places are not read, and of a long ride only the minutes that were near")
  func near() throws {
    let id = try ride([(0, 0), (1500, 0)], day: 9)
    try ride([(-30_000, 0), (1500, 0)], day: 8)
    try ride([(0, 0), (1500, 0), (1500, 30_000)], day: 7)
    for day in 1...5 { try ride([(0, 20_000 * Double(day)), (10_000, 20_000 * Double(day))], day: Int64(day)) }
    try search()
    let proposals = try propose(id)
    #expect(proposals.reply.proposals.map(\.times) == [3])
    #expect(proposals.rowsRead < 1100, "of 13,000 seconds")
  }

  @Test("with too much to read, the newest rides count")
  func limit() throws {
    let newest = try ride([(0, 0), (3000, 0)], day: 9)
    for day in 5...8 { try ride([(0, 0), (1500, 0)], day: Int64(day)) }
    for day in 1...4 { try ride([(1500, 0), (3000, 0)], day: Int64(day)) }
    try search()
    let all = try propose(newest).reply.proposals
    #expect(all.map(\.times) == [5, 5])
    // Its own 5 minutes, and the 2.5 minutes of three others, in steps of 60 rows.
    let limited = try propose(newest, mostRows: 900).reply.proposals
    try #require(limited.count == 1)
    #expect(limited[0].times == 4 && limited[0].toS < 160, "\(limited)")
  }

  @Test("a search among 1,000 activities looks at few rows in each step")
  func slices() throws {
    let id = try ride([(0, 0), (1500, 0)], day: 9)
    for day in 1...3 { try ride([(0, 0), (1500, 0)], day: Int64(day)) }
    try search()
    // Each was everywhere near for two hours, in the box around the activity but never at its places.
    try logbook.database.execute(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
      INSERT INTO activity(id, uuid, state, source, sport, sort_ms, end_ms)
        SELECT 100 + i, randomblob(16), 'complete', 'recorded', 'cycling', i, 7200000 FROM n;
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
      INSERT INTO effort_search SELECT 100 + i, NULL, 7200000, 0 FROM n;
      WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 23999)
      INSERT INTO track_box SELECT 101 + i / 24, i % 24 * 300, 47.01, 8, 47.02, 8.1 FROM n;
      INSERT INTO track_box SELECT \(id), 3000 + 300 * i, 47.03, 8, 47.04, 8.1
        FROM (SELECT 0 AS i UNION SELECT 1 UNION SELECT 2);
      """)
    var request = SegmentProposeRequest()
    request.activity = Int(id)
    let proposals = try SegmentProposals(request, in: logbook.database)
    var (steps, longest) = (1, Duration.zero)
    var hasMore = true
    while hasMore {
      longest = max(longest, try ContinuousClock().measure { hasMore = try proposals.step() })
      steps += 1
    }
    print("proposals among 1,004 activities: \(steps) steps, the greatest \(longest)")
    #expect(proposals.reply.proposals.map(\.times) == [4])
    #expect(steps > 25 && longest < .milliseconds(500))
  }
}

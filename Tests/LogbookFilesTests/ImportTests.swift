// Imports: what is stored, duplicates, several sports, and files that fail.

import ActivityFiles
import ActivityVectors
import Foundation
import JSON
import Logbook
import LogbookFiles
import LogbookWire
import SQLite
import Testing
import Time
import Wire

@Suite struct ImportTests {
  private let logbook: FilesLogbook

  static let malformed: [String] = {
    guard case .object(let members)? = try? Vector.json("malformed/expect.json") else { return [] }
    return members.map(\.name)
  }()

  init() throws { logbook = try FilesLogbook() }

  @Test("a file becomes an activity with its totals, laps and track")
  func stored() throws {
    let reply = try logbook.import(try writeFIT(try Vector.ride("ride.json")))
    let id = Int64(try #require(reply.added?.first))
    let row = try #require(try logbook.row(id))
    #expect(row.state == .complete && row.source == .fit && row.sport == "cycling" && row.name == "Evening loop")
    #expect(row.startUTCMS == 1_777_824_900_000 && row.utcOffsetS == 7200 && row.endMS == 54_000)
    #expect(row.totals.effort.distanceM == 298.28 && row.totals.effort.powerAvgW == 200 && row.totals.laps == 2)
    #expect(try logbook.database.integer("SELECT count(*) FROM second WHERE activity = \(id)") == 45)
  }

  @Test("every format of a ride is imported", arguments: ["ride.gpx", "ride.tcx"])
  func formats(name: String) throws {
    let reply = try logbook.import(try Vector.bytes(name))
    let id = Int64(try #require(reply.added?.first))
    let points = try read(try Vector.bytes(name), with: AnyActivityReader(as: .activity)).points
    #expect(try logbook.database.integer("SELECT count(*) FROM second WHERE activity = \(id)") == Int64(points.count))
    let export = try read(try logbook.export(id, .fit).bytes, with: FITReader())
    #expect(export.points.map(\.t) == points.map(\.t))
    #expect(export.points.map { $0[.heartRate] } == points.map { $0[.heartRate] })
  }

  @Test("a file that is there already is not added again, and neither is the same ride in another format")
  func duplicates() throws {
    let fit = try writeFIT(try Vector.ride("ride.json"))
    let id = try #require(try logbook.import(fit).added?.first)
    let rows = try logbook.rowCount()
    for bytes in [fit, try Vector.bytes("ride.tcx"), try Vector.bytes("ride.gpx")] {
      let reply = try logbook.import(bytes)
      #expect(reply.added == [] && reply.duplicateOf == [id])
      #expect(try logbook.rowCount() == rows)
    }
    // In the trash, it does not count.
    try logbook.change(Int64(id)) { $0.deletedUTCMS = 1 }
    #expect(try logbook.import(fit).added?.count == 1)
  }

  @Test("a cancelled import leaves nothing, at any step")
  func cancelled() throws {
    let fit = try writeFIT(try Vector.ride("ride.json"))
    for steps in 0..<8 {
      let work = try logbook.begin(fit)
      var hasMore = true
      for _ in 0..<steps where hasMore { hasMore = try work.step() }
      guard hasMore else { break }
      work.cancel()
      do throws(Refusal) { while try work.step() {} } catch { #expect(error.code == .cancelled) }
      #expect(try logbook.rowCount() == 0, "after \(steps) steps")
    }
  }

  @Test("what a crash leaves behind is removed at the next start")
  func crash() throws {
    let work = try logbook.begin(try writeFIT(try Vector.ride("ride.json")))
    for _ in 0..<5 { _ = try work.step() }
    #expect(try logbook.rowCount() > 0)
    let cleanup = try ImportCleanup(logbook.database)
    while try cleanup.step() {}
    #expect(try logbook.rowCount() == 0)
  }

  @Test("a malformed file ends as expected, and one that is refused leaves nothing", arguments: malformed)
  func verdict(name: String) throws {
    let expected = try #require(try Vector.json("malformed/expect.json")[name])
    let verdicts = expected["verdicts"]?.texts ?? [expected["verdict"]?.text ?? ""]
    do throws(Refusal) {
      let work = try unrefused { try logbook.begin(try Vector.bytes("malformed/\(name)"), as: .activity) }
      while try work.step() {}
      let isClean = !work.reply.warnings.contains { !$0.hasPrefix("not imported") }
      #expect(verdicts.contains(isClean ? "accept" : "warn") || verdicts == ["any"], "\(work.reply.warnings)")
      let seconds = try unrefused { try logbook.database.integer("SELECT count(*) FROM second") }
      if let count = expected["records"]?.integer { #expect(seconds == Int64(count)) }
      if let rides = expected["rides"]?.items {
        #expect(rides.contains(.number(Double(work.reply.added?.count ?? 0))))
      }
      for id in work.reply.added ?? [] {
        let start = WallTime(seconds: 1_700_000_000)
        #expect(try unrefused { try logbook.export(Int64(id), .fit, start: start).bytes.count } > 0)
      }
    } catch {
      #expect(error.code == .badFile && (verdicts.contains("refuse") || verdicts == ["any"]), "\(error)")
      #expect((try? logbook.rowCount()) == 0)
    }
  }

  /// Errors of the test itself.
  private func unrefused<Result>(_ body: () throws -> Result) throws(Refusal) -> Result {
    do { return try body() } catch { throw (error as? Refusal) ?? Refusal(.internal, "\(error)") }
  }

  @Test("several sports in one file are several activities, together")
  func sports() throws {
    var items: [ActivityItem] = []
    var header = ActivityHeader(start: WallTime(seconds: 1_777_000_000))
    header.sport = .swimming
    items.append(.header(header))
    for t in 0..<300 {
      var point = ActivityPoint(t: t)
      point[.heartRate] = 120
      items.append(.point(point))
    }
    let fit = try sessions(items)
    let reply = try logbook.import(fit)
    #expect(reply.added?.count == 2, "\(reply)")
    let rows = try (reply.added ?? []).map { try logbook.row(Int64($0)) }
    #expect(rows.map { $0?.sport } == ["swimming", "cycling"])
    #expect(rows.map { $0?.startUTCMS } == [1_777_000_000_000, 1_777_000_100_000])
  }

  /// Two chained files: our writer writes one sport per file.
  private func sessions(_ items: [ActivityItem]) throws -> [UInt8] {
    var bytes: [UInt8] = []
    for (start, range, sport) in [
      (Int64(1_777_000_000), 0..<100, SportCode.swimming), (1_777_000_100, 100..<300, .cycling),
    ] {
      var header = ActivityHeader(start: WallTime(seconds: start))
      header.sport = sport
      let points = items.compactMap { item -> ActivityItem? in
        guard case .point(var point) = item, range.contains(point.t) else { return nil }
        point.t -= range.lowerBound
        return .point(point)
      }
      bytes += try writeFIT([.header(header)] + points)
    }
    return bytes
  }
}

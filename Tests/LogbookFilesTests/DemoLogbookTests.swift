// The logbook of `make run LOGBOOK=demo`.

import Logbook
import LogbookWire
import TestSupport
import Testing
import Time
import Wire

@testable import make_demo_logbook

struct DemoLogbookTests {
  private static let end = WallTime("2026-11-25T00:00:00Z") ?? WallTime(seconds: 0)

  @Test("a year has some 250 activities of four sports, the same ones each time")
  func year() {
    let entries = DemoYear.entries(until: Self.end)
    #expect((230...290).contains(entries.count))
    #expect(entries.map(\.start.seconds) == DemoYear.entries(until: Self.end).map(\.start.seconds))
    #expect(zip(entries, entries.dropFirst()).allSatisfy { $0.start.seconds < $1.start.seconds })
    var counts: [String: Int] = [:]
    for entry in entries {
      switch entry.content {
      case .ride: counts["ride", default: 0] += 1
      case .run: counts["run", default: 0] += 1
      case .swim: counts["swim", default: 0] += 1
      case .strength: counts["strength", default: 0] += 1
      }
    }
    #expect(counts.count == 4 && counts.values.allSatisfy { $0 > 20 }, "\(counts)")
  }

  @Test("the entries are activities with plausible values, equal in two logbooks")
  func plausible() throws {
    let first = try Self.records()
    #expect(first == (try Self.records()))
    let ride = try #require(first.first { $0.sport == "cycling" })
    let totals = ride.totals
    #expect((8000...120_000).contains(totals.distanceM ?? 0) && (4...12).contains(totals.speedAvgMps ?? 0))
    #expect((80...180).contains(totals.bpmAvg ?? 0) && (100...300).contains(totals.powerAvgW ?? 0) && ride.hasTrack)
  }

  /// Of the first ride, swim and strength work.
  private static func records() throws -> [ActivityRecord] {
    let folder = try TemporaryFolder()
    let entries = DemoYear.entries(until: end)
    func first(_ isWanted: (DemoYear.Content) -> Bool) throws -> DemoYear.Entry {
      try #require(entries.first { isWanted($0.content) })
    }
    let chosen = [
      try first { if case .ride = $0 { true } else { false } },
      try first { if case .swim = $0 { true } else { false } },
      try first { if case .strength = $0 { true } else { false } },
    ]
    do {
      let logbook = try DemoLogbook(in: folder.path)
      for entry in chosen { try logbook.add(entry) }
    }
    let catalogue = try ActivityCatalogue(LogbookFile(folder.file("logbook.db")).database)
    return try catalogue.list(ListRequest()).activities
  }
}

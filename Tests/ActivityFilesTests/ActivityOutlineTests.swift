// Files that are read twice: the outline knows everything, and the arrangement is in order.

import ActivityFiles
import ActivityVectors
import Testing
import Time

@Suite struct ActivityOutlineTests {
  private func arrange(_ items: [ActivityItem]) -> ReadItems {
    var outline = ActivityOutline()
    for item in items { outline.add(item) }
    var arrangement = ActivityArrangement(outline)
    var result = ReadItems()
    for item in items { arrangement.add(item) { result.add($0) } }
    arrangement.finish { result.add($0) }
    #expect(result.headers.count == outline.count)
    return result
  }

  @Test("the header is complete, and the order is that of a recording")
  func completeHeader() throws {
    let items = try Vector.ride("ride.json")
    let result = arrange(try read(writeFIT(items), with: FITReader()).items)
    let header = try #require(result.headers.first)
    #expect(header.sport == .cycling && header.subSport == .road && header.utcOffset == 7200)
    #expect(header.laps == result.laps && header.laps.count == 2)
    #expect(try writeFIT(result.items) == writeFIT(items))
  }

  private func point(_ t: Int) -> ActivityItem {
    var point = ActivityPoint(t: t)
    point[.heartRate] = 120
    return .point(point)
  }

  private func summary(_ start: Int, _ elapsed: Double, _ sport: SportCode) -> ActivitySummary {
    var summary = ActivitySummary(start: start, elapsed: elapsed)
    summary.sport = sport
    return summary
  }

  @Test("each sport of a file becomes an activity, whether its summary comes first or last", arguments: [true, false])
  func severalSports(summaryFirst: Bool) throws {
    let header = ActivityItem.header(ActivityHeader(start: WallTime(seconds: 1_777_824_900)))
    let summaries: [ActivityItem] = [.summary(summary(0, 10, .swimming)), .summary(summary(12, 20, .cycling))]
    let laps: [ActivityItem] = [
      .lap(ActivityLap(index: 0, trigger: .end, summary: summary(0, 10, .swimming))),
      .lap(ActivityLap(index: 1, trigger: .manual, summary: summary(12, 8, .cycling))),
      .lap(ActivityLap(index: 2, trigger: .end, summary: summary(20, 12, .cycling))),
    ]
    let points = [0, 5, 10, 12, 20, 21, 32].map(point)
    let totals = laps + summaries
    let result = arrange([header] + (summaryFirst ? totals + points : points + totals))
    #expect(result.headers.map(\.sport) == [.swimming, .cycling])
    #expect(result.headers.map { $0.start?.seconds } == [1_777_824_900, 1_777_824_912])
    #expect(result.points.map(\.t) == [0, 5, 10, 0, 8, 9, 20])
    #expect(result.laps.map(\.index) == [0, 0, 1] && result.laps.map(\.summary.start) == [0, 0, 8])
    #expect(result.summaries.map(\.start) == [0, 0])
    let kinds = result.items.map { item in
      switch item {
      case .header: "header"
      case .lap: "lap"
      case .point: "point"
      case .summary: "summary"
      default: "other"
      }
    }
    #expect(
      kinds == [
        "header", "point", "point", "point", "lap", "summary",
        "header", "point", "point", "lap", "point", "point", "lap", "summary",
      ])
  }

  @Test("an activity without summary and laps has them from its points and pauses")
  func missingSummary() {
    let events = [(0, true), (10, false), (30, true)].map { t, isStart in
      ActivityItem.event(ActivityEvent(t: t, kind: isStart ? .start(automatic: false) : .stop(automatic: true)))
    }
    let items = [.header(ActivityHeader()), events[0], point(0), point(10), events[1], events[2], point(30), point(40)]
    let result = arrange(items)
    #expect(result.summaries.map(\.elapsed) == [40] && result.summaries.first?[.timerTime] == 20)
    #expect(result.laps.map(\.summary.elapsed) == [40])
  }

  @Test("a route stays as it is")
  func route() throws {
    let items = try read(Vector.bytes("routes/course.fit"), with: FITReader()).items
    #expect(arrange(items).items == items)
  }
}

// Segments that are recognized while they are ridden, compared with what the logbook finds.

import Earth
import Segments
import Testing

@Suite struct LiveSegmentsTests {
  private static let straight: [Way.Corner] = [(0, 0), (1000, 0)]

  private struct Step {
    var atMS: Int64
    var report: SegmentReport
  }

  private func segment(
    _ corners: [Way.Corner], id: Int = 1, best: PastEffort? = nil, last: PastEffort? = nil
  ) throws -> KnownSegment {
    try #require(KnownSegment(id: id, Way(corners, speed: 7).positions.map(\.position), best: best, last: last))
  }

  private func ride(_ way: Way, _ segments: [KnownSegment]) -> [Step] {
    var live = LiveSegments()
    live.replace(by: segments)
    return ride(way, &live)
  }

  private func ride(_ way: Way, _ live: inout LiveSegments) -> [Step] {
    var steps: [Step] = []
    for (position, atMS) in way.positions {
      live.add(position, atMS: atMS)
      steps += live.reports.map { Step(atMS: atMS, report: $0) }
    }
    live.endRide()
    return steps + live.reports.map { Step(atMS: way.positions.last?.atMS ?? 0, report: $0) }
  }

  private func states(_ steps: [Step]) -> [SegmentState] {
    steps.reduce(into: []) { states, step in
      if states.last != step.report.state { states.append(step.report.state) }
    }
  }

  /// A corrected time counts once more.
  private func finals(_ steps: [Step]) -> [Double] {
    var times: [Double] = []
    var last: Step?
    for step in steps where step.report.state == .finished {
      if last.map({ $0.report != step.report || $0.atMS < step.atMS - 1000 }) ?? true {
        times += [step.report.timeS].compactMap(\.self)
      }
      last = step
    }
    return times
  }

  @Test("a rider comes to a segment, rides it, and has a time as in the logbook")
  func whole() throws {
    let way = Way([(-700, 0), (1400, 0)], speed: 9.3)
    let known = try segment(Self.straight)
    let steps = ride(way, [known])
    #expect(states(steps) == [.approaching, .on, .finished])
    let passages = way.passages(of: known.line)
    #expect(finals(steps) == passages.map { Double($0.endMS - $0.startMS) / 1000 })
    let first = try #require(steps.first)
    #expect((290.0...300).contains(first.report.startDistanceM ?? 0) && first.report.timeS == nil)
    #expect(abs((first.report.startBearingDeg ?? 0) - 90) < 0.1, "the start is to the east")
    let atStart = steps.last { $0.report.state == .approaching }?.report
    #expect(atStart?.startDistanceM == 0 && atStart?.startBearingDeg == nil)
    for step in steps where step.report.state == .on {
      let truth = Double(step.atMS - passages[0].startMS) / 1000
      #expect(abs((step.report.timeS ?? 0) - truth) < 0.01)
      #expect(abs((step.report.alongM ?? 0) - truth * 9.3) < 1)
    }
    let shown = steps.filter { $0.report.state == .finished }.map(\.atMS)
    #expect((shown.last ?? 0) - (shown.first ?? 0) == 9000, "the time is shown for 10 s")
  }

  @Test(
    "a rider who does not ride all of a segment has no time",
    arguments: [
      ("the wrong direction", [(1200, 0), (-400, 0)], []),
      ("across its start", [(0, -600), (0, 600)], []),
      ("across its end", [(994, -600), (994, 600)], []),
      ("a parallel road", [(-400, 45), (1400, 45)], [.approaching]),
      ("to the middle", [(-400, 0), (500, 0), (500, 700)], [.approaching, .on, .left]),
      ("from the middle", [(500, -700), (500, 0), (1400, 0)], []),
      ("a detour", [(-400, 0), (400, 0), (400, 100), (450, 100), (450, 0), (1400, 0)], [.approaching, .on, .left]),
      ("turned round", [(-400, 0), (700, 0), (-400, 0)], [.approaching, .on, .left]),
    ] as [(String, [Way.Corner], [SegmentState])])
  func others(name: String, corners: [Way.Corner], expected: [SegmentState]) throws {
    #expect(states(ride(Way(corners), [try segment(Self.straight)])) == expected, "\(name)")
  }

  @Test("a rider is compared with the best and the last effort at the same place")
  func comparison() throws {
    // The best began slowly: 600 m in 100 s, then 394 m in 20 s.
    let places = [(0.0, 0.0), (600, 100), (994, 120)].map { (distanceM: $0.0, seconds: $0.1) }
    let times = try #require(EffortTimes(places))
    let known = try segment(
      Self.straight, best: PastEffort(timeS: 120, times: times), last: PastEffort(timeS: 150, times: nil))
    let steps = ride(Way([(-300, 0), (1400, 0)]), [known])
    let middle = try #require(steps.first { $0.report.state == .on && $0.report.alongM ?? 0 >= 300 })
    let alongM = try #require(middle.report.alongM)
    #expect(abs((middle.report.aheadOfBestS ?? 0) - (alongM / 6 - alongM / 10)) < 0.1, "\(alongM) m")
    #expect(middle.report.aheadOfLastS == nil, "where the last one was then is unknown")
    let end = try #require(steps.first { $0.report.state == .finished })
    #expect(abs((end.report.aheadOfBestS ?? 0) - 20.6) < 0.05 && abs((end.report.aheadOfLastS ?? 0) - 50.6) < 0.05)
  }

  @Test("laps of a ride are compared with each other, and not with those of the ride before")
  func laps() throws {
    let square: [Way.Corner] = [(0, 0), (200, 0), (200, 200), (0, 200), (0, 0)]
    var corners: [Way.Corner] = [(-300, 0)]
    for _ in 0..<3 { corners += square.dropLast() }
    let way = Way(corners + [(0, 0), (300, 0)])
    var live = LiveSegments()
    live.replace(by: [try segment(square)])
    let steps = ride(way, &live)
    let ends = steps.filter { $0.report.state == .finished }
    #expect(finals(steps).count == 3 && finals(steps).allSatisfy { abs($0 - 80) < 0.7 }, "\(finals(steps))")
    #expect(ends.first?.report.aheadOfBestS == nil && abs(ends.last?.report.aheadOfLastS ?? 99) < 1)
    let second = steps.first { $0.report.state == .on && $0.atMS > 130_000 }
    #expect(abs(second?.report.aheadOfLastS ?? 99) < 1, "the lap before has times of its own")
    var next = way
    next.later(1_000_000)
    #expect(ride(next, &live).first { $0.report.state == .finished }?.report.aheadOfBestS == nil)
  }

  @Test("of overlapping segments, each has its time, and the one that began last is shown")
  func overlap() throws {
    let steps = ride(
      Way([(-400, 0), (2400, 0)]),
      [try segment([(0, 0), (2000, 0)], id: 7), try segment([(500, 0), (1000, 0)], id: 8)])
    let order = steps.reduce(into: [String]()) { order, step in
      let text = "\(step.report.segment) \(step.report.state)"
      if order.last != text { order.append(text) }
    }
    #expect(order == ["0 approaching", "0 on", "1 on", "1 finished", "0 on", "0 finished"])
    #expect(finals(steps).count == 2)
  }

  @Test("a silence of 25 s changes nothing, and after 40 s the effort is lost")
  func silence() throws {
    let way = Way([(-400, 0), (1400, 0)])
    let known = try segment(Self.straight)
    #expect(states(ride(way.without(70_000..<95_000), [known])) == [.approaching, .on, .finished])
    #expect(states(ride(way.without(70_000..<110_000), [known])) == [.approaching, .on, .lost])
  }

  @Test("after a restart, the time goes on from the start of the segment")
  func restart() throws {
    let way = Way([(-400, 0), (1400, 0)], speed: 9.7)
    let known = try segment(Self.straight)
    for (at, silenceMS, expected) in [
      (60, 5000, [.on, .finished]), (80, 25_000, [.on, .finished]), (60, 40_000, [.lost]),
    ] as [(Int, Int64, [SegmentState])] {
      var before = LiveSegments()
      before.replace(by: [known])
      for (position, atMS) in way.positions[...at] { before.add(position, atMS: atMS) }
      let saved = before.saved
      #expect(saved.map(\.segment) == [1])
      var live = LiveSegments()
      live.replace(by: [known])
      live.resume(saved)
      let steps = ride(way.without(0..<way.positions[at].atMS + silenceMS), &live)
      #expect(states(steps) == expected, "\(at)")
      let passage = way.passages(of: known.line)[0]
      for time in finals(steps) { #expect(abs(time - Double(passage.endMS - passage.startMS) / 1000) < 0.002) }
    }
  }

  @Test("segments that are added and removed while one is ridden change nothing of it")
  func replacement() throws {
    let way = Way([(-400, 0), (1400, 0)])
    var live = LiveSegments()
    let (known, other) = (try segment(Self.straight, id: 5), try segment([(0, 3000), (0, 5000)], id: 9))
    live.replace(by: [known, other])
    var times: [Double] = []
    for (position, atMS) in way.positions {
      if atMS == 60_000 { live.replace(by: [other, known]) }
      if atMS == 80_000 { live.replace(by: [known]) }
      live.add(position, atMS: atMS)
      times += live.reports.filter { $0.state == .finished }.compactMap(\.timeS)
    }
    #expect(Set(times) == [99.4])
    live.replace(by: [])
    #expect(live.reports.isEmpty && live.saved.isEmpty)
  }

  @Test("a segment is found from every side of its start, at every latitude, and where the date changes")
  func grid() throws {
    for (latitude, longitude) in [
      (47.0, 8.5), (-33.9, 151.2), (69.9999, 20), (0.00001, -0.00001), (51, 179.9999), (-51, -180),
    ] {
      let metres = 111_195.0
      let east = metres * cosine(latitude)
      let line = (0...20).compactMap { Coordinate(latitude: latitude + Double($0) * 20 / metres, longitude: longitude) }
      var live = LiveSegments()
      live.replace(by: [try #require(KnownSegment(id: 1, line, best: nil, last: nil))])
      for (dx, dy) in [(0.0, -200.0), (140, -140), (-140, -140)] {
        for step in 0...10 {
          let part = 1 - Double(step) / 20
          let degrees = longitude + dx * part / east
          let place = Coordinate(
            latitude: latitude + dy * part / metres, longitude: degrees > 180 ? degrees - 360 : max(-180, degrees))
          live.add(try #require(place), atMS: Int64(step) * 1000 + Int64((dx + dy + 2000) * 1000))
        }
        #expect(live.reports.last?.state == .approaching || longitude == -180 && dx < 0, "\(latitude) \(dx)")
        live.endRide()
      }
    }
  }

  @Test("with noise of a receiver, each time is that of the logbook", arguments: 1...20 as ClosedRange<UInt64>)
  func noise(seed: UInt64) throws {
    let corners: [Way.Corner] = [(-400, 0), (500, 0), (500, 700), (1400, 700)]
    let known = try segment([(0, 0), (500, 0), (500, 500)])
    let way = Way(corners, speed: 6.1).noisy(4, seed: seed)
    let passages = way.passages(of: known.line)
    #expect(passages.count == 1)
    #expect(finals(ride(way, [known])).last == passages.first.map { Double($0.endMS - $0.startMS) / 1000 })
  }
}

/// Of degrees, by its series.
private func cosine(_ degrees: Double) -> Double {
  let x = degrees * .pi / 180
  return (1...12).reduce((sum: 1.0, term: 1.0)) { state, n in
    let term = -state.term * x * x / Double((2 * n - 1) * (2 * n))
    return (state.sum + term, term)
  }.sum
}

// A segment that a rider is near to: positions in, reports out. Pure.

package import Earth

/// A segment as it is recognized: its line, and the efforts that a rider is compared with.
package struct KnownSegment: Sendable {
  package let id: Int
  package let start: Coordinate
  package let line: SegmentLine
  /// Of the logbook.
  private let best: PastEffort?
  private let last: PastEffort?
  /// Of the ride in progress, which the logbook does not have yet.
  fileprivate(set) var bestOfRide: PastEffort?
  fileprivate(set) var lastOfRide: PastEffort?

  /// Nil if the positions are not the line of a segment.
  package init?(id: Int, _ positions: [Coordinate], best: PastEffort?, last: PastEffort?) {
    guard let start = positions.first, let line = SegmentLine(positions) else { return nil }
    (self.id, self.start, self.line, self.best, self.last) = (id, start, line, best, last)
  }

  package var bestTimeS: Double? { bestToCompare?.timeS }
  package var lastTimeS: Double? { lastToCompare?.timeS }

  var bestToCompare: PastEffort? {
    guard let best, let bestOfRide else { return self.best ?? self.bestOfRide }
    return bestOfRide.timeS < best.timeS ? bestOfRide : best
  }

  var lastToCompare: PastEffort? { lastOfRide ?? last }

  mutating func forgetRide() { (bestOfRide, lastOfRide) = (nil, nil) }

  mutating func keepRide(of other: KnownSegment) {
    (bestOfRide, lastOfRide) = (other.bestOfRide, other.lastOfRide)
  }

  mutating func add(_ effort: PastEffort) {
    lastOfRide = effort
    if effort.timeS < bestOfRide?.timeS ?? .infinity { bestOfRide = effort }
  }
}

struct LiveSegment {
  /// In metres on the line. Riders who only pass the start do not come so far.
  private static let leastAlong = 30.0
  /// In metres from the start, along any way.
  private static let approach = 300.0

  private(set) var number: Int
  private var finder: EffortFinder
  private var times = EffortTimes()
  /// The start of the attempt that `times` belongs to.
  private var timesStartMS: Int64?
  /// The attempt that is shown.
  private(set) var shown: EffortFinder.Attempt?
  /// The passage that was reported last, until the rider is gone from its end.
  private var reported: (passage: EffortFinder.Passage, effort: PastEffort)?
  private(set) var isApproaching = false
  /// Nil before its first position.
  private var wayToStart: PlanePoint?

  init(_ number: Int, of segment: KnownSegment) {
    self.number = number
    finder = EffortFinder(segment.line)
  }

  mutating func restart(_ number: Int, of segment: KnownSegment) {
    self.number = number
    finder.restart(on: segment.line)
    (timesStartMS, shown, reported, isApproaching) = (nil, nil, nil, false)
    wayToStart = nil
  }

  /// The segments have other numbers now.
  mutating func renumber(_ number: Int) { self.number = number }

  var distanceToStart: Double { wayToStart?.length ?? .infinity }

  /// Whether the rider is neither on the line nor near its start.
  var isGone: Bool { finder.attempt == nil && finder.passed == nil && distanceToStart > SegmentGrid.reach }

  /// Adds a position before the first one, so that the way from there is known.
  mutating func begin(at position: Coordinate, atMS: Int64) { _ = finder.add(position, atMS: atMS) }

  /// Adds the next position. Returns what happened with it.
  mutating func add(
    _ position: Coordinate, atMS: Int64, after last: (position: Coordinate, atMS: Int64)?,
    to segment: inout KnownSegment
  ) -> SegmentReport? {
    let passage = finder.add(position, atMS: atMS)
    wayToStart = segment.line.wayToStart(from: position)
    // The next attempt can begin where this one ends.
    var report = report(passage, to: &segment)
    let attempt = finder.attempt
    if let attempt { record(attempt, atMS, segment) }
    let wasShown = shown
    shown = attempt.flatMap { $0.alongM >= Self.leastAlong ? $0 : nil }
    if report == nil, let wasShown, attempt?.startMS != wasShown.startMS, reported?.passage.startMS != wasShown.startMS
    {
      let isSilent = last.map { atMS - $0.atMS > EffortFinder.longestGapMS } ?? false
      report = ended(wasShown, isSilent ? .lost : .left, segment)
    }
    if passage != nil { reported = nil }
    follow(last?.position, to: position, of: segment, hasStarted: attempt != nil)
    return report
  }

  /// The ride ends here, and so do passages.
  mutating func finish(_ segment: inout KnownSegment) -> SegmentReport? {
    let wasShown = shown
    let report = report(finder.finish(), to: &segment)
    (shown, reported, timesStartMS, isApproaching) = (nil, nil, nil, false)
    return report ?? wasShown.map { ended($0, .left, segment) }
  }

  private func ended(
    _ attempt: EffortFinder.Attempt, _ state: SegmentState, _ segment: KnownSegment
  ) -> SegmentReport {
    var report = SegmentReport(number, of: segment, state: state)
    report.alongM = attempt.alongM
    return report
  }

  private mutating func record(_ attempt: EffortFinder.Attempt, _ atMS: Int64, _ segment: KnownSegment) {
    if timesStartMS != attempt.startMS {
      times.begin(lengthM: segment.line.length)
      timesStartMS = attempt.startMS
    }
    times.add(alongM: attempt.alongM, seconds: Double(atMS - attempt.startMS) / 1000)
  }

  /// The first time that the end is passed, and again if the time was corrected.
  private mutating func report(_ taken: EffortFinder.Passage?, to segment: inout KnownSegment) -> SegmentReport? {
    guard let passage = taken ?? finder.passed else { return nil }
    var report: SegmentReport?
    if passage != reported?.passage {
      let effort = effort(passage, segment)
      report = compared(effort, with: segment)
      reported = (passage, effort)
    }
    // It is compared with others until it is certain.
    if taken != nil, let effort = reported?.effort { segment.add(effort) }
    return report
  }

  private func effort(_ passage: EffortFinder.Passage, _ segment: KnownSegment) -> PastEffort {
    let seconds = Double(passage.endMS - passage.startMS) / 1000
    var whole: EffortTimes?
    if let reported, reported.passage.startMS == passage.startMS {
      whole = reported.effort.times
    } else if timesStartMS == passage.startMS {
      whole = times
    }
    whole?.end(lengthM: segment.line.length, seconds: seconds)
    return PastEffort(timeS: seconds, times: whole)
  }

  private func compared(_ effort: PastEffort, with segment: KnownSegment) -> SegmentReport {
    var report = SegmentReport(number, of: segment, state: .finished)
    (report.alongM, report.timeS) = (segment.line.length, effort.timeS)
    report.aheadOfBestS = segment.bestTimeS.map { $0 - effort.timeS }
    report.aheadOfLastS = segment.lastTimeS.map { $0 - effort.timeS }
    return report
  }

  // MARK: What is shown

  private mutating func follow(
    _ last: Coordinate?, to position: Coordinate, of segment: KnownSegment, hasStarted: Bool
  ) {
    guard shown == nil, distanceToStart <= Self.approach else { return isApproaching = false }
    // From the start on, until it is certain that the rider goes along the line.
    if hasStarted { return }
    guard let last, last != position else { return }
    isApproaching = segment.line.leadsToStart(from: last, to: position)
  }

  /// What is to be shown at this position if no other segment is more important.
  func current(_ segment: KnownSegment, atMS: Int64) -> SegmentReport? {
    guard let shown else {
      guard isApproaching else { return nil }
      var report = SegmentReport(number, of: segment, state: .approaching)
      let hasStarted = finder.attempt != nil
      report.startDistanceM = hasStarted ? 0 : distanceToStart
      report.startBearingDeg = hasStarted ? nil : wayToStart?.courseDeg
      return report
    }
    var report = SegmentReport(number, of: segment, state: .on)
    let seconds = Double(atMS - shown.startMS) / 1000
    (report.alongM, report.timeS) = (shown.alongM, seconds)
    report.aheadOfBestS = segment.bestToCompare?.times?.seconds(at: shown.alongM).map { $0 - seconds }
    report.aheadOfLastS = segment.lastToCompare?.times?.seconds(at: shown.alongM).map { $0 - seconds }
    return report
  }

  // MARK: Restarts

  /// Nil if no attempt is shown.
  func saved(at position: Coordinate) -> EffortFinder.SavedAttempt? { shown == nil ? nil : finder.saved(at: position) }

  mutating func resume(_ saved: EffortFinder.SavedAttempt) -> Bool {
    guard finder.resume(saved) else { return false }
    shown = finder.attempt
    return true
  }
}

// Finds the passages of a line in the positions of an activity. Pure.
//
// A passage is the time from the start of the line to its end. In between, every position is within
// 30 m of the line and every point of the line within 30 m of the way, in the order of the line.
// Waiting at either end does not count. Passages overlap by no more than an error of the receiver. A
// passage that is under way is known from its start on, for displays.

package import Earth

package struct EffortFinder {
  package struct Passage: Equatable, Sendable {
    /// Interpolated between the positions before and after.
    package var startMS: Int64
    package var endMS: Int64

    package init(startMS: Int64, endMS: Int64) {
      (self.startMS, self.endMS) = (startMS, endMS)
    }
  }

  /// A passage that has not ended yet.
  package struct Attempt: Equatable, Sendable {
    package var startMS: Int64
    /// In metres from the start of the line.
    package var alongM: Double
  }

  /// The receiver can be silent for so long, in milliseconds, or longer where the bike stands.
  package static let longestGapMS: Int64 = 30_000
  /// After a longer silence the way in between is not known.
  private static let knownMS: Int64 = 3000
  /// So far back a rider can go on the line, in metres: standing receivers wander.
  private static let back = 50.0
  /// Within so many metres after the start, a rider can start again.
  private static let restart = 60.0
  /// Metres by which a receiver's positions differ while it stands.
  private static let wander = 10.0
  /// More are on the line at once only if it repeats itself.
  private static let mostRuns = 8

  /// Positions on the line since a start.
  private struct Run {
    var start: GateVisits.Visit
    var place = SegmentLine.Place(along: 0, offset: 0, piece: 0)
    var furthest = 0.0
    /// How many points of the line the way has come near to, in their order.
    var passed = 0
    /// The rider is still there.
    var end: GateVisits.Visit?

    var passage: Passage? {
      end.flatMap { $0.place.atMS > start.place.atMS ? Passage(startMS: start.place.atMS, endMS: $0.place.atMS) : nil }
    }
  }

  package private(set) var line: SegmentLine
  private var starts: GateVisits
  private var ends: GateVisits
  private var runs: [Run] = []
  private var last: TimedPoint?

  package init(_ line: SegmentLine) {
    self.line = line
    runs.reserveCapacity(Self.mostRuns + 1)
    (starts, ends) = (GateVisits(line.start), GateVisits(line.end))
  }

  /// Begins with another line, without an allocation.
  package mutating func restart(on line: SegmentLine) {
    self.line = line
    runs.removeAll(keepingCapacity: true)
    (starts, ends, last) = (GateVisits(line.start), GateVisits(line.end), nil)
  }

  /// The oldest one.
  package var attempt: Attempt? {
    guard let run = runs.first(where: { $0.end == nil }) else { return nil }
    return Attempt(startMS: run.start.place.atMS, alongM: run.place.along)
  }

  /// A passage whose end was passed. `add` returns it when the rider is gone from there, unless they
  /// come nearer to the end before.
  package var passed: Passage? { lastPassage }

  /// Adds the next position. Returns the passage after which the rider went on.
  package mutating func add(_ position: Coordinate, atMS: Int64) -> Passage? {
    let next = TimedPoint(point: line.plane.place(position), atMS: atMS)
    guard let last else {
      begin(at: next)
      return nil
    }
    guard atMS > last.atMS else { return nil }
    if atMS - last.atMS > Self.longestGapMS, last.distance(to: next) > SegmentLine.tolerance {
      defer { begin(at: next) }
      return finish()
    }
    self.last = next
    followRuns(from: last, to: next)
    start(from: last, to: next)
    let isGone = (next.point - line.end.place).length > SegmentLine.tolerance
    return isGone ? takePassage() : nil
  }

  /// The way ends. Returns the passage that ends with it.
  package mutating func finish() -> Passage? {
    if let last, let end = ends.end(at: last) {
      for index in runs.indices where runs[index].place.along >= line.length - Self.wander {
        runs[index].end = runs[index].end ?? end
      }
    }
    defer {
      runs.removeAll(keepingCapacity: true)
      last = nil
    }
    return takePassage()
  }

  private mutating func begin(at position: TimedPoint) {
    runs.removeAll(keepingCapacity: true)
    last = position
    starts.begin(at: position)
    ends.begin(at: position)
  }

  private mutating func takePassage() -> Passage? {
    guard let last = lastPassage else { return nil }
    runs.removeAll { $0.end != nil }
    return last
  }

  private var lastPassage: Passage? {
    var last: Passage?
    for run in runs {
      if let passage = run.passage, passage.startMS >= last?.startMS ?? .min { last = passage }
    }
    return last
  }
}

// MARK: On the line

extension EffortFinder {
  private mutating func followRuns(from last: TimedPoint, to next: TimedPoint) {
    if let end = ends.visit(from: last, to: next) {
      for index in runs.indices where isEnd(end, of: runs[index], from: last, to: next) { runs[index].end = end }
      // Others began within the passage. At the start, the next lap begins.
      if runs.contains(where: { $0.end == end }) { runs.removeAll { $0.end == nil && $0.place.along >= Self.restart } }
    }
    // In place, so that a position needs no allocation.
    var kept = 0
    for index in runs.indices {
      guard let run = runs[index].end == nil ? following(runs[index], from: last, to: next) : runs[index] else {
        continue
      }
      runs[kept] = run
      kept += 1
    }
    runs.removeLast(runs.count - kept)
  }

  /// The first visit counts, unless a later one is clearly nearer.
  private func isEnd(_ visit: GateVisits.Visit, of run: Run, from last: TimedPoint, to next: TimedPoint) -> Bool {
    if let end = run.end { return visit.distance < end.distance - Self.wander }
    return run.place.along + reach(from: last, to: next) >= line.length
      && (!isKnown(from: last, to: next)
        || line.isPassed(until: line.length, line.passed(after: run.passed, from: last.point, to: next.point)))
  }

  private func following(_ run: Run, from last: TimedPoint, to next: TimedPoint) -> Run? {
    let lowest = max(0, run.furthest - Self.back)
    let highest = max(lowest, run.place.along + reach(from: last, to: next))
    guard
      let place = line.nearest(
        to: next.point, in: lowest...highest, expected: run.place.along + last.distance(to: next),
        after: run.place.piece)
    else { return nil }
    var passed = line.passed(after: run.passed, from: last.point, to: next.point)
    if !isKnown(from: last, to: next) { passed = max(passed, place.piece + 1) }
    guard line.isPassed(until: place.along, passed) else { return nil }
    return Run(start: run.start, place: place, furthest: max(run.furthest, place.along), passed: passed)
  }

  /// How far along the line the rider can have come.
  private func reach(from last: TimedPoint, to next: TimedPoint) -> Double {
    last.distance(to: next) * (isKnown(from: last, to: next) ? 1 : 2) + 2 * SegmentLine.tolerance
  }

  /// Whether the rider went straight on, as far as that can be known.
  private func isKnown(from last: TimedPoint, to next: TimedPoint) -> Bool { next.atMS - last.atMS <= Self.knownMS }

  private mutating func start(from last: TimedPoint, to next: TimedPoint) {
    guard let visit = starts.visit(from: last, to: next),
      let run = following(Run(start: visit), from: visit.place, to: next)
    else { return }
    // The last visit counts, unless an earlier one was clearly nearer.
    let isAtStart = { (run: Run) in run.end == nil && run.place.along < Self.restart }
    if runs.contains(where: { isAtStart($0) && $0.start.distance < visit.distance - Self.wander }) { return }
    runs.removeAll(where: isAtStart)
    if runs.count == Self.mostRuns { runs.removeFirst() }
    runs.append(run)
  }
}

// MARK: Restarts

extension EffortFinder {
  /// What is needed to go on after a restart, as after a silence of the receiver.
  package struct SavedAttempt: Equatable, Sendable {
    package var startMS: Int64
    /// Of the start of the line from the way.
    package var startDistanceM: Double
    package var alongM: Double
    package var furthestM: Double
    package var passedPoints: Int
    package var position: Coordinate
    package var atMS: Int64

    package init(
      startMS: Int64, startDistanceM: Double, alongM: Double, furthestM: Double, passedPoints: Int,
      position: Coordinate, atMS: Int64
    ) {
      (self.startMS, self.startDistanceM, self.alongM) = (startMS, startDistanceM, alongM)
      (self.furthestM, self.passedPoints) = (furthestM, passedPoints)
      (self.position, self.atMS) = (position, atMS)
    }
  }

  /// The oldest attempt, at this last position.
  package func saved(at position: Coordinate) -> SavedAttempt? {
    guard let last, let run = runs.first(where: { $0.end == nil }) else { return nil }
    return SavedAttempt(
      startMS: run.start.place.atMS, startDistanceM: run.start.distance, alongM: run.place.along,
      furthestM: run.furthest, passedPoints: run.passed, position: position, atMS: last.atMS)
  }

  /// Goes on with an attempt of the same line. Returns false if it cannot be one of this line.
  package mutating func resume(_ saved: SavedAttempt) -> Bool {
    let place = TimedPoint(point: line.plane.place(saved.position), atMS: saved.atMS)
    guard saved.startMS < saved.atMS, (0...line.length).contains(saved.alongM), saved.passedPoints >= 0,
      (0...line.length).contains(saved.furthestM), line.isPassed(until: saved.alongM, saved.passedPoints)
    else { return false }
    restart(on: line)
    last = place
    ends.resume()
    let start = TimedPoint(point: line.start.place, atMS: saved.startMS)
    runs.append(
      Run(
        start: GateVisits.Visit(place: start, distance: saved.startDistanceM),
        place: SegmentLine.Place(along: saved.alongM, offset: 0, piece: line.piece(at: saved.alongM)),
        furthest: saved.furthestM, passed: saved.passedPoints))
    return true
  }
}

// Recognizes segments while they are ridden, by the rules of the logbook, so that both find the same
// times. Positions in, reports out. Pure.
//
// Only segments near the rider are looked at. Positions allocate nothing, but for coming to a segment
// and for what is kept of an effort.

package import Earth

package struct LiveSegments {
  /// A finished effort is shown for so long, unless another one ends.
  private static let shownMS: Int64 = 10_000

  package private(set) var segments: [KnownSegment] = []
  private var grid = SegmentGrid()
  private var near: [LiveSegment] = []
  /// Their memory is used again.
  private var spare: [LiveSegment] = []
  /// For each segment whether it is among `near`.
  private var isNear: [Bool] = []
  private var last: (position: Coordinate, atMS: Int64)?
  private var finished: (report: SegmentReport, untilMS: Int64)?
  /// What the last position led to. First what ended, and last what is to be shown.
  package private(set) var reports: [SegmentReport] = []

  package init() {}

  // MARK: Segments

  /// Replaces all segments. Those that stay go on.
  package mutating func replace(by new: [KnownSegment]) {
    var numbers: [Int: Int] = [:]
    var replaced = new
    for (number, segment) in new.enumerated() { numbers[segment.id] = number }
    for old in segments {
      guard let number = numbers[old.id] else { continue }
      // A segment of another logbook can have the same id.
      if new[number].line.isSame(as: old.line) {
        replaced[number].keepRide(of: old)
      } else {
        numbers[old.id] = nil
      }
    }
    let ids = segments.map(\.id)
    near = near.compactMap { item in
      guard let number = numbers[ids[item.number]] else { return nil }
      var moved = item
      moved.renumber(number)
      return moved
    }
    finished = finished.flatMap { shown in
      numbers[ids[shown.report.segment]].map { number in
        var report = shown.report
        report.segment = number
        return (report, shown.untilMS)
      }
    }
    segments = replaced
    reports = []
    index()
  }

  private mutating func index() {
    grid.removeAll()
    for (number, segment) in segments.enumerated() { grid.add(number, at: segment.start) }
    isNear = [Bool](repeating: false, count: segments.count)
    for item in near { isNear[item.number] = true }
  }

  // MARK: Positions

  package mutating func add(_ position: Coordinate, atMS: Int64) {
    reports.removeAll(keepingCapacity: true)
    if let last, atMS <= last.atMS { return }
    come(to: position)
    for index in near.indices {
      let number = near[index].number
      if let report = near[index].add(position, atMS: atMS, after: last, to: &segments[number]) {
        reports.append(report)
        if report.state == .finished { finished = (report, atMS + Self.shownMS) }
      }
    }
    last = (position, atMS)
    go()
    if let shown = shown(atMS), reports.last != shown { reports.append(shown) }
  }

  private mutating func come(to position: Coordinate) {
    grid.visit(near: position) { number in
      guard !isNear[number] else { return }
      guard segments[number].line.wayToStart(from: position).length <= SegmentGrid.reach else { return }
      isNear[number] = true
      var item: LiveSegment
      if let used = spare.popLast() {
        item = used
        item.restart(number, of: segments[number])
      } else {
        item = LiveSegment(number, of: segments[number])
      }
      if let last { item.begin(at: last.position, atMS: last.atMS) }
      near.append(item)
    }
  }

  private mutating func go() {
    var index = 0
    while index < near.count {
      if near[index].isGone {
        isNear[near[index].number] = false
        spare.append(near.remove(at: index))
      } else {
        index += 1
      }
    }
  }

  /// Of several segments the one that was just finished, else the one that began last, else the
  /// one whose start is nearest.
  private mutating func shown(_ atMS: Int64) -> SegmentReport? {
    if let finished, atMS < finished.untilMS { return finished.report }
    finished = nil
    var best: Int?
    for index in near.indices where isMoreImportant(near[index], than: best.map { near[$0] }) { best = index }
    return best.flatMap { near[$0].current(segments[near[$0].number], atMS: atMS) }
  }

  private func isMoreImportant(_ item: LiveSegment, than other: LiveSegment?) -> Bool {
    guard item.shown != nil || item.isApproaching else { return false }
    guard let other else { return true }
    guard let started = item.shown?.startMS else {
      return other.shown == nil && item.distanceToStart < other.distanceToStart
    }
    return started > other.shown?.startMS ?? .min
  }

  // MARK: Rides

  /// A ride ended, and with it the efforts in it. `reports` says which ones.
  package mutating func endRide() {
    reports.removeAll(keepingCapacity: true)
    for index in near.indices {
      if let report = near[index].finish(&segments[near[index].number]) { reports.append(report) }
    }
    for index in segments.indices { segments[index].forgetRide() }
    (last, finished) = (nil, nil)
  }

  // MARK: Restarts

  package struct SavedAttempt: Equatable, Sendable {
    package var segment: Int
    package var attempt: EffortFinder.SavedAttempt

    package init(segment: Int, attempt: EffortFinder.SavedAttempt) {
      (self.segment, self.attempt) = (segment, attempt)
    }
  }

  /// What is under way, by the ids of the segments.
  package var saved: [SavedAttempt] {
    guard let last else { return [] }
    return near.compactMap { item in
      item.saved(at: last.position).map { SavedAttempt(segment: segments[item.number].id, attempt: $0) }
    }
  }

  /// Goes on with what was under way, unless positions came meanwhile. The next position shows
  /// whether the rider is still on the line.
  package mutating func resume(_ saved: [SavedAttempt]) {
    guard last == nil else { return }
    for item in saved {
      guard let number = segments.firstIndex(where: { $0.id == item.segment }), !isNear[number] else { continue }
      var found = LiveSegment(number, of: segments[number])
      guard found.resume(item.attempt) else { continue }
      near.append(found)
      isNear[number] = true
      last = (item.attempt.position, item.attempt.atMS)
    }
  }
}

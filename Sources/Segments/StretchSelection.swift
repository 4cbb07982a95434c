// Chooses the stretches of a way from what its rides have in common, in short steps: there can be
// thousands of ranges, and each can have thousands of points.

package struct StretchSelection {
  private enum Phase {
    case comparing, choosing, finished
  }

  private static let startsPerStep = 20
  private static let pointsPerStep = 200

  private let way: RepeatedStretches
  private var phase = Phase.comparing
  /// Where ranges start.
  private var starts: [Int]
  /// The shortest first.
  private var candidates: [ClosedRange<Int>] = []
  private var chosen: [ClosedRange<Int>] = []
  /// Which of the chosen ranges a point of the way belongs to.
  private var owners: [Int: Int] = [:]
  /// The candidate whose points are being compared with the chosen ranges.
  private var candidate: Candidate?

  private struct Candidate {
    var range: ClosedRange<Int>
    var next: Int
    /// How many points repeat each of the chosen ranges.
    var shared: [Int]
  }

  package init(_ way: RepeatedStretches) {
    self.way = way
    starts = Array(Set(way.ranges.map(\.lowerBound)))
  }

  /// Returns whether there is more to do.
  package mutating func step() -> Bool {
    switch phase {
    case .comparing: compare()
    case .choosing: choose()
    case .finished: return false
    }
    if case .finished = phase { return false }
    return true
  }

  // MARK: Candidates

  private mutating func compare() {
    for start in starts.suffix(Self.startsPerStep) {
      if let range = common(from: start) { candidates.append(range) }
    }
    starts.removeLast(min(Self.startsPerStep, starts.count))
    guard starts.isEmpty else { return }
    candidates.sort { (way.length(of: $0), $1.lowerBound) < (way.length(of: $1), $0.lowerBound) }
    phase = .choosing
  }

  /// What enough ranges have in common from this start on.
  private func common(from start: Int) -> ClosedRange<Int>? {
    let ends = way.ranges.filter { $0.contains(start) }.map(\.upperBound).sorted(by: >)
    guard ends.count >= RepeatedStretches.leastTimes else { return nil }
    // Rides join and leave within the reach, and not exactly at a point.
    let (first, last) = (start + 1, ends[RepeatedStretches.leastTimes - 1] - 1)
    guard first < last else { return nil }
    let length = way.length(of: first...last)
    return SegmentLine.lengths.contains(length) && length >= RepeatedStretches.leastLengthM ? first...last : nil
  }

  // MARK: Choice

  private mutating func choose() {
    if var current = candidate {
      candidate = nil
      let end = min(current.range.upperBound, current.next + Self.pointsPerStep - 1)
      for index in current.next...end { compare(index, &current.shared) }
      if end < current.range.upperBound {
        current.next = end + 1
        candidate = current
      } else if !current.shared.contains(where: { 2 * $0 > current.range.count }) {
        choose(current.range)
      }
    } else if chosen.count < RepeatedStretches.mostStretches, let range = candidates.popLast() {
      guard !chosen.contains(where: range.overlaps) else { return }
      candidate = Candidate(
        range: range, next: range.lowerBound, shared: [Int](repeating: 0, count: chosen.count))
    } else {
      phase = .finished
    }
  }

  /// A lap repeats the one that was chosen.
  private func compare(_ index: Int, _ shared: inout [Int]) {
    var repeated: Set<Int> = []
    way.visit(along: way.direction(at: index), at: way.points[index].place) { near in
      if let owner = owners[near] { repeated.insert(owner) }
    }
    for owner in repeated { shared[owner] += 1 }
  }

  private mutating func choose(_ range: ClosedRange<Int>) {
    for index in range { owners[index] = chosen.count }
    chosen.append(range)
  }

  // MARK: Stretches

  /// Those that do not overlap, in the order of the way. Call it when `step` has returned false.
  package var stretches: [RepeatedStretches.Stretch] {
    chosen.sorted { $0.lowerBound < $1.lowerBound }.map { range in
      RepeatedStretches.Stretch(
        fromMS: way.points[range.lowerBound].atMS, toMS: way.points[range.upperBound].atMS,
        lengthM: way.length(of: range),
        times: way.ranges.count { $0.contains(range.lowerBound) && $0.contains(range.upperBound) })
    }
  }
}

// Dated points of a text file become an activity: seconds since its start, one point for each, and a
// pause where a stretch begins after a gap.

import Earth
import Time

struct ActivityAssembler {
  /// In seconds. Some programs begin a new stretch without a pause.
  private static let longestStep = 5
  private static let mostFollowing = 100

  private var clock = FITClock()
  private var current: ActivityPoint?
  /// Items that came after it.
  private var following: [ActivityItem] = []
  private var lastEmitted: Int?
  private var beginsStretch = false
  private var position: Coordinate?
  /// The distance so far.
  private var farthest = 0.0
  private var hasOwnDistance = false
  private var isRunning: Bool { tally.isRunning }
  private var tally = ActivityTally()

  private(set) var problems = ReadProblems()

  /// The start of the activity; nil before it begins.
  var start: Int64? { clock.start?.unix }
  /// Of the latest point.
  private(set) var lastTime: Int64?
  /// Of the latest point.
  private(set) var end = 0

  /// Emits the header. Without a date, `seconds` only counts.
  mutating func begin(
    _ header: ActivityHeader, at seconds: Int64, hasDate: Bool = true, _ emit: (ActivityItem) -> Void
  ) {
    clock.start(at: FITTime(unix: seconds))
    var header = header
    header.start = hasDate ? WallTime(seconds: seconds) : nil
    emit(.header(header))
  }

  /// Of the points and pauses, for formats that have no totals.
  var summary: ActivitySummary { tally.summary }

  /// The next point begins a segment or a track.
  mutating func beginStretch() {
    beginsStretch = true
  }

  /// Seconds since the start.
  func t(of seconds: Int64) -> Int { clock.t(of: FITTime(unix: seconds)) }

  /// `point` has no place in time yet.
  mutating func add(_ point: ActivityPoint, at seconds: Int64, _ emit: (ActivityItem) -> Void) {
    switch clock.place(record: FITTime(unix: seconds)) {
    case .t(let t): add(point, t: t, emit)
    case .changed(let t):
      problems.add(.clockChanged)
      add(point, t: t, emit)
    case .outOfOrder: return problems.add(.outOfOrder)
    }
    lastTime = seconds
  }

  private mutating func add(_ point: ActivityPoint, t: Int, _ emit: (ActivityItem) -> Void) {
    var point = point
    point.t = t
    guard var known = current, known.t == t else {
      flush(emit)
      if beginsStretch || !isRunning { resume(at: t, emit) }
      addDistance(to: &point)
      current = point
      end = t
      return
    }
    // Two points in one second: the later values count, and nothing lies between them.
    beginsStretch = false
    addDistance(to: &point)
    for field in PointField.allCases where point[field] != nil { known[field] = point[field] }
    known.position = point.position ?? known.position
    current = known
  }

  private mutating func resume(at t: Int, _ emit: (ActivityItem) -> Void) {
    beginsStretch = false
    guard isRunning else { return emitTimer(.start(automatic: false), at: 0, emit) }
    guard t - end > Self.longestStep else { return }
    emitTimer(.stop(automatic: false), at: end, emit)
    emitTimer(.start(automatic: false), at: t, emit)
    position = nil
  }

  private mutating func emitTimer(_ kind: ActivityEvent.Kind, at t: Int, _ emit: (ActivityItem) -> Void) {
    let event = ActivityEvent(t: t, kind: kind)
    _ = tally.add(event)
    emit(.event(event))
  }

  /// Drops a distance that falls. Without distances, they follow from the positions.
  private mutating func addDistance(to point: inout ActivityPoint) {
    if let own = point[.distance] {
      hasOwnDistance = true
      guard own >= farthest else {
        point[.distance] = nil
        return problems.add(.fallingDistance)
      }
      farthest = own
    } else if !hasOwnDistance, let next = point.position {
      if let position { farthest += position.distance(to: next) }
      position = next
      point[.distance] = farthest
    }
  }

  /// Emits an item after the point that may still get values.
  mutating func append(_ item: ActivityItem, _ emit: (ActivityItem) -> Void) {
    guard current != nil else { return emit(item) }
    if following.count == Self.mostFollowing { flush(emit) }
    following.append(item)
  }

  private mutating func flush(_ emit: (ActivityItem) -> Void) {
    if let point = current, !point.isEmpty, lastEmitted.map({ point.t > $0 }) ?? true {
      lastEmitted = point.t
      tally.add(point)
      emit(.point(point))
    }
    current = nil
    for item in following { emit(item) }
    following.removeAll(keepingCapacity: true)
  }

  /// Whether there is anything to keep.
  var hasPoints: Bool { lastEmitted != nil || !(current?.isEmpty ?? true) }

  mutating func finish(_ emit: (ActivityItem) -> Void) {
    flush(emit)
    if isRunning { emitTimer(.stop(automatic: false), at: end, emit) }
  }
}

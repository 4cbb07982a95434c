// A course of a TCX file while it is read. Its cues come after its points, and belong to the point
// with their time; where a route crosses itself, the place alone would be ambiguous.

import Earth

struct TCXRoute {
  /// A time is a coincidence if the point is further away than this, in metres.
  private static let longestDistance = 100.0
  private static let mostPoints = 200_000
  private static let mostCues = 1000
  private static let mostComparisons = 1_000_000

  private(set) var draft = RouteDraft()
  private var times: [Int64: Int] = [:]
  private var cues: [TCXCue] = []
  private var name: String?
  private var notes: String?
  private(set) var problems = ReadProblems()

  var isEmpty: Bool { draft.points.count < 2 }

  mutating func set(name: String) {
    self.name = name.trimmed(to: 200)
  }

  mutating func set(notes: String) {
    self.notes = notes.trimmed(to: 10_000)
  }

  mutating func add(_ point: TCXPoint) {
    guard let position = point.values.position else { return }
    guard draft.points.count < Self.mostPoints else { return problems.add(.tooManyRoutePoints) }
    if let time = point.time, times[time.seconds] == nil { times[time.seconds] = draft.points.count }
    draft.add(
      RoutePoint(position: position, altitude: point.values[.altitude], distance: point.values[.distance]))
  }

  mutating func add(_ cue: TCXCue) {
    guard cues.count < Self.mostCues else { return problems.add(.tooManyCues) }
    cues.append(cue)
  }

  var header: ActivityHeader {
    var header = ActivityHeader(content: .route)
    (header.name, header.note) = TCXCue.texts(name: name, notes: notes)
    return header
  }

  func emitCues(_ emit: (ActivityItem) -> Void) {
    let line = RouteCues(draft.points, draft.distances)
    var last = 0.0
    for found in cues {
      let distance = distance(of: found, on: line, after: last)
      last = distance ?? last
      var cue = found.cue
      cue.distance = distance
      emit(.cue(cue))
    }
  }

  private func distance(of cue: TCXCue, on line: RouteCues, after last: Double) -> Double? {
    if let index = cue.time.flatMap({ times[$0] }) {
      let isNear = cue.position.map { $0.distance(to: draft.points[index].position) <= Self.longestDistance } ?? true
      if isNear { return draft.distances[index] }
    }
    guard let position = cue.position else { return nil }
    if let pass = line.pass(of: position, after: last) { return pass }
    let first = draft.distances.partitioningIndex { $0 >= last }
    // The work is bounded, also for a cue that is far from everything.
    let step = max(1, (draft.points.count - first) * cues.count / Self.mostComparisons)
    let nearest = stride(from: first, to: draft.points.count, by: step).min {
      draft.points[$0].position.distance(to: position) < draft.points[$1].position.distance(to: position)
    }
    return nearest.map { draft.distances[$0] }
  }
}

// What is wrong with a text file that can be read all the same, in sentences for the user.

enum ReadProblem: Hashable {
  case noTime, impossibleTime, noZone, timesAssumed, clockChanged, outOfOrder
  case impossiblePosition, fallingDistance
  case cutText, tooManyRoutePoints, tooManyCues, tooManyRoutes, distantCue
  case encoding(String)
  /// The rest of the file could not be read.
  case broken(String)

  func sentence(count: Int) -> String {
    switch self {
    case .noTime: count == 1 ? "one point has no time and was dropped" : "\(count) points have no time and were dropped"
    case .impossibleTime: "\(count) of the times are not dates: what they belong to was dropped or has no time"
    case .noZone: "times without a time zone were read as UTC"
    case .timesAssumed: "the points have no time: they were placed one second apart"
    case .clockChanged: "the clock was changed during the activity: its times continue without the jump"
    case .outOfOrder:
      count == 1
        ? "one point was out of order in time and was dropped"
        : "\(count) points were out of order in time and were dropped"
    case .impossiblePosition: "\(count) of the points have an impossible position, which was dropped"
    case .fallingDistance: "the distance falls \(count) times: these values were dropped"
    case .cutText: "\(count) of the texts are too long and were cut"
    case .tooManyRoutePoints: "the routes have too many points: the last \(count) were dropped"
    case .tooManyCues: "the routes have too many cues: the last \(count) were dropped"
    case .tooManyRoutes: "the file has too many routes: the last \(count) were dropped"
    case .distantCue:
      count == 1
        ? "one waypoint is not near the route and was dropped"
        : "\(count) waypoints are not near the route and were dropped"
    case .encoding(let name): "the file is encoded as \(name) and not as UTF-8"
    case .broken(let reason): "\(reason); what comes before that was kept"
    }
  }
}

/// The problems of a file, in the order in which they were found, each once.
struct ReadProblems {
  private var entries: [(problem: ReadProblem, count: Int)] = []

  mutating func add(_ problem: ReadProblem, count: Int = 1) {
    guard count > 0 else { return }
    if let known = entries.firstIndex(where: { $0.problem == problem }) {
      entries[known].count += count
    } else {
      entries.append((problem, count))
    }
  }

  mutating func add(_ other: ReadProblems) {
    for entry in other.entries { add(entry.problem, count: entry.count) }
  }

  func has(_ problem: ReadProblem) -> Bool { entries.contains { $0.problem == problem } }

  var sentences: [String] { entries.map { $0.problem.sentence(count: $0.count) } }
}

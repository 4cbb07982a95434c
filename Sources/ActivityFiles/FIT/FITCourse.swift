// A route as a FIT course. Its totals come before its points, so a route is held whole; it has far
// fewer points than an activity. Devices place cues by distance and time, so both rise along the
// way: the times are those of a ride at a constant speed, but at least a second apart.

struct FITCourse {
  private static let metresPerSecond = 8.0
  /// More than a year of riding has.
  private static let mostPoints = 500_000
  private static let mostCues = 10_000

  private var points: [RoutePoint] = []
  /// From the start, in metres, for each point.
  private var distances: [Double] = []
  private var cues: [RouteCue] = []

  mutating func add(_ point: RoutePoint) {
    guard points.count < Self.mostPoints else { return }
    let last = distances.last ?? 0
    let step = points.last.map { $0.position.distance(to: point.position) } ?? 0
    distances.append(max(last, point.distance ?? last + step))
    points.append(point)
  }

  mutating func add(_ cue: RouteCue) {
    guard cues.count < Self.mostCues else { return }
    cues.append(cue)
  }

  func check() throws(ActivityFileError) {
    guard points.count > 1 else { throw ActivityFileError("a route needs at least two points") }
  }

  /// `created` is the date of the virtual ride; without one it is the first day of 2020.
  func write(_ header: ActivityHeader, created: FITTime?, send: (FITMessage) -> Void) {
    guard let first = points.first, let last = points.last, let length = distances.last else { return }
    let start = created ?? FITTime(unix: 1_577_836_800)
    let times = times(from: start)
    let end = times.last ?? start
    var message = FITMessage()
    message.setFileID(header, content: 6, created: start)
    send(message)
    message.setCourse(header)
    send(message)
    message.setCourseLap(from: first, to: last, length: length, start, end)
    send(message)
    message.setEvent(.start(automatic: false), at: start)
    send(message)
    for (index, cue) in cues.enumerated() {
      let place = nearest(to: cue)
      message.setCue(cue, index: index, at: points[place].position, distance: distances[place], times[place])
      send(message)
    }
    for (index, point) in points.enumerated() {
      message.setCourseRecord(point, distance: distances[index], times[index])
      send(message)
    }
    message.setEvent(.other(event: 0, type: 9, data: 0), at: end)
    send(message)
  }

  private func times(from start: FITTime) -> [FITTime] {
    var next = start
    return distances.map { distance in
      let seconds = (distance / Self.metresPerSecond).roundedInteger ?? 0
      let time = max(next, FITTime(seconds: start.seconds &+ seconds))
      next = FITTime(seconds: time.seconds + 1)
      return time
    }
  }

  private func nearest(to cue: RouteCue) -> Int {
    if let distance = cue.distance {
      let after = distances.partitioningIndex { $0 >= distance }
      guard after > 0, after < distances.count else { return min(after, distances.count - 1) }
      return distances[after] - distance < distance - distances[after - 1] ? after : after - 1
    }
    guard let position = cue.position else { return 0 }
    let nearest = points.indices.min {
      points[$0].position.distance(to: position) < points[$1].position.distance(to: position)
    }
    return nearest ?? 0
  }
}

extension [Double] {
  /// The first index from which on the condition holds.
  fileprivate func partitioningIndex(_ condition: (Double) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if condition(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

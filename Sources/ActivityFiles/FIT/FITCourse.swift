// A route as a FIT course. Its times are those of a ride at a constant speed.

struct FITCourse {
  private var draft = RouteDraft()

  mutating func add(_ point: RoutePoint) {
    draft.add(point)
  }

  mutating func add(_ cue: RouteCue) {
    draft.add(cue)
  }

  func check() throws(ActivityFileError) {
    try draft.check()
  }

  /// `created` is the date of the virtual ride; without one it is the first day of 2020.
  func write(_ header: ActivityHeader, created: FITTime?, send: (FITMessage) -> Void) {
    guard let first = draft.points.first, let last = draft.points.last else { return }
    let start = created ?? FITTime(unix: 1_577_836_800)
    let times = draft.times().map { FITTime(seconds: start.seconds &+ $0) }
    let end = times.last ?? start
    var message = FITMessage()
    message.setFileID(header, content: 6, created: start)
    send(message)
    message.setCourse(header)
    send(message)
    message.setCourseLap(from: first, to: last, length: draft.length, start, end)
    send(message)
    message.setEvent(.start(automatic: false), at: start)
    send(message)
    for (index, cue) in draft.cues.enumerated() {
      let place = draft.nearest(to: cue)
      message.setCue(
        cue, index: index, at: draft.points[place].position, distance: draft.distances[place], times[place])
      send(message)
    }
    for (index, point) in draft.points.enumerated() {
      message.setCourseRecord(point, distance: draft.distances[index], times[index])
      send(message)
    }
    message.setEvent(.other(event: 0, type: 9, data: 0), at: end)
    send(message)
  }
}

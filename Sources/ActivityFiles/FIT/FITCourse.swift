// A route as a FIT course. Its times are those of a ride at a constant speed.

struct FITCourse {
  private var draft = RouteDraft()
  /// For each point, once it is complete.
  private var times: [FITTime] = []
  /// Cues and points.
  private var written = 0

  mutating func add(_ point: RoutePoint) {
    draft.add(point)
  }

  mutating func add(_ cue: RouteCue) {
    draft.add(cue)
  }

  func check() throws(ActivityFileError) {
    try draft.check()
  }

  /// `created` is the date of the virtual ride; without one it is the first day of 2020. Returns
  /// whether there is more.
  mutating func writeSome(_ header: ActivityHeader, created: FITTime?, send: (FITMessage) -> Void) -> Bool {
    let start = created ?? FITTime(unix: 1_577_836_800)
    let cues = draft.cues.count
    let end = min(cues + draft.points.count, written + RouteDraft.portion)
    if written == 0 {
      times = draft.times().map { FITTime(seconds: start.seconds &+ $0) }
      writeBeginning(header, start, send: send)
    }
    var message = FITMessage()
    for index in written..<end {
      if index < cues {
        let cue = draft.cues[index]
        let place = draft.nearest(to: cue)
        message.setCue(
          cue, index: index, at: draft.points[place].position, distance: draft.distances[place], times[place])
      } else {
        let place = index - cues
        message.setCourseRecord(draft.points[place], distance: draft.distances[place], times[place])
      }
      send(message)
    }
    written = end
    guard end == cues + draft.points.count else { return true }
    message.setEvent(.other(event: 0, type: 9, data: 0), at: times.last ?? start)
    send(message)
    return false
  }

  private func writeBeginning(_ header: ActivityHeader, _ start: FITTime, send: (FITMessage) -> Void) {
    guard let first = draft.points.first, let last = draft.points.last else { return }
    var message = FITMessage()
    message.setFileID(header, content: 6, created: start)
    send(message)
    message.setCourse(header)
    send(message)
    message.setCourseLap(from: first, to: last, length: draft.length, start, times.last ?? start)
    send(message)
    message.setEvent(.start(automatic: false), at: start)
    send(message)
  }
}

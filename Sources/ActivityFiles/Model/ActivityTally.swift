// Totals that follow from points and timer events alone, for activities without a summary.

struct ActivityTally {
  private var end = 0
  private var distance: Double?
  private var runningSince: Int?
  private var timerTime = 0
  private(set) var hasTimer = false

  var isRunning: Bool { runningSince != nil }

  mutating func add(_ point: ActivityPoint) {
    end = max(end, point.t)
    if let covered = point[.distance] { distance = max(distance ?? 0, covered) }
  }

  /// False if the timer was in that state already: such an event means nothing.
  mutating func add(_ event: ActivityEvent) -> Bool {
    switch event.kind {
    case .start:
      guard runningSince == nil else { return false }
      runningSince = event.t
      hasTimer = true
    case .stop:
      guard let since = runningSince else { return false }
      timerTime += max(0, event.t - since)
      runningSince = nil
    case .other: return true
    }
    end = max(end, event.t)
    return true
  }

  var summary: ActivitySummary {
    var summary = ActivitySummary(start: 0, elapsed: Double(end))
    let running = runningSince.map { max(0, end - $0) } ?? 0
    summary[.timerTime] = hasTimer ? Double(timerTime + running) : Double(end)
    summary[.distance] = distance
    return summary
  }
}

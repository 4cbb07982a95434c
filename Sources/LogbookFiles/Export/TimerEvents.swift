// When the timer of an activity ran: from its start to its end, without the rider's pauses.

import ActivityFiles
import JSON
import Logbook
import LogbookWire
import SQLite

enum TimerEvents {
  private static let mostEvents = 20_000

  static func events(of row: StoredActivity, in database: Database) throws(SQLiteError) -> [ActivityEvent] {
    var events: [ActivityEvent] = []
    let end = Int(row.endMS.rounded(to: 1000))
    for span in row.shownSpans {
      let shift = span.atMS - span.fromMS
      let last = span.toMS.map { Int(($0 + shift).rounded(to: 1000)) } ?? end
      events.append(ActivityEvent(t: Int(span.atMS.rounded(to: 1000)), kind: .start(automatic: false)))
      events += try pauses(in: span, database)
      events.append(ActivityEvent(t: min(last, end), kind: .stop(automatic: false)))
    }
    return normal(events)
  }

  /// Alternating, in the order of time, and without pauses of no length.
  private static func normal(_ events: [ActivityEvent]) -> [ActivityEvent] {
    var result: [ActivityEvent] = []
    for event in events.sorted(by: { $0.t < $1.t }) {
      guard let last = result.last else {
        if event.kind.isStart { result.append(event) }
        continue
      }
      if last.kind.isStart == event.kind.isStart {
        // Of two stops, the first one is the beginning of the pause.
        continue
      }
      if !last.kind.isStart, last.t == event.t {
        result.removeLast()
      } else {
        result.append(event)
      }
    }
    return result
  }

  private static func pauses(in span: ActivitySpan, _ database: Database) throws(SQLiteError) -> [ActivityEvent] {
    let rows = try database.prepare(
      """
      SELECT at_ms, kind, data FROM event WHERE activity = ?1 AND at_ms >= ?2 AND at_ms < ?3
      ORDER BY at_ms, n LIMIT \(mostEvents)
      """)
    try rows.bind(1, span.activity)
    try rows.bind(2, span.fromMS)
    try rows.bind(3, span.toMS ?? .max)
    var events: [ActivityEvent] = []
    // The daemon resumes what it paused, and the rider what the rider paused.
    var isAutomatic = false
    while try rows.step() {
      let t = Int((rows.integer(0) - span.fromMS + span.atMS).rounded(to: 1000))
      let kind = rows.text(1) ?? ""
      if let event = KeptEvent(kind: kind, data: rows.text(2))?.event(at: t) {
        if case .other = event.kind { continue }
        events.append(event)
      } else if kind == "pause" {
        isAutomatic = rows.isAutomatic
        events.append(ActivityEvent(t: t, kind: .stop(automatic: isAutomatic)))
      } else if kind == "resume" {
        events.append(ActivityEvent(t: t, kind: .start(automatic: isAutomatic)))
      }
    }
    return events
  }
}

extension Statement {
  /// The pause of a recording says whether the daemon or the rider made it.
  fileprivate var isAutomatic: Bool {
    text(2).flatMap { try? JSONValue.parse($0) }?["automatic"]?.bool ?? false
  }
}

extension ActivityEvent.Kind {
  fileprivate var isStart: Bool {
    if case .start = self { true } else { false }
  }
}

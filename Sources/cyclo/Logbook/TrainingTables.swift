// `logbook fitness` and `logbook records`.

import CommandTable
import CycloCommands
import LogbookWire
import Time
import Wire

struct TrainingTables {
  private let logbook: LogbookSession
  private var session: Session { logbook.session }

  init(_ logbook: LogbookSession) { self.logbook = logbook }

  func fitness(sport: String?) throws(Failure) {
    var request = FitnessRequest()
    request.sport = sport
    let reply = try logbook.ask(request)
    if session.isJSON { return session.output.line(reply.json.encoded) }
    let content = reply.content
    if content.rows.isEmpty { return session.output.note("No activities.") }
    var table = Table(heading: ["DAY", "LOAD", "FITNESS", "FATIGUE", "FORM"], isShortened: true)
    for row in content.rows.prefix(session.invocation.count(.limit) ?? RequestLimits.defaultPage) {
      table.rows.append(
        [Cell(row.day, .strong)]
          + [row.trainingLoad, row.fitness, row.fatigue, row.form].map { Cell(Quantity.decimal($0, places: 1)) })
    }
    session.output.table(table)
    if content.withoutLoad > 0 {
      session.output.note(
        "\(content.withoutLoad) of \(content.activities) activities of the last \(content.rows.count) days have no "
          + "training load: they lack power and heart rate, or the rider's thresholds (see 'cyclo rider').")
    }
  }

  func records(sport: String?) throws(Failure) {
    var request = RecordsRequest()
    request.sport = sport
    let reply = try logbook.ask(request)
    if session.isJSON { return session.output.line(reply.json.encoded) }
    if reply.content.sports.isEmpty { return session.output.note("No activities.") }
    var table = Table(heading: ["SPORT", "RECORD", "VALUE", "DATE", "ID"], isShortened: true)
    for sport in reply.content.sports { table.rows += rows(of: sport) }
    session.output.table(table)
    guard let streaks = reply.content.streaks else { return }
    session.output.line("")
    for line in [sentence(streaks.days, "day", "days"), sentence(streaks.weeks, "week", "weeks")] {
      session.output.line(line)
    }
  }

  private func rows(of records: SportRecords) -> [[Cell]] {
    var rows: [[Cell]] = []
    func add(_ label: String, _ field: String, _ value: Double?, _ activity: Int?, _ day: Day?) {
      guard let value, let activity else { return }
      rows.append([
        Cell(records.sport), Cell(label, .strong), Cell(Quantity.text(field, value, session.style)),
        Cell(day?.text ?? ""), Cell(String(activity)),
      ])
    }
    func add(_ label: String, _ field: String, _ best: ActivityBest?, _ number: KeyPath<ActivityBest, Double?>) {
      add(label, field, best?[keyPath: number], best?.activity, Day(best?.start, best?.utcOffsetS))
    }
    add("longest", "moving_time_s", records.longest, \.movingTimeS)
    add("farthest", "distance_m", records.farthest, \.distanceM)
    add("fastest", "speed_avg_mps", records.fastest, \.speedAvgMps)
    add("most ascent", "ascent_m", records.mostAscent, \.ascentM)
    // --json has all durations.
    for (seconds, label) in [(5, "5 s"), (60, "1 min"), (300, "5 min"), (1200, "20 min"), (3600, "1 h")] {
      let best = records.bestPowers.first { $0.durationS == seconds }
      add("power, \(label)", "power_w", best?.powerW, best?.activity, Day(best?.start, best?.utcOffsetS))
    }
    return rows
  }

  private func sentence(_ streak: StreakRecord, _ one: String, _ many: String) -> String {
    func text(_ count: Int) -> String { "\(count) \(count == 1 ? one : many)" }
    return "\(text(streak.current)) in a row now; longest: \(text(streak.longest)), from \(streak.from) to \(streak.to)"
  }
}

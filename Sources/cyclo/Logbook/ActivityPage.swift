// One activity on one page: totals, laps, zones, and graphs of elevation and heart rate.

import LogbookWire
import Wire

struct ActivityPage {
  let detail: ActivityDetail
  let laps: [ActivityLapRecord]
  let series: SeriesDocument?
  let style: Style

  private static let labelWidth = 12
  private static let graphHeight = 4
  private static let mostLaps = 40

  func lines(columns: Int?) -> [String] {
    let width = columns ?? 80
    let blocks = [
      totals, lapTable(width), zones("HEART RATE ZONES", detail.zoneTimesS),
      zones("POWER ZONES", detail.powerZoneTimesS),
      graph("ELEVATION", "altitude_m", width), graph("HEART RATE", "bpm", width),
    ].filter { !$0.isEmpty }
    return [heading] + blocks.flatMap { [""] + $0 }.map { $0 }
  }

  private var activity: ActivityRecord { detail.activity }

  private var heading: String {
    let marks = activity.marks.isEmpty ? "" : ", \(activity.marks)"
    let title = Cell(activity.title).text
    let sport = activity.name == nil ? "" : " (\(Cell(activity.sport ?? "").text))"
    return style.paint("\(activity.id)  \(title)", .strong) + "\(sport)  \(activity.localStart)\(marks)"
  }

  private var totals: [String] {
    let totals = activity.totals
    var rows: [(String, String)] = []
    func add(_ label: String, _ field: String, _ value: Double?, maximum: Double? = nil) {
      guard let value else { return }
      let most = maximum.map { ", at most \(Quantity.text(field, $0, style))" } ?? ""
      rows.append((label, Quantity.text(field, value, style) + most))
    }
    add("time", "ride_time_s", activity.rideTimeS ?? activity.elapsedTimeS)
    add("moving", "moving_time_s", totals.movingTimeS)
    add("distance", "distance_m", totals.distanceM)
    add("ascent", "ascent_m", totals.ascentM)
    add("speed", "speed_avg_mps", totals.speedAvgMps, maximum: totals.speedMaxMps)
    add("power", "power_avg_w", totals.powerAvgW, maximum: totals.powerMaxW)
    add("normalized", "normalized_power_w", totals.normalizedPowerW)
    add("heart rate", "bpm_avg", totals.bpmAvg, maximum: totals.bpmMax)
    add("cadence", "cadence_avg_rpm", totals.cadenceAvgRpm, maximum: totals.cadenceMaxRpm)
    add("work", "work_j", totals.workJ)
    add("energy", "energy_kcal", totals.energyKcal)
    add("load", "training_load", activity.trainingLoad)
    if let note = activity.note { rows.append(("note", Cell(note).text)) }
    return rows.map { $0.0.padded(to: Self.labelWidth) + style.paint($0.1, .strong) }
  }

  private func lapTable(_ width: Int) -> [String] {
    if laps.count < 2 { return [] }
    var table = Table(
      heading: ["LAP", "TIME", "DISTANCE", "SPEED", "POWER", "HEART RATE", "ASCENT"],
      dispensable: ["ASCENT", "SPEED", "POWER", "HEART RATE"], isShortened: true)
    for lap in laps.prefix(Self.mostLaps) {
      func cell(_ field: String, _ value: Double?) -> Cell { Cell(value.map { Quantity.text(field, $0, style) } ?? "") }
      table.rows.append([
        Cell(String(lap.lap), .strong), cell("lap_time_s", lap.lapTimeS), cell("distance_m", lap.totals.distanceM),
        cell("speed_avg_mps", lap.totals.speedAvgMps), cell("power_avg_w", lap.totals.powerAvgW),
        cell("bpm_avg", lap.totals.bpmAvg), cell("ascent_m", lap.totals.ascentM),
      ])
    }
    let hidden = laps.count - Self.mostLaps
    return table.lines(style: style, columns: width) + (hidden > 0 ? ["Not shown: \(hidden) later laps"] : [])
  }

  private func zones(_ title: String, _ times: [Double]) -> [String] {
    let whole = times.reduce(0, +)
    guard whole > 0 else { return [] }
    return [style.paint(title, .faint)]
      + times.enumerated().map { index, time in
        let length = min(20, max(0, Int((time / whole * 20).rounded())))
        let bar = String(repeating: style.either("█", ascii: "#"), count: length).padded(to: 20)
        return "\(index)".leading(2) + " " + style.paint(bar, .good)
          + Quantity.text("zone_times_s", time, style).leading(11)
      }
  }

  /// Columns of eighths. A gap is a space between columns.
  private func graph(_ title: String, _ field: String, _ width: Int) -> [String] {
    let points = (series?.pieces ?? []).flatMap { piece in
      piece.fields.last { $0.field == field }.map { $0.means.map(\.value) + [nil] } ?? []
    }.dropLast()
    let known = points.compactMap(\.self)
    guard let low = known.min(), let high = known.max(), width >= 30 else { return [] }
    let columns = min(width - 1, points.count)
    let values: [Double?] = (0..<columns).map { column in
      let first = column * points.count / columns
      let some = points[first..<max(first + 1, (column + 1) * points.count / columns)].compactMap(\.self)
      return some.isEmpty ? nil : some.reduce(0, +) / Double(some.count)
    }
    let steps = Array(style.isUnicode ? " ▁▂▃▄▅▆▇█" : " ..::||##")
    let span = max(high - low, 1)
    let rows = (0..<Self.graphHeight).reversed().map { row in
      String(
        values.map { value in
          guard let value else { return " " }
          let eighths = Int(((value - low) / span * Double(Self.graphHeight * 8 - 1)).rounded()) + 1
          return steps[min(8, max(0, eighths - row * 8))]
        })
    }
    let range = "\(Quantity.text(field, low, style)) to \(Quantity.text(field, high, style))"
    return [style.paint(title, .faint) + "  " + range] + rows.map { style.paint($0, .good) }
  }
}

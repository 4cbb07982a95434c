// The finished laps of the ride, one per line. A column is shown if a lap has the number and the
// terminal has room.

import Wire

struct LapTable {
  private let laps: [LapRecord]
  private let style: Style

  /// More laps than this do not fit a screen.
  private static let most = 20
  private static let numberWidth = 4
  private static let columnWidth = 12
  /// In order of importance.
  private static let columns: [(title: String, field: String, value: @Sendable (LapRecord) -> Double?)] = [
    ("TIME", "lap_time_s", { $0.lapTimeS }), ("DISTANCE", "distance_m", { $0.distanceM }),
    ("SPEED", "speed_avg_mps", { $0.speedAvgMps }), ("POWER", "power_avg_w", { $0.powerAvgW }),
    ("HEART RATE", "bpm_avg", { $0.bpmAvg }), ("ASCENT", "ascent_m", { $0.ascentM }),
    ("CADENCE", "cadence_avg_rpm", { $0.cadenceAvgRpm }),
  ]

  init(_ laps: [LapRecord], _ style: Style) {
    (self.laps, self.style) = (laps, style)
  }

  func lines(columns width: Int) -> [Line] {
    if laps.isEmpty { return [] }
    let shown = laps.suffix(Self.most)
    let room = max(1, (width - Self.numberWidth) / Self.columnWidth)
    let known = Self.columns.filter { column in shown.contains { column.value($0) != nil } }
    let (chosen, left) = (known.prefix(room), known.dropFirst(room))
    var heading = Line("LAP".leading(Self.numberWidth), .faint)
    for column in chosen { heading.add(column.title.leading(Self.columnWidth), .faint) }
    var lines = [heading]
    for lap in shown {
      var line = Line(String(lap.lap).leading(Self.numberWidth))
      for column in chosen {
        let text = column.value(lap).map { Quantity.text(column.field, $0, style) } ?? ""
        line.add(text.leading(Self.columnWidth), .strong)
      }
      lines.append(line)
    }
    let hidden = laps.count - shown.count
    if hidden > 0 { lines.append(Line("Not shown: \(hidden) earlier \(hidden == 1 ? "lap" : "laps")", .faint)) }
    if !left.isEmpty {
      lines.append(
        Line("Not shown for lack of width: \(left.map { $0.title.lowercased() }.joined(separator: ", "))", .faint))
    }
    return lines
  }
}

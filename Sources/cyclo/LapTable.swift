// The finished laps of the ride, one per line. A column is shown if a lap has the number and the
// terminal has room.

import JSON

struct LapTable {
  private let laps: [JSONValue]
  private let style: Style

  /// More laps than this do not fit a screen.
  private static let most = 20
  private static let numberWidth = 4
  private static let columnWidth = 12
  /// In order of importance.
  private static let columns = [
    ("TIME", "lap_time_s"), ("DISTANCE", "distance_m"), ("SPEED", "speed_avg_mps"), ("POWER", "power_avg_w"),
    ("HEART RATE", "bpm_avg"), ("ASCENT", "ascent_m"), ("CADENCE", "cadence_avg_rpm"),
  ]

  init(_ laps: [JSONValue], _ style: Style) {
    (self.laps, self.style) = (laps, style)
  }

  func lines(columns width: Int) -> [Line] {
    if laps.isEmpty { return [] }
    let shown = laps.suffix(Self.most)
    let room = max(1, (width - Self.numberWidth) / Self.columnWidth)
    let known = Self.columns.filter { column in shown.contains { $0[column.1]?.number != nil } }
    let (chosen, left) = (known.prefix(room), known.dropFirst(room))
    var heading = Line("LAP".leading(Self.numberWidth), .faint)
    for column in chosen { heading.add(column.0.leading(Self.columnWidth), .faint) }
    var lines = [heading]
    for lap in shown {
      var line = Line((lap["lap"]?.integer.map(String.init) ?? "").leading(Self.numberWidth))
      for column in chosen {
        let text = lap[column.1]?.number.map { Quantity.text(column.1, $0, style) } ?? ""
        line.add(text.leading(Self.columnWidth), .strong)
      }
      lines.append(line)
    }
    let hidden = laps.count - shown.count
    if hidden > 0 { lines.append(Line("Not shown: \(hidden) earlier \(hidden == 1 ? "lap" : "laps")", .faint)) }
    if !left.isEmpty {
      lines.append(
        Line("Not shown for lack of width: \(left.map { $0.0.lowercased() }.joined(separator: ", "))", .faint))
    }
    return lines
  }
}

// One reading in one of seven sizes: the value large, a spark line, and the rest as text. A value
// that is not current is shown as dashes with the last value, its age and the reason.

import CyclometerSamples
import JSON
import Linux
import Time
import Wire

enum TileSize: CaseIterable {
  case huge, large, middle, small, compact, airyLine, line

  var rows: Int {
    switch self {
    case .huge: 14
    case .large: 9
    case .middle: 7
    case .small: 5
    case .compact: 4
    case .airyLine: 2
    case .line: 1
    }
  }

  var leastColumns: Int {
    switch self {
    case .huge: 75
    case .large: 38
    case .middle, .small: 26
    case .compact: 36
    case .airyLine, .line: 38
    }
  }

  /// A road has its own size.
  var roadRows: Int {
    switch self {
    case .huge: 6
    case .large, .middle, .small, .compact, .airyLine: 3
    case .line: 1
    }
  }

  fileprivate var digits: DigitSize {
    switch self {
    case .huge: .huge
    case .large: .large
    default: .middle
    }
  }
}

/// Where a tile is drawn.
struct Frame: Equatable {
  let row: Int
  let column: Int
  let columns: Int

  var end: Int { column + columns }
}

struct Tile {
  let reading: LiveReading
  let sensor: SensorRecord?
  let standing: Dashboard.Standing
  let now: MonotonicTime
  let style: Style

  func draw(on canvas: inout Canvas, in frame: Frame, _ size: TileSize) {
    switch size {
    case .line, .airyLine: return drawLine(on: &canvas, in: frame)
    case .compact: return drawCompact(on: &canvas, in: frame)
    case .huge, .large, .middle, .small: break
    }
    drawTitle(on: &canvas, in: frame)
    drawValue(on: &canvas, in: frame, size)
    if size == .small { return }
    let sparkRow = frame.row + 1 + size.digits.rows
    drawSpark(on: &canvas, Frame(row: sparkRow, column: frame.column, columns: frame.columns))
    let (text, colour) = remark
    canvas.write(text, row: sparkRow + 1, column: frame.column, colour: colour, width: frame.columns)
  }

  /// Whether other sensors have the same kind, so that the owner matters.
  let isOneOfSeveral: Bool

  var title: String { kindTitle(reading.sample, sensor) }
  var isCurrent: Bool { standing == .current }

  private var value: String {
    guard let last = reading.wave.last, let field = reading.sample.headlineField else { return reading.sample.summary }
    return Quantity.text(field.name, last, style)
  }

  /// The last value, if it is not current.
  private var former: String { reading.isAwaited ? "" : "was \(value)" }
  private var formerAge: String { reading.isAwaited ? "" : "\(ageText(reading.age(at: now))) ago" }
  private var formerWithAge: String { reading.isAwaited ? "" : "\(former), \(formerAge)" }

  /// The sensor's name.
  var owner: String { sensorTitle(reading.sample, sensor) }

  func drawTitle(on canvas: inout Canvas, in frame: Frame) {
    let used = canvas.write(title, row: frame.row, column: frame.column, colour: .strong, width: frame.columns)
    let room = frame.columns - used - 2
    let name = owner.fitted(to: max(0, min(room, 20)), style)
    canvas.write(name, row: frame.row, endingAt: frame.end, room: room, colour: .faint)
  }

  private func drawValue(on canvas: inout Canvas, in frame: Frame, _ size: TileSize) {
    let middle = frame.row + 1 + size.digits.rows / 2
    let last = frame.row + size.digits.rows
    guard isCurrent else { return drawPast(on: &canvas, in: frame, size) }
    guard let number = reading.number, let field = reading.sample.headlineField else {
      canvas.write(value, row: middle, column: frame.column, colour: .strong, width: frame.columns)
      return
    }
    let measure = Quantity.measure(field.name, number, style)
    var column = frame.column
    if let digits = digits(measure.digits, size, columns: frame.columns - 6) {
      let top = last - digits.rows.count + 1
      for (row, text) in digits.rows.enumerated() {
        canvas.write(text, row: top + row, column: column, colour: .strong)
      }
      column += digits.columns + 2
    } else {
      column += canvas.write(measure.digits, row: last, column: column, colour: .strong, width: frame.columns) + 1
    }
    let unit = [measure.unit, reading.sample.headlineLabel ?? ""].filter { !$0.isEmpty }.joined(separator: " ")
    canvas.write(unit, row: last, column: column, width: frame.end - column)
    let (text, colour) = size == .small ? briefRemark : ageRemark
    canvas.write(text, row: frame.row + 1, column: column, colour: colour, width: frame.end - column)
    let sparkColumn = column + max(unit.columns, 4) + 2
    if size == .small, frame.end - sparkColumn >= 6 {
      let spark = reading.spark(frame.end - sparkColumn, at: now)
      canvas.write(spark.text(style), row: last, column: sparkColumn, colour: .good)
    }
  }

  /// As large as fits.
  private func digits(_ text: String, _ size: TileSize, columns: Int) -> Digits? {
    [size.digits, .middle].lazy.compactMap { Digits(text, $0, style) }.first { $0.columns <= columns }
  }

  /// Dashes, and the last value as text.
  private func drawPast(on canvas: inout Canvas, in frame: Frame, _ size: TileSize) {
    let middle = frame.row + 1 + size.digits.rows / 2
    let dash = size.digits == .middle ? style.either("▄▄▄", ascii: "---") : style.either("▄▄▄▄▄▄", ascii: "------")
    let used = canvas.write("\(dash) \(dash)", row: middle, column: frame.column, colour: .faint, width: frame.columns)
    let column = frame.column + used + 2
    canvas.write(
      former, row: middle, column: column, colour: .faint, width: frame.end - column)
    canvas.write(
      formerAge, row: middle + 1, column: column, colour: .warning,
      width: frame.end - column)
    guard size == .small, case .past(let words) = standing else { return }
    canvas.write(words, row: frame.row + 1, column: frame.column, colour: .warning, width: frame.columns)
  }

  private func drawSpark(on canvas: inout Canvas, _ frame: Frame) {
    let range = rangeText(reading.spark(frame.columns, at: now))
    let room = range.isEmpty ? frame.columns : frame.columns - 12
    let spark = reading.spark(room, at: now)
    canvas.write(spark.text(style), row: frame.row, column: frame.column, colour: isCurrent ? .good : .faint)
    canvas.write(range, row: frame.row, endingAt: frame.end, room: 11, colour: .faint)
  }

  /// `98-171`, if there was a change.
  private func rangeText(_ spark: Spark) -> String {
    guard let range = spark.range, range.lowerBound < range.upperBound,
      let field = reading.sample.headlineField
    else { return "" }
    let ends = [range.lowerBound, range.upperBound].map { Quantity.measure(field.name, $0, style).digits }
    return ends[0] == ends[1] ? "" : ends.joined(separator: style.either("–", ascii: "-"))
  }

  /// Three rows: the number, and to its right the title, the unit and the spark line.
  private func drawCompact(on canvas: inout Canvas, in frame: Frame) {
    let measure = reading.number.flatMap { number in
      reading.sample.headlineField.map { Quantity.measure($0.name, number, style) }
    }
    var rows = [String](repeating: "", count: 3)
    if !isCurrent {
      rows[1] = style.either("▄▄▄ ▄▄▄", ascii: "--- ---")
    } else if let digits = measure.flatMap({ Digits($0.digits, .middle, style) }) {
      rows = digits.rows
    }
    // Titles are aligned for numbers of common length.
    let place = frame.column + max(18, (rows.map(\.columns).max() ?? 0) + 2)
    let width = frame.end - place
    for (row, text) in rows.enumerated() {
      canvas.write(text, row: frame.row + row, column: frame.column, colour: isCurrent ? .strong : .faint)
    }
    let used = canvas.write(title, row: frame.row, column: place, colour: .strong, width: width)
    canvas.write(
      owner.fitted(to: 20, style), row: frame.row, endingAt: frame.end, room: width - used - 2, colour: .faint)
    if case .past(let words) = standing {
      canvas.write(formerWithAge, row: frame.row + 1, column: place, colour: .faint, width: width)
      canvas.write(words, row: frame.row + 2, column: place, colour: .warning, width: width)
      return
    }
    let drawn = measure.map { [$0.unit, reading.sample.headlineLabel ?? ""].filter { !$0.isEmpty } }
    let text = rows[0].isEmpty ? value : drawn?.joined(separator: " ") ?? ""
    let (age, colour) = briefRemark
    let unit = canvas.write(text, row: frame.row + 1, column: place, width: width)
    canvas.write(age, row: frame.row + 1, column: place + unit + 2, colour: colour, width: width - unit - 2)
    canvas.write(
      reading.spark(width, at: now).text(style), row: frame.row + 2, column: place, colour: .good)
  }

  private func drawLine(on canvas: inout Canvas, in frame: Frame) {
    // The owner has its own line if both fit.
    let nameWidth = frame.columns >= 60 ? 16 : 0
    let titleWidth = min(16, frame.columns * 9 / 20)
    let heading = isOneOfSeveral && nameWidth == 0 ? "\(title) \(owner)" : title
    canvas.write(heading, row: frame.row, column: frame.column, colour: .strong, width: titleWidth)
    let name = owner.fitted(to: nameWidth, style)
    canvas.write(name, row: frame.row, endingAt: frame.end, room: nameWidth, colour: .faint)
    let start = frame.column + titleWidth + 1
    let end = frame.end - (nameWidth > 0 ? nameWidth + 2 : 0)
    if case .past(let words) = standing {
      let text = reading.isAwaited ? words : "\(formerWithAge); \(words)"
      canvas.write(text, row: frame.row, column: start, colour: .warning, width: end - start)
      return
    }
    let used = canvas.write(
      value, row: frame.row, column: start, colour: .strong, width: end - start)
    if let (text, colour) = warning(of: reading.sample, sensor, style), colour != .good {
      let place = start + used + 2
      canvas.write(text, row: frame.row, column: place, colour: colour, width: end - place)
      return
    }
    let place = start + max(used, 10) + 2
    guard end - place >= 4 else { return }
    if let text = nextToValue {
      canvas.write(text, row: frame.row, column: place, width: end - place)
      return
    }
    canvas.write(reading.spark(end - place, at: now).text(style), row: frame.row, column: place, colour: .good)
  }

  /// What says more than a graph of the value would.
  private var nextToValue: String? {
    if reading.sample.kind == RideSample.kind { return rideText }
    if let route = RouteSample(reading.sample.record) { return cueWords(route, style) ?? "" }
    guard let coach = CoachSample(reading.sample.record) else { return nil }
    return coach.actualPerMin.map { "now \(Quantity.text("actual_per_min", $0, style))" } ?? ""
  }

  /// Details of the ride next to its distance.
  private var rideText: String {
    let ride = RideSample(reading.sample.record)
    let time = ride?.movingTimeS.map { Quantity.text("moving_time_s", $0, style) }
    let lap = ride?.lap.flatMap { $0 > 1 ? "lap \($0)" : nil }
    return [time, lap, ride?.paused == true ? "paused" : nil].compactMap(\.self).joined(separator: ", ")
  }
}

// Text below and next to a value.
extension Tile {
  private var remark: (String, Style.Colour) {
    if case .past(let words) = standing { return (words, .warning) }
    if let warning = warning(of: reading.sample, sensor, style) { return warning }
    if let cue = RouteSample(reading.sample.record).flatMap({ cueWords($0, style) }) { return (cue, .plain) }
    // Flags that are false are omitted.
    return (reading.sample.details { !tooFine.contains($0.name) && $0.value != false }, .faint)
  }

  /// If only one fits: the problem, else the age.
  private var briefRemark: (String, Style.Colour) {
    if let warning = warning(of: reading.sample, sensor, style), warning.colour != .good { return warning }
    return ageRemark
  }

  /// The age of a value that is current but not new.
  private var ageRemark: (String, Style.Colour) {
    let age = reading.age(at: now)
    return age < 5 ? ("", .plain) : ("\(ageText(age)) ago", .faint)
  }
}

/// Without decimals, which would only flicker.
func ageText(_ seconds: Double) -> String {
  seconds < 10 ? "\(Int(max(0, seconds))) s" : spanText(seconds.rounded(.down))
}

/// Fields that need more than a glance: `cyclo watch --lines` and --json have them.
private let tooFine: Set<String> = [
  "source", "distance_delta_m", "wheel_revs", "crank_revs", "accumulated_torque_nm", "torque_source", "message_count",
  "smo2_previous_pct", "status_raw", "wheel_index", "wheel", "sensor_id", "sensor_address", "timestamp", "timestamp_ns",
  "device_clock_set", "measurement_status", "device_status", "heart_rate_state",
  "route", "climb_profile_m", "uses_height",
]

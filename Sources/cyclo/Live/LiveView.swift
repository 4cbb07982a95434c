// The main screen of `watch`: problems at the top, then the road, then values as large as fits, and
// the sensors at the bottom. It knows neither the terminal nor the daemon.

import JSON
import Linux
import Text
import Time
import Wire

struct LiveView {
  let dashboard: Dashboard
  let now: MonotonicTime
  /// The keys, if there are any.
  var hint = ""
  var page = Page.values
  /// The first visible line of a page that is longer than the screen.
  var offset = 0
  private var style: Style { dashboard.style }

  /// The lines for a terminal of this size.
  func lines(_ size: Terminal.Size) -> [Line] {
    switch page {
    case .values: return values(size)
    case .all: return scrolled(LivePage.all(dashboard, columns: size.columns, at: now), size)
    case .help: return scrolled(LivePage.help(style, columns: size.columns), size)
    }
  }

  private func values(_ size: Terminal.Size) -> [Line] {
    var canvas = Canvas(columns: size.columns, rows: size.rows, style: style)
    let head = drawHead(on: &canvas)
    let tiles = tiles
    let roads = tiles.filter { $0.reading.sample.radar != nil }
    let others = tiles.filter { $0.reading.sample.radar == nil }
    // Sensors get at least one line, and the rows that values leave.
    let rows = size.rows - head - 1
    let room = Terminal.Size(columns: size.columns, rows: rows)
    let first = others.count { firstKinds.contains($0.reading.sample.kind) }
    let plan = Plan.best(roads: roads.count, others: others.count, first: first, in: room)
    let spare = rows + 1 - plan.rows(roads: roads.count, others: others.count) - footer(columns: size.columns).count
    let roadRows = plan.size == .line ? 1 : spare >= 3 * roads.count ? 6 : plan.size.roadRows
    var row = head
    for tile in roads where row < size.rows - 1 {
      guard let picture = tile.reading.sample.radar else { continue }
      let frame = Frame(row: row, column: 0, columns: size.columns)
      Road(tile: tile, picture: picture).draw(on: &canvas, in: frame, rows: roadRows)
      row += roadRows
    }
    let (large, small) = plan.parted(others)
    var shown = draw(large, plan.size, across: plan.across, on: &canvas, from: row)
    row += plan.largeRows
    shown += draw(small, .line, across: plan.linesAcross, on: &canvas, from: row)
    row += plan.lineRows(others: others.count)
    if others.isEmpty, roads.isEmpty { drawNothing(on: &canvas, row: head) }
    drawSensors(on: &canvas, from: min(row, size.rows - 1), hidden: others.count - shown)
    drawMessage(on: &canvas)
    return canvas.lines
  }

  /// Briefly covers the last line, so that nothing else moves.
  private func drawMessage(on canvas: inout Canvas) {
    guard let message = dashboard.message(at: now) else { return }
    let row = canvas.rows - 1
    let blank = String(repeating: " ", count: canvas.columns)
    canvas.write(blank, row: row, column: 0)
    canvas.write(message, row: row, column: 0, colour: .warning)
  }

  private var tiles: [Tile] {
    let readings = dashboard.shownReadings(at: now)
    let titles = readings.map { kindTitle($0.sample, dashboard.owner(of: $0.sample)) }
    let counts = Dictionary(titles.map { ($0, 1) }, uniquingKeysWith: +)
    return zip(readings, titles).map { reading, title in
      Tile(
        reading: reading, sensor: dashboard.owner(of: reading.sample),
        standing: dashboard.standing(of: reading, at: now), now: now, style: style,
        isOneOfSeveral: counts[title, default: 0] > 1)
    }
  }

  /// How many fitted.
  private func draw(
    _ tiles: [Tile], _ size: TileSize, across: Int, on canvas: inout Canvas, from row: Int
  ) -> Int {
    let gap = across > 1 ? 3 : 0
    let width = (canvas.columns - gap * (across - 1)) / across
    var shown = 0
    for (index, tile) in tiles.enumerated() {
      let top = row + index / across * size.rows
      // The last line belongs to the sensors.
      guard top + max(1, size.rows - 1) <= canvas.rows - 1 else { break }
      let frame = Frame(row: top, column: index % across * (width + gap), columns: width)
      tile.draw(on: &canvas, in: frame, size)
      shown += 1
    }
    return shown
  }
}

// The top and the bottom.
extension LiveView {
  /// Returns the number of rows used.
  private func drawHead(on canvas: inout Canvas) -> Int {
    var troubles: [(String, Style.Colour)] = []
    if dashboard.presence == .away { troubles.append(("No daemon: waiting for it to come back.", .bad)) }
    for adapter in dashboard.adapters where dashboard.presence == .connected {
      guard adapter.state.known != .on else { continue }
      let state = "\(printable(adapter.adapter)) is \(printable(adapter.state.text))"
      troubles.append(("\(state): run 'cyclo doctor'.", .bad))
    }
    if let obstacle = hiddenObstacle {
      troubles += obstacle.wrapped(to: max(1, canvas.columns)).map { ($0, .bad) }
    }
    if let trouble = dashboard.storageTrouble {
      let text = "Rides are not recorded\(trouble.isEmpty ? "" : ": \(printable(trouble))")"
      troubles += text.wrapped(to: max(1, canvas.columns)).map { ($0, .bad) }
    }
    for (row, trouble) in troubles.enumerated() {
      canvas.write(trouble.0, row: row, column: 0, colour: trouble.1)
    }
    return troubles.isEmpty ? 0 : troubles.count + (canvas.rows > 12 ? 1 : 0)
  }

  /// Shown if no adapter line tells it.
  private var hiddenObstacle: String? {
    dashboard.presence == .connected && dashboard.adapters.isEmpty ? dashboard.obstacle : nil
  }

  private func drawNothing(on canvas: inout Canvas, row: Int) {
    guard dashboard.presence == .connected else { return }
    let text =
      dashboard.sensors.isEmpty
      ? "No sensor is paired." + (hiddenObstacle == nil ? " 'cyclo pair' adds one." : "")
      : "No data yet. The sensors:"
    for (offset, line) in text.wrapped(to: canvas.columns).enumerated() {
      canvas.write(line, row: row + offset, column: 0)
    }
  }

  /// At the bottom; if not all fit, sensors without problems are only counted.
  private func drawSensors(on canvas: inout Canvas, from row: Int, hidden: Int) {
    let rows = max(1, canvas.rows - row)
    var lines = footer(columns: canvas.columns, hidden: hidden)
    let place = lines.count > rows ? nil : hintPlace(on: canvas, beside: lines, from: row)
    // If the keys do not fit, the hint says where they are listed.
    let tail = place == nil && !hint.isEmpty ? [Entry(text: Self.shortHint, colour: .faint, urgency: 0)] : []
    if !tail.isEmpty { lines = flowed(entries(hidden: hidden) + tail, columns: canvas.columns) }
    if lines.count > rows {
      let urgent = entries(hidden: hidden).sorted { $0.urgency > $1.urgency }
      var kept = urgent.count
      repeat {
        kept -= 1
        let rest = [Entry(text: "+ \(urgent.count - kept) more", colour: .faint, urgency: 0)] + tail
        var shown = Array(urgent.prefix(max(1, kept)))
        // Cut rather than omitted.
        let room = canvas.columns - rest.reduce(0) { $0 + $1.text.columns + 3 }
        shown.append(shown.removeLast().cut(to: room, style))
        lines = flowed(shown + rest, columns: canvas.columns)
      } while lines.count > rows && kept > 1
    }
    for (offset, line) in lines.prefix(rows).enumerated() {
      let place = canvas.rows - min(lines.count, rows) + offset
      for (column, entry) in line {
        let used = canvas.write(entry.mark(style), row: place, column: column, colour: entry.colour)
        canvas.write(entry.text, row: place, column: column + used, colour: entry.textColour)
      }
    }
    if let place {
      canvas.write(hint, row: place, endingAt: canvas.columns, room: hint.columns, colour: .faint)
    }
  }

  private static let shortHint = "h help"

  /// At the right end of the last line, or of a line above it, if there is room.
  private func hintPlace(
    on canvas: Canvas, beside lines: [[(column: Int, entry: Entry)]], from row: Int
  ) -> Int? {
    for (index, line) in (lines.reversed() + [[]]).enumerated() where canvas.rows - 1 - index >= row {
      let used = line.last.map { $0.column + $0.entry.columns(style) } ?? 0
      guard canvas.columns - used >= hint.columns + (used > 0 ? 3 : 0) else { continue }
      return canvas.rows - 1 - index
    }
    return nil
  }

  private func footer(columns: Int, hidden: Int = 0) -> [[(column: Int, entry: Entry)]] {
    flowed(entries(hidden: hidden), columns: columns)
  }

  private struct Entry {
    var text: String
    let colour: Style.Colour
    /// 0 is without problems.
    let urgency: Int
    /// Nil if it is not a sensor.
    var isStreaming: Bool?

    var textColour: Style.Colour { isStreaming == nil ? colour : .plain }

    func mark(_ style: Style) -> String {
      guard let isStreaming else { return "" }
      return isStreaming ? style.either("● ", ascii: "* ") : style.either("○ ", ascii: "o ")
    }

    func columns(_ style: Style) -> Int { mark(style).columns + text.columns }

    func cut(to width: Int, _ style: Style) -> Entry {
      var entry = self
      entry.text = text.fitted(to: max(1, width - mark(style).columns), style)
      return entry
    }
  }

  private func entries(hidden: Int) -> [Entry] {
    // Without a daemon the states of sensors are unknown.
    var entries = dashboard.presence == .connected ? dashboard.shownSensors.map(entry) : []
    if hidden > 0 {
      entries.append(Entry(text: "\(hidden) values do not fit", colour: .warning, urgency: 3))
    }
    return entries
  }

  private func entry(_ sensor: SensorRecord) -> Entry {
    let name = printable(sensor.name.isEmpty ? sensor.id : sensor.name)
    let isStreaming = sensor.isStreaming
    let state = isStreaming ? sensor.stateWord : dashboard.condition(of: sensor)
    let charge = sensor.batteryPct
    let isLow = charge.map { $0 <= 15 } ?? false
    let battery = charge.map { "battery \(isLow ? "low: " : "")\(Quantity.text("battery_pct", $0, style))" }
    // Problems first: the end may be cut.
    let parts = isStreaming && isLow ? [battery, state] : [state, battery]
    let text = "\(name) \(parts.compactMap(\.self).joined(separator: ", "))"
    let colour = isStreaming && isLow ? .warning : colour(ofState: sensor.stateWord)
    // The user knows about disabled sensors.
    let urgency = isStreaming ? isLow ? 1 : 0 : sensor.isDisabled ? 0 : 2
    return Entry(text: text, colour: colour, urgency: urgency, isStreaming: isStreaming)
  }

  /// Next to each other as far as they fit.
  private func flowed(_ entries: [Entry], columns: Int) -> [[(column: Int, entry: Entry)]] {
    var lines: [[(column: Int, entry: Entry)]] = []
    var next = columns + 1
    for entry in entries {
      if next + entry.columns(style) > columns {
        lines.append([])
        next = 0
      }
      lines[lines.count - 1].append((next, entry))
      next += entry.columns(style) + 3
    }
    return lines
  }
}

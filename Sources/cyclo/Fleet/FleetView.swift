// The screen of `fleet watch`: every bike with its main values, as large as fits, or a line each. It knows
// neither the terminal nor the bridge.

import FleetWire
import JSON
import Linux
import Text
import Time
import Wire

struct FleetView {
  let board: FleetBoard
  let now: MonotonicTime
  var hint = ""
  /// The first bike that is shown, if not all fit.
  var offset = 0

  private static let tileRows = 7
  private static let cellColumns = 17
  private static let leastTileColumns = 2 * cellColumns
  private static let lineColumns = 76
  private var style: Style { board.style }

  func lines(_ size: Terminal.Size) -> [Line] {
    var canvas = Canvas(columns: size.columns, rows: size.rows, style: style)
    let head = drawHead(on: &canvas)
    let room = size.rows - head - 1
    let layout = Layout(bikes: board.bikes.count, columns: size.columns, rows: room)
    let first = max(0, min(offset, board.bikes.count - layout.capacity))
    let shown = board.bikes.dropFirst(first).prefix(layout.capacity)
    for (index, bike) in shown.enumerated() {
      let frame = Frame(
        row: head + index / layout.across * layout.rows, column: index % layout.across * (layout.width + 2),
        columns: layout.width)
      if layout.isLarge { drawTile(bike, on: &canvas, in: frame) } else { drawLine(bike, on: &canvas, in: frame) }
    }
    drawFoot(on: &canvas, hidden: board.bikes.count - shown.count)
    return canvas.lines
  }

  /// As few next to each other as fit; lines if they do not fit as tiles.
  struct Layout: Equatable {
    let isLarge: Bool
    let across: Int
    let width: Int
    let rows: Int
    let capacity: Int

    init(bikes: Int, columns: Int, rows room: Int) {
      func across(_ least: Int) -> Int { max(1, (columns + 2) / (least + 2)) }
      let large = (1...across(leastTileColumns)).first { count in
        (bikes + count - 1) / count * tileRows <= room + 1
      }
      isLarge = large != nil && columns >= leastTileColumns
      self.across = isLarge ? large ?? 1 : across(lineColumns)
      width = (columns + 2) / self.across - 2
      rows = isLarge ? tileRows : 1
      capacity = isLarge ? bikes : max(0, room) * self.across
    }
  }

  /// Returns the number of rows used.
  private func drawHead(on canvas: inout Canvas) -> Int {
    guard let text = trouble else { return 0 }
    let lines = text.wrapped(to: max(1, canvas.columns))
    for (row, line) in lines.enumerated() { canvas.write(line, row: row, column: 0, colour: .bad) }
    return lines.count
  }

  /// What concerns all bikes.
  private var trouble: String? {
    guard board.isFollowing, let broker = board.broker else { return "No bridge: waiting for it to come back." }
    if broker.state.known != .connected {
      return "No broker: \(printable(broker.message ?? broker.state.text)). Nothing below is current."
    }
    if !broker.refused.isEmpty { return "The broker lets the bridge not read \(listed(broker.refused))." }
    return board.bikes.isEmpty ? "No receiver has published anything yet." : nil
  }

  private func drawFoot(on canvas: inout Canvas, hidden: Int) {
    let row = canvas.rows - 1
    if let message = board.message(at: now) {
      canvas.write(message, row: row, column: 0, colour: .warning)
      return
    }
    let there = board.bikes.count { board.absence(of: $0) == nil }
    let more = hidden > 0 ? "; \(hidden) do not fit: scroll" : ""
    let colour: Style.Colour = there < board.bikes.count ? .warning : .faint
    let used = canvas.write(
      "\(there) of \(board.bikes.count) receivers are there\(more)", row: row, column: 0, colour: colour)
    let room = canvas.columns - used - 3
    canvas.write(hint, row: row, endingAt: canvas.columns, room: room, colour: .faint)
  }
}

// MARK: A bike

extension FleetView {
  /// The name, with the group where there are several.
  private func title(_ bike: FleetBoard.Bike) -> String {
    let isPlain = board.bikes.allSatisfy { $0.group == bike.group }
    return printable(isPlain ? bike.name : "\(bike.group)/\(bike.name)")
  }

  private func drawTile(_ bike: FleetBoard.Bike, on canvas: inout Canvas, in frame: Frame) {
    var column = frame.column
    column += canvas.write(title(bike), row: frame.row, column: column, colour: .strong, width: frame.columns) + 2
    if let absence = board.absence(of: bike) {
      column +=
        canvas.write(absence, row: frame.row, column: column, colour: .bad, width: max(0, frame.end - column)) + 2
    }
    if let road = board.road(of: bike, at: now) {
      let room = max(0, frame.end - column)
      canvas.write(road.text.fitted(to: room, style), row: frame.row, column: column, colour: road.colour, width: room)
    }
    let readings = board.mainReadings(of: bike, at: now)
    if readings.isEmpty {
      canvas.write("no value yet", row: frame.row + 2, column: frame.column, colour: .faint, width: frame.columns)
    }
    for (index, reading) in readings.prefix(max(1, frame.columns / Self.cellColumns)).enumerated() {
      let cell = Frame(
        row: frame.row + 1, column: frame.column + index * Self.cellColumns, columns: Self.cellColumns - 1)
      draw(reading, bike, on: &canvas, in: cell)
    }
  }

  /// Three rows of digits, what they are, and their age or what is wrong.
  private func draw(_ reading: LiveReading, _ bike: FleetBoard.Bike, on canvas: inout Canvas, in frame: Frame) {
    let standing = board.standing(of: reading, bike, at: now)
    let measure = reading.number.flatMap { number in
      reading.sample.headlineField.map { Quantity.measure($0.name, number, style) }
    }
    let kind = kindTitle(reading.sample, nil)
    if case .past(let reason) = standing {
      canvas.write(style.either("▄▄▄", ascii: "---"), row: frame.row + 1, column: frame.column, colour: .faint)
      let was = "was \(reading.sample.headline)"
      canvas.write(kind, row: frame.row, column: frame.column, colour: .faint, width: frame.columns)
      canvas.write(was, row: frame.row + 2, column: frame.column, colour: .faint, width: frame.columns)
      let isUndated = bike.undated.contains("\(reading.sample.sensor) \(reading.sample.kind)")
      let age = isUndated ? "" : "\(ageText(reading.age(at: now))) ago"
      canvas.write(age, row: frame.row + 3, column: frame.column, colour: .warning, width: frame.columns)
      if board.absence(of: bike) == nil {
        canvas.write(reason, row: frame.row + 4, column: frame.column, colour: .warning, width: frame.columns)
      }
      return
    }
    let digits = measure.flatMap { Digits($0.digits, .middle, style) }.flatMap {
      $0.columns <= frame.columns ? $0 : nil
    }
    if let digits {
      for (row, text) in digits.rows.enumerated() {
        canvas.write(text, row: frame.row + row, column: frame.column, colour: .strong)
      }
    } else {
      canvas.write(
        reading.sample.headline, row: frame.row + 1, column: frame.column, colour: .strong, width: frame.columns)
    }
    let unit = digits == nil ? "" : measure.map(\.unit) ?? ""
    let caption = [unit, kind].filter { !$0.isEmpty }.joined(separator: " ")
    canvas.write(caption, row: frame.row + 3, column: frame.column, width: frame.columns)
    let age = reading.age(at: now)
    if age >= 2 {
      canvas.write("\(ageText(age)) ago", row: frame.row + 4, column: frame.column, colour: .faint)
    }
  }

  private func drawLine(_ bike: FleetBoard.Bike, on canvas: inout Canvas, in frame: Frame) {
    let nameColumns = min(16, frame.columns / 3)
    canvas.write(title(bike), row: frame.row, column: frame.column, colour: .strong, width: nameColumns)
    var column = frame.column + nameColumns + 1
    func add(_ text: String, _ colour: Style.Colour, _ canvas: inout Canvas) {
      let room = frame.end - column
      guard room > 0 else { return }
      column += canvas.write(text.fitted(to: room, style), row: frame.row, column: column, colour: colour) + 2
    }
    if let absence = board.absence(of: bike) { add(absence, .bad, &canvas) }
    // First, because the end may be cut.
    if let road = board.road(of: bike, at: now) { add(road.text, road.colour, &canvas) }
    for reading in board.mainReadings(of: bike, at: now) {
      switch board.standing(of: reading, bike, at: now) {
      case .current: add(reading.sample.headline, .plain, &canvas)
      case .past:
        let isUndated = bike.undated.contains("\(reading.sample.sensor) \(reading.sample.kind)")
        let age = isUndated ? "age unknown" : "\(ageText(reading.age(at: now))) ago"
        add("(\(reading.sample.headline), \(age))", .faint, &canvas)
      }
    }
  }
}

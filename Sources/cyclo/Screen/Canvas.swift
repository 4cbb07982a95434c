// A screen buffer: characters with colours at positions. Text that does not fit is cut and marked, so
// callers need not measure it.

struct Canvas {
  let columns: Int
  let rows: Int
  let style: Style
  /// Row by row. The second cell of a wide character is empty.
  private var cells: [Cell]

  private struct Cell {
    var text: Character? = " "
    var colour = Style.Colour.plain
  }

  init(columns: Int, rows: Int, style: Style) {
    self.columns = max(0, columns)
    self.rows = max(0, rows)
    self.style = style
    cells = Array(repeating: Cell(), count: self.columns * self.rows)
  }

  /// Writes from `column` on within `width` columns, and returns the number of columns used.
  @discardableResult
  mutating func write(
    _ text: String, row: Int, column: Int, colour: Style.Colour = .plain, width: Int? = nil
  ) -> Int {
    let room = min(width ?? columns, columns - column)
    guard row >= 0, row < rows, column >= 0, room > 0 else { return 0 }
    var place = column
    for character in text.fitted(to: room, style) {
      put(character, colour, row: row, column: place)
      place += character.columns
    }
    return place - column
  }

  /// Right-aligned before `end`, or omitted if fewer than `room` columns are left.
  mutating func write(_ text: String, row: Int, endingAt end: Int, room: Int, colour: Style.Colour = .plain) {
    guard text.columns <= room else { return }
    write(text, row: row, column: end - text.columns, colour: colour)
  }

  private mutating func put(_ character: Character, _ colour: Style.Colour, row: Int, column: Int) {
    let start = row * columns + column
    guard column + character.columns <= columns else { return }
    cells[start] = Cell(text: character, colour: colour)
    if character.columns == 2 { cells[start + 1] = Cell(text: nil, colour: colour) }
  }

  /// Without trailing spaces.
  var lines: [Line] {
    (0..<rows).map { row in
      var line = Line()
      var run = ""
      var colour = Style.Colour.plain
      let own = cells[row * columns..<(row + 1) * columns]
      let end = own.lastIndex { $0.text != " " }.map { $0 + 1 } ?? own.startIndex
      for cell in own[..<end] {
        // A space looks the same in every colour.
        if cell.colour != colour, cell.text != " " {
          line.add(run, colour)
          (run, colour) = ("", cell.colour)
        }
        if let character = cell.text { run.append(character) }
      }
      line.add(run, colour)
      return line
    }
  }
}

// Rows of text in aligned columns. Widths are counted without colours. If the terminal is too
// narrow, dispensable columns are dropped, which a line below the table says, and long cells wrap
// or are shortened. If that is not enough, each row becomes a paragraph.

import Text

struct Cell {
  let text: String
  let colour: Style.Colour

  init(_ text: String, _ colour: Style.Colour = .plain) {
    self.text = printable(text)
    self.colour = colour
  }
}

private let gap = 2

struct Table {
  var rows: [[Cell]] = []
  /// Headings of dispensable columns, the least important first.
  private let dispensable: [String]

  /// A row is one line: long cells end with an ellipsis instead of being wrapped.
  private let isShortened: Bool

  init(heading: [String], dispensable: [String] = [], isShortened: Bool = false) {
    self.dispensable = dispensable
    self.isShortened = isShortened
    rows.append(heading.map { Cell($0, .faint) })
  }

  /// Drops columns that are empty in every row. `limit` is the width of the terminal.
  func lines(style: Style, columns limit: Int? = nil) -> [String] {
    let count = rows.map(\.count).max() ?? 0
    var used = (0..<count).filter { column in rows.dropFirst().contains { !$0.cell(column).text.isEmpty } }
    let all = shown(used)
    let natural = widths(all) { $0.text.columns }
    guard let limit, natural.sum > limit else { return all.flatMap { lines($0, natural, style) } }
    var leavable = dispensable[...]
    var left: [String] = []
    while true {
      let shown = shown(used)
      let least = widths(shown, leastWidth)
      // Drop the dispensable columns before shortening the others.
      let isFirst = isShortened && left.isEmpty && !leavable.isEmpty
      if least.sum <= limit, !isFirst {
        let narrowed = narrowed(widths(shown) { $0.text.columns }, to: limit, least: least)
        return shown.flatMap { lines($0, narrowed, style) } + note(left, style, limit)
      }
      guard let heading = leavable.popFirst() else { return paragraphs(all, style, limit) }
      let before = used.count
      used.removeAll { rows.first?.cell($0).text == heading }
      if used.count < before { left.append(heading) }
    }
  }

  /// Not narrower than is comfortable, and not narrower than the longest word if cells wrap.
  private func leastWidth(_ cell: Cell) -> Int {
    let least = min(cell.text.columns, isShortened ? 12 : 9)
    return isShortened ? least : max(least, cell.text.wrapped(to: 1).map(\.columns).max() ?? 0)
  }

  /// The dropped columns.
  private func note(_ left: [String], _ style: Style, _ limit: Int) -> [String] {
    if left.isEmpty { return [] }
    let text = "Not shown for lack of width: \(left.joined(separator: ", ").lowercased())"
    return text.wrapped(to: limit - 1).map { style.paint($0, .faint) }
  }

  private func shown(_ columns: [Int]) -> [[Cell]] {
    rows.map { row in columns.map { row.cell($0) } }
  }

  private func widths(_ rows: [[Cell]], _ width: (Cell) -> Int) -> [Int] {
    (rows.first?.indices ?? 0..<0).map { column in rows.map { width($0[column]) }.max() ?? 0 }
  }

  /// The widest column shrinks first.
  private func narrowed(_ natural: [Int], to limit: Int, least: [Int]) -> [Int] {
    var widths = natural
    while widths.sum > limit {
      let wide = widths.indices.filter { widths[$0] > least[$0] }.max { widths[$0] < widths[$1] }
      guard let wide else { break }
      widths[wide] -= 1
    }
    return widths
  }

  private func lines(_ row: [Cell], _ widths: [Int], _ style: Style) -> [String] {
    let cells = zip(row, widths).map { cell, width in
      if cell.text.columns <= width { return [cell.text] }
      return isShortened ? [cell.text.fitted(to: width, style)] : cell.text.wrapped(to: width)
    }
    return (0..<(cells.map(\.count).max() ?? 0)).map { number in
      var line = ""
      var space = 0
      for (column, texts) in cells.enumerated() {
        let text = number < texts.count ? texts[number] : ""
        if !text.isEmpty {
          line += String(repeating: " ", count: space) + style.paint(text, row[column].colour)
          space = 0
        }
        space += widths[column] - text.columns + gap
      }
      return line
    }
  }

  private func paragraphs(_ rows: [[Cell]], _ style: Style, _ limit: Int) -> [String] {
    guard let heading = rows.first else { return [] }
    let labels = heading.map { $0.text.lowercased() }
    let margin = (labels.dropFirst().map(\.columns).max() ?? 0) + 4
    return rows.dropFirst().flatMap { row in
      var lines = [style.paint(row.cell(0).text, row.cell(0).colour)]
      for (label, cell) in zip(labels, row).dropFirst() where !cell.text.isEmpty {
        let parts = cell.text.wrapped(to: max(12, limit - margin))
        let start = "  " + style.paint(label.padded(to: margin - 2), .faint)
        lines.append(start + style.paint(parts[0], cell.colour))
        let indent = String(repeating: " ", count: margin)
        lines += parts.dropFirst().map { indent + style.paint($0, cell.colour) }
      }
      return lines
    }
  }
}

extension [Cell] {
  fileprivate func cell(_ column: Int) -> Cell {
    column < count ? self[column] : Cell("")
  }
}

extension [Int] {
  /// Including the gaps between columns.
  fileprivate var sum: Int { reduce(0, +) + gap * (count - 1) }
}

// Rows of text in aligned columns. Widths are counted before colours are put on.

struct Cell {
  let text: String
  let colour: Style.Colour

  init(_ text: String, _ colour: Style.Colour = .plain) {
    self.text = printable(text)
    self.colour = colour
  }
}

struct Table {
  var rows: [[Cell]] = []

  init(heading: [String]) {
    rows.append(heading.map { Cell($0, .faint) })
  }

  /// Columns that say nothing in any row are left out, with their heading.
  func lines(style: Style) -> [String] {
    let count = rows.map(\.count).max() ?? 0
    let used = (0..<count).filter { column in
      rows.dropFirst().contains { $0.count > column && !$0[column].text.isEmpty }
    }
    let widths = used.map { column in rows.map { $0.count > column ? $0[column].text.count : 0 }.max() ?? 0 }
    return rows.map { row in
      var line = ""
      for (column, width) in zip(used, widths) {
        let cell = row.count > column ? row[column] : Cell("")
        let gap = column == used.last ? "" : String(repeating: " ", count: width - cell.text.count + 2)
        line += style.paint(cell.text, cell.colour) + gap
      }
      return line.trimmedAtEnd
    }
  }
}

extension String {
  var trimmedAtEnd: String {
    var text = self[...]
    while text.last == " " { text.removeLast() }
    return String(text)
  }

  func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}

/// Without control characters: a name heard over the air must not steer the terminal.
func printable(_ text: String) -> String {
  guard text.unicodeScalars.contains(where: isControl) else { return text }
  return String(String.UnicodeScalarView(text.unicodeScalars.map { isControl($0) ? "\u{FFFD}" : $0 }))
}

private func isControl(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.properties.generalCategory {
  case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
  default: false
  }
}

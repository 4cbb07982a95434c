// Sections of names and values below a heading, wrapped to the terminal.

import Text

struct SectionText {
  /// Width of the terminal; nil without a terminal, which turns wrapping off.
  let columns: Int?
  let style: Style

  struct Section {
    let heading: String
    var rows: [(name: String, value: String)] = []
  }

  func lines(_ id: String, _ sections: [Section]) -> [String] {
    let sections = sections.map { section in
      Section(heading: section.heading, rows: section.rows.filter { !$0.value.isEmpty })
    }.filter { !$0.rows.isEmpty }
    var lines = [style.paint(printable(id), .strong)]
    for section in sections {
      let width = section.rows.map(\.name.columns).max() ?? 0
      if !section.heading.isEmpty { lines += ["", style.paint(section.heading, .strong)] }
      for row in section.rows { lines += shown(row.name, row.value, width: width) }
    }
    return lines
  }

  private func shown(_ name: String, _ value: String, width: Int) -> [String] {
    let indent = width + 4
    // If names leave too little room, values go on their own lines.
    if let columns, columns - indent < 24, indent + value.columns >= columns {
      let name = "  " + style.paint(printable(name), .faint)
      return [name] + value.wrapped(to: columns - 5).map { "    " + $0 }
    }
    let pieces = columns.map { value.wrapped(to: max(16, $0 - indent - 1)) } ?? [value]
    let padding = String(repeating: " ", count: width - name.columns)
    let first = "  " + style.paint(printable(name), .faint) + padding + "  " + (pieces.first ?? "")
    return [first] + pieces.dropFirst().map { String(repeating: " ", count: indent) + $0 }
  }
}

// A list from which the user chooses a row: redrawn with a cursor, or as numbered lines if nothing
// can be redrawn. The list may grow meanwhile, by what the daemon reports.

import CyclometerClient
import Linux
import Time

protocol Menu {
  var question: String { get }
  var count: Int { get }
  func row(_ index: Int, columns: Int) -> Line
  /// Instead of rows that are not there yet.
  var whileEmpty: String { get }
  /// About a row, below the list while it is selected; nil for a list without remarks.
  func remark(on index: Int, columns: Int) -> (text: String, colour: Style.Colour)?
  /// What other keys do.
  var otherKeys: String { get }
  mutating func press(_ key: Character) throws(Failure)
  /// False if the row cannot be chosen; its remark then says why.
  mutating func accepts(_ index: Int) -> Bool
  mutating func take(_ record: ReceivedRecord, _ choice: inout Choice) throws(Failure)
}

extension Menu {
  var whileEmpty: String { "" }
  func remark(on index: Int, columns: Int) -> (text: String, colour: Style.Colour)? { nil }
  var otherKeys: String { "" }
  mutating func press(_ key: Character) {}
  mutating func accepts(_ index: Int) -> Bool { true }
  mutating func take(_ record: ReceivedRecord, _ choice: inout Choice) {}

  fileprivate func lines(_ choice: Choice, _ size: Terminal.Size) -> [Line] {
    var lines = [Line(question, .strong)]
    if count == 0 { lines += whileEmpty.wrapped(to: size.columns - 1).map { Line($0) } }
    let remark = remark(on: choice.selected, columns: size.columns)
    // Rows for the question, the remark and the keys (each up to two lines), and the cursor.
    for index in choice.window(rows: size.rows - (remark == nil ? 4 : 6)) {
      var line = choice.lead(index)
      line.append(row(index, columns: size.columns - line.width))
      lines.append(line)
    }
    if let (text, colour) = remark, !text.isEmpty {
      lines += text.wrapped(to: size.columns - 5).prefix(2).map { Line("    " + $0, colour) }
    }
    let keys = "\(Glyphs.upAndDown) or a number, then Enter; q quits\(otherKeys)"
    return lines + keys.wrapped(to: size.columns - 1).map { Line($0, .faint) }
  }
}

/// Rows that stay as they are.
private struct FixedMenu: Menu {
  let question: String
  let rows: [Line]

  var count: Int { rows.count }
  func row(_ index: Int, columns: Int) -> Line { rows[index] }
}

extension Conversation {
  /// The index of the chosen row.
  func choose(_ question: String, from rows: [Line], _ connection: Connection) throws(Failure) -> Int {
    guard means == .keys else { return try chooseByNumber(question, from: rows) }
    var menu = FixedMenu(question: question, rows: rows)
    return try choose(from: &menu, connection)
  }

  /// By keys, in a redrawn list.
  func choose(from menu: inout some Menu, _ connection: Connection) throws(Failure) -> Int {
    let screen = Screen(output)
    var choice = Choice(count: menu.count)
    read(keys: true)
    defer {
      screen.end()
      read(keys: false)
    }
    while true {
      screen.draw(menu.lines(choice, screen.size))
      switch try next(connection, until: .now + Self.tick) {
      case .record(let record): try menu.take(record, &choice)
      case .keys(let keys):
        for key in keys {
          switch choice.press(key) {
          case .chosen(let index): if menu.accepts(index) { return index }
          case .left: throw Failure.left
          case .other(let letter): try menu.press(letter)
          case .none: break
          }
        }
      case .ended: throw Failure.left
      case .line, .time: break
      }
    }
  }

  private func chooseByNumber(_ question: String, from rows: [Line]) throws(Failure) -> Int {
    output.note(question)
    for (index, row) in rows.enumerated() {
      output.note("\(String(index + 1).leading(2))  \(row.text(style: output.style))")
    }
    return try ask("Number", fallback: "1", hint: "a number from 1 to \(rows.count)") { text in
      Int(text).flatMap { 1...rows.count ~= $0 ? $0 - 1 : nil }
    }
  }
}

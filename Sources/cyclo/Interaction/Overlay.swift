// Lines below the output that are redrawn and finally erased. Between two drawings the cursor is at
// their start, so that ending the program there erases them.

import Linux
import Text

final class Overlay {
  private let output: Output
  private var isOpen = false

  init(_ output: Output) {
    self.output = output
  }

  /// The terminal's current width without the last column, because some terminals wrap there.
  var size: Terminal.Size { Terminal.size(1) ?? Terminal.Size(columns: 80, rows: 24) }

  /// Lines that do not fit are dropped at the end. After an interrupt the last `kept` lines stay.
  func draw(_ lines: [Line], keeping kept: Int = 0) {
    let size = size
    let shown = lines.prefix(size.rows - 1)
    if !isOpen {
      output.flush()
      Terminal.draw(.below)
      isOpen = true
    }
    var text = "\r"
    for line in shown { text += line.text(columns: size.columns - 1, style: output.style) + "\u{1B}[K\n" }
    // Erases the remains of a longer drawing or of a wider terminal.
    text += "\u{1B}[J"
    if !shown.isEmpty { text += "\u{1B}[\(shown.count)A" }
    output.text(text)
    output.flush()
    // Only after they were written.
    Terminal.keep(lines: kept)
  }

  func erase() {
    guard isOpen else { return }
    isOpen = false
    Terminal.draw(.nothing)
  }
}

/// Pieces of coloured text on one line.
struct Line: Equatable {
  private(set) var pieces: [Piece] = []

  struct Piece: Equatable {
    let text: String
    let colour: Style.Colour
  }

  init(_ text: String = "", _ colour: Style.Colour = .plain) {
    add(text, colour)
  }

  mutating func add(_ text: String, _ colour: Style.Colour = .plain) {
    let text = printable(text)
    if !text.isEmpty { pieces.append(Piece(text: text, colour: colour)) }
  }

  mutating func append(_ line: Line) {
    pieces += line.pieces
  }

  /// Pads to a column, with at least one space.
  mutating func fill(to column: Int) {
    add(String(repeating: " ", count: max(1, column - width)))
  }

  var width: Int { pieces.reduce(0) { $0 + $1.text.columns } }

  /// Cut at the width.
  func text(columns: Int = .max, style: Style) -> String {
    var left = columns
    var text = ""
    for piece in pieces where left > 0 {
      let part = piece.text.fitted(to: left, style)
      left -= part.columns
      text += style.paint(part, piece.colour)
    }
    return text
  }
}

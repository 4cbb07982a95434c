// A line of the screen: pieces of coloured text.

import Text

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

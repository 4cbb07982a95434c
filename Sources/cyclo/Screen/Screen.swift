// Lines on the terminal that are redrawn, and undone at the end: lists and questions below the
// output, and the live view on the whole screen. Only lines that have changed are written.

import Linux

final class Screen {
  enum Place {
    /// Between two drawings the cursor is at their start, so that ending the program there erases
    /// them.
    case below
    case whole
  }

  private let output: Output
  private let place: Place
  private var isOpen = false
  private var shown: [String] = []
  private var drawnSize: Terminal.Size?

  init(_ output: Output, _ place: Place = .below) {
    self.output = output
    self.place = place
    if place == .whole { open() }
  }

  /// The terminal's current size.
  var size: Terminal.Size { Terminal.size(1) ?? Terminal.Size(columns: 80, rows: 24) }

  /// Whether everything has to be drawn again: the terminal was resized or showed something else.
  func isOutdated() -> Bool {
    if Terminal.takeChange() || drawnSize != size { shown = [] }
    return shown.isEmpty
  }

  /// Lines that do not fit are dropped at the end. After an interrupt the last `kept` lines below
  /// stay.
  func draw(_ lines: [Line], keeping kept: Int = 0) {
    if !isOpen { open() }
    let isNew = isOutdated()
    drawnSize = size
    let texts = lines.prefix(place == .below ? size.rows - 1 : size.rows)
      // The last column stays free below, because some terminals wrap there.
      .map { $0.text(columns: place == .below ? size.columns - 1 : size.columns, style: output.style) }
    switch place {
    case .below: drawBelow(texts, isNew: isNew)
    case .whole: drawWhole(texts, isNew: isNew)
    }
    shown = texts
    output.flush()
    // Only after they were written.
    if place == .below { Terminal.keep(lines: kept) }
  }

  /// Restores the terminal, and leaves the last lines of a whole screen on it if requested.
  func end(leaving: Bool = false) {
    guard isOpen else { return }
    isOpen = false
    output.flush()
    Terminal.draw(.nothing)
    if leaving { for line in shown where !line.isEmpty { output.line(line) } }
    shown = []
  }

  private func open() {
    output.flush()
    Terminal.draw(place == .below ? .below : .screen)
    isOpen = true
  }

  private func drawBelow(_ lines: [String], isNew: Bool) {
    var text = "\r"
    for (row, line) in lines.enumerated() {
      if isNew || row >= shown.count || shown[row] != line { text += line + "\u{1B}[K" }
      text += "\n"
    }
    // The remains of a longer drawing or of a wider terminal.
    text += "\u{1B}[J"
    if !lines.isEmpty { text += "\u{1B}[\(lines.count)A" }
    output.text(text)
  }

  private func drawWhole(_ lines: [String], isNew: Bool) {
    if isNew { output.text("\u{1B}[2J") }
    for (row, line) in lines.enumerated() where isNew || row >= shown.count || shown[row] != line {
      output.text("\u{1B}[\(row + 1);1H\(line)\u{1B}[K")
    }
  }
}

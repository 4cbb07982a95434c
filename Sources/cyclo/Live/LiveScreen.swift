// The live view on the terminal: draws what has changed, and restores the terminal at the end.

import Linux

struct LiveScreen {
  let output: Output
  private var shown: [String] = []
  private var size = Terminal.Size(columns: 80, rows: 24)

  init(_ output: Output) {
    self.output = output
    output.flush()
    Terminal.draw(.screen)
  }

  /// Whether to redraw everything: the terminal was resized or showed something else.
  mutating func isOutdated() -> Bool {
    if Terminal.takeChange() { shown = [] }
    return shown.isEmpty
  }

  mutating func draw(_ view: LiveView) {
    if isOutdated() {
      output.text("\u{1B}[2J")
      size = Terminal.size(1) ?? size
    }
    let lines = view.lines(size)
    for (row, line) in lines.enumerated() where row >= shown.count || shown[row] != line {
      output.text("\u{1B}[\(row + 1);1H\(line)\u{1B}[K")
    }
    shown = lines
    output.flush()
  }

  /// Restores the terminal, and leaves the last view on it if requested.
  func end(leaving: Bool) {
    output.flush()
    Terminal.draw(.nothing)
    guard leaving else { return }
    for line in shown where !line.isEmpty { output.line(line) }
  }
}

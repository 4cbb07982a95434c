// A QR code on a terminal. Cameras need dark modules on a light ground, so the colours are set where
// the terminal has any. Two rows share a line, because a character is twice as high as it is wide.

struct QRPicture {
  private let modules: [[Bool]]
  /// Light modules around the code. The standard asks for four, and cameras are content with two; with
  /// four, a code would not fit into a terminal of 24 lines.
  private static let margin = 2

  /// A row is a text of `0` and `1`. Nil if the rows are not a square of them.
  init?(_ rows: [String]) {
    let size = rows.count
    guard size > 0, rows.allSatisfy({ $0.utf8.count == size && $0.utf8.allSatisfy { $0 == 0x30 || $0 == 0x31 } })
    else { return nil }
    let side = [Bool](repeating: false, count: Self.margin)
    let edge = [[Bool]](repeating: [Bool](repeating: false, count: size + 2 * Self.margin), count: Self.margin)
    modules = edge + rows.map { side + $0.utf8.map { $0 == 0x31 } + side } + edge
  }

  /// Nil if the code does not fit into the width.
  func lines(_ style: Style, columns: Int) -> [String]? {
    if style.isUnicode { return modules.count <= columns ? halfBlocks(style) : nil }
    // Without half blocks and colours, nothing has the shape of a module.
    return style.isColoured && modules.count * 2 <= columns ? blanks() : nil
  }

  private func halfBlocks(_ style: Style) -> [String] {
    stride(from: 0, to: modules.count, by: 2).map { row in
      let below = row + 1 < modules.count ? modules[row + 1] : nil
      let signs = modules[row].indices.map { column in
        let (upper, lower) = (modules[row][column], below?[column] ?? false)
        // Without colours, a light module is drawn, because most terminals write light on dark.
        return style.isColoured ? Self.sign(upper, lower) : Self.sign(!upper, below != nil && !lower)
      }
      return style.isColoured ? Self.blackOnWhite + signs.joined() + Self.plain : signs.joined()
    }
  }

  private static func sign(_ upper: Bool, _ lower: Bool) -> String {
    switch (upper, lower) {
    case (true, true): "█"
    case (true, false): "▀"
    case (false, true): "▄"
    case (false, false): " "
    }
  }

  private func blanks() -> [String] {
    modules.map { row in row.map { $0 ? Self.black + "  " : Self.white + "  " }.joined() + Self.plain }
  }

  private static let blackOnWhite = "\u{1B}[30;107m"
  private static let black = "\u{1B}[40m"
  private static let white = "\u{1B}[107m"
  private static let plain = "\u{1B}[0m"
}

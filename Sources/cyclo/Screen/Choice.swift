// A cursor in a list that moves with arrow keys or a row number. Pure; `Conversation.choose` shows
// it.

struct Choice {
  /// Rows are only added at the end while the user chooses, so numbers stay valid.
  private(set) var count: Int
  private(set) var selected = 0
  private var digits = ""
  /// The user has moved the cursor, so it stays there.
  private var isMoved = false

  enum Outcome: Equatable {
    case none
    case chosen(Int)
    case left
    /// A key that the list's owner handles.
    case other(Character)
  }

  init(count: Int = 0) {
    self.count = count
  }

  mutating func grow(to count: Int) {
    self.count = max(self.count, count)
  }

  /// The cursor's row until the user moves it.
  mutating func suggest(_ index: Int?) {
    if let index, !isMoved, index < count { selected = index }
  }

  mutating func press(_ key: Key) -> Outcome {
    isMoved = true
    if case .letter(let letter) = key, letter.isASCII, letter.isWholeNumber {
      take(digit: letter)
      return .none
    }
    digits = ""
    switch key {
    case .up, .letter("k"): selected = max(0, selected - 1)
    case .down, .letter("j"): selected = max(0, min(count - 1, selected + 1))
    case .first: selected = 0
    case .last: selected = max(0, count - 1)
    case .enter: if count > 0 { return .chosen(selected) }
    case .escape, .end, .letter("q"): return .left
    case .letter(let letter): return .other(letter)
    case .backspace: break
    }
    return .none
  }

  /// Consecutive digits form one number as long as that row exists.
  private mutating func take(digit: Character) {
    for text in [digits + String(digit), String(digit)] {
      guard let number = Int(text), number > 0, number <= count else { continue }
      digits = text
      selected = number - 1
      return
    }
    digits = ""
  }

  /// The visible rows around the selected one, if not all fit.
  func window(rows: Int) -> Range<Int> {
    guard count > rows, rows > 0 else { return 0..<count }
    let start = max(0, min(selected - rows / 2, count - rows))
    return start..<start + rows
  }

  /// `❯ 12 ` before the text of a row.
  func lead(_ index: Int) -> Line {
    let number = String(index + 1)
    let width = max(2, String(count).count)
    let isSelected = index == selected
    var line = Line(isSelected ? Glyphs.cursor + " " : "  ", .strong)
    line.add(String(repeating: " ", count: width - number.count) + number, isSelected ? .strong : .faint)
    line.add("  ")
    return line
  }
}

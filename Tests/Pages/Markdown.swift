// Writes Markdown: prose at 100 columns, and a blank line between blocks.

struct Markdown {
  private static let width = 100
  private(set) var text = ""

  mutating func line(_ line: String) {
    text += (text.isEmpty ? "" : "\n") + line + "\n"
  }

  mutating func prose(_ prose: String, bullet: String = "") {
    guard !prose.isEmpty else { return }
    let margin = String(repeating: " ", count: bullet.count)
    var lines: [String] = []
    var line = bullet
    for word in prose.split(separator: " ") {
      if line.count + 1 + word.count > Self.width, line.count > margin.count {
        lines.append(line)
        line = margin
      }
      line += (line.count == margin.count ? "" : " ") + word
    }
    self.line((lines + [line]).joined(separator: "\n"))
  }

  mutating func code(_ code: String, _ language: String = "sh", indent: String = "") {
    let lines = ["```" + language] + code.split(separator: "\n").map(String.init) + ["```"]
    line(lines.map { indent + $0 }.joined(separator: "\n"))
  }
}

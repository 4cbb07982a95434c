// Searching and replacing text, compared with Swift's own methods.

import Testing
import Text

@Suite struct TextSearchTests {
  @Test(
    "searching and replacing agree with Swift's methods",
    arguments: ["256", "color", "x", "xterm-256color!", "ö", "aa"])
  func agreesWithSwift(_ part: String) {
    for text in ["xterm-256color", "", "Höhe", "aaa", "25 6"] {
      #expect(text.has(part) == text.contains(part), "\(part) in \(text)")
      #expect(text.replacing(each: part, by: "-") == text.replacing(part, with: "-"), "\(part) in \(text)")
    }
  }

  @Test(
    "a text is divided at the first mark",
    arguments: [("a -> b -> c", "a ", " b -> c"), ("->", "", ""), ("a - b", "a - b", nil), ("", "", nil)]
      as [(String, String, String?)])
  func division(_ text: String, _ front: String, _ rest: String?) {
    let divided = text.divided(at: "->")
    #expect(divided.front == front)
    #expect(divided.rest == rest)
  }

  @Test(
    "a similar word differs by one letter, or by two of eight, or lacks its end",
    arguments: [
      ("bmp", "bpm"), ("bp", "bpm"), ("bpmm", "bpm"), ("bbbm", nil), ("bpm", nil), ("power", "power_w"),
      ("temperatur_d", "temperature_c"), ("tmperatur_d", nil), ("öpm", nil),
    ] as [(String, String?)])
  func similar(_ text: String, _ word: String?) {
    #expect(similarWord(to: text, among: ["power_w", "bpm", "temperature_c"]) == word)
  }

  @Test("an empty text is never found, and replacements are not searched")
  func emptyText() {
    #expect(!"ride".has(""))
    #expect("ride".replacing(each: "", by: "x") == "ride")
    #expect("a-a".replacing(each: "a", by: "aa") == "aa-aa")
  }
}

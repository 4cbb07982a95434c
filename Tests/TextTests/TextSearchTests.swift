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

  @Test("an empty text is never found, and replacements are not searched")
  func emptyText() {
    #expect(!"ride".has(""))
    #expect("ride".replacing(each: "", by: "x") == "ride")
    #expect("a-a".replacing(each: "a", by: "aa") == "aa-aa")
  }
}

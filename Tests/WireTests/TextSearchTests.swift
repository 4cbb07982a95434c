// A text within a text, against what Swift itself says.

import Testing
import Wire

@Suite struct TextSearchTests {
  @Test(arguments: ["256", "color", "x", "xterm-256color!", "ö", "aa"])
  func aTextIsFoundWhereSwiftFindsIt(_ part: String) {
    for text in ["xterm-256color", "", "Höhe", "aaa", "25 6"] {
      #expect(text.has(part) == text.contains(part), "\(part) in \(text)")
      #expect(text.replacing(each: part, by: "-") == text.replacing(part, with: "-"), "\(part) in \(text)")
    }
  }

  @Test func nothingIsInNoTextAndWhatReplacesIsNotSearched() {
    #expect(!"ride".has(""))
    #expect("ride".replacing(each: "", by: "x") == "ride")
    #expect("a-a".replacing(each: "a", by: "aa") == "aa-aa")
  }
}

// Words from files equal literals, are made once, and are bounded.

import Testing

@testable import Vocabulary

struct WordPoolTests {
  @Test("a word from text equals the literal, and the same text gives the same word")
  func equality() {
    var pool = WordPool(bytes: 100)
    let made = pool.word("heart_rate")
    #expect(made == "heart_rate" && made?.description == "heart_rate")
    #expect(made?.hashValue == ("heart_rate" as Word).hashValue)
    #expect(pool.word(["heart", "rate"].joined(separator: "_"))?.address == made?.address)
    #expect(pool.word("heart_rat") != made)
  }

  @Test("a full pool makes no more words, but still knows its own")
  func bound() {
    var pool = WordPool(bytes: 10)
    let first = pool.word("power_w")
    #expect(first != nil && pool.word("speed") == nil)
    #expect(pool.word("bpm") == "bpm" && pool.word("x") == nil)
    #expect(pool.word("power_w")?.address == first?.address)
  }

  @Test(
    "text that is not a name of the protocol is refused",
    arguments: ["", "Power", "power w", "\"", "é", "a\0", String(repeating: "a", count: 65)])
  func invalid(_ text: String) {
    var pool = WordPool(bytes: 1000)
    #expect(pool.word(text) == nil)
  }
}

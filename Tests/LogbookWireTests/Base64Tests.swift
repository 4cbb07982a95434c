// Base64: every text has exactly one meaning.

import LogbookWire
import Testing

@Suite struct Base64Tests {
  static let vectors = [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
    ("foobar", "Zm9vYmFy"),
  ]

  @Test("the vectors of RFC 4648 hold in both directions", arguments: vectors)
  func vector(_ row: (plain: String, text: String)) {
    #expect(Base64.encode(Array(row.plain.utf8)) == Array(row.text.utf8))
    #expect(Base64.decode(Array(row.text.utf8)) == Array(row.plain.utf8))
  }

  @Test("every byte value survives, at every length modulo 3")
  func allBytes() {
    for length in 250...260 {
      let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      #expect(Base64.decode(Base64.encode(bytes)) == bytes)
    }
  }

  @Test(
    "a text that the encoder cannot produce is refused",
    arguments: [
      "Z", "Zg", "Zg=", "Zm8", "Zh==", "Zm9=", "Zg==Zg==", "Z===", "====", "Zm9v\n", "Zm 9v", "Zm-_", "=Zm9", "Zm=v",
      "Zg==\u{e9}",
    ])
  func malformed(_ text: String) {
    #expect(Base64.decode(Array(text.utf8)) == nil)
  }
}

// Which characters never reach a terminal or a journal.

import Testing
import Text

struct UnprintableTests {
  /// The table is for one version of Unicode. Format characters that were added later are missing.
  @Test("the table has the general categories Cc, Cf, Zl and Zp")
  func table() {
    var missing: [UInt32] = []
    var surplus: [UInt32] = []
    for value in UInt32(0)...0x10ffff {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let isMeant: Bool =
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
      if isMeant && !scalar.isUnprintable { missing.append(value) }
      if !isMeant && scalar.isUnprintable { surplus.append(value) }
    }
    #expect(missing.isEmpty && surplus.isEmpty)
  }

  @Test(
    "unprintable characters are replaced, and no others",
    arguments: [
      ("Polar H10", "Polar H10"), ("Vélo 🚲", "Vélo 🚲"), ("a\u{202e}b", "a\u{fffd}b"), ("a\r\nb", "a\u{fffd}\u{fffd}b"),
      ("\u{1b}[2J", "\u{fffd}[2J"), ("a\u{2028}b\u{2029}", "a\u{fffd}b\u{fffd}"), ("\u{feff}x", "\u{fffd}x"),
    ])
  func printable(text: String, shown: String) {
    #expect(text.printable == shown)
  }

  @Test(
    "a name has no control, direction or separator characters",
    arguments: [
      "", "a\nb", "a\u{202e}b", "a\u{2066}b", "a\u{2028}b", "a\u{200b}b", "\u{feff}a",
      String(repeating: "x", count: 65),
    ])
  func notNames(text: String) {
    #expect(!text.isName)
  }

  @Test("joiners of scripts and emoji may be in names", arguments: ["🚴‍♂️", "می\u{200c}خواهم", "Vélo"])
  func names(text: String) {
    #expect(text.isName)
  }
}

// The log writes one line per message, whatever the message quotes.

import ProgramKit
import Testing

struct LogTests {
  private static let controlTexts: [String] = [
    "\n", "\r\n", "\u{1b}", "\u{0}", "\u{7f}", "\u{85}", "\u{9b}", "\u{202e}", "\u{2066}", "\u{2028}", "\u{2029}",
    "\u{200b}", "\u{ad}",
    "\u{e0041}",
  ]

  @Test("a control character cannot forge a log line", arguments: controlTexts)
  func controlCharacters(_ control: String) {
    var lines: [String] = []
    Log { lines.append($0) }.info("é \(control)<3>forged")
    let marks = String(repeating: "\u{FFFD}", count: control.unicodeScalars.count)
    #expect(lines.count == 1)
    #expect(lines.first?.hasSuffix("é \(marks)<3>forged\n") == true)
  }
}

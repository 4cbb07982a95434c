// The log: one line a message, whatever the message quotes.

import DaemonCore
import Testing

struct LogTests {
  @Test(arguments: ["\n", "\r\n", "\u{1b}", "\u{0}", "\u{7f}", "\u{85}", "\u{9b}"])
  func aControlCharacterCannotForgeALine(_ control: String) {
    var lines: [String] = []
    Log { lines.append($0) }.info("é \(control)<3>forged")
    let marks = String(repeating: "\u{FFFD}", count: control.unicodeScalars.count)
    #expect(lines.count == 1)
    #expect(lines.first?.hasSuffix("é \(marks)<3>forged\n") == true)
  }
}

// Updates the sections of man/cyclo.1 that are generated from the command table.

import CommandTable
import CycloCommands
import Foundation

enum ManualPage {
  struct MissingSection: Error {
    let name: String
  }

  static func updated(_ page: String) throws(MissingSection) -> String {
    var text = page
    for (name, section) in [("verbs", Program.cyclo.manualVerbs), ("options", Program.cyclo.manualOptions)] {
      let begin = ".\\\" Made from the command table by scripts/accept-pages: \(name)\n"
      guard let start = text.range(of: begin)?.upperBound,
        let end = text.range(of: ".\\\" End of the \(name)\n")?.lowerBound
      else { throw MissingSection(name: name) }
      text.replaceSubrange(start..<end, with: section)
    }
    return text
  }
}

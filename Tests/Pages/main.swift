// Prints one of the generated pages, for scripts/accept-pages, or the decoded output of a capture of a
// declared sensor, for scripts/accept-captures. Run it in the top directory.

import Foundation
import Troubleshooting

switch CommandLine.arguments.dropFirst().first {
case "docs/troubleshooting.md": print(Markdown.troubleshooting.text, terminator: "")
case "docs/sensors.md": print(try SupportedSensors.text(), terminator: "")
case "docs/sessions.md": print(SessionPage.text, terminator: "")
case "docs/schema/kind.json": print(KindSchema.text, terminator: "")
case "man/cyclo.1":
  print(try ManualPage.updated(try String(contentsOfFile: "man/cyclo.1", encoding: .utf8)), terminator: "")
case let path? where path.hasPrefix(SensorFilePage.captureFolder):
  print(try SensorFilePage.decoded(path), terminator: "")
case let page? where SettingsText.pages.contains(page): print(try SettingsText.updated(page), terminator: "")
default:
  print(
    "usage: generate-pages docs/troubleshooting.md | docs/sensors.md | docs/sessions.md | man/cyclo.1 | "
      + "docs/schema/kind.json | "
      + SettingsText.pages.joined(separator: " | ") + " | \(SensorFilePage.captureFolder)/FILE")
  exit(2)
}

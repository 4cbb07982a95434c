// docs/sensors.md says what the code does, and every capture says whose bytes it has.

import Foundation
import SensorKit
import Sensors
import Testing

@Suite struct SupportedSensorsTests {
  @Test func thePageSaysWhatThePluginsSay() throws {
    let text = try SupportedSensors.text()
    if ProcessInfo.processInfo.environment["ACCEPT_CAPTURES"] == "1" {
      try Data(text.utf8).write(to: SupportedSensors.page)
    }
    let page = try String(contentsOf: SupportedSensors.page, encoding: .utf8)
    let pairs = zip(text.split(separator: "\n"), page.split(separator: "\n"))
    let difference = pairs.first { $0 != $1 }.map { "should be \"\($0)\", is \"\($1)\"" } ?? "another length"
    #expect(text == page, "docs/sensors.md: \(difference) -> scripts/accept-captures writes it anew")
  }

  /// Whoever reads the page must be able to tell bytes of a device from bytes of a specification.
  @Test(arguments: CaptureFolder.captures)
  func aCaptureSaysWhereItsBytesComeFrom(_ name: String) throws {
    let words = try DescribedCapture(name).words.lowercased()
    let origins = [
      "made", "captured", "quote", "log of", "recorded", "bytes of", "frames of", "frames from", "from github",
      "records of",
    ]
    #expect(origins.contains { words.contains($0) }, "say it in the comment that opens \(name)")
  }

  /// How it begins, how it goes on, how it is lost, what it must refuse. One with counters has their roll-over too.
  @Test func everySensorHasItsCaptures() {
    for plugin in registry where !plugin.info.isCompanion {
      let folder = "\(plugin)".dropLast("Plugin".count)
      let names = CaptureFolder.captures.filter { $0.hasPrefix(folder + "/") }
      for story in ["connect", "steady", "dropout", "garbage"] {
        #expect(names.contains { $0.hasSuffix("-\(story).capture") }, "Tests/Captures/\(folder)/…-\(story).capture")
      }
    }
  }
}

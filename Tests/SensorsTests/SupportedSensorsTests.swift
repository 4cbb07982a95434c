// docs/sensors.md is up to date, and every capture says where its bytes come from.

import Foundation
import SensorKit
import Sensors
import Testing

@testable import generate_pages

@Suite struct SupportedSensorsTests {
  @Test("docs/sensors.md is up to date")
  func page() throws {
    let text = try SupportedSensors.text()
    let page = try String(contentsOf: SupportedSensors.page, encoding: .utf8)
    let pairs = zip(text.split(separator: "\n"), page.split(separator: "\n"))
    let difference = pairs.first { $0 != $1 }.map { "should be \"\($0)\", is \"\($1)\"" } ?? "another length"
    #expect(text == page, "docs/sensors.md: \(difference); scripts/accept-pages updates it")
  }

  /// Readers of the page must be able to tell a device's bytes from bytes made from a
  /// specification.
  @Test("a capture says where its bytes come from", arguments: CaptureFolder.captures)
  func captureOrigin(_ name: String) throws { try requireOrigin(DescribedCapture(name)) }

  @Test("a capture of a sensor in a file says where its bytes come from")
  func captureOriginOfFiles() throws {
    for name in try SensorFilePage.all.flatMap(\.captures) {
      try requireOrigin(DescribedCapture(name, in: SensorFilePage.captureFolder))
    }
  }

  private func requireOrigin(_ capture: DescribedCapture) throws {
    let comment = capture.comment.lowercased()
    let origins = [
      "made", "captured", "quote", "log of", "recorded", "bytes of", "frames of", "frames from", "from github",
      "records of",
    ]
    #expect(origins.contains { comment.contains($0) }, "the opening comment of \(capture.name) must say it")
  }

  /// The beginning of a connection, a steady stream, a dropout, and garbage.
  @Test("every sensor has a capture of each situation")
  func situations() {
    for plugin in builtInPlugins.plugins where !plugin.info.isCompanion {
      let folder = "\(type(of: plugin.make(SensorSettings())))".dropLast("Plugin".count)
      let names = CaptureFolder.captures.filter { $0.hasPrefix(folder + "/") }
      for situation in ["connect", "steady", "dropout", "garbage"] {
        #expect(
          names.contains { $0.hasSuffix("-\(situation).capture") }, "Tests/Captures/\(folder)/…-\(situation).capture")
      }
    }
  }
}

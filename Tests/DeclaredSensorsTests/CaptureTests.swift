// The captures of declared sensors, decoded as `cyclo decode` would decode them.

import CaptureDecoding
import DeclaredSensors
import Foundation
import SensorKit
import Testing

@Suite struct CaptureTests {
  @Test(
    "a capture decodes as expected",
    arguments: [
      ("glucose_monitor", "glucose-steady"), ("ruuvitag", "ruuvitag-steady"), ("tacx_trainer", "tacx-steady"),
    ])
  func decodesAsExpected(_ row: (file: String, capture: String)) throws {
    let program = try DeclaredFile(name: row.file).program()
    let folder = DeclaredFile.root.appending(path: "Captures")
    var run = CaptureRun(plugins: PluginRegistry([program.plugin]))
    var output: [UInt8] = []
    let capture = Array(try Data(contentsOf: folder.appending(path: "\(row.capture).capture")))
    run.feed(capture.span, into: &output) { Issue.record("\($0)") }
    run.finish(into: &output) { Issue.record("\($0)") }
    let expected = try String(contentsOf: folder.appending(path: "\(row.capture).expected"), encoding: .utf8)
    #expect(String(decoding: output, as: UTF8.self) == expected)
  }
}

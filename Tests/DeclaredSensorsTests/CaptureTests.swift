// The captures of declared sensors, decoded as `cyclo decode` would decode them.

import CaptureDecoding
import DeclaredSensors
import Foundation
import SensorKit
import Testing

@Suite struct CaptureTests {
  // In tacx-steady, the packet at 2 s has 0 m and the one at 4 s has 250 m, 2.5 s later by the sensor's
  // clock. That exceeds `Fastest`, so `CounterDelta` waits for a second packet. The next one has 4 m
  // again, which follows from the first anchor at 1.1 m/s, so one packet out of line has no effect: 4 m
  // are added. A reader that began at the 250 m, or trusted it first, would add 10 m.
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

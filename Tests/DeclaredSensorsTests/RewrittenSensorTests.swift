// Built-in sensors, rewritten as files: on all captures they give the same records, except for the
// differences that are listed here.

import CaptureDecoding
import DeclaredSensors
import Foundation
import SensorKit
import Sensors
import Testing

struct RewrittenSensor: CustomTestStringConvertible, Sendable {
  let id: String
  let file: String
  let folder: String
  /// How many lines of the built-in plugin the file does not give, and why.
  let differences: Int
  var testDescription: String { id }

  static let all = [
    RewrittenSensor(id: "heart_rate", file: "heart_rate", folder: "HeartRate", differences: 0),
    RewrittenSensor(id: "moxy", file: "moxy", folder: "Moxy", differences: 0),
    RewrittenSensor(id: "battery", file: "battery", folder: "Battery", differences: 0),
    RewrittenSensor(id: "environment", file: "environment", folder: "Environment", differences: 0),
    RewrittenSensor(id: "core_body_temperature", file: "core", folder: "CoreBodyTemperature", differences: 0),
    RewrittenSensor(
      id: "device_information", file: "device_information", folder: "DeviceInformation", differences: 0),
    RewrittenSensor(id: "pulse_oximeter", file: "pulse_oximeter", folder: "PulseOximeter", differences: 0),
    RewrittenSensor(
      id: "running_speed_cadence", file: "running_speed_cadence", folder: "RunningSpeedCadence", differences: 0),
    RewrittenSensor(id: "tire_pressure", file: "tire_caps", folder: "TirePressure", differences: 0),
    RewrittenSensor(id: "cycling_power", file: "power", folder: "CyclingPower", differences: 0),
    RewrittenSensor(
      id: "cycling_speed_cadence", file: "speed_cadence", folder: "CyclingSpeedCadence", differences: 0),
  ]
}

@Suite struct RewrittenSensorTests {
  private static let captures = DeclaredFile.root.deletingLastPathComponent().appending(path: "Captures")

  @Test("a file gives what the built-in sensor gives on its captures", arguments: RewrittenSensor.all)
  func sameRecords(_ sensor: RewrittenSensor) throws {
    let program = try DeclaredFile(name: sensor.file).program()
    let compiled = PluginRegistry(builtInPlugins.plugins(called: [sensor.id]), quirks: builtInPlugins.quirks)
    let declared = PluginRegistry([program.plugin])
    var lines = 0
    var missing: [String] = []
    for name in try FileManager.default.contentsOfDirectory(atPath: Self.captures.appending(path: sensor.folder).path)
    where name.hasSuffix(".capture") {
      let capture = Array(try Data(contentsOf: Self.captures.appending(path: "\(sensor.folder)/\(name)")))
      let expected = Self.decode(capture, compiled)
      let found = Self.decode(capture, declared)
      lines += expected.count
      for line in expected where !found.contains(line) { missing.append("\(name): \(line)") }
    }
    #expect(lines > 0)
    #expect(missing.count == sensor.differences, "\(missing.joined(separator: "\n"))")
  }

  /// The lines without the numbers that count them.
  private static func decode(_ capture: [UInt8], _ plugins: PluginRegistry) -> [String] {
    var run = CaptureRun(plugins: plugins)
    var output: [UInt8] = []
    run.feed(capture.span, into: &output) { Issue.record("\($0)") }
    run.finish(into: &output) { Issue.record("\($0)") }
    return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
  }
}

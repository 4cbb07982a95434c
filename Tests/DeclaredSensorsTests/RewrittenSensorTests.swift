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
  /// Characteristics that the file does not read. Their packets are left out of the captures.
  var unread: [String] = []
  var differences: [KnownDifference] = []
  var testDescription: String { id }

  static let all = [
    RewrittenSensor(id: "heart_rate", file: "heart_rate", folder: "HeartRate"),
    RewrittenSensor(id: "moxy", file: "moxy", folder: "Moxy"),
    RewrittenSensor(id: "battery", file: "battery", folder: "Battery"),
    RewrittenSensor(id: "environment", file: "environment", folder: "Environment"),
    RewrittenSensor(id: "core_body_temperature", file: "core", folder: "CoreBodyTemperature"),
    RewrittenSensor(id: "device_information", file: "device_information", folder: "DeviceInformation"),
    RewrittenSensor(
      id: "pulse_oximeter", file: "pulse_oximeter", folder: "PulseOximeter", differences: KnownDifference.oximeter),
    RewrittenSensor(
      id: "running_speed_cadence", file: "running_speed_cadence", folder: "RunningSpeedCadence",
      // The file has no control point.
      unread: ["2a55"]),
    RewrittenSensor(
      id: "tire_pressure", file: "tire_caps", folder: "TirePressure", differences: KnownDifference.tires),
    RewrittenSensor(
      id: "cycling_power", file: "power", folder: "CyclingPower",
      // The file has neither a control point nor a place.
      unread: ["2a66", "2a5d"], differences: KnownDifference.power),
    RewrittenSensor(
      id: "cycling_speed_cadence", file: "speed_cadence", folder: "CyclingSpeedCadence",
      differences: KnownDifference.speedCadence),
  ]
}

@Suite struct RewrittenSensorTests {
  private static let captures = DeclaredFile.root.deletingLastPathComponent().appending(path: "Captures")

  @Test("a file gives what the built-in sensor gives on its captures", arguments: RewrittenSensor.all)
  func sameRecords(_ sensor: RewrittenSensor) throws {
    let program = try DeclaredFile(name: sensor.file).program()
    let compiled = PluginRegistry(builtInPlugins.plugins(called: [sensor.id]), quirks: builtInPlugins.quirks)
    let declared = PluginRegistry([program.plugin])
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.captures.appending(path: sensor.folder).path)
      .filter { $0.hasSuffix(".capture") }
    #expect(Set(names).isSuperset(of: sensor.differences.map { $0.capture + ".capture" }))
    var count = 0
    for name in names.sorted() {
      let text = try String(contentsOf: Self.captures.appending(path: "\(sensor.folder)/\(name)"), encoding: .utf8)
      let lines = text.split(separator: "\n").filter { line in
        !sensor.unread.contains { line.contains(" \($0) ") }
      }
      let capture = Array((lines.joined(separator: "\n") + "\n").utf8)
      let expected = Self.decode(capture, compiled)
      let found = Self.decode(capture, declared)
      count += expected.count
      let known = sensor.differences.filter { $0.capture + ".capture" == name }
      let difference = found.difference(from: expected)
      let missing = Self.lines(difference.removals)
      let added = Self.lines(difference.insertions)
      #expect(missing == known.flatMap(\.builtIn), "\(name)")
      #expect(added == known.flatMap(\.declared), "\(name)")
    }
    #expect(count > 0)
  }

  private static func lines(_ changes: [CollectionDifference<String>.Change]) -> [String] {
    changes.map { change in
      switch change {
      case .insert(_, let line, _), .remove(_, let line, _): line
      }
    }
  }

  private static func decode(_ capture: [UInt8], _ plugins: PluginRegistry) -> [String] {
    var run = CaptureRun(plugins: plugins)
    var output: [UInt8] = []
    run.feed(capture.span, into: &output) { Issue.record("\($0)") }
    run.finish(into: &output) { Issue.record("\($0)") }
    return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
  }
}

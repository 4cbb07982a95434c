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
  /// Characteristics that the file does not read. Their packets are left out of the captures.
  var unread: [String] = []
  var differences: [KnownDifference] = []
  var testDescription: String { id }

  static let all = [
    RewrittenSensor(id: "heart_rate", file: "heart_rate"),
    RewrittenSensor(id: "moxy", file: "moxy"),
    RewrittenSensor(id: "battery", file: "battery"),
    RewrittenSensor(id: "environment", file: "environment"),
    RewrittenSensor(id: "core_body_temperature", file: "core"),
    RewrittenSensor(id: "device_information", file: "device_information"),
    RewrittenSensor(
      id: "pulse_oximeter", file: "pulse_oximeter", differences: KnownDifference.oximeter),
    RewrittenSensor(
      id: "running_speed_cadence", file: "running_speed_cadence",
      // The file has no control point.
      unread: ["2a55"]),
    RewrittenSensor(
      id: "tire_pressure", file: "tire_caps", differences: KnownDifference.tires),
    RewrittenSensor(
      id: "cycling_power", file: "power",
      // The file has neither a control point nor a place.
      unread: ["2a66", "2a5d"], differences: KnownDifference.power),
    RewrittenSensor(
      id: "cycling_speed_cadence", file: "speed_cadence",
      differences: KnownDifference.speedCadence),
  ]
}

@Suite struct RewrittenSensorTests {
  /// Those of all sensors, in the order of their names.
  private static func captures() throws -> [(name: String, text: String)] {
    let root = DeclaredFile.root.deletingLastPathComponent().appending(path: "Captures")
    return try FileManager.default.subpathsOfDirectory(atPath: root.path).filter { $0.hasSuffix(".capture") }.sorted()
      .map { path in
        (String(path.dropLast(8)), try String(contentsOf: root.appending(path: path), encoding: .utf8))
      }
  }

  @Test("a file gives what the built-in sensor gives on all captures", arguments: RewrittenSensor.all)
  func sameRecords(_ sensor: RewrittenSensor) throws {
    let program = try DeclaredFile(name: sensor.file).program()
    let compiled = PluginRegistry(builtInPlugins.plugins(called: [sensor.id]), quirks: builtInPlugins.quirks)
    let declared = PluginRegistry([program.plugin])
    let captures = try Self.captures()
    #expect(Set(captures.map(\.name)).isSuperset(of: sensor.differences.map(\.capture)))
    var count = 0
    for (name, text) in captures {
      let lines = text.split(separator: "\n").filter { line in
        !sensor.unread.contains { line.contains(" \($0) ") }
      }
      let capture = Array((lines.joined(separator: "\n") + "\n").utf8)
      let expected = Self.decode(capture, compiled)
      let found = Self.decode(capture, declared)
      count += expected.count
      let known = sensor.differences.filter { $0.capture == name }
      let difference = found.difference(from: expected)
      let missing = Self.lines(difference.removals)
      let added = Self.lines(difference.insertions)
      #expect(missing == known.flatMap(\.builtIn), "\(sensor.id), \(name)")
      #expect(added == known.flatMap(\.declared), "\(sensor.id), \(name)")
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

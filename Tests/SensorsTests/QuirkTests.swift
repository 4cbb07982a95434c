// Every quirk matches a device of its capture, and the capture decodes differently without it.

import CaptureFormat
import Foundation
import SensorKit
import Sensors
import Testing

@testable import generate_pages

@Suite struct QuirkTests {
  static func bytes(_ capture: String) throws -> [UInt8] {
    Array(try Data(contentsOf: CaptureFolder.root.appending(path: "\(capture).capture")))
  }

  @Test("a quirk matches its capture and changes how it decodes", arguments: builtInPlugins.quirks.map(\.device))
  func changesItsCapture(_ device: String) throws {
    let quirk = try #require(builtInPlugins.quirks.first { $0.device == device })
    let bytes = try Self.bytes(quirk.capture)
    let others = builtInPlugins.quirks.filter { $0.device != device }
    #expect(CaptureFolder.decode(bytes).lines != CaptureFolder.decode(bytes, quirks: others).lines)
    #expect(!quirk.source.isEmpty)
    let names = try String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { line -> String? in
      guard case .device(let device) = try CaptureLine.parse(String(line)) else { return nil }
      return device.name
    }
    #expect(names.contains { quirk.concerns(DeviceIdentity(name: $0)) }, "one of \(names)")
  }

  @Test("no two quirks have the same device or capture")
  func uniqueQuirks() {
    #expect(Set(builtInPlugins.quirks.map(\.device)).count == builtInPlugins.quirks.count)
    #expect(Set(builtInPlugins.quirks.map(\.capture)).count == builtInPlugins.quirks.count)
  }

  @Test("a mark is a prefix in any letter case")
  func marks() {
    let marks = [DeviceMark(name: "Pod"), DeviceMark(manufacturer: "Maker", model: "7")]
    let quirk = Quirk("Pod", marks, QuirkEffect("odd"), habit: "it is odd", source: "here", capture: "none")
    func concerns(_ name: String, _ manufacturer: String = "", _ model: String = "") -> Bool {
      var device = DeviceIdentity(name: name)
      device.manufacturer = manufacturer
      device.model = model
      return quirk.concerns(device)
    }
    #expect(concerns("POD 12") && concerns("x", "maker inc.", "7b"))
    #expect(!concerns("My pod") && !concerns("x", "Maker") && !concerns("x", "", "7") && !concerns(""))
  }
}

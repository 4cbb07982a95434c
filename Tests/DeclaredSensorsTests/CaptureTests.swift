// The captures of declared sensors, decoded as `cyclo decode` would decode them.

import CaptureDecoding
import DeclaredSensors
import JSON
import SampleCatalogue
import SensorKit
import Sensors
import Testing

@Suite struct CaptureTests {
  // In tacx_trainer-steady, the packet at 2 s has 0 m and the one at 4 s has 250 m, 2.5 s later by the
  // sensor's clock. That exceeds `Fastest`, so `CounterDelta` waits for a second packet. The next one
  // has 4 m again, which follows from the first anchor at 1.1 m/s, so one packet out of line has no
  // effect: 4 m are added. A reader that began at the 250 m, or trusted it first, would add 10 m.
  @Test("a capture decodes as expected", arguments: DeclaredCapture.all)
  func decodesAsExpected(_ capture: DeclaredCapture) throws {
    let program = try DeclaredFile(name: capture.fileName).program()
    var run = CaptureRun(plugins: PluginRegistry([program.plugin]))
    var output: [UInt8] = []
    run.feed(Array(try capture.text.utf8).span, into: &output) { Issue.record("\($0)") }
    run.finish(into: &output) { Issue.record("\($0)") }
    #expect(String(decoding: output, as: UTF8.self) == (try capture.expected))
  }

  @Test("an installed file has a capture with samples", arguments: DeclaredFile.installed)
  func hasCapture(_ file: DeclaredFile) throws {
    #expect(try file.captures.contains { try $0.expected.contains(#""class":"sample""#) })
  }

  @Test("every kind that an installed file publishes is in its captures", arguments: DeclaredFile.installed)
  func hasKinds(_ file: DeclaredFile) throws {
    let output = try file.captures.map { try $0.expected }.joined()
    for kind in try file.program().info.kinds {
      #expect(output.contains("\"kind\":\"\(kind.name)\""), "\(kind.name)")
    }
  }

  /// Clients rely on these fields.
  @Test("a sample of a kind of the catalogue has the fields that the kind needs", arguments: DeclaredCapture.all)
  func neededFields(_ capture: DeclaredCapture) throws {
    // Its samples of these kinds have fields of their own only.
    let exempt: Set = capture.fileName == "ruuvitag" ? ["battery", "acceleration"] : []
    for line in try capture.expected.split(separator: "\n") {
      let sample = try JSONValue.parse(String(line))
      guard let name = sample["kind"]?.text, !exempt.contains(name),
        let kind = KindInfo.all.first(where: { $0.name == name })
      else { continue }
      switch kind.needs {
      case .all(let fields): #expect(fields.allSatisfy { sample[$0] != nil }, "\(line)")
      case .oneOf(let fields): #expect(fields.contains { sample[$0] != nil }, "\(line)")
      case .nothing: break
      }
    }
  }

  @Test("installed files load together, beside the built-in sensors")
  func loadTogether() throws {
    let files = try DeclaredFile.installed.map {
      DeclaredSensorSet.File("\($0.name).sensor", in: .packages, try $0.text)
    }
    let set = DeclaredSensorSet(files, builtIn: builtInPlugins, words: SensorWords())
    let problems = set.omitted.flatMap { omitted in
      omitted.problems.map { "\(omitted.file.name):\($0.line): \($0.text)" }
    }
    #expect(problems == [])
    #expect(set.loaded.count == DeclaredFile.installed.count && !files.isEmpty)
    #expect(set.loaded.allSatisfy { $0.program.about.source != nil })
  }
}

// cyclometer.sensor(5): its examples load, and it names every key of the language.

import DeclaredSensors
import Foundation
import JSON
import SensorKit
import Testing

@Suite struct ManualPageTests {
  private static let page: String = {
    let path = DeclaredFile.root.appending(path: "../../man/cyclometer.sensor.5")
    let text = (try? String(contentsOf: path, encoding: .utf8)) ?? ""
    return text.replacingOccurrences(of: "\\-", with: "-")
      .replacingOccurrences(of: "\\\\f[RPBI]", with: "", options: .regularExpression)
  }()

  /// The examples that are whole files.
  private static let examples: [String] = page.components(separatedBy: ".nf\n").dropFirst().compactMap { part in
    let text = part.components(separatedBy: "\n.fi")[0]
    return text.hasPrefix("[Sensor]") ? text + "\n" : nil
  }

  private static func problems(_ text: String) -> [SensorFileProblem] {
    do throws(SensorFile.Problems) {
      _ = try SensorFile(Array(text.utf8), words: SensorWords())
      return []
    } catch {
      return error.list
    }
  }

  @Test("the examples of the page are files without errors")
  func examplesLoad() {
    #expect(Self.examples.count == 5)
    for example in Self.examples { #expect(Self.problems(example).isEmpty) }
  }

  @Test("the example of a lamp does what the page says about its parts")
  func lamp() throws {
    let text = try #require(Self.examples.first { $0.contains("Id = example_lamp") })
    #expect(try SensorFile(Array(text.utf8), words: SensorWords()).program.warnings.isEmpty)
    var lamp = try DeclaredSession(text)
    let start = MonotonicTime(seconds: 0)
    // A keep-alive is first written when its interval has passed.
    #expect(lamp.actions { $0.connected(at: start, into: &$1) } == ["subscribe ffe1", "write ffe2 01"])
    #expect(lamp.deadline == MonotonicTime(seconds: 20))
    #expect(lamp.actions { $0.tick(at: MonotonicTime(seconds: 20), into: &$1) } == ["write ffe2 01"])
    // `-` has no word, a bit is a number, and a comparison is true or false.
    let dark = try lamp.packet("010000", from: 0xffe1)
    #expect(dark.map(\.encoded) == [#"{"class":"sample","kind":"lamp","is_charging":false}"#])
    let pressed = try lamp.packet("010281", from: 0xffe1)
    #expect(
      pressed.map(\.encoded) == [
        #"{"class":"sample","kind":"lamp","level":"middle","is_charging":true}"#,
        #"{"class":"event","event":"lamp_button","level":2}"#,
      ])
    let light = Command(name: "light", value: 3)
    #expect(try lamp.actions { try $0.command(light, at: start, into: &$1) } == ["write ffe2 100313"])
    #expect(try lamp.packet("0201", from: 0xffe1).map(\.encoded) == [#"{"class":"answer","result":"not_now"}"#])
    #expect(throws: CommandError.badValue) {
      try lamp.actions { try $0.command(Command(name: "light", value: 4), at: start, into: &$1) }
    }
    #expect(lamp.actions { $0.disconnecting(into: &$1) } == ["write ffe2 00"])
  }

  @Test("the page names every key of every section")
  func keys() throws {
    let sections = [
      "[Sensor]", "[Packet x]", "[Object x]", "[Counter x]", "[Sample x]", "[Fact]", "[Answer]", "[Event x]",
      "[Start]", "[Stop]", "[Command x]", "[Process]",
    ]
    for section in sections {
      let problems = Self.problems("\(section)\nWrong = 1\n")
      let keys = try #require(problems.map(\.text).first { $0.contains(" has the keys ") }, "\(section)")
      let names = keys.components(separatedBy: " has the keys ")[1].components(separatedBy: "; ")[0]
      for name in names.components(separatedBy: ", ") {
        #expect(Self.page.range(of: "\\b\(name)\\b", options: .regularExpression) != nil, "\(section) \(name)")
      }
    }
  }

  @Test("the page names every word of a refusal")
  func refusals() {
    for reason in DecodeError.Reason.allCases { #expect(Self.page.contains(reason.rawValue)) }
  }
}

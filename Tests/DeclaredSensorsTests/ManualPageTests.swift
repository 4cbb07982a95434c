// cyclometer.sensor(5): its examples load, and it names every key of the language.

import DeclaredSensors
import Foundation
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
    #expect(Self.examples.count == 4)
    for example in Self.examples { #expect(Self.problems(example).isEmpty) }
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

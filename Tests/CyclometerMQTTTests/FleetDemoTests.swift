// `make run FLEET=2`: a broker, bikes and a wall, which all end.

import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30)))
struct FleetDemoTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/../.."

  private func run(_ environment: [String: String]) throws -> (status: Int32, output: String, complaint: String) {
    let usual = ["PATH": "/usr/bin:/bin", "CYCLOMETER_BUILD": productFolder, "SECONDS_TO_RUN": "15"]
    return try runProgram(Self.root + "/scripts/run-fleet", [], usual.merging(environment) { $1 })
  }

  @Test("all bikes are shown, a link to the wall is printed, and nothing is left")
  func everything() throws {
    let folder = try TemporaryFolder()
    let outcome = try run(["FLEET": "2", "TMPDIR": folder.path])
    #expect(outcome.status == 0, "\(outcome.complaint)")
    #expect(outcome.output.contains("bike-1 ") && outcome.output.contains("bike-2 "), "\(outcome.output)")
    #expect(
      outcome.complaint.contains("http://127.0.0.1:") && outcome.complaint.contains("/wall"), "\(outcome.complaint)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    // What still ran would have its socket or log there.
    for process in try FileManager.default.contentsOfDirectory(atPath: "/proc") where Int(process) != nil {
      let words = FileManager.default.contents(atPath: "/proc/\(process)/cmdline") ?? Data()
      #expect(
        !String(decoding: words, as: UTF8.self).contains(folder.path), "\(String(decoding: words, as: UTF8.self))")
    }
  }

  @Test("a number of bikes that is none is refused", arguments: ["0", "51", "many", "-1"])
  func usage(number: String) throws {
    let outcome = try run(["FLEET": number])
    #expect(outcome.status == 2 && outcome.complaint.contains("is not a number of bikes"), "\(outcome)")
  }
}

// Runs a daemon and a recorder against the transcripts of logbook.sock in
// Tests/Conformance/transcripts. The output of the kit explains each failure.

import Foundation
import Linux
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30)))
struct LogbookConformanceTests {
  @Test("the recorder conforms to every transcript")
  func transcripts() throws {
    let names = try Files.names(in: ConformanceKit.folder + "/transcripts").filter { $0.hasPrefix("logbook-") }
      .map { $0.replacing(".transcript", with: "") }.sorted()
    let programs = [
      "--daemon", productFolder + "/cyclometerd", "--recorder", productFolder + "/cyclometer-recorder",
    ]
    let (status, text) = try ConformanceKit.run("cyclo-conformance", programs + names)
    #expect(status == 0, "\(text)")
    #expect(text.components(separatedBy: "\nok ").count == names.count + 1, "\(text)")
    #expect(!text.contains("# SKIP"), "\(text)")
  }
}

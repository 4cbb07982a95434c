// Runs the daemon against the transcripts in Tests/Conformance/transcripts and the examples in
// docs/protocol.md. The output of these programs explains each failure.

import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30)))
struct ConformanceTests {
  @Test("the tests of the conformance kit itself pass", arguments: ["contract_test.py", "player_test.py"])
  func selfTests(program: String) throws {
    let (status, output) = try ConformanceKit.run(program, [])
    #expect(status == 0, "\(output)")
  }

  @Test("the daemon conforms to every transcript")
  func transcripts() throws {
    let (status, output) = try ConformanceKit.run(
      "cyclo-conformance", ["--our-own", "--daemon", productFolder + "/cyclometerd"])
    #expect(status == 0, "\(output)")
    #expect(output.contains("\nok "))
  }

  @Test("every example in docs/protocol.md matches the daemon")
  func examples() throws {
    let (status, output) = try ConformanceKit.run("try-documents", [productFolder + "/cyclometerd"])
    #expect(status == 0, "\(output)")
  }
}

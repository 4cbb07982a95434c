// Runs the daemon against the transcripts in Tests/Conformance/transcripts and the examples in
// docs/protocol.md. The output of these programs explains each failure.

import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ConformanceTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Conformance").path

  /// The exit status and output of `program`.
  private func run(_ program: String, _ arguments: String...) throws -> (status: Int32, output: String) {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    process.arguments = [Self.folder + "/" + program] + arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = output
    try withSignalsUnblocked { try process.run() }
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text)
  }

  @Test("the tests of the conformance kit itself pass", arguments: ["contract_test.py", "player_test.py"])
  func selfTests(program: String) throws {
    let (status, output) = try run(program)
    #expect(status == 0, "\(output)")
  }

  @Test("the daemon conforms to every transcript")
  func transcripts() throws {
    let (status, output) = try run("cyclo-conformance", "--our-own", "--daemon", productFolder + "/cyclometerd")
    #expect(status == 0, "\(output)")
    #expect(output.contains("\nok "))
  }

  @Test("every example in docs/protocol.md matches the daemon")
  func examples() throws {
    let (status, output) = try run("try-documents", productFolder + "/cyclometerd")
    #expect(status == 0, "\(output)")
  }
}

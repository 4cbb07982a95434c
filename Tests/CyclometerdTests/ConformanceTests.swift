// The contract as files, held against the daemon: whole conversations in Tests/Conformance/transcripts, and the examples of
// docs/protocol.md. What each of them shows, and what it found, is in what these programs print.

import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ConformanceTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Conformance").path

  /// Its exit status, and what it printed. The daemon's lines go where those of the other tests go.
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

  @Test(arguments: ["contract_test.py", "player_test.py"])
  func whatChecksRefusesWhatIsWrong(program: String) throws {
    let (status, output) = try run(program)
    #expect(status == 0, "\(output)")
  }

  @Test func everyTranscriptIsPlayedAsItIsWritten() throws {
    let (status, output) = try run("cyclo-conformance", "--our-own", "--daemon", productFolder + "/cyclometerd")
    #expect(status == 0, "\(output)")
    #expect(output.contains("\nok "))
  }

  @Test func everyExampleOfTheProtocolsPageIsTrue() throws {
    let (status, output) = try run("try-documents", productFolder + "/cyclometerd")
    #expect(status == 0, "\(output)")
  }
}

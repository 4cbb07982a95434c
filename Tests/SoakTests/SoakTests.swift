// Two hours of riding with all kinds of failures. `make soak` rides for days.

import Foundation
import Linux
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30)))
struct SoakTests {
  private func soak(_ arguments: String...) throws -> (status: Int32, output: String) {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: productFolder + "/soak")
    process.arguments = arguments
    process.environment = programEnvironment.merging(["SWIFT_DETERMINISTIC_HASHING": "1"]) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    try withSignalsUnblocked { try process.run() }
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text)
  }

  @Test("an hour with each of two seeds holds every invariant")
  func hour() throws {
    let (status, output) = try soak("--seed", "1", "--seeds", "2", "--hours", "1")
    #expect(status == 0, "\(output)")
    #expect(output.contains("every invariant held"))
  }

  /// No sensor can stream again within 0 s, so the invariant breaks.
  @Test("a broken invariant is reported with seed and time")
  func brokenInvariantReportedWithSeed() throws {
    let (status, output) = try soak("--seed", "3", "--bound", "0")
    #expect(status == 1)
    #expect(output.contains("seed 3: BROKEN at"), "\(output)")
  }
}

// Runs the `cyclo` that was built beside these tests, as a shell would.

import Foundation
import Linux
import TestSupport
import Testing

struct Outcome: Sendable {
  let status: Int32
  let output: String
  let complaint: String

  var lines: [String] { output.split(separator: "\n").map(String.init) }
}

final class RunningCyclo {
  let process = Process()
  private let output = Pipe()
  private let complaint = Pipe()

  init(_ arguments: [String], socket: String? = nil, environment: [String: String] = [:], input: String = "") throws {
    process.executableURL = URL(fileURLWithPath: productFolder + "/cyclo")
    process.arguments = (socket.map { ["--socket", $0] } ?? []) + arguments
    process.environment = programEnvironment.merging(["TERM": "xterm", "TZ": "UTC"]) { $1 }.merging(environment) { $1 }
    let standardInput = Pipe()
    process.standardInput = standardInput
    process.standardOutput = output
    process.standardError = complaint
    try withSignalsUnblocked { try process.run() }
    standardInput.fileHandleForWriting.write(Data(input.utf8))
    try standardInput.fileHandleForWriting.close()
  }

  /// Everything up to and with the first line that contains `text`.
  func waitForLine(containing text: String) -> String {
    var seen = ""
    while !seen.wholeLines.contains(where: { $0.contains(text) }) {
      let piece = output.fileHandleForReading.availableData
      if piece.isEmpty { break }
      seen += String(decoding: piece, as: UTF8.self)
    }
    return seen
  }

  /// How many bytes of output came next; nil at its end.
  func readSome() -> Int? {
    let piece = output.fileHandleForReading.availableData
    return piece.isEmpty ? nil : piece.count
  }

  func stopReading() throws {
    try output.fileHandleForReading.close()
  }

  /// Reads both to their ends, then waits. What it complains of is short: no pipe fills while the other is read.
  func finish() -> Outcome {
    let output = self.output.fileHandleForReading.readDataToEndOfFile()
    let complaint = self.complaint.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Outcome(
      status: process.terminationStatus, output: String(decoding: output, as: UTF8.self),
      complaint: String(decoding: complaint, as: UTF8.self))
  }

  func complaintAfterClosedOutput() -> (status: Int32, complaint: String) {
    let complaint = self.complaint.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: complaint, as: UTF8.self))
  }
}

func cyclo(
  _ arguments: String..., socket: String? = nil, environment: [String: String] = [:], input: String = ""
) throws -> Outcome {
  try RunningCyclo(arguments, socket: socket, environment: environment, input: input).finish()
}

extension String {
  fileprivate var wholeLines: ArraySlice<Substring> {
    split(separator: "\n", omittingEmptySubsequences: false).dropLast()
  }
}

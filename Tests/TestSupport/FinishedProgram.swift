// A program that runs to its end, with what it printed.

import Foundation

/// Returns when the program has ended. `environment` replaces parts of `programEnvironment`.
public func runProgram(
  _ path: String, _ arguments: [String] = [], _ environment: [String: String] = [:]
) throws -> (status: Int32, output: String, complaint: String) {
  let process = Process()
  let (output, complaint) = (Pipe(), Pipe())
  process.executableURL = URL(fileURLWithPath: path)
  process.arguments = arguments
  process.environment = programEnvironment.merging(environment) { $1 }
  process.standardInput = FileHandle.nullDevice
  process.standardOutput = output
  process.standardError = complaint
  try withSignalsUnblocked { try process.run() }
  // What it complains about is short, so that no pipe fills while the other is read.
  let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  let words = String(decoding: complaint.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  process.waitUntilExit()
  return (process.terminationStatus, text, words)
}

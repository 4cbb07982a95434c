// Runs a program of Tests/Conformance, which is written in Python.

import Foundation

public enum ConformanceKit {
  public static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Conformance").path

  /// The exit status and output of `program`.
  public static func run(_ program: String, _ arguments: [String]) throws -> (status: Int32, output: String) {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    process.arguments = [folder + "/" + program] + arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = output
    try withSignalsUnblocked { try process.run() }
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text)
  }
}

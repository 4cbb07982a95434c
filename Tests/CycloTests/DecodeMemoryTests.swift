// Decoding needs no more memory for a long capture than for a short one: files are streamed, and so is what is printed.

import Foundation
import TestSupport
import Testing

@Suite struct DecodeMemoryTests {
  private static let minutes = 10
  private static let hours = 2

  /// The bound is below what the long file (1.6 MB) or its text (2.3 MB) would add to the 15 MB of a debug build.
  @Test("memory does not grow with the length of a capture", arguments: [["--json"], [], ["--ride"]])
  func memoryIsBounded(options: [String]) throws {
    let folder = try TemporaryFolder()
    let short = try Self.peak(options, of: Ride.capture(seconds: Self.minutes * 60), in: folder)
    let long = try Self.peak(options, of: Ride.capture(seconds: Self.hours * 3600), in: folder)
    #expect(long.output > 8 * short.output)
    #expect(
      long.kilobytes < 1.08 * short.kilobytes,
      "\(Self.hours) h need \(long.kilobytes) kB, \(Self.minutes) min \(short.kilobytes) kB")
  }

  /// The largest resident set of the process. It is read whenever output was: the process then has all in memory that it keeps.
  private static func peak(
    _ options: [String], of capture: String, in folder: TemporaryFolder,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> (kilobytes: Double, output: Int) {
    let path = folder.file("ride.capture")
    try capture.write(toFile: path, atomically: true, encoding: .utf8)
    let cyclo = try RunningCyclo(["decode"] + options + [path])
    var peak = 0.0
    var output = 0
    while let count = cyclo.readSome() {
      output += count
      // What has ended has no such line.
      peak = max(peak, cyclo.peakKilobytes ?? 0)
    }
    let outcome = cyclo.finish()
    #expect(outcome.status == 0, "\(outcome.complaint)", sourceLocation: sourceLocation)
    try #require(peak > 0, sourceLocation: sourceLocation)
    return (peak, output)
  }
}

extension RunningCyclo {
  /// The largest resident set so far.
  fileprivate var peakKilobytes: Double? {
    let status = try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line.flatMap { Double($0.filter(\.isNumber)) }
  }
}

// Every capture beside these tests, through every plugin, compared to the letter with what is expected of it.
// `scripts/accept-captures` writes the expectations anew, for review.

import CaptureDecoding
import Foundation
import SensorKit
import Sensors
import Testing
import Wire

enum CaptureFolder {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Captures")

  static var captures: [String] {
    let names = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
    return names.filter { $0.hasSuffix(".capture") }.sorted()
  }

  static func decode(
    _ bytes: [UInt8], inPieces size: Int = .max, quirks: [Quirk] = knownQuirks
  ) -> (lines: String, problems: [CaptureError]) {
    var run = CaptureRun(registry: registry, quirks: quirks)
    var output: [UInt8] = []
    var problems: [CaptureError] = []
    var start = 0
    while start < bytes.count {
      let end = start + min(size, bytes.count - start)
      run.feed(bytes.span.extracting(start..<end), into: &output) { problems.append($0) }
      start = end
    }
    run.finish(into: &output) { problems.append($0) }
    return (String(decoding: output, as: UTF8.self), problems)
  }
}

@Suite struct CaptureWalkTests {
  @Test(arguments: CaptureFolder.captures)
  func aCaptureGivesWhatIsExpected(_ name: String) throws {
    let file = CaptureFolder.root.appending(path: name)
    let bytes = Array(try Data(contentsOf: file))
    let expectation = file.deletingPathExtension().appendingPathExtension("expected")
    let (lines, problems) = CaptureFolder.decode(bytes)
    #expect(problems.isEmpty)
    if ProcessInfo.processInfo.environment["ACCEPT_CAPTURES"] == "1" {
      try Data(lines.utf8).write(to: expectation)
    }
    #expect(lines == String(decoding: try Data(contentsOf: expectation), as: UTF8.self))
    #expect(CaptureFolder.decode(bytes, inPieces: 1).lines == lines, "dripped")
  }

  @Test func thereAreCaptures() {
    #expect(!CaptureFolder.captures.isEmpty)
  }

  @Test(arguments: CaptureFolder.captures)
  func aCaptureIsWrittenAsItWasRead(_ name: String) throws {
    let text = try String(contentsOf: CaptureFolder.root.appending(path: name), encoding: .utf8)
    for line in text.split(separator: "\n") {
      let parsed = try CaptureLine.parse(String(line))
      #expect(try CaptureLine.parse(parsed.text) == parsed)
    }
  }
}

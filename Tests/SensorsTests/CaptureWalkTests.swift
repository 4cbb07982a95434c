// Decodes every capture with all plugins, and compares the output byte for byte with its
// `.expected` file. `scripts/accept-captures` rewrites those files for review.

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
  @Test("a capture decodes as expected", arguments: CaptureFolder.captures)
  func decodesAsExpected(_ name: String) throws {
    let file = CaptureFolder.root.appending(path: name)
    let bytes = Array(try Data(contentsOf: file))
    let expectation = file.deletingPathExtension().appendingPathExtension("expected")
    let (lines, problems) = CaptureFolder.decode(bytes)
    #expect(problems.isEmpty)
    if ProcessInfo.processInfo.environment["ACCEPT_CAPTURES"] == "1" {
      try Data(lines.utf8).write(to: expectation)
    }
    #expect(lines == String(decoding: try Data(contentsOf: expectation), as: UTF8.self))
    #expect(CaptureFolder.decode(bytes, inPieces: 1).lines == lines, "byte by byte")
  }

  @Test("there are captures")
  func capturesExist() {
    #expect(!CaptureFolder.captures.isEmpty)
  }

  @Test("every line of a capture round-trips", arguments: CaptureFolder.captures)
  func roundTrip(_ name: String) throws {
    let text = try String(contentsOf: CaptureFolder.root.appending(path: name), encoding: .utf8)
    for line in text.split(separator: "\n") {
      let parsed = try CaptureLine.parse(String(line))
      #expect(try CaptureLine.parse(parsed.text) == parsed)
    }
  }
}

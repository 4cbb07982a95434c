// Decodes every capture with all plugins, and compares the output byte for byte with its
// `.expected` file, which scripts/accept-captures writes with `cyclo decode`.

import CaptureDecoding
import CaptureFormat
import Foundation
import Sensors
import Testing

@testable import generate_pages

@Suite struct CaptureWalkTests {
  @Test("a capture decodes as expected", arguments: CaptureFolder.captures)
  func decodesAsExpected(_ name: String) throws {
    let file = CaptureFolder.root.appending(path: name)
    let bytes = Array(try Data(contentsOf: file))
    let expectation = file.deletingPathExtension().appendingPathExtension("expected")
    let (lines, problems) = CaptureFolder.decode(bytes)
    #expect(problems.isEmpty)
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

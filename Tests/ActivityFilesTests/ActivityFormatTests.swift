// The content of a file says what it is.

import ActivityFiles
import ActivityVectors
import Testing

@Suite struct ActivityFormatTests {
  private func format(_ bytes: [UInt8]) -> ActivityFormat? { ActivityFormat(content: bytes.span) }

  @Test(
    "the first bytes tell the format",
    arguments: [
      ("routes/course.fit", .fit), ("ride.gpx", .gpx), ("ride.tcx", .tcx), ("ride.json", .json), ("ride.csv", nil),
      ("malformed/utf16.gpx", .gpx), ("malformed/bom.gpx", .gpx), ("malformed/blanks-first.tcx", .tcx),
      ("malformed/wrong-root.tcx", .gpx), ("malformed/empty.gpx", nil),
    ] as [(String, ActivityFormat?)])
  func vectors(name: String, format: ActivityFormat?) throws {
    let found = self.format(try Vector.bytes(name))
    #expect(found == format)
  }

  @Test(
    "comments, prefixes and blanks do not hide the first element",
    arguments: [
      ("<!-- <gpx> --><t:TrainingCenterDatabase xmlns:t=\"x\">", .tcx), ("\n\n<gpx/>", .gpx), ("<!--", .gpx),
      ("  [1]", .json), ("SQLite format 3\0....", .backup), ("SQLite format", nil), ("", nil), ("hello", nil),
      ("<!DOCTYPE HTML>", nil), ("<html><gpx/>", nil),
    ] as [(String, ActivityFormat?)])
  func texts(text: String, format: ActivityFormat?) {
    let found = self.format(Array(text.utf8))
    #expect(found == format)
  }

  @Test("a backup is not an activity, and says so")
  func backup() {
    #expect(throws: ActivityFileError("this is a backup of a logbook, not an activity")) {
      try read(Array("SQLite format 3\0".utf8) + Array(repeating: 0, count: 5000), with: AnyActivityReader())
    }
  }
}

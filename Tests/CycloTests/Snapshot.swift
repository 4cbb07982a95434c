// Texts that are checked in: Tests/Snapshots/NAME.txt. With CYCLOMETER_SNAPSHOTS=write in the environment they are written
// there instead, to be looked at before they are committed.

import Foundation
import Testing

enum Snapshot {
  static let areWritten = ProcessInfo.processInfo.environment["CYCLOMETER_SNAPSHOTS"] == "write"

  static func file(_ name: String) -> URL {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Snapshots/\(name).txt")
  }

  static func expect(_ lines: [String], _ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    var lines = lines
    while lines.last == "" { lines.removeLast() }
    let text = lines.map { $0 + "\n" }.joined()
    if areWritten { return try Data(text.utf8).write(to: file(name)) }
    let expected = try String(contentsOf: file(name), encoding: .utf8)
    #expect(text == expected, "this is not \(name)", sourceLocation: sourceLocation)
  }
}

// Texts that are checked in: Tests/Snapshots/NAME.txt. A text that differs is left in
// .build/snapshots, from where scripts/accept-snapshots takes it.

import Foundation
import Testing

enum Snapshot {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  static func file(_ name: String) -> URL { root.appending(path: "Tests/Snapshots/\(name).txt") }

  static func expect(_ lines: [String], _ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    var lines = lines
    while lines.last == "" { lines.removeLast() }
    let text = lines.map { $0 + "\n" }.joined()
    let expected = try? String(contentsOf: file(name), encoding: .utf8)
    #expect(text == expected, "this is not \(name)", sourceLocation: sourceLocation)
    guard text != expected else { return }
    let folder = root.appending(path: ".build/snapshots")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: folder.appending(path: "\(name).txt"))
  }
}

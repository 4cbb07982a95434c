// The fields of the daemon's journal lines.

import Foundation
import ProgramKit
import Testing

@testable import DaemonCore

struct LogFieldTests {
  @Test("the manual page lists every journal field")
  func fields() throws {
    let project = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
    let page = try String(contentsOf: project.appending(path: "man/cyclometerd.8"), encoding: .utf8)
    let fields: [LogField] = [
      .sensor("chest"), .address("C0:00:00:00:00:01"), .state("on"), .reason("silent"), .adapter("hci0"), .user(1000),
    ]
    let names = fields.map(\.name)
    #expect(Set(names).count == fields.count)
    for name in names { #expect(name.hasPrefix("CYCLOMETER_") && page.contains(name), "\(name)") }
    #expect(fields.map(\.value) == ["chest", "C0:00:00:00:00:01", "on", "silent", "hci0", "1000"])
  }
}

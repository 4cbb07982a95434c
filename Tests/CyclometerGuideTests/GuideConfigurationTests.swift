// The configuration: its keys, and that the page of the manual and the template list them all.

import Foundation
import ProgramKit
import Testing

@testable import GuideCore

@Suite struct GuideConfigurationTests {
  private func text(_ path: String) throws -> String {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/../../"
    return try String(contentsOfFile: root + path, encoding: .utf8)
  }

  @Test("an invalid value is refused with what is expected")
  func invalid() {
    var settings = GuideConfiguration()
    let complaint = settings.set(section: "Guide", key: "LogLevel", value: "loud")
    #expect(complaint == "LogLevel must be error, warning, info or debug", "\(complaint ?? "accepted")")
    #expect(settings == GuideConfiguration())
    #expect(settings.set(section: "Guide", key: "LogLevel", value: "debug") == nil && settings.logLevel == .debug)
  }

  @Test("the template lists every key with its default, and the manual page lists every key")
  func documentation() throws {
    var settings = GuideConfiguration()
    var (section, keys) = ("", [String: [String]]())
    for line in try text("Config/guide.conf").split(separator: "\n") {
      if line.hasPrefix("[") { section = String(line.dropFirst().prefix { $0 != "]" }) }
      guard let (_, key, value) = line.wholeMatch(of: /#([A-Z][A-Za-z]+)=(.*)/)?.output else { continue }
      #expect(settings.set(section: section, key: String(key), value: String(value)) == nil, "\(line)")
      keys[section, default: []].append(String(key))
    }
    #expect(settings == GuideConfiguration())
    let page = try text("man/cyclometer-guide.conf.5")
    for section in GuideConfiguration.sections {
      #expect(keys[section]?.sorted() == GuideConfiguration.keys(of: section))
      #expect(page.contains(".SH \"[\(section)]\""))
      for key in GuideConfiguration.keys(of: section) { #expect(page.contains("\n.BR \(key) \"="), "\(key)") }
    }
  }
}

// The configuration: its keys, and that the page of the manual and the template list them all.

import Foundation
import ProgramKit
import Testing

@testable import Dashboard

@Suite struct DashboardConfigurationTests {
  private func text(_ path: String) throws -> String {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/../../"
    return try String(contentsOfFile: root + path, encoding: .utf8)
  }

  @Test("every key is set from its text")
  func keys() {
    var settings = DashboardConfiguration()
    #expect(settings.set(section: "Web", key: "Name", value: "Bike.local other") == nil)
    #expect(settings.set(section: "Web", key: "LanManage", value: "yes") == nil)
    #expect(settings.set(section: "Web", key: "Control", value: "no") == nil)
    #expect(settings.set(section: "Files", key: "Page", value: "/srv/page") == nil)
    #expect(settings.set(section: "Files", key: "Fonts", value: "/srv/a /srv/b") == nil)
    #expect(settings.set(section: "Display", key: "Backlight", value: "/sys/x") == nil)
    #expect(settings.names == ["bike.local", "other"] && settings.managesInLAN && !settings.controls)
    #expect(settings.pageFolder == "/srv/page" && settings.fontFolders == ["/srv/a", "/srv/b"])
    #expect(settings.backlight == "/sys/x")
    #expect(settings.set(section: "Display", key: "Backlight", value: "none") == nil)
    #expect(settings.backlight == nil)
  }

  @Test(
    "an invalid value is refused with what is expected",
    arguments: [
      ("Web", "Name", "http://bike", "Name must be host names with blanks between"),
      ("Files", "Page", "page", "Page must be the path of a folder that starts with /"),
      ("Files", "Fonts", "/srv fonts", "Fonts must be paths of folders that start with /"),
      ("Display", "Backlight", "rpi", "Backlight must be none, or the path of a folder"),
    ])
  func invalid(section: String, key: String, value: String, expected: String) {
    var settings = DashboardConfiguration()
    #expect(settings.set(section: section, key: key, value: value)?.hasPrefix(expected) == true)
    #expect(settings == DashboardConfiguration())
  }

  @Test("the template lists every key with its default, and the manual page lists every key")
  func documentation() throws {
    var settings = DashboardConfiguration()
    var (section, keys) = ("", [String: [String]]())
    for line in try text("Config/web.conf").split(separator: "\n") {
      if line.hasPrefix("[") { section = String(line.dropFirst().prefix { $0 != "]" }) }
      guard let (_, key, value) = line.wholeMatch(of: /#([A-Z][A-Za-z]+)=(.*)/)?.output else { continue }
      #expect(settings.set(section: section, key: String(key), value: String(value)) == nil, "\(line)")
      keys[section, default: []].append(String(key))
    }
    #expect(settings == DashboardConfiguration())
    let page = try text("man/cyclometer-web.conf.5")
    for section in DashboardConfiguration.sections {
      #expect(keys[section]?.sorted() == DashboardConfiguration.keys(of: section))
      #expect(page.contains(".SH \"[\(section)]\""))
      for key in DashboardConfiguration.keys(of: section) { #expect(page.contains("\n.BR \(key) \"="), "\(key)") }
    }
  }
}

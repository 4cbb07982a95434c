// The page, its files and the backlight.

import Foundation
import JSON
import Linux
import TestSupport
import Testing
import WebAccess

@testable import Dashboard

@Suite struct PageFilesTests {
  private let world: DashboardWorld
  private let browser: Browser

  init() throws {
    world = try DashboardWorld()
    browser = try Browser(world)
  }

  @Test("files have addresses with the digest of all, and are kept for ever")
  func immutable() throws {
    let page = try browser.ask("GET", "/settings/devices")
    #expect(page.body == (try browser.ask("GET", "/")).body)
    let address = try #require(page.body.split(separator: "\"").first { $0.hasPrefix("/f/") })
    #expect(page.body.contains(#"href="js/none.js">\#(address)<"#))
    let script = try browser.ask("GET", String(address))
    #expect(script.body == #"import "./core/store.js";"#)
    #expect(script.field("Cache-Control")?.contains("immutable") == true)
    #expect(script.field("Content-Type") == "text/javascript; charset=utf-8")
    let packed = try browser.ask("GET", String(address), nil, ["Accept-Encoding: gzip"])
    #expect(packed.body == "compressed" && packed.field("Content-Encoding") == "gzip")
    #expect(try browser.ask("GET", "/f/0123/js/app.js").status == 404)
    let folder = address.dropLast("js/app.js".utf8.count)
    for path in ["secret.sh", "js/app.js.gz", "js/%2e%2e/secret.sh", "js", ""] {
      #expect(try browser.ask("GET", folder + path).status != 200, "\(path)")
    }
    #expect(try browser.ask("GET", "/service-worker.js").body == #"const files = "\#(folder)";"#)
  }

  @Test("the document is sent again only if it has changed")
  func revalidation() throws {
    let tag = try #require(try browser.ask("GET", "/").field("ETag"))
    #expect(try browser.ask("GET", "/", nil, ["If-None-Match: \(tag)"]).status == 304)
    #expect(try browser.ask("GET", "/", nil, [#"If-None-Match: "other""#]).status == 200)
    #expect(try browser.ask("GET", "/manifest.webmanifest").status == 404)
  }

  @Test("fonts come from the configured folders, by their names only")
  func fonts() throws {
    let folder = try TemporaryFolder()
    try Files.replace(folder.file("D-DIN.otf"), with: Array("font".utf8), mode: 0o600)
    try Files.replace(folder.file("other.otf"), with: Array("other".utf8), mode: 0o600)
    let world = try DashboardWorld { $0.fontFolders = [folder.path] }
    let browser = try Browser(world)
    let font = try browser.ask("GET", "/fonts/D-DIN.otf")
    #expect(font.body == "font" && font.field("Content-Type") == "font/otf")
    let numbers = try browser.ask("GET", "/fonts/numbers.otf")
    #expect(numbers.body == "font", "the rider's own comes before the package's")
    #expect(try browser.ask("GET", "/fonts/other.otf").status == 404)
  }

  @Test("Leaflet comes from its package's folder, compressed where it can be, and only its two files")
  func leaflet() throws {
    let browser = try Browser(world)
    #expect(try browser.ask("GET", "/leaflet/leaflet.css").body.contains("install libjs-leaflet"))
    for (name, text) in [
      ("leaflet.css", "style"), ("leaflet.esm.min.js", "script"), ("leaflet.esm.min.js.gz", "packed"),
      ("other.js", "other"),
    ] {
      try Files.replace(world.folder.file("leaflet/\(name)"), with: Array(text.utf8), mode: 0o600)
    }
    let style = try browser.ask("GET", "/leaflet/leaflet.css", nil, ["Accept-Encoding: gzip"])
    #expect(style.body == "style" && style.field("Content-Type") == "text/css; charset=utf-8")
    #expect(style.field("Content-Encoding") == nil)
    let script = try browser.ask("GET", "/leaflet/leaflet.esm.min.js")
    #expect(script.body == "script" && script.field("Content-Type") == "text/javascript; charset=utf-8")
    let packed = try browser.ask("GET", "/leaflet/leaflet.esm.min.js", nil, ["Accept-Encoding: gzip"])
    #expect(packed.body == "packed" && packed.field("Content-Encoding") == "gzip")
    let tag = try #require(packed.field("ETag"))
    #expect(try browser.ask("GET", "/leaflet/leaflet.esm.min.js", nil, ["If-None-Match: \(tag)"]).status == 304)
    for name in ["other.js", "leaflet.esm.min.js.gz"] {
      #expect(try browser.ask("GET", "/leaflet/\(name)").status == 404)
    }
  }

  @Test("the backlight is set in the range that it has")
  func backlight() throws {
    let folder = try TemporaryFolder()
    try Files.replace(folder.file("max_brightness"), with: Array("255\n".utf8), mode: 0o600)
    try Files.replace(folder.file("brightness"), with: [], mode: 0o600)
    let world = try DashboardWorld { $0.backlight = folder.path }
    let browser = try world.browser(.ride, name: "kiosk")
    for (level, written) in [("20", "51\n"), ("0", "1\n"), ("100", "255\n")] {
      try Files.replace(folder.file("brightness"), with: [], mode: 0o600)
      #expect(try browser.ask("POST", "/api/1/display", #"{"brightness_pct":\#(level)}"#).status == 204)
      #expect(String(decoding: try Files.read(folder.file("brightness")), as: UTF8.self) == written)
    }
    #expect(try browser.ask("POST", "/api/1/display", #"{"brightness_pct":200}"#).status == 400)
    let without = try self.world.browser(.ride, name: "kiosk")
    #expect(try without.ask("POST", "/api/1/display", #"{"brightness_pct":1}"#).status == 404)
    let phone = try world.browser(.manage)
    #expect(try phone.ask("POST", "/api/1/display", #"{"brightness_pct":1}"#).status == 404)
    #expect(String(decoding: try Files.read(folder.file("brightness")), as: UTF8.self) == "255\n")
  }
}

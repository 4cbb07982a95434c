// Letting screens in, and revoking them.

import EventLoop
import JSON
import Testing
import WebAccess

@testable import Dashboard

@Suite struct PhoneTests {
  private let world: DashboardWorld

  init() throws { world = try DashboardWorld() }

  @Test("a code that a page made lets one screen in, and the digits with it are withdrawn")
  func invite() throws {
    let kiosk = try world.browser(.manage)
    let invitation = try #require(
      try kiosk.ask("POST", "/api/1/phones", #"{"right":"view","name":"Bar"}"#).json)
    let code = try #require(invitation["url"]?.text?.split(separator: "#").last)
    let digits = try #require(invitation["digits"]?.text)
    #expect(digits.count == 8 && invitation["valid_s"] == 120)
    let modules = try #require(invitation["modules"]?.texts)
    #expect(modules.allSatisfy { $0.utf8.count == modules.count } && modules[0].hasPrefix("1111111"))
    let stranger = try Browser(world)
    let answer = try stranger.ask("POST", "/api/1/pair", #"{"code":"\#(code)"}"#)
    #expect(answer.status == 200 && answer.json?["right"] == "view")
    #expect(answer.field("Set-Cookie")?.contains("HttpOnly; SameSite=Strict") == true)
    #expect(try stranger.ask("POST", "/api/1/pair", #"{"code":"\#(code)"}"#).status == 403)
    #expect(try stranger.ask("POST", "/api/1/pair", #"{"code":"\#(digits)"}"#).status == 403)
    let list = try #require(try kiosk.ask("GET", "/api/1/phones").json)
    #expect(list["phones"]?.items?.compactMap { $0["name"]?.text } == ["Phone", "Bar"])
    #expect(list["own"] == list["phones"]?.items?.first?["id"])
  }

  @Test("a link with the right manage has no digits, and one for the kiosk replaces the kiosk")
  func kiosk() throws {
    for _ in 0..<2 {
      let link = try world.web("link", #"{"right":"manage","name":"kiosk"}"#)
      #expect(link["result"]?["digits"] == nil)
      let code = try #require(link["result"]?["url"]?.text?.split(separator: "#").last)
      #expect(try Browser(world).ask("POST", "/api/1/pair", #"{"code":"\#(code)"}"#).status == 200)
    }
    let phones = try world.web("phones")["result"]?["phones"]?.items
    #expect(phones?.count == 1 && phones?.first?["name"] == "kiosk")
  }

  @Test("a revoked screen loses its streams at once")
  func revoked() throws {
    let (reader, other) = (try world.browser(.view), try world.browser(.view))
    _ = try reader.openStream()
    _ = try other.openStream()
    let id = try #require(try world.web("phones")["result"]?["phones"]?.items?.first?["id"]?.integer)
    #expect(try world.web("revoke", #"{"id":\#(id)}"#)["result"]?["revoked"] == 1)
    #expect(try world.run { reader.hasEnded })
    world.daemon.sample("speed")
    #expect(try world.run { other.records("frame").contains("sample:speed") })
    #expect(try reader.ask("GET", "/api/1/now").status == 401)
    #expect(try world.web("revoke", #"{"id":99}"#)["code"] == "no_such_phone")
  }

  @Test("web.sock reports what listens and who reads")
  func status() throws {
    let reader = try world.browser(.view)
    _ = try reader.openStream()
    let status = try #require(try world.web("status")["result"])
    #expect(status["listening"]?.texts == [world.address])
    #expect(status["lan"] == false && status["readers"] == 1 && status["phones"] == 1)
    #expect(status["daemon"] == "connected")
    #expect(try world.web("ping")["result"] == [:])
    #expect(try world.web("fly")["code"] == "unknown_method")
    #expect(try world.web("link", #"{"right":"rule"}"#)["code"] == "bad_request")
  }

  @Test("screens, layouts and settings survive a restart")
  func restart() throws {
    let browser = try world.browser(.ride)
    let tag = try #require(try browser.ask("GET", "/api/1/layouts/bike").field("ETag"))
    let layout = #"{"version":1,"widgets":[{"id":"speed","size":"3x1"}]}"#
    #expect(try browser.ask("PUT", "/api/1/layouts/bike", layout, ["If-Match: \(tag)"]).status == 204)
    #expect(try browser.ask("PUT", "/api/1/layouts/bike", layout, [#"If-Match: "other""#]).status == 412)
    #expect(try browser.ask("PUT", "/api/1/settings/rider", #"{"units":"imperial"}"#).status == 428)
    #expect(try browser.ask("PUT", "/api/1/settings/rider", "{}", ["If-Match: \(tag)"]).status == 204)
    try world.restart()
    let again = try Browser(world, token: browser.token)
    #expect(try again.ask("GET", "/api/1/layouts/bike").body == layout)
    #expect(try again.ask("GET", "/api/1/settings/rider").body == "{}")
  }
}

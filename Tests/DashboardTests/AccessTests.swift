// Who gets in: every route of the table, on every kind of socket.

import EventLoop
import HTTP
import JSON
import Testing
import Time
import WebAccess

@testable import Dashboard

@Suite struct AccessTests {
  /// A request that fits the route.
  private func path(_ route: WebRoute) -> String {
    "/"
      + route.path.map { segment in
        switch segment {
        case .word(let word): word
        case .value: "1"
        case .choice(_, let words): words[0]
        case .rest: "x"
        }
      }.joined(separator: "/")
  }

  private func status(_ route: WebRoute, _ browser: Browser, in world: DashboardWorld) throws -> Int {
    // Otherwise there are too many changes within a second.
    _ = try world.loop.run(until: world.loop.now + .milliseconds(100)) { false }
    return try browser.ask(route.method.rawValue, path(route), route.method == .get ? nil : "{}").status
  }

  @Test("every route refuses who has no token, a revoked one, or too small a right", arguments: Browser.Way.allCases)
  func rights(_ way: Browser.Way) throws {
    let world = try DashboardWorld(.virtual(VirtualTime()))
    let stranger = try Browser(world, way)
    let revoked = try world.browser(.manage, way)
    _ = try world.web("revoke", #"{"all":true}"#)
    let browsers = try Right.allCases.map { ($0, try world.browser($0, way)) }
    for route in WebRoute.all where route.endpoint != .phones || route.method != .delete {
      let name = "\(route.method.rawValue) \(route.pattern)"
      switch route.access {
      case .open:
        #expect(try status(route, stranger, in: world) != 401, "\(name)")
      case .needs(let needed):
        #expect(try status(route, stranger, in: world) == 401, "\(name) without a token")
        #expect(try status(route, revoked, in: world) == 401, "\(name) with a revoked token")
        for (right, browser) in browsers {
          let got = try status(route, browser, in: world)
          #expect((got == 403) == (right < needed) && got != 401, "\(name) with \(right): \(got)")
        }
      }
    }
  }

  @Test("every route refuses another host, and changes from another origin", arguments: Browser.Way.allCases)
  func foreign(_ way: Browser.Way) throws {
    let world = try DashboardWorld(.virtual(VirtualTime()))
    let token = try world.pair(.manage, way)
    for route in WebRoute.all {
      let rebound = try Browser(world, way, token: token)
      rebound.host = "attacker.example"
      #expect(try status(route, rebound, in: world) == 421, "\(route.pattern)")
      let crossSite = try Browser(world, way, token: token)
      crossSite.origin = "https://attacker.example"
      if route.method != .get { #expect(try status(route, crossSite, in: world) == 403, "\(route.pattern)") }
    }
  }

  @Test("neither a token nor a code is logged")
  func log() throws {
    let world = try DashboardWorld()
    let link = try world.web("link")
    let code = try #require(link["result"]?["url"]?.text?.split(separator: "#").last)
    let digits = try #require(link["result"]?["digits"]?.text)
    let token = try world.pair(.manage)
    _ = try Browser(world).ask("POST", "/api/1/pair", #"{"code":"\#(code)"}"#)
    #expect(world.log.contains("paired Phone"))
    for secret in [String(code), digits, token] { #expect(!world.log.contains(secret)) }
  }

  @Test("every answer restricts what the browser does with it")
  func fields() throws {
    let world = try DashboardWorld()
    let browser = try world.browser(.view)
    for path in ["/", "/api/1/now", "/nothing", "/api/1/phones"] {
      let answer = try browser.ask("GET", path)
      #expect(answer.field("Content-Security-Policy")?.hasPrefix("default-src 'none'") == true)
      #expect(answer.field("X-Content-Type-Options") == "nosniff")
    }
  }
}

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
    try world.pass(.milliseconds(100))
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

  @Test("a page whose name resolves to this server gets nothing of any route", arguments: Browser.Way.allCases)
  func rebinding(_ way: Browser.Way) throws {
    let world = try DashboardWorld(.virtual(VirtualTime()))
    let port = world.address.split(separator: ":").last ?? ""
    let names = [
      "rebind.example:\(port)", "127.0.0.1.rebind.example:\(port)", "localhost.rebind.example:\(port)",
      "bike.rebind.example", "rebind.example", "localhost.:\(port)",
    ]
    for token in [nil, try world.pair(.manage, way)] {
      for route in WebRoute.all {
        for name in names {
          let page = try Browser(world, way, token: token)
          // To its browser, it is a request of the same origin.
          (page.host, page.origin) = (name, "http://\(name)")
          #expect(try status(route, page, in: world) == 421, "\(route.method) \(route.pattern), \(name)")
        }
      }
    }
    #expect(world.daemon.requests.isEmpty)
  }

  /// What browsers send with a form of another site, and with a request that needs no preflight.
  static let foreignForms: [(name: String, fields: [String])] = [
    ("a form", ["Origin: https://evil.example", "Content-Type: application/x-www-form-urlencoded"]),
    ("a form with files", ["Origin: https://evil.example", "Content-Type: multipart/form-data; boundary=x"]),
    ("JSON in a form with text", ["Origin: https://evil.example", "Content-Type: text/plain"]),
    ("a form in a frame without an origin", ["Origin: null", "Content-Type: text/plain"]),
    ("an old browser's form", ["Content-Type: application/x-www-form-urlencoded"]),
    ("a beacon", ["Origin: https://evil.example", "Sec-Fetch-Site: cross-site", "Content-Type: application/json"]),
    ("a request without a body's type", ["Origin: https://evil.example", "X-Cyclometer: 1"]),
  ]

  @Test("a form of another site changes nothing, although the browser sends the token", arguments: foreignForms)
  func forms(_ form: (name: String, fields: [String])) throws {
    for way in Browser.Way.allCases {
      let world = try DashboardWorld(.virtual(VirtualTime()))
      let token = try world.pair(.manage, way)
      for route in WebRoute.all where route.method != .get {
        let page = try Browser(world, way, token: token)
        page.changeFields = form.fields
        #expect([403, 415].contains(try status(route, page, in: world)), "\(route.method) \(route.pattern)")
      }
      #expect(world.daemon.requests.isEmpty)
      #expect(try world.web("phones")["result"]?["phones"]?.items?.count == 1)
    }
  }

  @Test("no wrong token removes a screen", arguments: Browser.Way.allCases)
  func removal(_ way: Browser.Way) throws {
    let world = try DashboardWorld(.virtual(VirtualTime()))
    let revoked = try world.pair(.manage, way)
    _ = try world.web("revoke", #"{"all":true}"#)
    let (view, ride, manage) = (try world.pair(.view, way), try world.pair(.ride, way), try world.pair(.manage, way))
    let wrong: [(name: String, token: String?, status: Int)] = [
      ("none", nil, 401), ("an empty one", "", 401), ("a revoked one", revoked, 401),
      ("zeros", String(repeating: "0", count: 64), 401), ("a part", String(manage.dropLast()), 401),
      ("a longer one", manage + "0", 401), ("in capitals", manage.uppercased(), 401),
      ("with a blank", manage.prefix(32) + " " + manage.dropFirst(32), 401), ("its own", view, 403),
      ("ride", ride, 403),
    ]
    func phones() throws -> [JSONValue] { try world.web("phones")["result"]?["phones"]?.items ?? [] }
    let before = try phones()
    let id = try #require(before.first?["id"]?.integer)
    for row in wrong {
      try world.pass(.milliseconds(100))
      let got = try Browser(world, way, token: row.token).ask("DELETE", "/api/1/phones/\(id)").status
      #expect(got == row.status, "\(row.name)")
    }
    #expect(try phones().compactMap { $0["id"]?.integer } == before.compactMap { $0["id"]?.integer })
    #expect(try Browser(world, way, token: manage).ask("DELETE", "/api/1/phones/\(id)").status == 204)
    #expect(try phones().count == before.count - 1)
  }

  @Test("a code that is old or was used lets no screen in", arguments: Browser.Way.allCases)
  func oldCodes(_ way: Browser.Way) throws {
    let world = try DashboardWorld(.virtual(VirtualTime()))
    func codes() throws -> [String] {
      let link = try #require(try world.web("link")["result"])
      let code = link["url"]?.text?.split(separator: "#").last.map(String.init)
      return [try #require(code), try #require(link["digits"]?.text)]
    }
    func pair(_ code: String) throws -> Int {
      try Browser(world, way).ask("POST", "/api/1/pair", #"{"code":"\#(code)"}"#).status
    }
    let old = try codes()
    try world.pass(.seconds(121))
    for code in old { #expect(try pair(code) == 403) }
    let new = try codes()
    #expect(try pair(new[0]) == 200)
    for code in new { #expect(try pair(code) == 403) }
    #expect(try world.web("phones")["result"]?["phones"]?.items?.count == 1)
  }

  @Test("neither a token nor a code is in a stream, an answer to others or a saved file")
  func secrets() throws {
    let world = try DashboardWorld()
    let reader = try world.browser(.manage)
    _ = try reader.openStream()
    let link = try #require(try world.web("link")["result"])
    let code = try #require(link["url"]?.text?.split(separator: "#").last)
    let answer = try Browser(world).ask("POST", "/api/1/pair", #"{"code":"\#(code)"}"#)
    let cookie = try #require(answer.field("Set-Cookie"))
    let token = String(cookie.dropFirst("cyclometer=".utf8.count).prefix { $0 != ";" })
    #expect(token.utf8.count == 64 && !answer.body.contains(token))
    world.daemon.sample("speed")
    #expect(try world.run { reader.records("frame").contains("sample:speed") })
    var texts = [reader.text, try world.web("phones").encoded, try world.web("status").encoded]
    for path in ["/api/1/phones", "/api/1/now"] { texts.append(try reader.ask("GET", path).body) }
    texts += try world.savedFiles()
    #expect(texts.contains { $0.contains("Phone") } && texts.count > 5)
    for secret in [String(code), try #require(link["digits"]?.text), token, try #require(reader.token)] {
      #expect(!texts.contains { $0.contains(secret) })
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

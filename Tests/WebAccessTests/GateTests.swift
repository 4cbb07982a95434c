// Every route of the server's own table is refused to all who may not use it, on every socket.

import HTTP
import Testing
import Time

@testable import WebAccess

@Suite struct GateTests {
  private let world: AccessWorld

  init() throws { world = try AccessWorld() }

  /// Calls the body for each route and arrival.
  private func walk(_ body: (WebRoute, Arrival, String) throws -> Void) throws {
    for arrival in AccessWorld.arrivals {
      for route in WebRoute.all { try body(route, arrival, "\(route.method) \(route.pattern), \(arrival)") }
    }
  }

  private func request(
    _ route: WebRoute, _ arrival: Arrival, _ token: Secret?, _ changes: [String: String?] = [:]
  ) throws -> HTTPRequest {
    try browserRequest(
      route.method, route.example, arrival, token: token, content: route.content.type, changing: changes)
  }

  /// Over plain HTTP in a network, nothing is granted that needs more than `ride`.
  private func isCapped(_ route: WebRoute, _ arrival: Arrival) -> Bool {
    if case .lan = arrival { route.right == .manage } else { false }
  }

  @Test("a screen with all rights may use every route, but none of manage over plain HTTP in a network")
  func granted() throws {
    try walk { route, arrival, name in
      let request = try request(route, arrival, world.tokens[.manage])
      #expect(world.status(request, arrival) == (isCapped(route, arrival) ? 403 : 200), "\(name)")
    }
  }

  @Test("with LanManage=yes it may use every route there too")
  func lanManage() throws {
    let world = try AccessWorld(Gate.Settings(names: ["bike.local"], managesInLAN: true))
    for route in WebRoute.all {
      #expect(world.status(try request(route, AccessWorld.lan, world.tokens[.manage]), AccessWorld.lan) == 200)
    }
  }

  @Test("without a token only the page, its files and pairing are open, on loopback too")
  func noToken() throws {
    try walk { route, arrival, name in
      let status = world.status(try request(route, arrival, nil), arrival)
      #expect(status == (route.access == .open ? 200 : 401), "\(name)")
    }
    let open = Set(WebRoute.all.filter { $0.access == .open }.map(\.endpoint))
    #expect(open == [.page, .appFile, .pageFile, .font, .leaflet, .pair])
  }

  @Test("a token with too small a right is refused")
  func smallRight() throws {
    try walk { route, arrival, name in
      for right in Right.allCases {
        guard let needed = route.right, right < needed else { continue }
        let request = try request(route, arrival, world.tokens[right])
        #expect(world.status(request, arrival) == 403, "\(name), \(right)")
      }
    }
  }

  @Test("a token with just the right is enough")
  func exactRight() throws {
    try walk { route, arrival, name in
      guard let needed = route.right, !isCapped(route, arrival) else { return }
      let request = try request(route, arrival, world.tokens[needed])
      #expect(world.status(request, arrival) == 200, "\(name)")
    }
  }

  @Test("a revoked or unknown token is refused")
  func revoked() throws {
    for phone in world.phones.all { _ = try world.phones.revoke(phone.id) }
    try walk { route, arrival, name in
      guard route.access != .open else { return }
      for token in [world.tokens[.manage], Secret(String(repeating: "f", count: 64))] {
        let request = try request(route, arrival, token)
        #expect(world.status(request, arrival) == 401, "\(name)")
      }
    }
  }

  @Test("a request for another host is misdirected, before anything else")
  func foreignHost() throws {
    try walk { route, arrival, name in
      // The first resolves to our address by the name server of an attacker.
      for host in ["rebind.example:8080", "rebind.example", "192.168.1.99:8081", "localhost:1", "bike.local.", ""] {
        let changes: [String: String?] = ["Host": host, "Origin": "http://\(host)"]
        let request = try request(route, arrival, world.tokens[.manage], changes)
        #expect(world.status(request, arrival) == 421, "\(name), \(host)")
      }
    }
  }

  @Test("a request with the origin of another page is refused")
  func foreignOrigin() throws {
    try walk { route, arrival, name in
      let own = arrival.origin(ofHost: arrival.usualHost)
      for origin in ["https://evil.example", "null", own + "1", own + ".evil.example", "file://"] {
        let request = try request(route, arrival, world.tokens[.manage], ["Origin": origin])
        #expect(world.status(request, arrival) == 403, "\(name), \(origin)")
      }
    }
  }

  static let forgeries: [(name: String, changes: [String: String?], statuses: Set<Int>)] = [
    ("a form", ["X-Cyclometer": nil, "Content-Type": "application/x-www-form-urlencoded"], [403]),
    ("a form with plain text", ["Content-Type": "text/plain"], [415]),
    ("a form that says so", ["Sec-Fetch-Site": "cross-site"], [403]),
    ("a page on another port", ["Sec-Fetch-Site": "same-site"], [403]),
    ("no origin", ["Origin": nil], [403]),
    ("no field of ours", ["X-Cyclometer": nil], [403]),
    ("another value of it", ["X-Cyclometer": "2"], [403]),
    ("no type", ["Content-Type": nil], [415]),
  ]

  @Test("a change that a foreign page can cause is refused", arguments: forgeries)
  func forged(_ row: (name: String, changes: [String: String?], statuses: Set<Int>)) throws {
    try walk { route, arrival, name in
      guard route.method != .get else { return }
      let request = try request(route, arrival, world.tokens[.manage], row.changes)
      #expect(row.statuses.contains(world.status(request, arrival)), "\(name), \(row.name)")
    }
  }

  @Test("what needs a right cannot be read by a page of another server on this computer")
  func otherPort() throws {
    try walk { route, arrival, name in
      guard route.method == .get, !isCapped(route, arrival) else { return }
      for (site, status) in [("same-site", 403), ("cross-site", 403), ("none", 200)] {
        let request = try request(route, arrival, world.tokens[.manage], ["Sec-Fetch-Site": site])
        #expect(world.status(request, arrival) == (route.access == .open ? 200 : status), "\(name), \(site)")
      }
    }
  }

  @Test("an older browser, which does not tell the site, is granted")
  func noSite() throws {
    try walk { route, arrival, name in
      guard !isCapped(route, arrival) else { return }
      let request = try request(route, arrival, world.tokens[.manage], ["Sec-Fetch-Site": nil])
      #expect(world.status(request, arrival) == 200, "\(name)")
    }
  }

  static let hosts: [(host: String, arrival: Arrival, isOurs: Bool)] = [
    ("127.0.0.1:8080", AccessWorld.loopback, true), ("localhost:8080", AccessWorld.loopback, true),
    ("LOCALHOST:8080", AccessWorld.loopback, true), ("bike.local:8080", AccessWorld.loopback, true),
    ("BIKE.local:8080", AccessWorld.loopback, true), ("localhost", AccessWorld.loopback, false),
    ("127.0.0.1", AccessWorld.loopback, false), ("127.0.0.2:8080", AccessWorld.loopback, false),
    ("[::1]:8080", AccessWorld.loopback, false), ("localhost:08080", AccessWorld.loopback, false),
    ("[::1]:8080", AccessWorld.loopback6, true), ("::1:8080", AccessWorld.loopback6, false),
    ("192.168.1.20:8081", AccessWorld.lan, true), ("192.168.1.21:8081", AccessWorld.lan, false),
    ("bike.example:8081", AccessWorld.lan, true), ("bike.example:8080", AccessWorld.lan, false),
    ("127.0.0.1", .loopback(address: "127.0.0.1", port: 80), true),
    ("127.0.0.1:80", .loopback(address: "127.0.0.1", port: 80), false),
    ("bike.local", .front, true), ("bike.example:8443", .front, true), ("bike.example:", .front, false),
    ("bike.example:084", .front, false), ("bike.example:999999", .front, false),
    ("bike.example:8443x", .front, false), ("bike.example.evil.example", .front, false),
    ("localhost", .front, false), ("127.0.0.1", .front, false), ("localhost:8080", .front, false),
  ]

  @Test("our own host is a name or the address of this connection, with its port", arguments: hosts)
  func ownHost(_ row: (host: String, arrival: Arrival, isOurs: Bool)) throws {
    let request = try browserRequest(.get, "/", row.arrival, changing: ["Host": row.host])
    #expect(world.status(request, row.arrival) == (row.isOurs ? 200 : 421), "\(row.host)")
  }

  @Test("front.sock counts as https: its origin is, and so is the cookie")
  func front() throws {
    let token = try #require(world.tokens[.ride])
    let lap = try browserRequest(.post, "/api/1/ride", .front, token: token)
    #expect(lap.fields["origin"] == "https://bike.local")
    #expect(world.status(lap, .front) == 200)
    let plain = try browserRequest(
      .post, "/api/1/ride", .front, token: token, changing: ["Origin": "http://bike.local"])
    #expect(world.status(plain, .front) == 403)
  }

  @Test(
    "a path or method without a route is refused",
    arguments: [
      (.get, "/api/1/unknown", 404), (.get, "/api", 404), (.get, "/rides/", 404), (.get, "/rides/1/2", 404),
      (.get, "/f/abc", 404), (.post, "/", 405), (.delete, "/api/1/layouts/phone", 405), (.get, "/api/1/ride", 405),
      (.get, "/api/1/activities/1/erase", 404), (.get, "/api/1/layouts/a/b", 404),
    ] as [(HTTPMethod, String, Int)])
  func unknown(_ method: HTTPMethod, _ path: String, status: Int) throws {
    let request = try browserRequest(method, path, AccessWorld.loopback, token: world.tokens[.manage])
    #expect(world.status(request, AccessWorld.loopback) == status)
  }

  @Test("a refusal of the method names those that are allowed")
  func allowed() throws {
    let request = try browserRequest(.delete, "/api/1/layouts/phone", AccessWorld.loopback)
    let refusal = #expect(throws: AccessRefusal.self) {
      try world.gate.judge(request, AccessWorld.loopback, now: world.now)
    }
    #expect(refusal?.response.fields.contains { $0 == ("Allow", "GET, PUT") } == true)
  }

  @Test("a grant has the phone, its right on this connection, and the values of the path")
  func grant() throws {
    let request = try browserRequest(
      .head, "/api/1/activities/7/export?format=gpx", AccessWorld.lan, token: world.tokens[.manage])
    let grant = try world.gate.judge(request, AccessWorld.lan, now: world.now)
    #expect(grant.route.endpoint == .logbook && grant.right == .ride && grant.phone?.right == .manage)
    #expect(grant.values["id"] == "7" && grant.values["part"] == "export" && grant.values["name"] == nil)
    #expect(grant.phone?.name == "screen manage")
    #expect(world.phones.all.last?.lastUse == world.now.calendar)
    let file = try browserRequest(.get, "/f/a1/widgets/speed.js", AccessWorld.loopback)
    #expect(try world.gate.judge(file, AccessWorld.loopback, now: world.now).values["file"] == "widgets/speed.js")
  }
}

@Suite struct RouteTableTests {
  @Test("every endpoint has a route, and no two routes are for the same requests")
  func table() {
    #expect(Set(WebRoute.all.map(\.endpoint)) == Set(WebEndpoint.allCases))
    #expect(Set(WebRoute.all.map { "\($0.method) \($0.pattern)" }).count == WebRoute.all.count)
    for route in WebRoute.all {
      let path = route.example.dropFirst().split(separator: "/").map(String.init)
      let matching = WebRoute.all.filter { $0.method == route.method && $0.match(path) != nil }
      #expect(matching.count == 1, "\(route.pattern): \(matching.map(\.pattern))")
    }
  }

  @Test("GET needs view at most, and only pairing changes something without a right")
  func rights() {
    for route in WebRoute.all where route.method == .get && route.endpoint != .phones {
      #expect((route.right ?? .view) == .view, "\(route.pattern)")
    }
    #expect(WebRoute.all.filter { $0.method != .get && $0.access == .open }.map(\.endpoint) == [.pair])
  }

  @Test("rights include the smaller ones")
  func included() {
    #expect(Right.view < .ride && .ride < .manage)
    #expect(Right.manage.included == Right.allCases && Right.view.included == [.view])
    #expect(Set(Right.allCases.map(\.meaning)).count == 3)
  }
}

@Suite struct RateLimitTests {
  private let world: AccessWorld

  init() throws { world = try AccessWorld() }

  private func judge(_ method: HTTPMethod, _ path: String, _ token: Secret?) -> AccessRefusal? {
    do {
      _ = try world.gate.judge(
        browserRequest(method, path, AccessWorld.loopback, token: token), AccessWorld.loopback, now: world.now)
      return nil
    } catch {
      return error as? AccessRefusal
    }
  }

  @Test("a screen may change something 20 times a second, and others are not affected")
  func changes() {
    let (one, other) = (world.tokens[.ride], world.tokens[.manage])
    for _ in 0..<RateLimits.changesPerSecond { #expect(judge(.post, "/api/1/ride", one) == nil) }
    let refusal = judge(.post, "/api/1/ride", one)
    #expect(refusal?.status == .tooManyRequests && refusal?.retrySeconds == 1)
    #expect(judge(.put, "/api/1/layouts/phone", one)?.status == .tooManyRequests)
    #expect(judge(.get, "/api/1/now", one) == nil)
    #expect(judge(.post, "/api/1/ride", other) == nil)
    world.pass(0.05)
    #expect(judge(.post, "/api/1/ride", one) == nil)
    #expect(judge(.post, "/api/1/ride", one)?.status == .tooManyRequests)
    world.pass(1)
    for _ in 0..<RateLimits.changesPerSecond { #expect(judge(.post, "/api/1/ride", one) == nil) }
  }

  @Test("requests without a token share one allowance")
  func withoutToken() {
    for _ in 0..<RateLimits.changesPerSecond { #expect(judge(.post, "/api/1/pair", nil) == nil) }
    #expect(judge(.post, "/api/1/pair", nil)?.status == .tooManyRequests)
    #expect(judge(.post, "/api/1/ride", world.tokens[.ride]) == nil)
  }

  @Test("a screen may have 8 streams open; one that ends makes room")
  func streams() throws {
    let request = try browserRequest(.get, "/events", AccessWorld.loopback, token: world.tokens[.view])
    func open() throws -> StreamPermit? {
      try world.gate.judge(request, AccessWorld.loopback, now: world.now).permit
    }
    var permits = try (0..<RateLimits.streams).map { _ in try #require(try open()) }
    #expect(throws: AccessRefusal.self) { try open() }
    #expect(judge(.get, "/events", world.tokens[.ride]) == nil)
    permits.removeLast()
    permits.append(try #require(try open()))
    #expect(throws: AccessRefusal.self) { try open() }
    permits = []
    #expect(try open() != nil)
  }

  @Test("a request for the head of the stream opens none")
  func head() throws {
    let request = try browserRequest(.head, "/events", AccessWorld.loopback, token: world.tokens[.view])
    #expect(try world.gate.judge(request, AccessWorld.loopback, now: world.now).permit == nil)
  }
}

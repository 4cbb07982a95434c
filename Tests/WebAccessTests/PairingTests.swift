// Codes let one screen in once, tokens survive a restart and are not found in any text.

import Digests
import HTTP
import JSON
import Linux
import TestSupport
import Testing
import Time

@testable import WebAccess

@Suite struct PairingTests {
  private let world: AccessWorld

  init() throws { world = try AccessWorld() }

  private func reason(_ code: Secret) -> String? {
    do throws(AccessRefusal) {
      _ = try world.pairing.redeem(code, now: world.now)
      return nil
    } catch {
      return error.reason
    }
  }

  private func invitation(_ right: Right) throws -> Invitation { try Invitation(name: "My phone", right: right) }

  @Test("a code lets one screen in, with its name and right, and only once")
  func once() throws {
    let code = world.pairing.makeLinkCode(try invitation(.view), now: world.monotonic)
    #expect(code.expires - world.monotonic == .seconds(120))
    #expect(code.code.hasForm(digits: 32, radix: 16))
    let (phone, token) = try world.pairing.redeem(code.code, now: world.now)
    #expect(phone.name == "My phone" && phone.right == .view && phone.created == world.now.calendar)
    #expect(token.hasForm(digits: 64, radix: 16))
    #expect(world.phones.holder(of: token) == phone)
    #expect(reason(code.code) == "this code was used already: make a new one at the bike")
  }

  @Test("a code is refused after two minutes, with the reason")
  func expires() throws {
    let code = world.pairing.makeLinkCode(try invitation(.view), now: world.monotonic).code
    world.pass(120)
    #expect(reason(code) == "this code has expired: make a new one at the bike")
    let late = world.pairing.makeLinkCode(try invitation(.view), now: world.monotonic).code
    world.pass(119)
    #expect(reason(late) == nil)
  }

  @Test("a typed code has eight digits and gives ride at most")
  func typed() throws {
    let code = try world.pairing.makeTypedCode(try invitation(.ride), now: world.monotonic).code
    #expect(code.hasForm(digits: 8, radix: 10))
    #expect(reason(code) == nil)
    #expect(throws: AccessRefusal.self) {
      try world.pairing.makeTypedCode(Invitation(name: "x", right: .manage), now: world.monotonic)
    }
  }

  @Test("five wrong codes in a minute close pairing for everyone until the minute is over")
  func window() throws {
    let code = try world.pairing.makeTypedCode(try invitation(.ride), now: world.monotonic).code
    for digit in 0..<5 {
      #expect(reason(Secret("0000000\(digit)")) == "this code is wrong")
      world.pass(5)
    }
    #expect(reason(code) == "5 codes were wrong within a minute: try again in 36 s")
    #expect(world.lines.text.contains("warning: pairing: 5 wrong codes within a minute, so none is accepted for now"))
    world.pass(34)
    #expect(reason(code)?.hasPrefix("5 codes were wrong") == true)
    world.pass(1)
    #expect(reason(code) == nil)
  }

  @Test("what is tried while pairing is closed does not prolong that")
  func closedTries() throws {
    for _ in 0..<5 { _ = reason(Secret("1")) }
    for _ in 0..<59 {
      world.pass(1)
      #expect(reason(Secret("1")) != "this code is wrong")
    }
    world.pass(1)
    #expect(reason(Secret("1")) == "this code is wrong")
  }

  @Test("only so many codes are open, and the oldest is withdrawn first")
  func manyCodes() throws {
    let codes = try (0..<9).map { _ in
      world.pairing.makeLinkCode(try invitation(.view), now: world.monotonic).code
    }
    #expect(reason(codes[0]) == "this code has expired: make a new one at the bike")
    #expect(reason(codes[1]) == nil && reason(codes[8]) == nil)
  }

  @Test("a code stays valid if the phone could not be saved")
  func notSaved() throws {
    let code = world.pairing.makeLinkCode(try invitation(.view), now: world.monotonic).code
    try Files.rename(world.folder.path, to: world.folder.path + "-away")
    #expect(reason(code)?.hasPrefix("the list of paired screens cannot be saved") == true)
    try Files.rename(world.folder.path + "-away", to: world.folder.path)
    #expect(reason(code) == nil)
  }

  @Test("no more than 32 screens can be paired")
  func capacity() throws {
    for _ in world.phones.all.count..<PhoneStore.capacity { _ = try world.pair(.view) }
    let code = world.pairing.makeLinkCode(try invitation(.view), now: world.monotonic).code
    #expect(reason(code) == "32 screens are paired already: revoke one")
    _ = try world.phones.revoke(1)
    #expect(reason(code) == nil)
  }

  @Test("a kiosk replaces the token of its last start")
  func replaces() throws {
    let first = try world.pair(.manage, name: "kiosk", replacing: true)
    let second = try world.pair(.manage, name: "kiosk", replacing: true)
    #expect(world.phones.holder(of: first) == nil && world.phones.holder(of: second)?.name == "kiosk")
    _ = try world.pair(.view, name: "kiosk")
    #expect(world.phones.all.count { $0.name == "kiosk" } == 2)
  }

  @Test("tokens, names and ids survive a restart, and an id is not used again")
  func restart() throws {
    let token = try #require(world.tokens[.ride])
    let last = try #require(world.phones.all.last)
    _ = try world.phones.revoke(last.id)
    world.restart()
    #expect(world.phones.holder(of: token)?.right == .ride)
    #expect(try world.phones.revoke(1).right == .view)
    let new = try world.pair(.view)
    #expect(world.phones.holder(of: new)?.id == last.id + 1)
    #expect(throws: AccessRefusal.self) { try world.phones.revoke(last.id) }
  }

  @Test("the last use is saved once in ten minutes, and at the end")
  func lastUse() throws {
    func saved() -> Int {
      world.restart()
      return world.phones.all.count { $0.lastUse != nil }
    }
    world.phones.recordUse(of: 1, at: world.now.calendar)
    world.phones.saveUses(now: world.monotonic)
    world.phones.recordUse(of: 2, at: world.now.calendar)
    world.pass(599)
    world.phones.saveUses(now: world.monotonic)
    #expect(saved() == 1)
    world.phones.recordUse(of: 2, at: world.now.calendar)
    world.phones.saveUses(now: world.monotonic)
    world.phones.recordUse(of: 3, at: world.now.calendar)
    world.phones.saveUses(now: world.monotonic, isEnding: true)
    #expect(saved() == 3)
  }

  @Test("of a damaged list, the good entries are used and a copy is kept")
  func damaged() throws {
    let path = world.folder.file("phones.json")
    let json = String(decoding: try Files.read(path), as: UTF8.self)
    let damaged = json.replacingFirst(#""right":"view""#, by: #""right":"everything""#)
    try Files.replace(path, with: Array(damaged.utf8), mode: 0o600)
    world.restart()
    #expect(world.phones.all.map(\.right) == [.ride, .manage])
    #expect(Files.exists(path + ".damaged-1"))
    try Files.replace(path, with: Array("{}".utf8), mode: 0o600)
    world.restart()
    #expect(world.phones.all.isEmpty && Files.exists(path + ".damaged-2") && !Files.exists(path))
  }

  @Test("no token and no code is in the file, in the log, or in any description")
  func hidden() throws {
    let code = world.pairing.makeLinkCode(try invitation(.view), now: world.monotonic)
    let token = try #require(world.tokens[.manage])
    _ = reason(code.code)
    _ = reason(code.code)
    world.restart()
    var dumped = ""
    dump(code, to: &dumped)
    dump(token, to: &dumped)
    dump(world.phones.all, to: &dumped)
    dump(world.pairing, to: &dumped)
    dumped += "\(token) \(code) \(String(reflecting: token)) \(world.lines.text)"
    dumped += String(decoding: try Files.read(world.folder.file("phones.json")), as: UTF8.self)
    for secret in [token.reveal(), code.code.reveal()] { #expect(!dumped.contains(secret)) }
    #expect("\(token)" == "(secret)")
  }

  @Test("a name is one line of at most 64 characters", arguments: ["", "a\nb", String(repeating: "x", count: 65)])
  func names(_ name: String) {
    #expect(throws: AccessRefusal.self) { try Invitation(name: name, right: .view) }
  }

  @Test("a phone in a list has its id, name, right and times, and nothing of its token")
  func list() {
    var writer = JSONWriter()
    world.phones.recordUse(of: 1, at: WallTime(seconds: 1_800_000_000))
    world.phones.all[0].write(into: &writer)
    #expect(
      String(decoding: writer.bytes, as: UTF8.self)
        == #"{"id":1,"name":"screen view","right":"view","created":"2027-01-15T08:16:40.000Z","#
        + #""last_used":"2027-01-15T08:00:00.000Z"}"#)
  }
}

@Suite struct TokenCookieTests {
  static let token = String(repeating: "0a", count: 32)

  static let cookies: [(name: String, cookies: [String], isRead: Bool)] = [
    ("alone", ["cyclometer=\(token)"], true),
    ("between others", ["a=1; cyclometer=\(token); b=\"x y\""], true),
    ("without a space", ["a=1;cyclometer=\(token)"], true),
    ("none", [], false),
    ("another", ["cyclometers=\(token)"], false),
    ("twice in a field", ["cyclometer=\(token); cyclometer=\(token)"], false),
    ("in two fields", ["cyclometer=\(token)", "a=1"], false),
    ("in capitals", ["Cyclometer=\(token)"], false),
    ("with digits in capitals", ["cyclometer=\(token.uppercased())"], false),
    ("in quotes", ["cyclometer=\"\(token)\""], false),
    ("too short", ["cyclometer=\(token.dropLast())"], false),
    ("too long", ["cyclometer=\(token)0"], false),
    ("empty", ["cyclometer="], false),
    ("with two spaces", ["a=1;  cyclometer=\(token)"], false),
  ]

  @Test("the token is read from one cookie of just its form", arguments: cookies)
  func reading(_ row: (name: String, cookies: [String], isRead: Bool)) throws {
    let lines = row.cookies.map { "Cookie: \($0)\r\n" }.joined()
    var parser = RequestParser()
    parser.append(Array("GET / HTTP/1.1\r\nHost: bike\r\n\(lines)\r\n".utf8).span)
    guard case .request(let request) = parser.next() else { throw HTTPRefusal(.internalError, row.name) }
    #expect(TokenCookie.token(in: request.fields)?.reveal() == (row.isRead ? Self.token : nil), "\(row.name)")
  }

  @Test("the cookie is for this server only, and secure behind TLS")
  func writing() {
    let token = Secret(Self.token)
    let plain = "cyclometer=\(Self.token); Max-Age=34560000; Path=/; HttpOnly; SameSite=Strict"
    #expect(TokenCookie.setting(token, for: AccessWorld.lan) == plain)
    #expect(TokenCookie.setting(token, for: .front) == plain + "; Secure")
    #expect(
      TokenCookie.clearing(for: .front)
        == "cyclometer=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict; Secure")
  }
}

@Suite struct SecurityHeaderTests {
  @Test("every answer refuses code, connections and frames of others, and opens nothing to them")
  func headers() {
    let answer = String(
      decoding: HTTPResponse(.ok, type: "text/plain", "x").securing().head(keepsConnection: true), as: UTF8.self)
    for line in [
      "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
        + "font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; "
        + "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
      "X-Content-Type-Options: nosniff", "Referrer-Policy: no-referrer", "Cross-Origin-Opener-Policy: same-origin",
      "Cross-Origin-Resource-Policy: same-origin",
    ] {
      #expect(answer.contains(line + "\r\n"))
    }
    #expect(answer.contains("camera=(), ") && answer.contains("screen-wake-lock=(self)\r\n"))
    #expect(!answer.lowercased().contains("access-control") && !answer.contains("unsafe"))
  }
}

extension String {
  fileprivate func replacingFirst(_ part: String, by other: String) -> String {
    guard let range = firstRange(of: part) else { return self }
    return String(self[..<range.lowerBound]) + other + String(self[range.upperBound...])
  }
}

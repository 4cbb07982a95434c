// Which clients are admitted when places are short: first the rules, then the real sockets with
// faked users.

import EventLoop
import Glibc
import JSON
import TestSupport
import Testing
import Time

@testable import DaemonCore
@testable import Linux
@testable import Serving

private typealias Place = Places.Place

private let now = MonotonicTime(nanoseconds: 1_000_000_000_000)

private func places(_ count: Int, of user: UInt32, _ role: SocketRole = .metrics) -> [Place] {
  Array(repeating: Place(user: user, role: role, idleSince: nil), count: count)
}

private func decide(_ user: UInt32, _ role: SocketRole, among present: [Place]) -> Places.Decision {
  Places().decide(Place(user: user, role: role, idleSince: nil), among: present, at: now)
}

extension Places.Decision {
  fileprivate var isFull: Bool { if case .full = self { true } else { false } }
}

@Suite struct PlacesTests {
  @Test("metrics clients of all users leave the places reserved for control")
  func metricsClientsLeavePlacesForControl() {
    let crowd = (1...20).flatMap { places(12, of: $0) }
    #expect(crowd.count == Places().limit - Places().reserved)
    #expect(decide(99, .control, among: crowd) == .free)
    #expect(decide(1, .metrics, among: crowd).isFull)
  }

  @Test("when full, the newest metrics client of the fullest user makes room")
  func theFullestUserMakesRoom() {
    let all = places(100, of: 1) + places(140, of: 2) + places(16, of: 1, .control)
    #expect(all.count == Places().limit)
    #expect(decide(3, .control, among: all) == .inPlaceOf(239))
    #expect(decide(2, .control, among: all) == .inPlaceOf(239), "its own place, for what matters more")
    #expect(decide(3, .metrics, among: all) == .inPlaceOf(239))
    #expect(decide(1, .control, among: all).isFull, "it has its 16")
    #expect(decide(1, .metrics, among: all).isFull)
  }

  @Test("a user who fills control.sock makes room for others too")
  func aCrowdOnControlMakesRoom() {
    let all = places(256, of: 1, .control)
    #expect(decide(1, .control, among: all).isFull)
    #expect(decide(2, .control, among: all) == .inPlaceOf(255))
  }

  @Test("the fullest user is the one with most places on both sockets")
  func controlPlacesCountToo() {
    let all = places(240, of: 1, .control) + places(16, of: 2)
    #expect(decide(3, .control, among: all) == .inPlaceOf(239), "not a client of the user with 16")
    let mixed = places(200, of: 1, .control) + places(3, of: 1) + places(53, of: 2)
    #expect(decide(3, .control, among: mixed) == .inPlaceOf(202), "its newest metrics client")
  }

  @Test("users with equal shares take no places from each other")
  func equalsKeepTheirPlaces() {
    let crowd = (1...24).flatMap { places(10, of: $0) }
    #expect(decide(30, .metrics, among: crowd) == .inPlaceOf(239))
    let sharing = (1...240).flatMap { places(1, of: $0) }
    #expect(decide(300, .metrics, among: sharing).isFull)
    #expect(decide(300, .control, among: sharing) == .free)
  }

  @Test(
    "idle clients that never subscribed are dropped first, longest idle first"
  )
  func theIdleGoFirst() {
    var all = places(200, of: 1) + places(40, of: 2) + places(16, of: 1, .control)
    all[7].idleSince = now + .seconds(-40)
    all[9].idleSince = now + .seconds(-60)
    all[210].idleSince = now + .seconds(-600)
    all[250].idleSince = now + .seconds(-500)
    #expect(decide(3, .control, among: all) == .inPlaceOf(250))
    #expect(decide(3, .metrics, among: all) == .inPlaceOf(9), "a place for control is none for metrics")
    all[9].idleSince = nil
    all[7].idleSince = now + .seconds(-29)
    #expect(decide(3, .metrics, among: all) == .inPlaceOf(210))
  }

  /// A user with fewer than 16 places on control.sock is always admitted there.
  @Test("no order of connections locks a user with few places out of control", arguments: 1...20)
  func noOrderShutsAUserOut(seed: UInt64) {
    var random = SeededRandom(seed)
    var present: [Place] = []
    for _ in 0..<2000 {
      let role = Bool.random(using: &random) ? SocketRole.metrics : .control
      let newcomer = Place(user: UInt32.random(in: 1...15, using: &random), role: role, idleSince: nil)
      switch Places().decide(newcomer, among: present, at: now) {
      case .free: present.append(newcomer)
      case .inPlaceOf(let index):
        present.remove(at: index)
        present.append(newcomer)
      case .full:
        let own = present.count { $0.user == newcomer.user && $0.role == .control }
        #expect(role == .metrics || own >= Places().reserved, "seed \(seed)")
      }
      #expect(present.count <= Places().limit)
      #expect(present.count { $0.role == .metrics } <= Places().limit - Places().reserved)
    }
  }
}

@Suite struct CrowdTests {
  /// One user holds 240 connections to metrics.sock, another one tries to take the rest.
  @Test("two users who take every place do not lock a third out of control")
  func twoUsersCannotTakeAllPlaces() throws {
    let test = try TestDaemon()
    var user: UInt32 = 1
    test.daemon.server?.identify = { _ in PeerCredentials(process: 1, user: user, group: user) }
    func enter(_ count: Int, by newcomer: UInt32, _ role: String = "metrics.sock") throws -> [TestClient] {
      user = newcomer
      return try (0..<count).map { _ in
        defer { _ = try? test.run(for: .milliseconds(1)) }
        return try test.connect(role)
      }
    }
    let first = try enter(240, by: 1)
    let second = try enter(30, by: 2)
    let third = try enter(16, by: 3, "control.sock")
    for client in third {
      client.send(#"{"id":1,"method":"ping"}"#)
      try test.run(for: .milliseconds(1))
      #expect(try client.reply(1)?["class"] == "reply")
    }
    #expect(try test.connect("control.sock").all("error").isEmpty)
    #expect(test.daemon.server?.clientCount ?? 0 <= Places().limit)
    #expect(try second.prefix(16).allSatisfy { try $0.all("error").isEmpty })
    let sentAway = try first.count { try $0.all("error").last?["code"] == "too_many" }
    #expect(sentAway == 16, "one for each of the second user's first 16")
    #expect(try first.last?.all("error").last?["message"]?.text?.contains("closed for another user") == true)
  }

  @Test("the quota of a user who left is dropped once it has recovered")
  func quotasAreForgotten() throws {
    let test = try TestDaemon()
    var user: UInt32 = 1
    test.daemon.server?.identify = { _ in PeerCredentials(process: 1, user: user, group: user) }
    for number in 1...300 {
      user = UInt32(number)
      var client: TestClient? = try test.connect("metrics.sock")
      client?.send(#"{"id":1,"method":"ping"}"#)
      try test.run(for: .milliseconds(100))
      client = nil
      try test.run(for: .milliseconds(100))
    }
    #expect(test.daemon.server?.userCount ?? 0 <= 2)
  }

  @Test("requests and replies are charged by length")
  func longRequestsCost() throws {
    let start = MonotonicTime(nanoseconds: 0)
    let quota = UserQuota(at: start)
    var taken = 0
    while quota.admitRequest(bytes: 60_000, at: start) { taken += 1 }
    #expect(taken == 34, "59 each, where it was one: 2,000 of them")
    let later = start + .seconds(60)
    #expect(quota.isWhole(at: later))
    quota.charge(bytes: 64 << 10)
    #expect(!quota.isWhole(at: later) && quota.isWhole(at: later + .seconds(1)))
  }

  @Test("long requests over the quota wait, and are answered when due")
  func longRequestsWait() throws {
    let test = try TestDaemon()
    let client = try test.connect()
    // The rest of the burst covers two requests that cost 59 each, but not a third.
    test.daemon.server?.quota(of: geteuid()).charge(bytes: 1900 << 10)
    let padding = String(repeating: "x", count: 60_000)
    for id in 1...4 {
      client.send(#"{"id":\#(id),"method":"ping","params":{"padding":"\#(padding)"}}"#)
      try test.run(for: .milliseconds(1))
    }
    #expect(try client.reply(2) != nil && client.reply(3) == nil)
    try test.run(for: .seconds(1))
    #expect(try client.reply(4) != nil)
  }

  @Test("a list of names has at most 128 entries")
  func namesAreFew() throws {
    let test = try TestDaemon()
    let client = try test.connect()
    func poll(_ id: Int, _ kinds: [String]) throws -> JSONValue? {
      let list = kinds.map { "\"\($0)\"" }.joined(separator: ",")
      client.send(#"{"id":\#(id),"method":"poll","params":{"kinds":[\#(list)]}}"#)
      try test.run(for: .milliseconds(5))
      return try client.reply(id)
    }
    #expect(try poll(1, Array(repeating: "ride", count: 128))?["class"] == "reply")
    let refused = try poll(2, Array(repeating: "ride", count: 129))
    #expect(refused?["code"] == "bad_request" && refused?["message"]?.text?.contains("128") == true)
    #expect(try poll(3, ["ride", "nope"])?["code"] == "no_such_kind")
  }
}

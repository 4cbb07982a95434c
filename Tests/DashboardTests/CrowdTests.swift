// Many pages at once, and phones that read nothing for long: none disturbs the others.

import EventLoop
import JSON
import Linux
import Testing
import Time
import WebAccess

@testable import Dashboard

@Suite struct CrowdTests {
  private let world: DashboardWorld

  init() throws { world = try DashboardWorld(.virtual(VirtualTime())) }

  @Test("64 pages have their streams, the 65th client is told that there are too many, and none of the 64 notices")
  func crowd() throws {
    // A screen has eight streams at most.
    let tokens = try (0..<8).map { _ in try world.pair(.view, .front) }
    let pages = try (0..<64).map { try Browser(world, .front, token: tokens[$0 / 8]) }
    for page in pages { _ = try page.openStream() }
    let late = try Browser(world, .front, token: tokens[0])
    try late.send("GET", "/")
    #expect(try world.run { late.hasEnded })
    #expect(late.answer?.status == 503 && late.answer?.body == "all 64 connections are in use\n")
    world.daemon.sample("speed", 7)
    world.daemon.sample("radar", sensor: "varia", 8)
    #expect(try world.run { pages.allSatisfy { $0.values("speed") == [7] && $0.values("radar") == [8] } })
    #expect(pages.allSatisfy { !$0.hasEnded })
    #expect(try world.web("status")["result"]?["connections"] == 64)
    try pages[0].close()
    try world.pass(.seconds(1))
    let next = try Browser(world, .front, token: tokens[0])
    _ = try next.openStream()
    #expect(try world.web("status")["result"]?["readers"] == 64)
  }

  @Test("a phone that sleeps for ten minutes gets what is new when it wakes, and others had everything meanwhile")
  func sleep() throws {
    let (phone, other) = (try world.browser(.view, .front), try world.browser(.view, .front))
    _ = try phone.openStream()
    _ = try other.openStream()
    phone.stop()
    let start = world.loop.now
    for second in 1...600 {
      for kind in ["speed", "power", "heart_rate"] { world.daemon.sample(kind, Double(second)) }
      world.daemon.sample("radar", sensor: "varia", Double(second))
      _ = try world.loop.run(until: start + .seconds(second)) { false }
    }
    #expect(other.values("speed") == (1...600).map { Double($0) } && other.values("radar").count == 600)
    #expect(try world.web("status")["result"]?["readers"] == 1, "the stream of the phone has ended")
    let woken = world.loop.now
    try phone.resume()
    #expect(try world.run { phone.hasEnded })
    // The kernel still has messages from before it slept. Each has its time, so the page sees that they are old.
    let times = phone.messages.compactMap { $0.data["now"]?.number }
    #expect(times.count == phone.messages.count && times.allSatisfy { $0 < start.seconds + 120 })
    let again = try Browser(phone, token: phone.token)
    _ = try again.openStream()
    #expect(try world.run { again.values("heart_rate").last == 600 })
    #expect(again.values("speed") == [600] && again.values("power") == [600] && again.values("radar") == [600])
    for sample in again.messages.flatMap({ $0.data["records"]?.items ?? [] }) where sample["class"] == "sample" {
      #expect(woken.seconds - (sample["t"]?.number ?? 0) < 2)
    }
  }
}

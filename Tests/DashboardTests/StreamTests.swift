// What pages receive, and when.

import EventLoop
import JSON
import Linux
import Testing
import Time
import WebAccess

@testable import Dashboard

@Suite struct StreamTests {
  @Test("a page gets what is there first, then what is new, and radar and events at once")
  func values() throws {
    let world = try DashboardWorld(.virtual(VirtualTime()))
    world.daemon.sample("power")
    let reader = try world.browser(.view, .front)
    _ = try reader.openStream("?hz=1")
    #expect(reader.messages[0].event == "hello" && reader.messages[0].data["rights"] == ["view"])
    #expect(try world.run { !reader.records("frame").isEmpty })
    let first = reader.records("frame")
    for record in ["daemon:true", "recorder:false", "sensor", "adapter:on", "sample:power"] {
      #expect(first.contains(record))
    }
    let start = world.loop.now
    world.daemon.sample("radar", sensor: "varia")
    world.daemon.event("lap")
    #expect(try world.run { reader.records("urgent") == ["sample:radar", "event:lap"] })
    #expect(world.loop.now - start < .milliseconds(1))
    world.daemon.sample("speed")
    world.daemon.sample("speed")
    #expect(try world.run { reader.records("frame").contains("sample:speed") })
    #expect(reader.records("frame").count { $0 == "sample:speed" } == 1)
    #expect(world.loop.now - start > .milliseconds(900))
    #expect(try world.run { reader.messages.contains { $0.event == "beat" } })
  }

  @Test("each stream gets frames at its own rate and a beat each second, and nothing urgent waits for a frame")
  func rates() throws {
    let world = try DashboardWorld(.virtual(VirtualTime()))
    let (slow, quick) = (try world.browser(.view, .front), try world.browser(.view, .front))
    let none = try world.browser(.view, .front)
    _ = try slow.openStream("?hz=1")
    _ = try quick.openStream("?hz=10")
    _ = try none.openStream("?hz=10&kinds=speed")
    for _ in 0..<250 {
      world.daemon.sample("power")
      try world.pass(.milliseconds(20))
    }
    #expect((5...7).contains(slow.count("frame")) && (49...53).contains(quick.count("frame")))
    #expect(none.count("frame") == 1 && none.count("beat") >= 4)
    world.daemon.sample("radar", sensor: "varia")
    try world.pass(.milliseconds(1))
    #expect(slow.records("urgent") == ["sample:radar"] && quick.records("urgent") == ["sample:radar"])
    let late = try world.browser(.view, .front)
    let start = world.loop.now
    _ = try late.openStream("?hz=0.2")
    #expect(try world.run { late.records("frame").contains("sample:power") })
    #expect(world.loop.now - start < .milliseconds(1))
    let beats = slow.count("beat")
    try world.pass(.seconds(5))
    #expect([slow, quick, none, late].allSatisfy { $0.count("beat") >= 4 } && slow.count("beat") >= beats + 4)
    try quick.close()
    world.daemon.sample("speed")
    #expect(
      try world.run { slow.records("frame").contains("sample:speed") && none.records("frame").contains("sample:speed") }
    )
  }

  @Test("pages are told within 3 s that the daemon is frozen, and when it answers again")
  func frozen() throws {
    let world = try DashboardWorld(.virtual(VirtualTime()))
    // A daemon without values sends nothing while no page is open, and answers pings afterwards.
    try world.pass(.seconds(20))
    let reader = try world.browser(.view, .front)
    _ = try reader.openStream()
    try world.pass(.seconds(20))
    #expect(reader.records("frame").filter { $0.hasPrefix("daemon") } == ["daemon:true"])
    world.daemon.isFrozen = true
    let start = world.loop.now
    #expect(try world.run { reader.records("frame").last == "daemon:false" })
    #expect(world.loop.now - start < .seconds(3))
    world.daemon.isFrozen = false
    world.daemon.sample("speed")
    #expect(try world.run { reader.records("frame").contains("sample:speed") })
    #expect(try world.run { reader.records("frame").filter { $0.hasPrefix("daemon") }.last == "daemon:true" })
  }

  @Test("a page gets only the kinds that it asked for")
  func kinds() throws {
    let world = try DashboardWorld(.virtual(VirtualTime()))
    let reader = try world.browser(.view, .front)
    _ = try reader.openStream("?kinds=speed")
    world.daemon.sample("power")
    world.daemon.sample("speed")
    #expect(try world.run { reader.records("frame").contains("sample:speed") })
    #expect(!reader.records("frame").contains("sample:power"))
  }

  @Test("a page that stops reading loses nothing but the past, and others are not affected")
  func stuck() throws {
    let world = try DashboardWorld(.virtual(VirtualTime()))
    let (stuck, other) = (try world.browser(.view, .front), try world.browser(.view, .front))
    _ = try stuck.openStream()
    _ = try other.openStream()
    stuck.stop()
    world.daemon.sample("cadence")
    for round in 0..<40 {
      for number in 0..<20 { world.daemon.sample("kind\(number)", Double(round)) }
      try world.pass(.milliseconds(250))
    }
    let frames = other.messages.filter { $0.event == "frame" }
    #expect(frames.count >= 40)
    try stuck.resume()
    #expect(try world.run { stuck.values("kind7").last == 39 })
    #expect(stuck.records("frame").contains("sample:cadence"))
    #expect(stuck.values("kind7").count < 30)
    let before = (stuck.count("frame"), other.count("frame"))
    for _ in 0..<100 {
      world.daemon.sample("power")
      try world.pass(.milliseconds(20))
    }
    let new = (stuck.count("frame") - before.0, other.count("frame") - before.1)
    #expect(new.0 == new.1 && new.0 >= 7, "it has its rate again")
  }

  @Test("a page that reads nothing for long is disconnected, and 64 connections are served")
  func limits() throws {
    let world = try DashboardWorld(.virtual(VirtualTime()))
    let token = try world.pair(.view, .front)
    let others = try (0..<60).map { _ in try Browser(world, .front, token: token) }
    for (number, browser) in others.enumerated() where number < 7 { _ = try browser.openStream() }
    let stuck = try Browser(world, .front, token: token)
    _ = try stuck.openStream()
    #expect(try others[50].ask("GET", "/events").status == 429)
    #expect(try world.web("status")["result"]?["readers"] == 8)
    stuck.stop()
    for _ in 0..<200 {
      for number in 0..<40 { world.daemon.sample("kind\(number)") }
      try world.pass(.milliseconds(250))
    }
    #expect(try world.web("status")["result"]?["readers"] == 7)
    #expect(others[0].records("frame").contains("sample:kind39"))
  }

  @Test("pages are told that the daemon is gone, and a new one replaces all that was known")
  func daemonGone() throws {
    let world = try DashboardWorld(.virtual(VirtualTime()))
    let reader = try world.browser(.ride, .front)
    _ = try reader.openStream()
    world.daemon.sample("speed")
    _ = try world.run { reader.records("frame").contains("sample:speed") }
    world.daemon.stop()
    #expect(try world.run { reader.records("frame").contains("daemon:false") })
    #expect(try reader.ask("POST", "/api/1/ride", #"{"action":"lap"}"#).status == 503)
    try world.daemon.start(instance: "two")
    #expect(try world.run { reader.hasEnded })
    let again = try Browser(reader, token: reader.token)
    _ = try again.openStream()
    #expect(try world.run { again.records("frame").contains("daemon:true") })
    #expect(again.records("frame").contains("recorder:false"))
    #expect(again.messages[0].data["instance"] != reader.messages[0].data["instance"])
    let now = try #require(try reader.ask("GET", "/api/1/now").json)
    let kinds = now["records"]?.items?.compactMap { $0["kind"]?.text }
    #expect(kinds == [])
    #expect(now["series"]?["speed_mps"] != nil)
  }
}

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

  @Test("pages are told within 3 s that the daemon is frozen, and when it answers again")
  func frozen() throws {
    let world = try DashboardWorld(.virtual(VirtualTime()))
    // A daemon without values sends nothing while no page is open, and answers pings afterwards.
    _ = try world.loop.run(until: world.loop.now + .seconds(20)) { false }
    let reader = try world.browser(.view, .front)
    _ = try reader.openStream()
    _ = try world.loop.run(until: world.loop.now + .seconds(20)) { false }
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
      let end = world.loop.now + .milliseconds(250)
      _ = try world.loop.run(until: end) { false }
    }
    let frames = other.messages.filter { $0.event == "frame" }
    #expect(frames.count >= 40)
    try stuck.resume()
    #expect(try world.run { stuck.values("kind7").last == 39 })
    #expect(stuck.records("frame").contains("sample:cadence"))
    #expect(stuck.values("kind7").count < 30)
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
      _ = try world.loop.run(until: world.loop.now + .milliseconds(250)) { false }
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

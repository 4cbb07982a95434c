// What pages get of the recorder: whether the ride is kept, its logbook, and the course of the ride
// from before the server's start.

import CyclometerClient
import EventLoop
import JSON
import Linux
import ProgramKit
import RecorderCore
import TestSupport
import Testing
import Time
import WebAccess

@testable import Dashboard

@Suite struct RecorderTests {
  private let world: DashboardWorld
  private let recorder: RecorderService

  init() throws {
    world = try DashboardWorld(.virtual(VirtualTime()))
    let folder = world.folder
    let directories = ServiceDirectories(runtime: folder.file("recorder-run"), state: folder.file("recorder"))
    let places = RecorderPlaces(
      daemon: Endpoint(controlSocket: folder.file("run/control.sock")), socket: folder.file("run/logbook.sock"),
      directories: directories)
    for path in [directories.runtime, directories.state] { try Files.createDirectory(path, mode: 0o700) }
    recorder = try RecorderService(
      loop: world.loop, configuration: RecorderConfiguration(), places: places, log: Log(level: .error),
      release: "0.1.0")
    try recorder.start()
  }

  private func ride(_ seconds: ClosedRange<Int>, speed: Double) throws {
    for second in seconds {
      world.daemon.rideSecond(second, speed: speed)
      try world.pass(.seconds(1))
    }
  }

  @Test("pages learn that the ride is recorded, and read the logbook")
  func recording() throws {
    let page = try world.browser(.manage, .front)
    _ = try page.openStream()
    #expect(try world.run { page.records("frame").contains("recorder:true") })
    try ride(1...5, speed: 8)
    #expect(
      page.messages.contains { message in
        message.data["records"]?.items?.contains { $0["class"] == "recorder" && $0["recording"] == 1 } == true
      })
    let list = try page.ask("GET", "/api/1/activities?limit=5")
    #expect(list.status == 200 && list.json?["activities"]?.items?.first?["state"] == "recording")
    recorder.stop()
    #expect(try world.run { page.records("frame").contains("recorder:false") })
    #expect(try page.ask("GET", "/api/1/activities").status == 503)
  }

  @Test("after a restart of the server, the course of the ride begins where the ride began")
  func history() throws {
    try ride(1...60, speed: 8)
    try world.restart()
    try ride(61...80, speed: 4)
    let page = try world.browser(.view, .front)
    let series = try #require(try page.ask("GET", "/api/1/now").json?["series"])
    let speeds = try #require(series["speed_mps"]?.items)
    #expect((76...84).contains(speeds.count))
    #expect(speeds.dropFirst(5).prefix(45).allSatisfy { $0.number.map { abs($0 - 8) < 0.1 } ?? false })
    #expect(speeds.suffix(10).allSatisfy { $0.number.map { abs($0 - 4) < 0.1 } ?? false })
    recorder.stop()
  }
}

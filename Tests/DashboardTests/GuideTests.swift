// What pages get of the guide, and what they ask of it.

import CyclometerClient
import EventLoop
import Foundation
import GuideCore
import JSON
import Linux
import ProgramKit
import TestSupport
import Testing
import Time
import WebAccess

@testable import Dashboard

@Suite struct GuideTests {
  private let world: DashboardWorld

  init() throws { world = try DashboardWorld(.virtual(VirtualTime())) }

  private func record(_ page: Browser) -> JSONValue? {
    page.messages.flatMap { $0.data["records"]?.items ?? [] }.last { $0["class"] == "guide" }
  }

  @Test("without a guide, pages are told so, get everything else, and requests are refused with 503")
  func absent() throws {
    let page = try world.browser(.ride)
    _ = try page.openStream()
    #expect(try world.run { record(page)?["present"] == false })
    #expect(record(page)?["message"]?.text?.hasPrefix("no guide listens at") == true)
    world.daemon.sample("speed")
    #expect(try world.run { page.records("frame").contains("sample:speed") })
    let answer = try page.ask("GET", "/api/1/guide")
    #expect(answer.status == 503 && answer.body.hasPrefix("no guide listens at"), "\(answer)")
    try world.pass(.seconds(60))
    #expect(world.log.split(separator: "guide: not connected").count == 2)
  }

  @Test("a socket that cannot be used for another reason is refused with that reason")
  func unusable() throws {
    let socket = world.socketFolder + "/guide.sock"
    try FileManager.default.createSymbolicLink(atPath: socket, withDestinationPath: socket)
    let answer = try world.browser(.ride).ask("GET", "/api/1/guide")
    #expect(answer.status == 503 && answer.body.contains("symbolic links"), "\(answer)")
  }

  @Test("samples of the guide reach pages that want them, and changes of its status all pages")
  func samples() throws {
    let guide = try FakeGuide(in: world.socketFolder, world.loop)
    defer { guide.stop() }
    let (page, other) = (try world.browser(.view), try world.browser(.view))
    _ = try page.openStream("?kinds=route")
    _ = try other.openStream("?kinds=speed")
    #expect(try world.run { record(other)?["status"]?["connected"] == true && guide.subscribers == 1 })
    guide.sample("route")
    guide.sample("coach")
    guide.follow(4)
    #expect(try world.run { record(page)?["status"]?["following"]?["route"] == 4 })
    #expect(record(page)?["status"]?["class"] == nil)
    #expect(try world.run { page.records("frame").contains("sample:route") })
    #expect(!page.records("frame").contains("sample:coach") && !other.records("frame").contains("sample:route"))
  }

  @Test("the guide is subscribed to only while a page is open, and again after it was away")
  func demand() throws {
    var guide = try FakeGuide(in: world.socketFolder, world.loop)
    try world.pass(.seconds(5))
    #expect(guide.subscribers == 0)
    let page = try world.browser(.view)
    _ = try page.openStream()
    #expect(try world.run { guide.subscribers == 1 })
    guide.stop()
    #expect(try world.run { record(page)?["present"] == false })
    guide = try FakeGuide(in: world.socketFolder, world.loop)
    #expect(try world.run { guide.subscribers == 1 && record(page)?["present"] == true })
    try page.close()
    #expect(try world.run { guide.subscribers == 0 })
    guide.stop()
  }

  @Test("a page that opens later is not told what was true before the guide was gone")
  func outdated() throws {
    let guide = try FakeGuide(in: world.socketFolder, world.loop)
    let page = try world.browser(.view)
    _ = try page.openStream()
    #expect(try world.run { record(page)?["present"] == true })
    try page.close()
    #expect(try world.run { guide.subscribers == 0 })
    guide.stop()
    let later = try world.browser(.view)
    _ = try later.openStream()
    #expect(try world.run { record(later)?["present"] == false })
    let records = later.messages.flatMap { $0.data["records"]?.items ?? [] }.filter { $0["class"] == "guide" }
    #expect(records.count == 1, "\(records)")
  }

  @Test("requests are passed on, and the guide's refusals are answers")
  func requests() throws {
    let guide = try FakeGuide(in: world.socketFolder, world.loop)
    defer { guide.stop() }
    let page = try world.browser(.ride)
    #expect(try page.ask("GET", "/api/1/guide").json?["connected"] == true)
    let follow = #"{"method":"follow","params":{"route":4}}"#
    #expect(try page.ask("POST", "/api/1/guide", follow).json == ["route": 4])
    #expect(try page.ask("POST", "/api/1/guide", #"{"method":"leave"}"#).status == 200)
    let coach = #"{"method":"coach","params":{"sport":"cycling","target_rpm":90}}"#
    #expect(try page.ask("POST", "/api/1/guide", coach).status == 200)
    let unknown = try page.ask("POST", "/api/1/guide", #"{"method":"follow","params":{"route":9}}"#)
    #expect(unknown.status == 404 && unknown.body == "there is no route 9\n")
    #expect(
      guide.requests == [
        "status {}", #"follow {"route":4}"#, "leave {}", #"coach {"sport":"cycling","target_rpm":90}"#,
        #"follow {"route":9}"#,
      ])
  }

  @Test(
    "a mistake is refused without asking the guide",
    arguments: [
      (#"{"method":"status"}"#, "method has to be one of follow, leave, coach"), (#"{}"#, "method has to be one of"),
      (#"[]"#, "the body has to be a JSON object"), (#"{"method":"follow"}"#, "route"),
      (#"{"method":"follow","params":{"route":"4"}}"#, "route"),
      (#"{"method":"coach","params":{"target_rpm":500}}"#, "target_rpm"),
      (#"{"method":"coach","params":{"sport":"chess"}}"#, "sport"),
    ])
  func mistakes(body: String, reason: String) throws {
    let guide = try FakeGuide(in: world.socketFolder, world.loop)
    defer { guide.stop() }
    let answer = try world.browser(.ride).ask("POST", "/api/1/guide", body)
    #expect(answer.status == 400 && answer.body.contains(reason), "\(answer)")
    #expect(guide.requests.isEmpty)
  }

  @Test("a screen that may only view reads the status and changes nothing")
  func rights() throws {
    let guide = try FakeGuide(in: world.socketFolder, world.loop)
    defer { guide.stop() }
    let page = try world.browser(.view)
    #expect(try page.ask("POST", "/api/1/guide", #"{"method":"leave"}"#).status == 403)
    #expect(try page.ask("GET", "/api/1/guide").status == 200)
    #expect(guide.requests == ["status {}"])
  }

  @Test("a guide that does not answer is waited for 12 s, by at most eight requests")
  func frozen() throws {
    let guide = try FakeGuide(in: world.socketFolder, world.loop)
    defer { guide.stop() }
    guide.isFrozen = true
    let page = try world.browser(.ride)
    let waiting = try (0..<GuideTasks.mostRequests).map { _ in try Browser(world, token: page.token) }
    for browser in waiting { try browser.send("GET", "/api/1/guide") }
    #expect(try world.run { guide.requests.count == waiting.count })
    let refused = try page.ask("GET", "/api/1/guide")
    #expect(refused.status == 503 && refused.body.contains("try again"), "\(refused)")
    let asked = world.loop.now
    #expect(try world.run { waiting.allSatisfy { $0.answer?.status == 503 } })
    #expect(waiting[0].answer?.body == "the guide did not answer in time\n")
    #expect((.seconds(11) ... .seconds(13)).contains(world.loop.now - asked))
    guide.isFrozen = false
    #expect(try page.ask("GET", "/api/1/guide").status == 200)
  }

  @Test("a real guide coaches a screen, and tells others what was chosen")
  func realGuide() throws {
    let folder = world.folder
    let directories = ServiceDirectories(runtime: folder.file("guide-run"), state: folder.file("guide"))
    for path in [directories.runtime, directories.state] { try Files.createDirectory(path, mode: 0o700) }
    let guide = try GuideService(
      loop: world.loop, configuration: GuideConfiguration(),
      places: GuidePlaces(
        daemon: Endpoint(controlSocket: folder.file("run/control.sock")), socket: folder.file("run/guide.sock"),
        directories: directories), log: Log(level: .error), release: "0.1.0")
    try guide.start()
    defer { guide.stop() }
    let (page, other) = (try world.browser(.ride), try world.browser(.view))
    _ = try page.openStream("?kinds=coach")
    _ = try other.openStream()
    #expect(try world.run { record(page)?["status"]?["connected"] == true })
    let answer = try page.ask(
      "POST", "/api/1/guide", #"{"method":"coach","params":{"sport":"cycling","target_rpm":90}}"#)
    #expect(answer.status == 200 && answer.json?["target_rpm"] == 90, "\(answer)")
    #expect(try world.run { record(other)?["status"]?["coach"]?["target_rpm"] == 90 })
    let refused = try page.ask("POST", "/api/1/guide", #"{"method":"follow","params":{"route":4}}"#)
    #expect(refused.status == 409, "\(refused)")
  }
}

// Pages that show other bikes: what they get of the bridge, and what happens without one.

import EventLoop
import Foundation
import JSON
import ProgramKit
import Serving
import TestSupport
import Testing
import Time
import WebAccess
import Wire

@testable import Dashboard

/// A bridge as the dashboard's server sees it: mqtt.sock in the loop of the test.
private final class FakeBridge: RequestHandler {
  private var sockets: SocketServer?
  private(set) var requests: [JSONValue] = []
  private var clients: [Client] = []
  var readers: Int { clients.count }

  init(in folder: String, _ loop: EventLoop) throws {
    let sockets = SocketServer(
      loop: loop, log: Log(level: .error), publisher: Publisher(loop: loop),
      hello: HelloRecord(release: "0.1.0", instance: "b"), handler: self)
    try sockets.listen(at: folder + "/mqtt.sock", mode: 0o600, role: SocketRole("mqtt"))
    self.sockets = sockets
  }

  func stop() {
    sockets?.close()
    sockets = nil
  }

  func ended(_ client: Client) { clients.removeAll { $0 === client } }

  func answer(_ request: Request, from asker: Asker) throws(Refusal) -> Answer {
    guard let client = asker.client, request.method == "subscribe" else { throw Refusal(.unknownMethod, "?") }
    requests.append(request.params)
    if request.params["groups"] == ["other"] { throw Refusal(.badRequest, "it does not read the group other") }
    clients.append(client)
    return .done.then { client.send(line: Array("{\"class\":\"broker\",\"state\":\"connected\"}\n".utf8)) }
  }

  func send(_ line: String) { for client in clients { client.sendUncharged(line: Array((line + "\n").utf8)) } }
}

@Suite struct WallTests {
  private let world: DashboardWorld

  init() throws { world = try DashboardWorld(.virtual(VirtualTime())) }

  private static let sample =
    #"{"class":"sample","group":"studio","receiver":"bike-1","sensor":"s","kind":"power","seq":1}"#

  private func records(_ page: Browser) -> [JSONValue] {
    page.messages.filter { $0.event == "frame" }.flatMap { $0.data["records"]?.items ?? [] }
  }

  @Test("a page gets the lines of the bridge as they came, with the time, and asks for a group and kinds")
  func lines() throws {
    let bridge = try FakeBridge(in: world.socketFolder, world.loop)
    defer { bridge.stop() }
    let page = try world.browser(.view)
    let name = try page.openStream("?wall=studio-7&kinds=power,radar&hz=1")
    #expect(name.hasPrefix("w") && page.messages.first?.data["rights"] == ["view"])
    #expect(try world.run { records(page).count == 2 })
    #expect(records(page).compactMap { $0["class"]?.text } == ["bridge", "broker"])
    #expect(bridge.requests == [["groups": ["studio-7"], "kinds": ["power", "radar"], "hz": 1]])
    bridge.send(Self.sample)
    #expect(try world.run { records(page).last?["receiver"] == "bike-1" })
    #expect(page.messages.last?.data["now"]?.number == world.loop.now.seconds)
    let all = try world.browser(.view)
    _ = try all.openStream("?wall=*&hz=10")
    #expect(try world.run { bridge.requests.count == 2 })
    #expect(bridge.requests.last == ["hz": 4], "all groups, at the highest rate that a receiver has")
    try all.close()
    #expect(try world.run { bridge.readers == 1 }, "with the page, its connection ends")
  }

  @Test("while nothing arrives, there is a beat each second")
  func beats() throws {
    let bridge = try FakeBridge(in: world.socketFolder, world.loop)
    defer { bridge.stop() }
    let page = try world.browser(.view)
    _ = try page.openStream("?wall=*")
    #expect(try world.run { records(page).count == 2 })
    let before = page.count("beat")
    try world.pass(.seconds(5))
    #expect(try world.run { 4...6 ~= page.count("beat") - before })
  }

  @Test("without a bridge a page is told why, and gets everything when there is one")
  func absent() throws {
    let page = try world.browser(.view)
    _ = try page.openStream("?wall=*")
    #expect(try world.run { records(page).last?["present"] == false })
    #expect(records(page).last?["message"]?.text?.hasPrefix("no bridge listens at") == true)
    try world.pass(.seconds(30))
    #expect(world.log.split(separator: "bridge: not connected").count == 2, "it is logged once")
    let bridge = try FakeBridge(in: world.socketFolder, world.loop)
    #expect(try world.run { records(page).last?["class"] == "broker" })
    #expect(records(page).suffix(2).first?["present"] == true)
    bridge.stop()
    #expect(try world.run { records(page).last?["present"] == false })
    #expect(records(page).last?["message"]?.text?.contains("closed the connection") == true)
  }

  @Test("a refusal of the bridge is shown with its reason, and the request is sent again")
  func refused() throws {
    let bridge = try FakeBridge(in: world.socketFolder, world.loop)
    defer { bridge.stop() }
    let page = try world.browser(.view)
    _ = try page.openStream("?wall=other")
    #expect(try world.run { records(page).last?["message"] == "it does not read the group other" })
    #expect(bridge.readers == 0)
    #expect(try world.run { bridge.requests.count == 3 })
  }

  @Test("a wall needs the right to view, a rate that exists, and is closed with its phone")
  func rights() throws {
    let bridge = try FakeBridge(in: world.socketFolder, world.loop)
    defer { bridge.stop() }
    let stranger = try Browser(world)
    #expect(try stranger.ask("GET", "/events?wall=*").status == 401)
    let page = try world.browser(.view)
    #expect(try page.ask("GET", "/events?wall=*&hz=99").status == 400)
    _ = try page.openStream("?wall=*")
    #expect(try world.run { bridge.readers == 1 })
    let manager = try world.browser(.manage)
    let phones = try #require(try manager.ask("GET", "/api/1/phones").json?["phones"]?.items)
    let viewer = try #require(phones.first { $0["right"] == "view" }?["id"]?.integer)
    #expect(try manager.ask("DELETE", "/api/1/phones/\(viewer)").status == 204)
    #expect(try world.run { page.hasEnded && bridge.readers == 0 })
  }

  @Test("a page that reads nothing is disconnected when too much waits, and the others go on")
  func stuck() throws {
    let bridge = try FakeBridge(in: world.socketFolder, world.loop)
    defer { bridge.stop() }
    let (page, other) = (try world.browser(.view), try world.browser(.view))
    _ = try page.openStream("?wall=*")
    _ = try other.openStream("?wall=*")
    #expect(try world.run { bridge.readers == 2 })
    page.stop()
    let padding = String(repeating: "x", count: 30_000)
    for number in 1...(2 * WallStream.mostBytes / 30_000) {
      bridge.send(#"{"class":"sample","group":"g","receiver":"r","kind":"power","x":"\#(padding)","seq":\#(number)}"#)
      #expect(try world.run { other.hasReceived("\"seq\":\(number)}]}\n\n") })
    }
    #expect(try world.run { bridge.readers == 1 })
  }

  @Test("walls have a limit, so that the bridge keeps connections for others")
  func limit() throws {
    let bridge = try FakeBridge(in: world.socketFolder, world.loop)
    defer { bridge.stop() }
    let screen = try world.browser(.view)
    var pages: [Browser] = []
    for _ in 0..<WallStreams.mostStreams {
      let page = try Browser(screen, token: screen.token)
      _ = try page.openStream("?wall=*")
      pages.append(page)
    }
    let late = try world.browser(.view).ask("GET", "/events?wall=*")
    #expect(late.status == 503 && late.body.contains("close one"), "\(late)")
  }
}

// What pages have the daemon do.

import EventLoop
import JSON
import Testing
import Time
import WebAccess

@testable import Dashboard

@Suite struct TaskTests {
  private let world: DashboardWorld

  init() throws { world = try DashboardWorld() }

  private func call(_ method: String, _ parameters: String = "{}") -> String {
    #"{"method":"\#(method)","params":\#(parameters)}"#
  }

  @Test("records of a scan reach only the page that asked")
  func scan() throws {
    let (page, other) = (try world.browser(.manage), try world.browser(.manage))
    let name = try page.openStream()
    _ = try other.openStream()
    let answer = try page.ask("POST", "/api/1/daemon", call("scan"), ["X-Cyclometer-Stream: \(name)"])
    #expect(answer.status == 200 && answer.json == [:])
    #expect(try world.run { page.records("task") == ["found"] })
    world.daemon.sample("speed")
    #expect(try world.run { other.records("frame").contains("sample:speed") })
    #expect(other.records("task").isEmpty)
  }

  @Test("a stream of another screen cannot be named, and a scan needs one")
  func foreignStream() throws {
    let (page, other) = (try world.browser(.manage), try world.browser(.manage))
    let name = try page.openStream()
    #expect(try other.ask("POST", "/api/1/daemon", call("scan"), ["X-Cyclometer-Stream: \(name)"]).status == 409)
    #expect(try page.ask("POST", "/api/1/daemon", call("scan")).status == 400)
    #expect(try page.ask("POST", "/api/1/daemon", call("capture")).status == 400)
    #expect(world.daemon.requests.isEmpty)
  }

  @Test("a pairing is answered when the daemon answers, and asks for its passkey by the stream")
  func pair() throws {
    let page = try world.browser(.manage)
    let stream = ["X-Cyclometer-Stream: \(try page.openStream())"]
    let waiting = try Browser(world, token: page.token)
    try waiting.send("POST", "/api/1/daemon", call("pair", #"{"address":"C0:FF:EE:00:00:06"}"#), stream)
    #expect(try world.run { page.records("task") == ["prompt"] })
    #expect(waiting.answer == nil)
    let answer = call("answer", #"{"prompt":"p1","value":"123456"}"#)
    #expect(try page.ask("POST", "/api/1/daemon", answer, stream).status == 200)
    #expect(try world.run { waiting.answer?.json == ["id": "spare"] })
  }

  @Test("the daemon's connection ends 5 s after the page, at once if the screen is revoked")
  func ended() throws {
    let world = try DashboardWorld(.virtual(VirtualTime()))
    let page = try world.browser(.manage)
    let name = try page.openStream()
    _ = try page.ask("POST", "/api/1/daemon", call("scan"), ["X-Cyclometer-Stream: \(name)"])
    try page.close()
    let closed = world.loop.now
    #expect(try world.run { world.daemon.endedControls == 1 })
    #expect(world.loop.now - closed >= .seconds(4))
    let other = try world.browser(.manage)
    let task = ["X-Cyclometer-Stream: \(try other.openStream())"]
    _ = try other.ask("POST", "/api/1/daemon", call("scan"), task)
    let revoked = world.loop.now
    _ = try world.web("revoke", #"{"all":true}"#)
    #expect(try world.run { world.daemon.endedControls == 2 })
    #expect(world.loop.now - revoked < .seconds(4))
  }

  @Test("another stream of the page goes on with its pairing", arguments: [false, true])
  func continued(endsFirst: Bool) throws {
    let page = try world.browser(.manage)
    let name = try page.openStream()
    let waiting = try Browser(world, token: page.token)
    try waiting.send(
      "POST", "/api/1/daemon", call("pair", #"{"address":"C0:FF:EE:00:00:06"}"#), ["X-Cyclometer-Stream: \(name)"])
    #expect(try world.run { page.records("task") == ["prompt"] })
    if endsFirst { try page.close() }
    let next = try Browser(world, token: page.token)
    #expect(try next.openStream("?hz=1&continues=\(name)") == name)
    if !endsFirst { #expect(try world.run { page.hasEnded }) }
    let task = ["X-Cyclometer-Stream: \(name)"]
    _ = try page.ask("POST", "/api/1/daemon", call("scan"), task)
    #expect(try world.run { next.records("task") == ["found"] })
    _ = try page.ask("POST", "/api/1/daemon", call("answer", #"{"prompt":"p1","value":"123456"}"#), task)
    #expect(try world.run { waiting.answer?.json == ["id": "spare"] })
    #expect(world.daemon.endedControls == 0)
    let stranger = try world.browser(.manage)
    #expect(try stranger.openStream("?continues=\(name)") != name)
  }

  @Test("the daemon's sentence reaches the page, and null clears a value")
  func parameters() throws {
    let page = try world.browser(.manage)
    let refused = try page.ask("POST", "/api/1/daemon", call("set", #"{"sensor":"wheel"}"#))
    #expect(refused.status == 400 && refused.body.hasPrefix("circumference_mm is a number"))
    _ = try page.ask("POST", "/api/1/daemon", call("rider", "{\n\"weight_kg\":null}"))
    #expect(world.daemon.lastParameters["weight_kg"] == .null)
    #expect(try page.ask("POST", "/api/1/ride", #"{"action":"new","sport":"running"}"#).json == ["changed": true])
    #expect(world.daemon.requests.last == #"ride {"action":"new","sport":"running"}"#)
    #expect(try page.ask("POST", "/api/1/ride", "[]").status == 400)
  }

  @Test("with Control=no, pages cannot control the daemon")
  func controlOff() throws {
    let world = try DashboardWorld { $0.controls = false }
    let page = try world.browser(.ride)
    #expect(try page.ask("POST", "/api/1/ride", #"{"action":"lap"}"#).status == 403)
    #expect(world.daemon.requests.isEmpty)
  }
}

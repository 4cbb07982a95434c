// The real program, with a daemon that the test plays.

import EventLoop
import Foundation
import JSON
import Linux
import TestSupport
import Testing
import Time
import WebAccess

@testable import Dashboard

@Suite struct ProgramTests {
  private let world: ProgramWorld

  init() throws { world = try ProgramWorld() }

  @Test("readers that stop cost the server little memory, and the others get every value")
  func stopped() throws {
    let stuck = try (0..<2).flatMap { _ in
      let token = try world.pair(.view, .front)
      return try (0..<8).map { _ in try Browser(world, .front, token: token) }
    }
    let reader = try world.browser(.view, .front)
    for browser in stuck + [reader] { _ = try browser.openStream("?hz=10") }
    // The buffers of all that the server does grow first.
    try publish(1...100, to: reader)
    let before = try world.privateKiB
    for browser in stuck { browser.stop() }
    try publish(101...2000, to: reader)
    let growth = try world.privateKiB - before
    // Each value has 400 bytes: what they did not read has 12 MB.
    #expect(isSanitized || growth < 1024, "\(growth) KiB")
    #expect(reader.values("radar") == (1...2000).map { Double($0) })
  }

  /// Radar goes at once, so no value is replaced by the next one.
  private func publish(_ values: ClosedRange<Int>, to reader: Browser) throws {
    for value in values {
      world.daemon.sample("radar", sensor: String(repeating: "r", count: 300), Double(value))
      try #require(try world.run { reader.hasReceived("\"value\":\(value)}]}\n\n") }, "\(value) did not arrive")
    }
  }

  @Test("no code and no token is in the log, on the command line, in the environment or in a file of the program")
  func secrets() throws {
    let link = try #require(try world.web("link")["result"])
    let code = try #require(link["url"]?.text?.split(separator: "#").last)
    let token = try world.pair(.manage)
    let browser = try Browser(world, token: token)
    #expect(try browser.ask("POST", "/api/1/pair", #"{"code":"\#(code)"}"#).status == 200)
    #expect(try browser.ask("POST", "/api/1/pair", #"{"code":"\#(code)"}"#).status == 403)
    _ = try browser.openStream()
    let texts = try world.traces()
    #expect(texts.contains { $0.contains("paired Phone") } && texts.contains { $0.contains("--state-dir") })
    for secret in [String(code), try #require(link["digits"]?.text), token] {
      #expect(!texts.contains { $0.contains(secret) })
    }
  }
}

/// The program and the daemon, which is in the loop of the test.
private final class ProgramWorld: ServedWorld {
  let loop: EventLoop
  let daemon: FakeDaemon
  private let folder: TemporaryFolder
  private let server: RealDashboard
  private(set) var listener: InternetAddress?

  init() throws {
    ignoreBrokenPipes()
    loop = try EventLoop()
    folder = try TemporaryFolder()
    daemon = try FakeDaemon(in: folder.path, loop)
    server = try RealDashboard(daemon: folder.file("control.sock"), names: "bike")
    let text = try web("status")["result"]?["listening"]?.texts?.first ?? ""
    let port = text.split(separator: ":").last.flatMap { UInt16($0) }
    listener = port.map { .loopback(port: $0) }
    for _ in 0..<1000 {
      if try web("status")["result"]?["daemon"] == "connected" { return }
    }
  }

  var socketFolder: String { server.runtimeFolder }

  func waitForAnswer(_ condition: () -> Bool) throws { _ = try run(until: condition) }

  var privateKiB: Int {
    get throws {
      let status = try String(contentsOfFile: "/proc/\(server.number)/status", encoding: .utf8)
      let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
      return try #require(line?.split(separator: " ").dropFirst().first.flatMap { Int($0) })
    }
  }

  /// What others could read of what the program does.
  func traces() throws -> [String] {
    let manager = FileManager.default
    let files = try manager.subpathsOfDirectory(atPath: server.stateFolder).map { server.stateFolder + "/" + $0 }
    let own = ["cmdline", "environ"].map { "/proc/\(server.number)/\($0)" }
    return [server.diagnostics]
      + (files + own).compactMap { path in
        manager.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
      }
  }
}

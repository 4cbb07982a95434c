// The feed and the example programs with the real daemon, which is killed and restarted.

import CyclometerClient
import Foundation
import JSON
import Linux
import TestSupport
import Testing
import Wire

@Suite(.timeLimit(.minutes(30)))
struct RealDaemonFeedTests {
  @Test("the feed reconnects after the daemon was killed")
  func reconnects() throws {
    let folder = try TemporaryFolder()
    var daemon: RealDaemon? = try RealDaemon(in: folder)
    let feed = try Feed(
      Subscription(kinds: ["heart_rate"]), from: Endpoint(controlSocket: folder.file("run/control.sock")),
      timeout: testTimeout)
    guard case .connected(let first, false) = try feed.next() else { throw Missing() }
    var last = 0
    while last < 3 { last = try feed.next()?.sample?.sequence ?? last }
    #expect(try feed.request("ping", within: testTimeout) == .object([]))
    daemon?.kill()
    daemon = nil
    while let update = try feed.next(within: testTimeout), update != .disconnected(.closed) {}
    #expect(feed.greeting == nil)
    daemon = try RealDaemon(in: folder)
    guard case .connected(let second, true) = try feed.next(within: testTimeout) else { throw Missing() }
    #expect(second.instance != first.instance)
    var sample: SampleRecord?
    while sample == nil, let update = try feed.next(within: testTimeout) {
      if case .gap = update { Issue.record("a restarted seq is not a gap") }
      sample = update.sample
    }
    #expect(sample?.kind == "heart_rate")
    try feed.change(to: Subscription(kinds: ["battery"]))
    #expect(feed.subscription.kinds == ["battery"])
  }

  @Test("the example programs run", arguments: ["watch-heart-rate", "watch-heart-rate-async"])
  func examples(_ name: String) throws {
    let daemon = try RealDaemon()
    let program = Process()
    program.executableURL = URL(fileURLWithPath: productFolder + "/" + name)
    program.arguments = [daemon.controlSocket, "3"]
    let output = Pipe()
    program.standardOutput = output
    try withSignalsUnblocked { try program.run() }
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    program.waitUntilExit()
    #expect(program.terminationStatus == 0)
    let lines = text.split(separator: "\n")
    #expect(lines.count { $0.hasPrefix("strap: ") && $0.hasSuffix(" bpm") } == 3)
    #expect(lines.first == "connected to release 0.1.0")
  }

  private struct Missing: Error {}
}

// The asynchronous feed with the real daemon, which is killed and restarted.

import CyclometerClient
import CyclometerClientAsync
import TestSupport
import Testing
import Wire

@Suite(.timeLimit(.minutes(30)))
struct AsyncRealDaemonFeedTests {
  @Test("the feed reconnects after the daemon was killed")
  func reconnects() async throws {
    let folder = try TemporaryFolder()
    var daemon: RealDaemon? = try RealDaemon(in: folder)
    let feed = try AsyncFeed(
      Subscription(kinds: ["heart_rate"]), from: Endpoint(controlSocket: folder.file("run/control.sock")),
      timeout: testTimeout)
    var log: [String] = []
    for try await update in feed {
      switch update {
      case .connected(_, let isNew): log.append(isNew ? "connected new" : "connected")
      case .disconnected:
        log.append("disconnected")
        daemon = try RealDaemon(in: folder)
      case .record where update.sample != nil && log.last != "sample":
        log.append("sample")
        if log.count == 2 { daemon?.kill() }
      default: break
      }
      if log.count == 5 { break }
    }
    #expect(log == ["connected", "sample", "disconnected", "connected new", "sample"])
    #expect(daemon != nil)
  }
}

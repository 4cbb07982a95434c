// A service that does not answer, such as one whose socket a service manager holds.

import Linux
import TestSupport
import Testing
import Time
import Wire

@testable import CyclometerClient

struct PartnerFeedTests {
  private let folder: TemporaryFolder
  private let start = MonotonicTime(seconds: 100)

  init() throws { folder = try TemporaryFolder() }

  private func makeFeed(isAwaited: Bool) -> GuideFeed {
    GuideFeed(
      Subscription(), of: Endpoint(controlSocket: folder.file("control.sock")), isAwaited: isAwaited, at: start)
  }

  @Test("a service that accepts connections and never answers is given up after 10 s")
  func silent() throws {
    let listener = try UnixSocket.listen(at: folder.file("guide.sock"), mode: 0o600)
    let feed = makeFeed(isAwaited: true)
    feed.connect(at: start)
    #expect(feed.number >= 0 && feed.deadline == start + .seconds(10) && !feed.isRetrying)
    #expect(feed.next(at: start + .seconds(9)) == nil && feed.absence == nil && feed.number >= 0)
    let given = start + .seconds(10)
    #expect(feed.next(at: given) == nil && feed.absence == .timeout && feed.number < 0)
    #expect(feed.isRetrying)
    let again = try #require(feed.deadline)
    #expect(again > given && again < given + .seconds(30))
    #expect(feed.next(at: again) == nil && feed.number >= 0 && feed.absence == nil)
    #expect(listener.number >= 0)
  }

  @Test("a service that is not awaited is not looked for again after its silence")
  func notAwaited() throws {
    let listener = try UnixSocket.listen(at: folder.file("guide.sock"), mode: 0o600)
    let feed = makeFeed(isAwaited: false)
    feed.connect(at: start)
    #expect(feed.next(at: start + .seconds(10)) == nil && feed.absence == .timeout)
    #expect(feed.deadline == nil && !feed.isRetrying && listener.number >= 0)
  }

  @Test("a greeting alone does not count as an answer, and an accepted subscription has no limit")
  func accepted() throws {
    let listener = try UnixSocket.listen(at: folder.file("guide.sock"), mode: 0o600)
    let feed = makeFeed(isAwaited: true)
    feed.connect(at: start)
    guard let service = try StreamSocket.accept(from: listener.number) else {
      Issue.record("it does not connect")
      return
    }
    let hello = #"{"class":"hello","protocol":"1.0","release":"0","instance":"a","limits":{"line":65536,"clients":32}}"#
    _ = try StreamSocket.send(service.number, Array((hello + "\n").utf8).span)
    #expect(feed.next(at: start + .seconds(5)) == nil && feed.deadline == start + .seconds(10) && !feed.isFollowing)
    let reply = #"{"class":"reply","id":1,"result":{}}"#
    _ = try StreamSocket.send(service.number, Array((reply + "\n").utf8).span)
    #expect(feed.next(at: start + .seconds(9)) == nil && feed.isFollowing && feed.deadline == nil)
    #expect(feed.next(at: start + .seconds(1e9)) == nil && feed.isFollowing && feed.number >= 0)
  }
}

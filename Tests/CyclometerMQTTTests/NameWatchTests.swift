// Two bridges of one name, as one of them sees it.

import Fleet
import TestSupport
import Testing
import Time
import Wire

@testable import BridgeCore

@Suite struct NameWatchTests {
  private func status(_ boot: String, since: Int64, _ state: ReceiverState = .online) -> ReceiverStatus {
    var status = ReceiverStatus(state)
    (status.boot, status.instance, status.since) = (boot, "a", WallTime(seconds: since))
    return status
  }

  private func second(_ seconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: seconds * 1_000_000_000) }

  private var own: ReceiverStatus { status("b", since: 20) }

  /// It has connected twice, so what it gets is not of an earlier run.
  private func connectedTwice() -> NameWatch {
    var watch = NameWatch()
    for since: Int64 in [10, 20] { watch.published(status("b", since: since)) }
    return watch
  }

  @Test("of two receivers that connect by turns, the one with the greater boot gives up", arguments: ["a", "c"])
  func turns(other: String) {
    var watch = connectedTwice()
    let first = watch.mustGiveUp(after: status(other, since: 15), own: own, at: second(1))
    let last = watch.mustGiveUp(after: status(other, since: 25), own: own, at: second(100))
    #expect(!first && last == (other == "a"))
  }

  @Test("what it has published itself, a will, a leftover and one that is repeated prove nothing")
  func innocent() {
    var watch = NameWatch()
    watch.published(status("b", since: 10))
    let leftovers = (1...5).map { watch.mustGiveUp(after: status("a", since: $0), own: own, at: second(1)) }
    #expect(!leftovers.contains(true))
    watch = connectedTwice()
    let harmless = [
      status("b", since: 10), own, status("a", since: 5), status("a", since: 5), status("a", since: 6, .offline),
    ]
    let answers = harmless.map { watch.mustGiveUp(after: $0, own: own, at: second(1)) }
    #expect(!answers.contains(true))
    let late = watch.mustGiveUp(after: status("a", since: 7), own: own, at: second(301))
    let again = watch.mustGiveUp(after: status("a", since: 8), own: own, at: second(302))
    #expect(!late && again, "the first was too old")
  }
}

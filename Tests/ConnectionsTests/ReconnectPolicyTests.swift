// The reconnect policy as plain values.

import Radio
import Testing

@testable import Connections

@Suite struct ReconnectPolicyTests {
  typealias Step = ReconnectPolicy.Step
  typealias History = ReconnectPolicy.History

  @Test("every failure kind has one policy", arguments: FailureKind.allCases)
  func everyKindHasOnePolicy(kind: FailureKind) {
    #expect(ReconnectPolicy.table.count { $0.kind == kind } == 1)
  }

  @Test("pauses never shrink, and attempts never end", arguments: FailureKind.allCases.filter { $0 != .needsUser })
  func pauses(kind: FailureKind) {
    let pauses = ReconnectPolicy.of(kind).pauses
    #expect(pauses == pauses.sorted() && pauses.allSatisfy { $0 >= .milliseconds(250) })
    #expect(pauses.last == .seconds(30))
    let late = ReconnectPolicy.step(after: kind, History(attempts: 10_000, hasForgotten: true))
    #expect(late == .search(after: .seconds(30)))
  }

  @Test(
    "each failure leads to the expected step",
    arguments: [
      (
        "the first abort", .transient, History(isConnecting: true, timeLeft: .seconds(4)),
        .again(after: .milliseconds(250))
      ),
      (
        "the ninth retry", .transient, History(isConnecting: true, quickTries: 8, timeLeft: .seconds(4)),
        .again(after: .milliseconds(250))
      ),
      (
        "after nine", .transient, History(isConnecting: true, quickTries: 9, timeLeft: .seconds(4)),
        .search(after: .milliseconds(250))
      ),
      (
        "after the deadline", .transient, History(isConnecting: true, timeLeft: .milliseconds(200)),
        .search(after: .milliseconds(250))
      ),
      ("a link that worked is lost", .transient, History(hadWorked: true), .atOnce),
      ("one that never gave a value", .transient, History(attempts: 3), .search(after: .seconds(1))),
      ("a zombie that had worked", .unanswered, History(hadWorked: true), .atOnce),
      (
        "no answer", .unanswered, History(isConnecting: true, timeLeft: .seconds(9)), .search(after: .milliseconds(250))
      ),
      ("gone", .gone, History(isConnecting: true, timeLeft: .seconds(9)), .search(after: .milliseconds(250))),
      ("gone again", .gone, History(attempts: 1), .search(after: .seconds(4))),
      ("gone under a link that worked", .gone, History(hadWorked: true), .search(after: .milliseconds(250))),
      ("in progress", .busy, History(isConnecting: true, timeLeft: .seconds(9)), .search(after: .seconds(4))),
      ("old services", .outdated, History(), .forget(after: .milliseconds(250))),
      ("old services, again", .outdated, History(attempts: 1, hasForgotten: true), .search(after: .milliseconds(250))),
      ("the user is needed", .needsUser, History(hadWorked: true, isRadioLost: true), .stop),
      ("bluetoothd is gone", .adapter, History(hadWorked: true, isRadioLost: true), .wait),
      ("lost with the radio", .transient, History(hadWorked: true, isRadioLost: true), .wait),
      ("the radio is back already", .adapter, History(), .search(after: .milliseconds(250))),
    ] as [(String, FailureKind, History, Step)])
  func nextStep(name: String, kind: FailureKind, history: History, step: Step) {
    #expect(ReconnectPolicy.step(after: kind, history) == step, "\(name)")
  }

  @Test("the time allowed for a link grows with failed attempts")
  func linkTime() {
    let times = (0..<10).map { ReconnectPolicy.linkTime(attempts: $0) }
    #expect(times == times.sorted() && times.first == .seconds(6) && times.last == .seconds(25))
  }
}

@Suite struct ConnectQueueTests {
  private final class Log {
    var lines: [String] = []
  }

  private func request(_ queue: ConnectQueue, _ name: String, hopeful: Bool = false, _ log: Log) -> ConnectQueue.Ticket
  {
    let ticket = queue.request(isSpeculative: hopeful) {
      log.lines.append("\(name) granted")
    } wanted: {
      log.lines.append("\(name) wanted")
    } dropped: {
      log.lines.append("\(name) dropped")
    }
    queue.advance()
    return ticket
  }

  @Test("connects take turns in the order of their requests")
  func firstComeFirstServed() {
    let (queue, log) = (ConnectQueue(), Log())
    let first = request(queue, "first", log)
    let second = request(queue, "second", log)
    _ = request(queue, "third", log)
    queue.release(first)
    queue.release(second)
    #expect(
      log.lines == [
        "first granted", "first wanted", "first wanted", "second granted", "second wanted", "third granted",
      ])
    #expect(queue.isBusy && !queue.isWanted)
  }

  @Test("speculative connects come after sensors that were discovered")
  func speculativeLast() {
    let (queue, log) = (ConnectQueue(), Log())
    let first = request(queue, "first", log)
    _ = request(queue, "hope", hopeful: true, log)
    let present = request(queue, "present", log)
    queue.release(first)
    queue.release(present)
    #expect(log.lines.filter { $0.hasSuffix("granted") } == ["first granted", "present granted", "hope granted"])
  }

  @Test("with several speculative connects, only the first keeps its turn")
  func severalSpeculative() {
    let (queue, log) = (ConnectQueue(), Log())
    let first = request(queue, "first", hopeful: true, log)
    _ = request(queue, "second", hopeful: true, log)
    #expect(log.lines == ["first granted", "second dropped", "first wanted"])
    queue.release(first)
    #expect(!queue.isBusy && !queue.isWanted)
  }

  @Test("a speculative connect whose sensor is present keeps its turn")
  func provenPresence() {
    let (queue, log) = (ConnectQueue(), Log())
    let first = request(queue, "first", hopeful: true, log)
    first.provePresence()
    _ = request(queue, "second", hopeful: true, log)
    #expect(log.lines == ["first granted", "first wanted"])
    queue.release(first)
    #expect(log.lines.last == "second granted")
  }
}

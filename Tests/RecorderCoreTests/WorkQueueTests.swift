// The work queue: order, fairness, and that the loop's other sources are served between slices.

import EventLoop
import Logbook
import Testing
import Time
import Wire

@testable import RecorderCore

@Suite
struct WorkQueueTests {
  /// Does nothing several times, and writes down when.
  private final class Steps: SlicedWork {
    private let name: String
    private let diary: Diary
    private var rest: Int
    private let refusal: Refusal?

    init(_ name: String, _ count: Int, in diary: Diary, refusal: Refusal? = nil) {
      (self.name, self.diary, rest, self.refusal) = (name, diary, count, refusal)
    }

    func step() throws(Refusal) -> Bool {
      diary.entries.append(name)
      rest -= 1
      if rest == 0, let refusal { throw refusal }
      return rest > 0
    }
  }

  private final class Diary {
    var entries: [String] = []
  }

  private let loop: EventLoop
  private let queue: WorkQueue
  private let diary = Diary()

  init() throws {
    loop = try EventLoop()
    queue = WorkQueue(loop: loop)
  }

  private func run() throws {
    let isDone = try loop.run(until: loop.now + .seconds(20)) { queue.isEmpty }
    #expect(isDone)
  }

  @Test("the work of a lane runs in order")
  func order() throws {
    queue.add(Steps("a", 2, in: diary)) { #expect($0 == nil) }
    queue.add(Steps("b", 1, in: diary))
    try run()
    #expect(diary.entries == ["a", "a", "b"])
  }

  @Test("work that is no longer wanted ends at its next turn")
  func abandoned() throws {
    var steps = 0
    let work = AbandonableWork(Steps("a", 9, in: diary)) {
      steps += 1
      return steps <= 3
    }
    var refusal: Refusal??
    queue.add(work) { refusal = $0 }
    queue.add(Steps("b", 1, in: diary))
    try run()
    #expect(diary.entries == ["a", "a", "a", "b"] && work.isAbandoned && refusal == .some(nil))
  }

  @Test("lanes take turns, however much waits in one")
  func fairness() throws {
    let (one, other) = (Diary(), Diary())
    for number in 1...3 { queue.add(Steps("one\(number)", 2, in: diary), in: .of(one)) }
    queue.add(Steps("other", 3, in: diary), in: .of(other))
    try run()
    #expect(
      diary.entries == ["one1", "other", "one1", "other", "one2", "other", "one2", "one3", "one3"])
  }

  @Test("a failure ends its work and is reported, and the next one runs")
  func failure() throws {
    var reported: Refusal?
    let refusal = Refusal(.storage, "the storage is full")
    queue.add(Steps("a", 2, in: diary, refusal: refusal)) { reported = $0 }
    queue.add(Steps("b", 1, in: diary))
    try run()
    #expect(diary.entries == ["a", "a", "b"])
    #expect(reported == refusal)
  }

  @Test("deadlines run between slices")
  func deadlines() throws {
    queue.add(Steps("a", 4, in: diary))
    var ticks = 0
    func tick() {
      diary.entries.append("deadline")
      ticks += 1
      if ticks < 3 { loop.schedule(after: .zero) { tick() } }
    }
    tick()
    try run()
    #expect(diary.entries == ["deadline", "deadline", "a", "deadline", "a", "a", "a"])
  }

  @Test("work that is added by finished work runs, and an empty queue does not wake the loop")
  func continuation() throws {
    queue.add(Steps("a", 1, in: diary)) { _ in queue.add(Steps("b", 1, in: diary)) }
    try run()
    #expect(diary.entries == ["a", "b"])
    #expect(loop.deadlineCount == 0)
  }

  @Test("a chain makes each link when it is its turn, and skips those without work")
  func chain() throws {
    let diary = diary
    let chain = WorkChain([
      { Steps("a", 2, in: diary) }, { nil },
      {
        diary.entries.append("made b")
        return Steps("b", 1, in: diary)
      },
    ])
    queue.add(chain)
    try run()
    #expect(diary.entries == ["a", "a", "made b", "b"])
  }
}

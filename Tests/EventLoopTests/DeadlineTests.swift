// Deadlines in virtual time: exact, in order, and each as often as it was scheduled.

import EventLoop
import Linux
import TestSupport
import Testing
import Time

struct DeadlineTests {
  let loop: EventLoop

  init() throws {
    loop = try EventLoop(.virtual(VirtualTime()))
  }

  private func run(for span: Duration) throws {
    _ = try loop.run(until: loop.now + span) { false }
  }

  @Test("deadlines run by time, then in the order they were set")
  func deadlinesRunByTime() throws {
    var order: [String] = []
    for (name, milliseconds) in [("c", 20), ("a", 10), ("d", 20), ("b", 10)] {
      loop.schedule(after: .milliseconds(milliseconds)) { order.append(name) }
    }
    try run(for: .seconds(1))
    #expect(order == ["a", "b", "c", "d"])
  }

  @Test("thousands of deadlines run in order")
  func thousandsOfDeadlinesRun() throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededRandom(seed)
    var seen: [(Int, Int)] = []
    var all: [(moment: Int, deadline: Deadline)] = []
    for index in 0..<3_000 {
      let moment = Int(random.next() % 200)
      all.append((moment, loop.schedule(after: .milliseconds(moment)) { seen.append((moment, index)) }))
      if random.next() % 2 == 0 { all[Int(random.next() % UInt64(all.count))].deadline.cancel() }
    }
    let expected = all.indices.filter { all[$0].deadline.isPending }.map { (all[$0].moment, $0) }.sorted { $0 < $1 }
    #expect(loop.deadlineCount == expected.count)
    try run(for: .seconds(1))
    #expect(seen.elementsEqual(expected, by: ==), "seed \(seed)")
    #expect(loop.deadlineCount == 0)
  }

  @Test("a deadline can be set again before, while and after it fires")
  func deadlineCanBeSetAgain() throws {
    var fired: [Duration] = []
    let start = loop.now
    var deadline: Deadline?
    deadline = loop.schedule(after: .seconds(1)) { [loop] in
      fired.append(loop.now - start)
      if fired.count == 1 { deadline?.set(to: loop.now + .seconds(3)) }
    }
    deadline?.set(to: start + .seconds(2))
    #expect(loop.deadlineCount == 1)
    try run(for: .seconds(10))
    #expect(fired == [.seconds(2), .seconds(5)])
    #expect(deadline?.isPending == false)
    deadline?.set(to: loop.now + .seconds(1))
    deadline?.cancel()
    deadline?.set(to: loop.now + .seconds(2))
    try run(for: .seconds(5))
    #expect(fired == [.seconds(2), .seconds(5), .seconds(12)])
  }

  @Test("a deadline cancelled by another one of the same time does not run")
  func deadlineCancelledByAnotherOne() throws {
    var order: [String] = []
    var second: Deadline?
    loop.schedule(after: .seconds(1)) {
      order.append("first")
      second?.cancel()
    }
    second = loop.schedule(after: .seconds(1)) { order.append("second") }
    try run(for: .seconds(2))
    #expect(order == ["first"])
    #expect(second?.isPending == false)
  }

  @Test("a chain of due deadlines starves no descriptor", arguments: [Duration.zero, .seconds(-60)])
  func chainOfDueDeadlinesStarves(_ span: Duration) throws {
    let pair = try PacketPair()
    var (links, order) = (0, [String]())
    func again() {
      links += 1
      if links < 1_000 { loop.schedule(after: span, again) }
    }
    loop.schedule(after: .seconds(1)) {
      again()
      _ = try? pair.far.write([1].span)
    }
    loop.schedule(after: .seconds(1)) { order.append("deadline \(links)") }
    let number = pair.near.number
    let watch = try loop.watch(number, for: .readable) { _ in
      order.append("packet \(links)")
      var buffer = [UInt8](repeating: 0, count: 8)
      _ = try? readDescriptor(number, into: &buffer)
    }
    try run(for: .seconds(2))
    watch.cancel()
    #expect(order == ["deadline 1", "packet 1"])
    #expect(links == 1_000)
  }

  @Test("virtual time jumps to each deadline exactly")
  func virtualTimeJumps() throws {
    let start = loop.now
    var moments: [Duration] = []
    func again() {
      moments.append(loop.now - start)
      if moments.count < 24 { loop.schedule(after: .seconds(3600), again) }
    }
    loop.schedule(after: .seconds(3600), again)
    try run(for: .seconds(86_400))
    #expect(moments == (1...24).map { .seconds(3600 * $0) })
    #expect(loop.now - start == .seconds(86_400))
  }

  @Test("a ready descriptor is served before time passes")
  func readyDescriptorServedBeforeTime() throws {
    let pair = try PacketPair()
    var order: [String] = []
    loop.schedule(after: .nanoseconds(1)) { order.append("deadline") }
    let number = pair.near.number
    let watch = try loop.watch(number, for: .readable) { _ in
      order.append("packet")
      var buffer = [UInt8](repeating: 0, count: 8)
      _ = try? readDescriptor(number, into: &buffer)
    }
    _ = try pair.far.write([1].span)
    try run(for: .seconds(1))
    watch.cancel()
    #expect(order == ["packet", "deadline"])
  }

  @Test("a hook runs once per iteration, and a hook set by a hook in the next one")
  func hookRunsOncePerIteration() throws {
    var order: [String] = []
    let second = loop.makeHook { order.append("second") }
    let first = loop.makeHook {
      order.append("first")
      second.schedule()
    }
    let start = loop.now
    loop.schedule(after: .seconds(1)) {
      first.schedule()
      first.schedule()
      order.append("deadline")
    }
    loop.schedule(after: .seconds(1) + .nanoseconds(1)) { order.append("later") }
    try run(for: .seconds(2))
    #expect(order == ["deadline", "first", "second", "later"])
    #expect(loop.now - start == .seconds(2))
  }

  @Test("a condition ends the run at once")
  func conditionEndsRun() throws {
    var isDone = false
    let start = loop.now
    loop.schedule(after: .seconds(5)) { isDone = true }
    #expect(try loop.run(until: start + .seconds(60)) { isDone })
    #expect(loop.now - start == .seconds(5))
    #expect(try !loop.run(until: loop.now + .seconds(1)) { false })
  }

  @Test("no deadline on the boot clock fires early")
  func noDeadlineOnBootClock() throws {
    let loop = try EventLoop()
    var order: [Int] = []
    var isEarly = false
    for index in [3, 1, 2] {
      let moment = loop.now + .milliseconds(index)
      loop.schedule(at: moment) {
        order.append(index)
        if MonotonicTime.now < moment { isEarly = true }
      }
    }
    loop.schedule(after: .milliseconds(4)) { loop.stop() }
    try loop.run()
    #expect(order == [1, 2, 3])
    #expect(!isEarly)
  }

  @Test("a later deadline does not delay an earlier one on the boot clock")
  func laterDeadlineDoesNotDelay() throws {
    let loop = try EventLoop()
    var order: [String] = []
    loop.schedule(after: .seconds(3600)) { order.append("hour") }
    loop.schedule(after: .milliseconds(1)) {
      order.append("first")
      loop.schedule(after: .milliseconds(1)) {
        order.append("second")
        loop.stop()
      }
    }
    try loop.run()
    #expect(order == ["first", "second"])
  }

  @Test("a discarded loop calls nothing and is freed")
  func discardedLoopCallsNothing() throws {
    weak var released: EventLoop?
    do {
      let loop = try EventLoop()
      released = loop
      var isCalled = false
      let deadline = loop.schedule(after: .zero) { isCalled = loop.deadlineCount == 0 }
      loop.makeHook { isCalled = loop.deadlineCount == 0 }.schedule()
      loop.discardPending()
      loop.schedule(after: .milliseconds(1)) { [weak loop] in loop?.stop() }
      try loop.run()
      #expect(!isCalled)
      #expect(!deadline.isPending)
    }
    #expect(released == nil)
  }
}

// One thread, one epoll, one timer: everything in the daemon happens in this loop.
//
// An iteration waits for ready descriptors, serves them, runs deadlines that have passed, and then
// runs the scheduled hooks (dispatching a bus, flushing clients). Handlers run to completion and
// never re-enter the loop.
//
// Tests use the same loop with virtual time: when no descriptor is ready and nothing is in
// progress, time jumps to the next deadline.

public import Linux
public import Time

public final class EventLoop {
  /// The time of this iteration, read once, so that all handlers see the same time.
  public private(set) var now: MonotonicTime

  private var epoll: Epoll
  private let timer: TimerDescriptor
  private let timeline: Timeline
  private var slots: [Slot] = []
  private var freeSlots: [Int] = []
  private var deadlines = DeadlineQueue()
  private var armedFor: MonotonicTime?
  private var pendingHooks: [Hook] = []
  private var runningHooks: [Hook] = []
  private var isStopping = false

  private struct Slot {
    var generation: UInt32 = 0
    var watch: Watch?
  }

  private static let timerToken = UInt64.max

  public init(_ timeline: Timeline = .boot) throws(SystemError) {
    self.timeline = timeline
    now = timeline.start
    epoll = try Epoll()
    timer = try TimerDescriptor()
    try epoll.add(timer.descriptor.number, .readable, token: Self.timerToken)
  }

  /// Runs until `stop`.
  public func run() throws(SystemError) {
    isStopping = false
    while !isStopping { try turn() }
  }

  public func stop() {
    isStopping = true
  }

  /// Releases pending deadlines and hooks without calling them, because they may hold references to
  /// the owner of the loop.
  public func discardPending() {
    deadlines.removeAll()
    pendingHooks = []
  }

  /// Runs until the condition is true. Returns false when the limit passes first.
  public func run(until limit: MonotonicTime, _ condition: () -> Bool) throws(SystemError) -> Bool {
    while !condition() {
      guard now < limit else { return false }
      try turn(noLaterThan: limit)
    }
    return true
  }

  private func turn(noLaterThan limit: MonotonicTime? = nil) throws(SystemError) {
    let count: Int
    if !pendingHooks.isEmpty {
      count = try epoll.wait(milliseconds: 0)
      readClock()
    } else if let twin = timeline.twin {
      count = try wait(on: twin, noLaterThan: limit)
    } else {
      try armTimer(noLaterThan: limit)
      count = try epoll.wait(milliseconds: nil)
      readClock()
    }
    try serve(count)
    runDeadlines()
    runHooks()
  }

  private func readClock() {
    if timeline.twin == nil { now = MonotonicTime.now }
  }
}

// MARK: Descriptors

extension EventLoop {
  /// Calls the handler whenever the descriptor is ready, until the watch is cancelled. The owner of
  /// the descriptor must cancel the watch before closing it.
  public func watch(
    _ descriptor: Int32, for interest: Interest, _ handler: @escaping (Interest) -> Void
  ) throws(SystemError) -> Watch {
    let index = freeSlots.popLast() ?? slots.count
    if index == slots.count { slots.append(Slot()) }
    let token = UInt64(slots[index].generation) << 32 | UInt64(index)
    let watch = Watch(loop: self, descriptor: descriptor, interest: interest, token: token, handler: handler)
    do throws(SystemError) {
      try epoll.add(descriptor, interest, token: token)
    } catch {
      freeSlots.append(index)
      throw error
    }
    slots[index].watch = watch
    return watch
  }

  func change(_ watch: Watch) throws(SystemError) {
    try epoll.change(watch.descriptor, watch.interest, token: watch.token)
  }

  func remove(_ watch: Watch) {
    let index = Int(watch.token & 0xffff_ffff)
    slots[index].watch = nil
    // Events of this iteration with the old generation are ignored.
    slots[index].generation &+= 1
    freeSlots.append(index)
    // Only fails if the owner closed the descriptor first; then the kernel has removed it already.
    try? epoll.remove(watch.descriptor)
  }

  private func serve(_ count: Int) throws(SystemError) {
    for event in 0..<count {
      let (token, ready) = epoll.event(event)
      if token == Self.timerToken {
        try timer.acknowledge()
        armedFor = nil
        continue
      }
      let slot = slots[Int(token & 0xffff_ffff)]
      guard let watch = slot.watch, watch.token == token else { continue }
      watch.handler(ready)
    }
  }

  /// The number of watched descriptors, for tests of leaks.
  public var watchCount: Int { slots.count - freeSlots.count }
}

// MARK: Deadlines

extension EventLoop {
  /// Calls the handler once, at that time or as soon as possible afterwards.
  @discardableResult
  public func schedule(at time: MonotonicTime, _ handler: @escaping () -> Void) -> Deadline {
    let deadline = Deadline(loop: self, time: time, handler: handler)
    reset(deadline, to: time)
    return deadline
  }

  func reset(_ deadline: Deadline, to time: MonotonicTime) {
    deadlines.remove(deadline)
    // A time in the past is queued behind everything already due, so that it delays nothing.
    deadline.time = max(time, now)
    deadlines.insert(deadline)
  }

  func remove(_ deadline: Deadline) {
    deadlines.remove(deadline)
  }

  @discardableResult
  public func schedule(after span: Duration, _ handler: @escaping () -> Void) -> Deadline {
    schedule(at: now + span, handler)
  }

  public var deadlineCount: Int { deadlines.count }

  /// New deadlines wait for the next iteration, so that a chain of them cannot starve descriptors.
  private func runDeadlines() {
    let end = deadlines.nextOrder
    while let next = deadlines.popFirst(dueAt: now, setBefore: end) { next.fire() }
  }

  private func nextMoment(_ limit: MonotonicTime?) -> MonotonicTime? {
    guard let first = deadlines.first else { return limit }
    guard let limit else { return first }
    return min(first, limit)
  }

  /// Only a deadline earlier than the timer's current one costs a system call.
  private func armTimer(noLaterThan limit: MonotonicTime?) throws(SystemError) {
    guard let wanted = nextMoment(limit) else { return }
    if let armedFor, armedFor <= wanted { return }
    try timer.arm(at: wanted)
    armedFor = wanted
  }
}

// MARK: Hooks

extension EventLoop {
  /// A handler that runs once at the end of an iteration, however often it was scheduled.
  public func makeHook(_ handler: @escaping () -> Void) -> Hook {
    Hook(loop: self, handler: handler)
  }

  func enqueue(_ hook: Hook) {
    pendingHooks.append(hook)
  }

  /// Hooks scheduled by hooks run in the next iteration, which then does not wait.
  private func runHooks() {
    swap(&pendingHooks, &runningHooks)
    for hook in runningHooks { hook.run() }
    runningHooks.removeAll(keepingCapacity: true)
  }
}

// MARK: Virtual time

extension EventLoop {
  private func wait(on twin: VirtualTime, noLaterThan limit: MonotonicTime?) throws(SystemError) -> Int {
    twin.countTurn()
    now = now + twin.takeSleep()
    let count = try epoll.wait(milliseconds: 0)
    if count > 0 { return count }
    if let first = deadlines.first, first <= now { return 0 }
    switch twin.quiescence() {
    case .underway:
      guard pendingHooks.isEmpty else { return 0 }
      // Another process has still to reply: this really waits, but virtual time does not advance.
      let answered = try epoll.wait(milliseconds: twin.timeout)
      if answered == 0 { twin.lostPatience() }
      return answered
    case .settled:
      guard pendingHooks.isEmpty else { return 0 }
      guard let next = nextMoment(limit) else {
        preconditionFailure("virtual time: nothing is ready and no deadline is left")
      }
      now = max(now, next)
      twin.timePasses()
      return 0
    }
  }
}

// The commands and ticks that the program has not answered. An entry stays until its answer comes, so that a
// second answer is recognized.

internal import Time

struct WaitingRequests {
  struct Request {
    let subject: ProcessMessage.Said.Subject
    let session: Int
    let sentAt: MonotonicTime
    /// Its session goes on, and it did not wait too long.
    var isOfUse = true
  }

  private var list: [Request] = []
  private var lastCommand = 0
  private var lastTick = 0

  var isEmpty: Bool { list.isEmpty }

  mutating func addCommand(of session: Int, at time: MonotonicTime) -> Int {
    lastCommand += 1
    list.append(Request(subject: .command(lastCommand), session: session, sentAt: time))
    return lastCommand
  }

  mutating func addTick(of session: Int, at time: MonotonicTime) -> Int {
    lastTick += 1
    list.append(Request(subject: .tick(lastTick), session: session, sentAt: time))
    return lastTick
  }

  mutating func remove(_ subject: ProcessMessage.Said.Subject) -> Request? {
    guard let index = list.firstIndex(where: { $0.subject == subject }) else { return nil }
    return list.remove(at: index)
  }

  /// When the oldest one was sent, whether its answer is of use or not.
  var oldest: MonotonicTime? { list.first?.sentAt }

  /// When the oldest command that is of use was sent.
  var oldestCommand: MonotonicTime? { list.first { $0.isOfUse && $0.isCommand }?.sentAt }

  /// Gives up a command that was sent at `time` or before, and returns its session.
  mutating func loseCommand(sentUntil time: MonotonicTime) -> Int? {
    guard let index = list.firstIndex(where: { $0.isOfUse && $0.isCommand && $0.sentAt <= time }) else { return nil }
    list[index].isOfUse = false
    return list[index].session
  }

  /// The session ends, so nothing waits for its answers.
  mutating func orphan(_ session: Int) {
    for index in list.indices where list[index].session == session { list[index].isOfUse = false }
  }
}

extension WaitingRequests.Request {
  fileprivate var isCommand: Bool {
    if case .command = subject { true } else { false }
  }
}

/// The ticks that programs asked for: one for each session.
struct Ticks {
  private var list: [(session: Int, time: MonotonicTime)] = []

  var next: MonotonicTime? {
    var earliest: MonotonicTime?
    for tick in list where tick.time < earliest ?? tick.time + .seconds(1) { earliest = tick.time }
    return earliest
  }

  mutating func set(_ session: Int, at time: MonotonicTime) {
    cancel(session)
    list.append((session, time))
  }

  mutating func cancel(_ session: Int) { list.removeAll { $0.session == session } }

  mutating func popDue(at time: MonotonicTime) -> Int? {
    guard let index = list.firstIndex(where: { $0.time <= time }) else { return nil }
    return list.remove(at: index).session
  }
}

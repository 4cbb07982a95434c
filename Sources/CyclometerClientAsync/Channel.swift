// Connects the tasks of a program to the thread of its feed: updates go one way, requests the
// other. Both sides hold the lock for a few instructions only, and no continuation is resumed under
// it.

internal import CyclometerClient
import JSON
internal import Linux
internal import Synchronization

final class Channel: Sendable {
  typealias Waiting = CheckedContinuation<Update?, any Error>

  let waker: Waker
  private let capacity: Int
  private let state = Mutex(State())

  private struct State {
    var updates = Queue<Update>()
    /// Tasks that wait for an update, in order. While there are any, the queue of updates is empty.
    var readers: [(number: Int, task: Waiting)] = []
    var questions: [Question] = []
    var lastNumber = 0
    var isStopped = false
    /// There will be no more updates; the failure is reported once.
    var isOver = false
    var failure: ClientError?
  }

  init(capacity: Int) throws {
    self.capacity = capacity
    waker = try Waker()
  }

  func stop() {
    let readers = state.withLock { state in
      state.isStopped = true
      state.isOver = true
      defer { state.readers = [] }
      return state.readers
    }
    for reader in readers { reader.task.resume(returning: nil) }
    waker.wake()
  }
}

// The side of the tasks.
extension Channel {
  func next() async throws -> Update? {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { take(for: number, $0) }
    } onCancel: {
      let reader = state.withLock { state in
        state.readers.firstIndex { $0.number == number }.map { state.readers.remove(at: $0) }
      }
      reader?.task.resume(returning: nil)
    }
  }

  private func take(for number: Int, _ task: Waiting) {
    let (isBelow, outcome) = state.withLock { state -> (Bool, Result<Update?, any Error>?) in
      // The cancellation handler above may have run before this task was registered.
      if Task.isCancelled { return (false, .success(nil)) }
      if let update = state.updates.popFirst() { return (state.updates.count == capacity / 2, .success(update)) }
      if let failure = state.failure {
        state.failure = nil
        return (false, .failure(failure))
      }
      if state.isOver { return (false, .success(nil)) }
      state.readers.append((number, task))
      return (false, nil)
    }
    // The reading thread is woken when the buffer is half empty, not for every update.
    if isBelow { waker.wake() }
    if let outcome { task.resume(with: outcome) }
  }

  func ask(_ question: Question) async throws -> JSONValue {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { task in
        question.wait(task)
        let isOver = state.withLock { state in
          if !state.isOver { state.questions.append(question) }
          return state.isOver
        }
        if isOver { question.finish(.failure(ClientError.closed)) } else { waker.wake() }
      }
    } onCancel: {
      question.finish(.failure(CancellationError()))
    }
  }
}

// The side of the thread.
extension Channel {
  struct Orders {
    let isStopped: Bool
    let isFull: Bool
    let questions: [Question]
  }

  func orders() -> Orders {
    state.withLock { state in
      defer { state.questions = [] }
      return Orders(
        isStopped: state.isStopped, isFull: state.updates.count >= capacity, questions: state.questions)
    }
  }

  func put(_ update: Update) {
    let reader = state.withLock { state -> Waiting? in
      guard !state.isStopped else { return nil }
      guard state.readers.isEmpty else { return state.readers.removeFirst().task }
      state.updates.append(update)
      return nil
    }
    reader?.resume(returning: update)
  }

  /// Ends the channel; requests that arrived in the meantime fail.
  func finish(_ failure: ClientError?) {
    let (readers, questions) = state.withLock { state in
      state.isOver = true
      defer { (state.readers, state.questions) = ([], []) }
      if state.readers.isEmpty, !state.isStopped { state.failure = failure }
      return (state.readers, state.questions)
    }
    for (index, reader) in readers.enumerated() {
      if index == 0, let failure { reader.task.resume(throwing: failure) } else { reader.task.resume(returning: nil) }
    }
    for question in questions { question.finish(.failure(failure ?? .closed)) }
  }
}

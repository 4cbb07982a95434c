// A request of a task. It finishes once: with the daemon's reply, a time-out, or the end of the
// task.

internal import CyclometerClient
import JSON
internal import Linux
internal import Synchronization
import Time

final class Question: Sendable {
  let method: String
  /// Nil for a new subscription, too: the feed knows them.
  let parameters: JSONValue?
  let deadline: MonotonicTime
  /// The feed's new subscription if the daemon accepts it.
  let subscription: Subscription?
  private let state = Mutex(State.new)

  private enum State {
    case new
    case waiting(CheckedContinuation<JSONValue, any Error>)
    /// The task was cancelled before it began to wait.
    case finishedEarly(Result<JSONValue, any Error>)
    case finished
  }

  init(method: String, parameters: JSONValue?, timeout: Duration) {
    self.method = method
    self.parameters = parameters
    deadline = .now + timeout
    subscription = nil
  }

  init(changing subscription: Subscription, timeout: Duration) {
    method = "subscribe"
    parameters = nil
    deadline = .now + timeout
    self.subscription = subscription
  }

  var isFinished: Bool {
    state.withLock { state in
      switch state {
      case .new, .waiting: false
      case .finishedEarly, .finished: true
      }
    }
  }

  func wait(_ task: CheckedContinuation<JSONValue, any Error>) {
    let result = state.withLock { state -> Result<JSONValue, any Error>? in
      guard case .finishedEarly(let result) = state else {
        state = .waiting(task)
        return nil
      }
      state = .finished
      return result
    }
    if let result { task.resume(with: result) }
  }

  func finish(_ result: Result<JSONValue, any Error>) {
    let task = state.withLock { state -> CheckedContinuation<JSONValue, any Error>? in
      switch state {
      case .new: state = .finishedEarly(result)
      case .waiting(let task):
        state = .finished
        return task
      case .finishedEarly, .finished: break
      }
      return nil
    }
    task?.resume(with: result)
  }
}

// A call that waits for its answer.

internal import EventLoop

public final class PendingCall {
  private var reply: ((Result<Message, BusError>) -> Void)?
  var deadline: Deadline?
  /// Where it is kept until it ends.
  var forget: (() -> Void)?

  init(_ reply: @escaping (Result<Message, BusError>) -> Void) {
    self.reply = reply
  }

  /// The answer, should it come, goes nowhere. The one who was asked is not told: D-Bus has no way to.
  public func cancel() {
    _ = end()
  }

  public var isPending: Bool { reply != nil }

  /// At most once, and never after `cancel`.
  func complete(_ result: Result<Message, BusError>) {
    end()?(result)
  }

  private func end() -> ((Result<Message, BusError>) -> Void)? {
    deadline?.cancel()
    deadline = nil
    forget?()
    forget = nil
    defer { reply = nil }
    return reply
  }
}

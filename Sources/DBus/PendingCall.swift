// A call that waits for its reply.

internal import EventLoop

public final class PendingCall {
  private var reply: ((Result<BusMessage, BusError>) -> Void)?
  private var deadline: Deadline?
  /// Removes the call from the connection's table.
  var forget: (() -> Void)?

  init(_ reply: @escaping (Result<BusMessage, BusError>) -> Void) {
    self.reply = reply
  }

  func end(at deadline: Deadline) { self.deadline = deadline }

  /// Ignores a later reply. The service is not notified, because D-Bus cannot do that.
  public func cancel() {
    _ = end()
  }

  public var isPending: Bool { reply != nil }

  /// Runs at most once, and never after `cancel`.
  func complete(_ result: Result<BusMessage, BusError>) {
    end()?(result)
  }

  private func end() -> ((Result<BusMessage, BusError>) -> Void)? {
    deadline?.cancel()
    deadline = nil
    forget?()
    forget = nil
    defer { reply = nil }
    return reply
  }
}

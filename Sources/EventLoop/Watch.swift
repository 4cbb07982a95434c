// Handles for users of the loop: a watched descriptor, a deadline, a hook. The owner cancels them,
// and none keeps the loop running.

public import Linux
import Time

public final class Watch {
  public let descriptor: Int32
  public private(set) var interest: Interest
  let token: UInt64
  let handler: (Interest) -> Void
  private weak var loop: EventLoop?

  init(
    loop: EventLoop, descriptor: Int32, interest: Interest, token: UInt64, handler: @escaping (Interest) -> Void
  ) {
    self.loop = loop
    self.descriptor = descriptor
    self.interest = interest
    self.token = token
    self.handler = handler
  }

  public func change(to interest: Interest) throws(SystemError) {
    guard interest != self.interest, let loop else { return }
    self.interest = interest
    try loop.change(self)
  }

  /// Call before closing the descriptor, because its number can be reused in the same iteration.
  public func cancel() {
    loop?.remove(self)
    loop = nil
  }
}

public final class Hook {
  private let handler: () -> Void
  private weak var loop: EventLoop?
  private var isPending = false

  init(loop: EventLoop, handler: @escaping () -> Void) {
    self.loop = loop
    self.handler = handler
  }

  public func schedule() {
    guard !isPending, let loop else { return }
    isPending = true
    loop.enqueue(self)
  }

  func run() {
    isPending = false
    handler()
  }
}

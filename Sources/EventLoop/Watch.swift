// What the loop's users hold: a watched descriptor, a deadline, a hook. Each is cancelled by its owner; none keeps the loop
// from ending.

public import Linux

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

  /// Before the descriptor is closed: a number that is closed can be another descriptor's in the same turn.
  public func cancel() {
    loop?.remove(self)
    loop = nil
  }
}

public final class Deadline {
  public internal(set) var time: BootTime
  /// Of two deadlines for the same moment, the one set first runs first.
  var order: UInt64 = 0
  /// Where it stands in the queue; nil once it has fired or was cancelled.
  var place: Int?
  private let handler: () -> Void
  private weak var loop: EventLoop?

  init(loop: EventLoop, time: BootTime, handler: @escaping () -> Void) {
    self.loop = loop
    self.time = time
    self.handler = handler
  }

  public func cancel() {
    loop?.remove(self)
  }

  /// Whether it is pending, has fired or was cancelled: the handler is called at this time, and no other that it was set for. Nothing
  /// is allocated, as it would be for another deadline.
  public func set(to time: BootTime) {
    loop?.reset(self, to: time)
  }

  public var isPending: Bool { place != nil }

  func fire() {
    handler()
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

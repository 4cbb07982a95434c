// The kernel's list of ready descriptors. Each event returns its token, so that the owner can
// recognize an event of a descriptor that was closed and reused in the same iteration.

internal import CLinux

public struct Interest: OptionSet, Sendable {
  public let rawValue: UInt32

  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  public static let readable = Interest(rawValue: UInt32(EPOLLIN.rawValue))
  public static let writable = Interest(rawValue: UInt32(EPOLLOUT.rawValue))
  /// The other end has closed its sending direction, even if there is still data to read.
  public static let inputEnded = Interest(rawValue: UInt32(EPOLLRDHUP.rawValue))
  /// The other end closed, or the descriptor failed. Reported even if not requested.
  public static let hangUp = Interest(rawValue: UInt32(EPOLLHUP.rawValue))
  public static let failed = Interest(rawValue: UInt32(EPOLLERR.rawValue))
}

public struct Epoll: ~Copyable {
  private let descriptor: FileDescriptor
  private var ready: [cyclometer_ready]

  public init() throws(SystemError) {
    // No property is set before the failing call: Swift 6.2 destroys it twice if `init` throws.
    let number = try systemCall("epoll_create1") { epoll_create1(Int32(EPOLL_CLOEXEC)) }
    descriptor = FileDescriptor(owning: number)
    ready = [cyclometer_ready](repeating: cyclometer_ready(), count: 64)
  }

  public func add(_ number: Int32, _ interest: Interest, token: UInt64) throws(SystemError) {
    try control(EPOLL_CTL_ADD, number, interest, token)
  }

  public func change(_ number: Int32, _ interest: Interest, token: UInt64) throws(SystemError) {
    try control(EPOLL_CTL_MOD, number, interest, token)
  }

  public func remove(_ number: Int32) throws(SystemError) {
    try control(EPOLL_CTL_DEL, number, [], 0)
  }

  private func control(
    _ operation: Int32, _ number: Int32, _ interest: Interest, _ token: UInt64
  ) throws(SystemError) {
    try systemCall("epoll_ctl") {
      cyclometer_epoll_ctl(descriptor.number, operation, number, interest.rawValue, token)
    }
  }

  /// Waits until something is ready; nil waits forever. An interruption by a signal counts as
  /// nothing ready.
  public mutating func wait(milliseconds: Int32?) throws(SystemError) -> Int {
    let number = descriptor.number
    let timeout = milliseconds ?? -1
    let count = unsafe ready.withUnsafeMutableBufferPointer { buffer in
      // The shim writes at most `count` entries.
      unsafe cyclometer_epoll_wait(number, buffer.baseAddress, Int32(buffer.count), timeout)
    }
    if count >= 0 { return Int(count) }
    let code = cyclometer_errno()
    guard code == EINTR else { throw SystemError(call: "epoll_wait", code: code) }
    return 0
  }

  public func event(_ index: Int) -> (token: UInt64, ready: Interest) {
    (ready[index].token, Interest(rawValue: ready[index].events))
  }
}

// Waiting for a handful of descriptors without a loop: what a program that does one thing after the other needs.

internal import CLinux

public enum Waiting {
  /// Waits until the descriptor has something to read, or ended. False when the deadline passed first; nil waits for ever.
  public static func untilReadable(_ number: Int32, deadline: BootTime?) throws(SystemError) -> Bool {
    try wait(number, POLLIN, deadline)
  }

  public static func untilWritable(_ number: Int32, deadline: BootTime? = nil) throws(SystemError) -> Bool {
    try wait(number, POLLOUT, deadline)
  }

  public static func until(_ deadline: BootTime) throws(SystemError) {
    // The kernel passes over entries with a negative descriptor.
    _ = try wait(-1, 0, deadline)
  }

  private static func wait(_ number: Int32, _ events: Int32, _ deadline: BootTime?) throws(SystemError) -> Bool {
    while true {
      var entry = pollfd(fd: number, events: Int16(events), revents: 0)
      let count = unsafe poll(&entry, 1, deadline.map(milliseconds) ?? -1)
      if count > 0 { return true }
      if count < 0, cyclometer_errno() != EINTR { throw SystemError(call: "poll", code: cyclometer_errno()) }
      if let deadline, BootTime.now >= deadline { return false }
    }
  }

  /// Rounded up, so that nobody wakes before the moment and goes round again.
  private static func milliseconds(until deadline: BootTime) -> Int32 {
    let left = (deadline - .now).wholeNanoseconds
    return Int32(clamping: max(0, (left + 999_999) / 1_000_000))
  }
}

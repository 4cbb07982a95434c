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

  /// Waits until there is room to send or something to read: who only waits for room, while the peer waits for its own answers
  /// to be read, waits for ever.
  public static func untilReadableOrWritable(_ number: Int32, deadline: BootTime? = nil) throws(SystemError) -> Bool {
    try wait(number, POLLIN | POLLOUT, deadline)
  }

  /// Waits for any of several; a negative number stands for none.
  public static func untilReadable(
    _ first: Int32, or second: Int32, or third: Int32 = -1, deadline: BootTime?
  ) throws(SystemError) -> Bool {
    var entries = [first, second, third].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    return try wait(&entries, deadline)
  }

  public static func until(_ deadline: BootTime) throws(SystemError) {
    // The kernel passes over entries with a negative descriptor.
    _ = try wait(-1, 0, deadline)
  }

  private static func wait(_ number: Int32, _ events: Int32, _ deadline: BootTime?) throws(SystemError) -> Bool {
    var entries = [pollfd(fd: number, events: Int16(events), revents: 0)]
    return try wait(&entries, deadline)
  }

  private static func wait(_ entries: inout [pollfd], _ deadline: BootTime?) throws(SystemError) -> Bool {
    let entryCount = nfds_t(entries.count)
    while true {
      // The kernel writes into as many entries as the array has.
      let count = unsafe poll(&entries, entryCount, deadline.map(milliseconds) ?? -1)
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

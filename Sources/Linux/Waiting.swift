// Waits for a few descriptors without a loop, for sequential programs.

internal import CLinux
public import Time

public enum Waiting {
  /// Waits until the descriptor has data or was closed. Returns false if the deadline passes first;
  /// nil waits forever.
  public static func untilReadable(_ number: Int32, deadline: MonotonicTime?) throws(SystemError) -> Bool {
    try wait(number, POLLIN, deadline)
  }

  public static func untilWritable(_ number: Int32, deadline: MonotonicTime? = nil) throws(SystemError) -> Bool {
    try wait(number, POLLOUT, deadline)
  }

  /// Waits until there is space to send or data to read. Waiting for space alone could deadlock if
  /// the peer is waiting for us to read.
  public static func untilReadableOrWritable(_ number: Int32, deadline: MonotonicTime? = nil) throws(SystemError)
    -> Bool
  {
    try wait(number, POLLIN | POLLOUT, deadline)
  }

  /// Waits for any of the descriptors; a negative number means none.
  public static func untilReadable(
    _ first: Int32, or second: Int32, or others: [Int32] = [], orWritable writable: Int32 = -1,
    deadline: MonotonicTime?
  ) throws(SystemError) -> Bool {
    var entries = ([first, second] + others).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    if writable >= 0 { entries.append(pollfd(fd: writable, events: Int16(POLLOUT), revents: 0)) }
    return try wait(&entries, deadline)
  }

  public static func until(_ deadline: MonotonicTime) throws(SystemError) {
    // The kernel ignores entries with a negative descriptor.
    _ = try wait(-1, 0, deadline)
  }

  private static func wait(_ number: Int32, _ events: Int32, _ deadline: MonotonicTime?) throws(SystemError) -> Bool {
    var entries = [pollfd(fd: number, events: Int16(events), revents: 0)]
    return try wait(&entries, deadline)
  }

  private static func wait(_ entries: inout [pollfd], _ deadline: MonotonicTime?) throws(SystemError) -> Bool {
    let entryCount = nfds_t(entries.count)
    while true {
      // The kernel writes into as many entries as the array has.
      let count = unsafe poll(&entries, entryCount, deadline.map(milliseconds) ?? -1)
      if count > 0 { return true }
      if count < 0, cyclometer_errno() != EINTR { throw SystemError(call: "poll", code: cyclometer_errno()) }
      if let deadline, MonotonicTime.now >= deadline { return false }
    }
  }

  /// Rounded up, so that the wait does not end early and repeat.
  private static func milliseconds(until deadline: MonotonicTime) -> Int32 {
    let left = (deadline - .now).wholeNanoseconds
    return Int32(clamping: max(0, (left + 999_999) / 1_000_000))
  }
}

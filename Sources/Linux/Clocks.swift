// The two clocks. All ages, deadlines and timestamps count from boot, including suspend. The wall
// clock is only used for display.

internal import CLinux
public import Time

extension MonotonicTime {
  /// The time since boot, including suspended time (CLOCK_BOOTTIME).
  public static var now: MonotonicTime {
    let time = readClock(CLOCK_BOOTTIME)
    return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }
}

extension WallTime {
  /// The time of the calendar (CLOCK_REALTIME).
  public static var now: WallTime {
    let time = readClock(CLOCK_REALTIME)
    return WallTime(seconds: Int64(time.tv_sec), nanoseconds: Int32(time.tv_nsec))
  }
}

private func readClock(_ clock: clockid_t) -> timespec {
  var time = timespec()
  // Both clocks exist on every kernel that Swift supports, so this cannot fail.
  unsafe clock_gettime(clock, &time)
  return time
}

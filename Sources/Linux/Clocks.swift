// The two clocks. All ages, deadlines and timestamps count from boot, including suspend. The wall
// clock is only used for display.

internal import CLinux

/// A time since boot, including suspended time (CLOCK_BOOTTIME).
public struct BootTime: Comparable, Hashable, Sendable {
  public let nanoseconds: Int64

  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  public static var now: BootTime { BootTime(nanoseconds: readClock(CLOCK_BOOTTIME)) }

  public var seconds: Double { Double(nanoseconds) / 1e9 }

  public static func < (left: BootTime, right: BootTime) -> Bool { left.nanoseconds < right.nanoseconds }

  public static func + (time: BootTime, span: Duration) -> BootTime {
    BootTime(nanoseconds: time.nanoseconds + span.wholeNanoseconds)
  }

  public static func - (later: BootTime, earlier: BootTime) -> Duration {
    .nanoseconds(later.nanoseconds - earlier.nanoseconds)
  }
}

/// A calendar time in nanoseconds since 1970 (CLOCK_REALTIME).
public struct WallTime: Comparable, Hashable, Sendable {
  public let nanoseconds: Int64

  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  public static var now: WallTime { WallTime(nanoseconds: readClock(CLOCK_REALTIME)) }

  public static func < (left: WallTime, right: WallTime) -> Bool { left.nanoseconds < right.nanoseconds }

  /// A time before 2025, when this program did not exist yet: a computer without a battery-backed
  /// clock has not been set.
  public var isPlainlyUnset: Bool { nanoseconds < 1_735_689_600_000_000_000 }
}

private func readClock(_ clock: clockid_t) -> Int64 {
  var time = timespec()
  // Both clocks exist on every kernel that Swift supports, so this cannot fail.
  unsafe clock_gettime(clock, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

extension Duration {
  public var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}

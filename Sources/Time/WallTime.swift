// A time of the calendar, in UTC. Wire has its text.

public struct WallTime: Comparable, Hashable, Sendable {
  /// Since 1970-01-01T00:00:00Z, without leap seconds.
  public let seconds: Int64
  public let nanoseconds: Int32

  public init(seconds: Int64, nanoseconds: Int32 = 0) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  public static func < (left: WallTime, right: WallTime) -> Bool {
    (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
  }

  public static func - (time: WallTime, span: Duration) -> WallTime {
    let nanoseconds = Int64(time.nanoseconds) - span.wholeNanoseconds % 1_000_000_000
    let carry: Int64 = nanoseconds < 0 ? -1 : nanoseconds < 1_000_000_000 ? 0 : 1
    return WallTime(
      seconds: time.seconds - span.wholeNanoseconds / 1_000_000_000 + carry,
      nanoseconds: Int32(nanoseconds - carry * 1_000_000_000))
  }

  /// With the precision of a double, for calculations and for files.
  public var secondsSince1970: Double { Double(seconds) + Double(nanoseconds) / 1e9 }

  /// A time before 2025, when this program did not exist yet: a computer without a battery-backed
  /// clock has not been set.
  public var isPlainlyUnset: Bool { seconds < 1_735_689_600 }
}

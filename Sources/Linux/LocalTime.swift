// Local time, only for display.

internal import CLinux
public import Time

public struct LocalTime: Equatable, Sendable {
  public let hour: Int
  public let minute: Int
  public let second: Int
  public let millisecond: Int
  /// Local time minus UTC, in seconds.
  public let utcOffset: Int

  public init(_ time: WallTime) {
    var seconds = time_t(time.seconds)
    var parts = unsafe tm()
    // Both structures are local; a time out of range leaves zeros.
    unsafe localtime_r(&seconds, &parts)
    hour = unsafe Int(parts.tm_hour)
    minute = unsafe Int(parts.tm_min)
    second = unsafe Int(parts.tm_sec)
    utcOffset = unsafe Int(parts.tm_gmtoff)
    millisecond = Int(time.nanoseconds) / 1_000_000
  }
}

// The clock on the wall where the user is: only ever for people to read.

internal import CLinux

public struct LocalTime: Equatable, Sendable {
  public let hour: Int
  public let minute: Int
  public let second: Int
  public let millisecond: Int

  public init(_ time: WallTime) {
    var seconds = time_t(time.nanoseconds / 1_000_000_000)
    var parts = unsafe tm()
    // Both structures are ours, and a time that has no year leaves the zeros in place.
    unsafe localtime_r(&seconds, &parts)
    hour = unsafe Int(parts.tm_hour)
    minute = unsafe Int(parts.tm_min)
    second = unsafe Int(parts.tm_sec)
    millisecond = Int(time.nanoseconds / 1_000_000 % 1000)
  }
}

// The wall clock of records, and moments that are saved across reboots.

public import JSON
import Linux
public import Time

public enum Clock {
  /// All code reads the wall clock here.
  public static var calendar: WallTime { .now }

  /// The current time for records; nil while the clock has obviously not been set.
  public static var wallTime: WallTime? { wallTime(before: .zero) }

  /// The wall time at an earlier moment; nil while the clock has obviously not been set.
  public static func wallTime(at time: MonotonicTime, now: MonotonicTime) -> WallTime? {
    wallTime(before: now - time)
  }

  private static func wallTime(before span: Duration) -> WallTime? {
    let now = calendar
    return now.isPlainlyUnset ? nil : now - span
  }
}

extension Clock {
  /// A moment that is saved across reboots. Only the wall clock knows how long a reboot took. If it
  /// is not set, no time counts as passed.
  public struct Moment {
    /// Seconds since boot; negative for a moment before it.
    private let boot: Double
    /// Since 1970, in seconds.
    private let calendar: Double?

    public init(_ time: MonotonicTime, now: MonotonicTime) {
      boot = time.seconds
      let wall = Clock.calendar
      calendar =
        wall.isPlainlyUnset ? nil : (wall - (now - time)).secondsSince1970
    }

    public init?(_ json: JSONValue?) {
      guard let boot = json?["t"]?.number, boot.isFinite else { return nil }
      self.boot = boot
      calendar = json?["time"]?.number.flatMap { $0.isFinite ? $0 : nil }
    }

    public func write(into writer: inout JSONWriter) {
      writer.beginObject()
      writer.member("t", boot)
      writer.member("time", calendar)
      writer.endObject()
    }

    /// Negative for a moment before this boot.
    public func asOfThisBoot(_ now: MonotonicTime, calendar wall: WallTime = Clock.calendar) -> MonotonicTime {
      var passed = 0.0
      if let calendar, !wall.isPlainlyUnset {
        passed = max(0, wall.secondsSince1970 - calendar)
      } else if now.seconds >= boot {
        passed = now.seconds - boot
      }
      // Capped, so that the conversion to nanoseconds cannot overflow.
      return MonotonicTime(nanoseconds: now.nanoseconds - Int64(min(passed, 1e8) * 1e9))
    }
  }
}

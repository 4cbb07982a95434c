// Converts between the kernel's clocks and the clocks of samples and records.

import Linux
import SensorKit
import Wire

enum Clock {
  static func monotonic(_ time: BootTime) -> MonotonicTime {
    MonotonicTime(nanoseconds: time.nanoseconds)
  }

  static func boot(_ time: MonotonicTime) -> BootTime {
    BootTime(nanoseconds: time.nanoseconds)
  }

  /// All code reads the wall clock here.
  static var calendar: Linux.WallTime { .now }

  /// The current time for records; nil while the clock has obviously not been set.
  static var wallTime: Wire.WallTime? { wallTime(before: 0) }

  /// The wall time at an earlier moment; nil while the clock has obviously not been set.
  static func wallTime(at time: BootTime, now: BootTime) -> Wire.WallTime? {
    wallTime(before: (now - time).wholeNanoseconds)
  }

  private static func wallTime(before nanoseconds: Int64) -> Wire.WallTime? {
    let now = calendar
    guard !now.isPlainlyUnset else { return nil }
    let then = now.nanoseconds - nanoseconds
    return Wire.WallTime(seconds: then / 1_000_000_000, nanoseconds: Int32(then % 1_000_000_000))
  }
}

extension Clock {
  /// A moment that is saved across reboots. Only the wall clock knows how long a reboot took. If it
  /// is not set, no time counts as passed.
  struct Moment {
    /// Seconds since boot; negative for a moment before it.
    private let boot: Double
    /// Since 1970, in seconds.
    private let calendar: Double?

    init(_ time: BootTime, now: BootTime) {
      boot = time.seconds
      let wall = Clock.calendar
      calendar =
        wall.isPlainlyUnset ? nil : Double(wall.nanoseconds) / 1e9 - Double((now - time).wholeNanoseconds) / 1e9
    }

    init?(_ json: JSON?) {
      guard let boot = json?["t"]?.number, boot.isFinite else { return nil }
      self.boot = boot
      calendar = json?["time"]?.number.flatMap { $0.isFinite ? $0 : nil }
    }

    func write(into writer: inout JSONWriter) {
      writer.beginObject()
      writer.member("t", boot)
      writer.member("time", calendar)
      writer.endObject()
    }

    /// Negative for a moment before this boot.
    func asOfThisBoot(_ now: BootTime, calendar wall: Linux.WallTime = Clock.calendar) -> BootTime {
      var passed = 0.0
      if let calendar, !wall.isPlainlyUnset {
        passed = max(0, Double(wall.nanoseconds) / 1e9 - calendar)
      } else if now.seconds >= boot {
        passed = now.seconds - boot
      }
      // Capped, so that the conversion to nanoseconds cannot overflow.
      return BootTime(nanoseconds: now.nanoseconds - Int64(min(passed, 1e8) * 1e9))
    }
  }
}

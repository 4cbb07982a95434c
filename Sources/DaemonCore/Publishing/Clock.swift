// Where the kernel's clocks meet the clocks of samples and records.

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

  /// The wall clock: whoever needs it reads it here.
  static var calendar: Linux.WallTime { .now }

  /// Now, to be shown; nil while the computer has plainly not been told the time.
  static var wallTime: Wire.WallTime? { wallTime(before: 0) }

  /// What the wall clock showed at an earlier time; nil while it is plainly not set.
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
  /// A moment that is to be known again after the computer was started anew. Only the calendar tells how long that took; a computer
  /// that has not been told the time does not know, and then nothing is taken to have passed.
  struct Moment {
    /// Since boot, in seconds; below zero where it was before.
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

    /// Before the boot it is below zero.
    func asOfThisBoot(_ now: BootTime, calendar wall: Linux.WallTime = Clock.calendar) -> BootTime {
      var passed = 0.0
      if let calendar, !wall.isPlainlyUnset {
        passed = max(0, Double(wall.nanoseconds) / 1e9 - calendar)
      } else if now.seconds >= boot {
        passed = now.seconds - boot
      }
      // Longer ago is as long ago as any.
      return BootTime(nanoseconds: now.nanoseconds - Int64(min(passed, 1e8) * 1e9))
    }
  }
}

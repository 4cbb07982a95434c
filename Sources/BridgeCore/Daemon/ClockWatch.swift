// Ties the clock of `t` to the wall clock, and notices by the daemon's samples when the wall clock was
// set.

import Fleet
import Linux
import ProgramKit
import Time

struct ClockWatch {
  /// Nil while the wall clock is obviously not set.
  private(set) var announced: ClockReading?

  /// Reads both clocks.
  mutating func read(at now: MonotonicTime) -> ClockReading? {
    announced = Clock.wallTime.map { ClockReading(t: now, time: $0, isSynchronized: Self.isSynchronized) }
    return announced
  }

  static var isSet: Bool { Clock.wallTime != nil }

  /// For what a reader wants, which ends at a time of the calendar. Nil while the clock is not set.
  static var calendar: WallTime? { Clock.wallTime }

  /// Of a moment, which may be ahead.
  static func calendar(_ moment: MonotonicTime, now: MonotonicTime) -> WallTime? {
    Clock.wallTime(at: moment, now: now)
  }

  /// Whether a sample with these times shows that the clock was set since it was read.
  func wasSet(t: MonotonicTime, time: WallTime) -> Bool {
    guard let announced else { return true }
    return !announced.agrees(with: ClockReading(t: t, time: time, isSynchronized: announced.isSynchronized))
  }

  /// systemd-timesyncd makes the file.
  private static var isSynchronized: Bool { Files.exists("/run/systemd/timesync/synchronized") }
}

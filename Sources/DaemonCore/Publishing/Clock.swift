// Where the kernel's clocks meet the clocks of samples and records.

import Linux
import SensorKit
import Wire

enum Clock {
  static func monotonic(_ time: BootTime) -> MonotonicTime {
    MonotonicTime(nanoseconds: time.nanoseconds)
  }

  /// Now, to be shown; nil while the computer has plainly not been told the time.
  static var wallTime: Wire.WallTime? {
    let now = Linux.WallTime.now
    guard !now.isPlainlyUnset else { return nil }
    return Wire.WallTime(
      seconds: now.nanoseconds / 1_000_000_000, nanoseconds: Int32(now.nanoseconds % 1_000_000_000))
  }
}

// How long the last commits took.

import Time

struct CommitTimes {
  private static let most = 200
  /// Fewer of them say nothing about 99 of 100.
  private static let fewest = 100
  static let slow = Duration.milliseconds(500)

  /// In microseconds, a ring.
  private var times: [UInt32] = []
  private var next = 0
  private var slowCount = 0

  init() { times.reserveCapacity(Self.most) }

  mutating func add(_ time: Duration) {
    let limit = Self.microseconds(Self.slow)
    let time = Self.microseconds(time)
    if time > limit { slowCount += 1 }
    if times.count < Self.most { return times.append(time) }
    if times[next] > limit { slowCount -= 1 }
    times[next] = time
    next = (next + 1) % Self.most
  }

  private static func microseconds(_ time: Duration) -> UInt32 { UInt32(clamping: time.wholeNanoseconds / 1000) }

  /// Whether more than one of 100 took too long.
  var isSlow: Bool { times.count >= Self.fewest && slowCount * 100 > times.count }

  /// In milliseconds; nil before the first commit.
  var p99: Double? {
    guard !times.isEmpty else { return nil }
    return Double(times.sorted()[(times.count * 99 - 1) / 100]) / 1000
  }
}

// How often something may happen: so many times within any period of that length.

internal import Time

struct RateLimit {
  private let period: Duration
  /// The last times, as a ring.
  private var times: [MonotonicTime?]
  private var next = 0

  init(_ most: Int, per period: Duration) {
    self.period = period
    times = Array(repeating: nil, count: most)
  }

  /// Counts it, unless it happens too often.
  mutating func admit(at time: MonotonicTime) -> Bool {
    if let oldest = times[next], oldest + period > time { return false }
    times[next] = time
    next = (next + 1) % times.count
    return true
  }
}

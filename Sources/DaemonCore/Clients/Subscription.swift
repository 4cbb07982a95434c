// What one client asked to hear: which streams pass, and how often.

import SensorKit
import Wire

struct Subscription {
  let filter: Filter
  private let interval: Int64
  /// By the stream's index: whether it passes, and from when on the next sample may.
  private var passes: [Bool?] = []
  private var nextAt: [Int64] = []

  init(_ filter: Filter) {
    self.filter = filter
    interval = filter.maxHz.map { Int64(1e9 / max($0, 1e-3)) } ?? 0
  }

  /// Whether the sample that the stream has now is to be sent; with a rate, the first of each interval.
  mutating func takes(_ stream: Stream, at now: MonotonicTime) -> Bool {
    while passes.count <= stream.index {
      passes.append(nil)
      nextAt.append(.min)
    }
    if passes[stream.index] == nil {
      passes[stream.index] = filter.passes(sensor: stream.sensor, kind: stream.kind.name.description)
    }
    guard passes[stream.index] == true else { return false }
    guard interval > 0 else { return true }
    guard now.nanoseconds >= nextAt[stream.index] else { return false }
    // Counted from when it was due, so that a sensor slightly off its rhythm does not lose every other sample.
    let due = nextAt[stream.index]
    nextAt[stream.index] = due != .min && now.nanoseconds - due < interval ? due + interval : now.nanoseconds + interval
    return true
  }
}

// The best average power over each of many durations. As the daemon's best efforts, from the ridden
// seconds with known power, joined across pauses and gaps. Memory is bounded, and a second costs the
// same however long the activity is.

package import LogbookWire

package struct PowerCurve: Sendable {
  /// In seconds. The longest is also how many seconds are kept.
  package static let durations =
    [1, 2, 3, 5, 10, 15, 20, 30, 45]
    + [1, 2, 3, 5, 8, 10, 15, 20, 30, 45, 60, 90, 120, 180, 240, 300, 360].map { $0 * 60 }
  private static let capacity = 21_600
  /// With integers, sums that are updated for hours do not drift.
  private static let tenths = 10.0

  /// A ring buffer in tenths of a watt. It grows with the activity up to its capacity.
  private var recent: [UInt16] = []
  private var count = 0
  private var sums = [Int](repeating: 0, count: durations.count)
  private var greatest = [Int](repeating: 0, count: durations.count)

  package init() {}

  package mutating func add(_ watts: Double) {
    let value = Int((min(max(0, watts), 6_000) * Self.tenths).rounded())
    for index in sums.indices {
      let length = Self.durations[index]
      sums[index] += value
      if count >= length { sums[index] -= Int(recent[(count - length) % Self.capacity]) }
      if count + 1 >= length { greatest[index] = max(greatest[index], sums[index]) }
    }
    if recent.count < Self.capacity {
      recent.append(UInt16(value))
    } else {
      recent[count % Self.capacity] = UInt16(value)
    }
    count += 1
  }

  /// Up to the length of the activity.
  package var best: [BestPower] {
    Self.durations.indices.filter { Self.durations[$0] <= count }.map { index in
      let duration = Self.durations[index]
      return BestPower(durationS: duration, powerW: Double(greatest[index]) / (Self.tenths * Double(duration)))
    }
  }
}

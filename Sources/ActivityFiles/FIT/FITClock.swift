// From the dates of a file to seconds since the start of the activity. If the clock was changed
// during the activity, its seconds continue without the jump.

struct FITClock {
  private struct Stretch {
    let first: FITTime
    var last: FITTime
    /// Of `first`.
    let t: Int

    func t(of time: FITTime) -> Int { t + Int(time.seconds - first.seconds) }
  }

  enum Reading: Equatable {
    case t(Int)
    /// The same, and the clock was changed before.
    case changed(t: Int)
    case outOfOrder
  }

  private static let longestGap: Int64 = 86_400
  /// Records that are later by more are not a mistake in their order.
  private static let longestFall: Int64 = 60
  private static let mostStretches = 32

  private var stretches: [Stretch] = []

  var start: FITTime? { stretches.first?.first }

  mutating func start(at time: FITTime) {
    stretches = [Stretch(first: time, last: time, t: 0)]
  }

  /// The place of the next record.
  mutating func place(record time: FITTime) -> Reading {
    guard let current = stretches.last else {
      start(at: time)
      return .t(0)
    }
    let step = time.seconds - current.last.seconds
    if -Self.longestFall..<0 ~= step { return .outOfOrder }
    guard 0...Self.longestGap ~= step else { return jump(to: time, from: current) }
    stretches[stretches.count - 1].last = time
    return .t(current.t(of: time))
  }

  private mutating func jump(to time: FITTime, from current: Stretch) -> Reading {
    guard stretches.count < Self.mostStretches else { return .outOfOrder }
    let t = current.t(of: current.last) + 1
    stretches.append(Stretch(first: time, last: time, t: t))
    return .changed(t: t)
  }

  /// The place of anything else.
  func t(of time: FITTime) -> Int {
    let within = stretches.last { $0.first <= time && time <= $0.last }
    return (within ?? stretches.last { $0.first <= time } ?? stretches.first)?.t(of: time) ?? 0
  }
}

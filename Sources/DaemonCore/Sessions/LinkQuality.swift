// How well a sensor is heard: what came, the longest it was not heard, and how many packets of its rhythm were missed. Sensors
// send at an even pace that nobody announces, so the pace is learned, and only a hole in an even pace counts as missed.

import Linux

struct LinkQuality: Equatable {
  private(set) var packets = 0
  private(set) var missed = 0
  private(set) var longestGap = Duration.zero
  private var last: BootTime?
  /// Nanoseconds between two packets, as a rule.
  private var pace: Int64 = 0
  /// How many intervals in a row have kept to it.
  private var evenIntervals = 0

  /// So many in a row prove a pace.
  private static let proof = 8
  /// Packets closer than this were sent together, and are one beat of the pace.
  private static let closest: Int64 = 30_000_000

  /// A packet of the characteristic that sets the pace came.
  mutating func heard(at now: BootTime) {
    packets += 1
    defer { last = now }
    guard let last else { return }
    longestGap = max(longestGap, now - last)
    let interval = (now - last).wholeNanoseconds
    guard interval >= Self.closest else { return }
    guard pace > 0 else {
      pace = interval
      return
    }
    if interval < pace - pace / 2 || interval > pace + pace / 2 {
      if evenIntervals >= Self.proof, interval > pace { missed += Int((interval + pace / 2) / pace) - 1 }
      if evenIntervals < Self.proof || interval < pace { pace = interval }
      evenIntervals = 0
    } else {
      pace += (interval - pace) / 8
      evenIntervals += 1
    }
  }

  /// Its silence means nothing from now on: the link is gone, or the user wants it so. The time until it is heard again counts
  /// as a gap, unless it is not wanted.
  mutating func interrupted(isWanted: Bool) {
    evenIntervals = 0
    if !isWanted { last = nil }
  }
}

// How evenly a sensor is heard. Sensors send at an even pace that nobody announces, so the pace is learned, and only a hole in an
// even pace counts as packets that were missed, until they come late.

import Linux

struct Pace: Equatable {
  private(set) var packets = 0
  private(set) var missed = 0
  private var last: BootTime?
  /// Nanoseconds between two packets, as a rule.
  private var usual: Int64 = 0
  /// How many intervals in a row have kept to it.
  private var evenIntervals = 0
  /// Of those missed, what may be late only: counted a moment ago.
  private var owed = 0

  /// So many in a row prove a pace.
  private static let proof = 8
  /// Packets closer than this were sent together, and are one beat of the pace.
  private static let closest: Int64 = 30_000_000

  mutating func heard(at now: BootTime) {
    packets += 1
    defer { last = now }
    guard let last else { return }
    let interval = (now - last).wholeNanoseconds
    if owed > 0, interval < usual / 2 {
      owed -= 1
      missed -= 1
      return
    }
    guard interval >= Self.closest else { return }
    if usual == 0 { usual = interval }
    if abs(interval - usual) <= usual / 2 {
      usual += (interval - usual) / 8
      evenIntervals += 1
      owed = 0
      return
    }
    let isProven = evenIntervals >= Self.proof
    owed = isProven && interval > usual ? Int((interval + usual / 2) / usual) - 1 : 0
    missed += owed
    if !isProven || interval < usual { usual = interval }
    evenIntervals = 0
  }

  /// The link is gone: what is not heard until it is back was never sent.
  mutating func interrupt() {
    last = nil
    evenIntervals = 0
    owed = 0
  }
}

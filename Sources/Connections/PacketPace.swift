// Counts missed packets. Sensors send at an even pace that they do not announce, so it is measured.
// Only a hole in an even pace counts as missed packets, until they arrive late.

import Linux
import Time

struct PacketPace: Equatable {
  private(set) var packets = 0
  private(set) var missed = 0
  private var last: MonotonicTime?
  /// The typical interval between two packets, in nanoseconds.
  private var typical: Int64 = 0
  /// How many consecutive intervals matched it.
  private var evenIntervals = 0
  /// How many of the packets just counted as missed may still arrive late.
  private var owed = 0

  /// This many consecutive intervals establish a pace.
  private static let proof = 8
  /// Packets closer than this were sent together, as one beat of the pace.
  private static let closest: Int64 = 30_000_000

  mutating func recordPacket(at now: MonotonicTime) {
    packets += 1
    defer { last = now }
    guard let last else { return }
    let interval = (now - last).wholeNanoseconds
    if owed > 0, interval < typical / 2 {
      owed -= 1
      missed -= 1
      return
    }
    guard interval >= Self.closest else { return }
    if typical == 0 { typical = interval }
    if abs(interval - typical) <= typical / 2 {
      typical += (interval - typical) / 8
      evenIntervals += 1
      owed = 0
      return
    }
    let isProven = evenIntervals >= Self.proof
    owed = isProven && interval > typical ? Int((interval + typical / 2) / typical) - 1 : 0
    missed += owed
    if !isProven || interval < typical { typical = interval }
    evenIntervals = 0
  }

  /// The link is gone: packets that are absent until it is back were never sent.
  mutating func interrupt() {
    last = nil
    evenIntervals = 0
    owed = 0
  }
}

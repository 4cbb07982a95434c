// What a display shows of a segment. Pure.

package enum SegmentState: Equatable, Sendable {
  /// On the way to the start, within 300 m of it.
  case approaching
  case on
  case finished
  /// The rider left the line before its end.
  case left
  /// Positions were missing for too long.
  case lost
}

package struct SegmentReport: Equatable, Sendable {
  package var segment: Int
  package var state: SegmentState
  /// Only on the way to it.
  package var startDistanceM: Double?
  /// From north. Nil at the start, too.
  package var startBearingDeg: Double?
  /// From the start of the line. Nil before it.
  package var alongM: Double?
  /// Since the start of the line, or from there to its end.
  package var timeS: Double?
  /// How many seconds the rider is ahead of the best effort before this one at this place. Negative if
  /// behind.
  package var aheadOfBestS: Double?
  package var aheadOfLastS: Double?
  /// Before this one.
  package var bestTimeS: Double?
  package var lastTimeS: Double?

  init(_ number: Int, of segment: KnownSegment, state: SegmentState) {
    (self.segment, self.state) = (number, state)
    (bestTimeS, lastTimeS) = (segment.bestTimeS, segment.lastTimeS)
  }
}

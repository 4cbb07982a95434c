// A position as a receiver reports it, once per second or so.

import CMath
package import Earth
package import Time

package struct PositionFix: Equatable, Sendable {
  /// When it arrived.
  package var time: MonotonicTime
  package var position: Coordinate
  /// The error is smaller than this in 95 of 100 cases.
  package var accuracyM: Double?
  package var speedMps: Double?
  /// Clockwise from true north.
  package var courseDeg: Double?

  package init(
    _ position: Coordinate, at time: MonotonicTime, accuracyM: Double? = nil, speedMps: Double? = nil,
    courseDeg: Double? = nil
  ) {
    (self.position, self.time, self.accuracyM) = (position, time, accuracyM)
    (self.speedMps, self.courseDeg) = (speedMps, courseDeg)
  }
}

extension PlanePoint {
  /// Of length 1, clockwise from north.
  init(course degrees: Double) {
    self.init(x: sin(degrees * .pi / 180), y: cos(degrees * .pi / 180))
  }
}

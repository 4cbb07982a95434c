// Notes when a way is nearest to an end of a segment. Riders come and leave in any direction there,
// so a line across the road would not do: some never cross it. Pure.

import Earth

/// A position of an activity on the plane of a segment.
struct TimedPoint: Equatable, Sendable {
  var point: PlanePoint
  var atMS: Int64

  func distance(to other: TimedPoint) -> Double { (other.point - point).length }
}

struct GateVisits {
  /// A moment at which the way is nearer than before and after.
  struct Visit: Equatable {
    var place: TimedPoint
    /// From the end of the segment, in metres.
    var distance: Double
  }

  /// Between positions that are further apart, a passage has no certain time.
  private static let longestMS: Int64 = 10_000
  /// A way that begins or ends so near to the gate, in metres, begins or ends with it.
  private static let atGate = 1.0

  private let gate: SegmentGate
  private var isApproaching = false

  init(_ gate: SegmentGate) { self.gate = gate }

  mutating func begin(at first: TimedPoint) {
    isApproaching = (first.point - gate.place).length <= Self.atGate
  }

  /// The way before this one is not known.
  mutating func resume() { isApproaching = true }

  /// The visit between these positions, interpolated, or at the first one.
  mutating func visit(from last: TimedPoint, to next: TimedPoint) -> Visit? {
    guard next.atMS - last.atMS <= Self.longestMS else {
      isApproaching = false
      return nil
    }
    guard next.point != last.point else { return nil }
    let part = gate.place.fraction(from: last.point, to: next.point)
    let wasApproaching = isApproaching
    isApproaching = part == 1
    guard part < 1, part > 0 || wasApproaching else { return nil }
    let ms = last.atMS + Int64((part * Double(next.atMS - last.atMS)).rounded())
    return visit(at: TimedPoint(point: last.point + (next.point - last.point) * part, atMS: ms))
  }

  /// The visit with which the way ends.
  func end(at last: TimedPoint) -> Visit? {
    guard isApproaching, let visit = visit(at: last), visit.distance <= Self.atGate else { return nil }
    return visit
  }

  private func visit(at place: TimedPoint) -> Visit? {
    guard gate.isPassed(at: place.point) else { return nil }
    return Visit(place: place, distance: (place.point - gate.place).length)
  }
}

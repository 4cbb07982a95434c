// Sums of ascent and descent without the noise. The direction changes when the height has come back
// from its extreme by a threshold. Smaller changes are noise or bumps and do not count.

package struct Climb: Equatable, Sendable {
  enum Leg: Int, Sendable {
    case unknown, up, down
  }

  package private(set) var ascentM: Double
  package private(set) var descentM: Double
  private var leg = Leg.unknown
  /// The highest and lowest point of the current leg. Once the direction is known, only one of them
  /// is used.
  private var high = -Double.infinity
  private var low = Double.infinity

  package init(ascentM: Double = 0, descentM: Double = 0) {
    self.ascentM = ascentM
    self.descentM = descentM
  }

  package mutating func add(_ height: Double, threshold: Double) {
    switch leg {
    case .unknown:
      low = min(low, height)
      high = max(high, height)
      if height - low >= threshold { begin(.up, from: low, at: height) }
      if high - height >= threshold { begin(.down, from: high, at: height) }
    case .up where height > high:
      ascentM += height - high
      high = height
    case .up where high - height >= threshold:
      begin(.down, from: high, at: height)
    case .down where height < low:
      descentM += low - height
      low = height
    case .down where height - low >= threshold:
      begin(.up, from: low, at: height)
    case .up, .down: break
    }
  }

  /// Adds a climb and descent found afterwards, and the height between its ends.
  mutating func credit(up: Double, down: Double, rise: Double) {
    ascentM += up
    descentM += down
    high += rise
    low += rise
  }

  private mutating func begin(_ leg: Leg, from extreme: Double, at height: Double) {
    self.leg = leg
    ascentM += max(0, height - extreme)
    descentM += max(0, extreme - height)
    (high, low) = (height, height)
  }
}

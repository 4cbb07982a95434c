// The cadence that suits a runner at a speed. A longer leg makes longer steps, so a height corrects
// it. Weight takes no part: no sound formula has it. docs/guidance.md has the
// formula in words.

package struct RunningCadence: Equatable, Sendable {
  /// In steps per minute, before the preference.
  private static let bounds = 155.0...195.0
  /// Of a body height.
  private static let legLength = 0.53
  /// Of a leg length.
  private static let stepLengths = 0.7...1.3
  private static let mostCorrection = 5.0
  private static let mostPreference = 10.0

  /// Nil leaves the correction out.
  package var heightM: Double?
  /// Steps per minute more or less than the formula, at most 10.
  package var preference: Double

  package init(heightM: Double? = nil, preference: Double = 0) {
    (self.heightM, self.preference) = (heightM, preference)
  }

  /// In steps per minute. Nil if the runner stands.
  package func target(speedMps: Double) -> Double? {
    guard speedMps > 0, speedMps.isFinite else { return nil }
    let cadence = Self.bounded(corrected(Self.bounded(170 + 8 * (speedMps - 3)), speedMps))
    return cadence + min(max(preference, -Self.mostPreference), Self.mostPreference)
  }

  /// Makers of foot pods disagree on whether a pod counts steps or strides, of two steps each. It
  /// counts strides if twice its number is nearer to the target.
  static func steps(counted count: Double, target: Double) -> Double {
    abs(2 * count - target) < abs(count - target) ? 2 * count : count
  }

  private func corrected(_ cadence: Double, _ speedMps: Double) -> Double {
    guard let heightM, heightM > 0 else { return cadence }
    let leg = Self.legLength * heightM
    let step = 60 * speedMps / cadence
    let best = min(max(step, Self.stepLengths.lowerBound * leg), Self.stepLengths.upperBound * leg)
    guard best != step else { return cadence }
    let correction = 60 * speedMps / best - cadence
    return cadence + min(max(correction, -Self.mostCorrection), Self.mostCorrection)
  }

  private static func bounded(_ cadence: Double) -> Double { min(max(cadence, bounds.lowerBound), bounds.upperBound) }
}

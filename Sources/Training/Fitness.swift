// Fitness and fatigue: exponential means of the training load of each day (E. Banister's model of
// impulse and response, in the form that A. Coggan gave it). Days follow each other: a day without
// training has the load 0.

import CMath

/// Computes fitness, fatigue and form from one day to the next.
public struct Fitness: Equatable, Sendable {
  /// The time constants of the means, in days.
  public static let fitnessDays = 42.0
  public static let fatigueDays = 7.0
  private static let fitnessShare = 1 - exp(-1 / fitnessDays)
  private static let fatigueShare = 1 - exp(-1 / fatigueDays)

  public private(set) var fitness = 0.0
  public private(set) var fatigue = 0.0
  /// Fitness minus fatigue of the day before.
  public private(set) var form = 0.0

  public init() {}

  /// The next day, with the sum of its loads.
  public mutating func add(_ load: Double) {
    form = fitness - fatigue
    fitness += (load - fitness) * Self.fitnessShare
    fatigue += (load - fatigue) * Self.fatigueShare
  }
}

// The target of the cadence, and how far the rider or runner is from it.

package struct Coach: Equatable, Sendable {
  package enum Sport: Equatable, Sendable {
    case running(RunningCadence)
    /// The rider sets the target, in revolutions per minute.
    case cycling(targetRpm: Double)
  }

  package struct Advice: Equatable, Sendable {
    /// Steps or revolutions per minute, as the next two.
    package var target: Double
    /// Nil without a sensor.
    package var actual: Double?
    /// The actual cadence minus the target.
    package var deviation: Double? { actual.map { $0 - target } }
  }

  package var sport: Sport

  package init(_ sport: Sport) { self.sport = sport }

  /// Nil while the speed of a runner is unknown or zero. The cadence of a runner may count strides.
  package func advice(speedMps: Double?, cadence: Double?) -> Advice? {
    switch sport {
    case .running(let running):
      speedMps.flatMap { running.target(speedMps: $0) }.map { target in
        Advice(target: target, actual: cadence.map { RunningCadence.steps(counted: $0, target: target) })
      }
    case .cycling(let targetRpm): Advice(target: targetRpm, actual: cadence)
    }
  }
}

// The target of the cadence, from the newest speed and cadence.

import Guidance
import GuideWire
import SensorKit
import Time
import Vocabulary
import Wire

struct CadenceCoach {
  /// An older reading is not used. The daemon's limit for derived samples is the same.
  private static let current = 3.0

  private struct Reading {
    var value = 0.0
    var time: MonotonicTime?

    func value(at now: MonotonicTime) -> Double? {
      time.flatMap { now.seconds(since: $0) <= CadenceCoach.current ? value : nil }
    }
  }

  private(set) var settings: CoachSettings
  private(set) var heightM: Double?
  private var speed = Reading()
  private var crank = Reading()
  private var steps = Reading()
  private var latest: MonotonicTime?

  init(_ settings: CoachSettings) { self.settings = settings }

  mutating func change(to new: CoachSettings) { settings = new }

  /// Of the runner, in metres.
  mutating func set(height: Double?) { heightM = height }

  /// Returns whether the sample can change the advice.
  mutating func add(_ sample: LiveSample) -> Bool {
    let time: MonotonicTime
    switch sample {
    case .speed(let value, let at): (speed, time) = (Reading(value: value, time: at), at)
    case .cadence(let value, let at): (crank, time) = (Reading(value: value, time: at), at)
    case .steps(let value, let at): (steps, time) = (Reading(value: value, time: at), at)
    case .position, .ride: return false
    }
    // Samples of several sensors arrive in any order.
    latest = max(latest ?? time, time)
    return settings.sport.known != .off
  }

  /// Nothing without a target and a current reading.
  func write(at now: MonotonicTime, into out: inout Batch) {
    guard let latest, now.seconds(since: latest) <= Self.current else { return }
    switch settings.sport.known {
    case .running:
      let cadence = RunningCadence(heightM: heightM, preference: settings.preferencePerMin)
      write(Coach(.running(cadence)), "running", speed.value(at: now), steps.value(at: now), into: &out)
    case .cycling:
      guard let target = settings.targetRpm else { return }
      write(Coach(.cycling(targetRpm: target)), "cycling", nil, crank.value(at: now), into: &out)
    case .off, nil: break
    }
  }

  private func write(_ coach: Coach, _ sport: Word, _ speedMps: Double?, _ actual: Double?, into out: inout Batch) {
    guard let advice = coach.advice(speedMps: speedMps, cadence: actual) else { return }
    out.sample(SampleKind("coach"))
    out.set(Field("sport"), sport)
    out.set(Field("target_per_min"), rounded: advice.target)
    if let actual = advice.actual { out.set(Field("actual_per_min"), rounded: actual) }
    if let deviation = advice.deviation { out.set(Field("deviation_per_min"), rounded: deviation) }
    if let speedMps {
      out.set(Field("speed_mps"), (speedMps * 1000).rounded() / 1000)
      out.set(Field("uses_height"), heightM != nil)
    }
  }
}

// The numbers of an activity that lists and statistics show: the members of ACTIVITY that are
// numbers. They are stored as JSON, and a few of them as columns too, for sums in SQL.

import JSON
package import LogbookWire
import Metrics
package import Wire

package struct StoredTotals: WireObject {
  /// Without pauses by hand.
  package var rideTimeS: Double?
  package var effort = EffortTotals()
  package var carsPassed: Int?
  package var intensityFactor: Double?
  package var trainingStressScore: Double?
  package var heartRateLoad: Double?
  /// See `setTrainingLoad`.
  package var trainingLoad: Double?
  package var laps: Int?
  package var hasTrack = false

  package init() {}

  package mutating func visit(_ members: inout Members) {
    members.member("ride_time_s", &rideTimeS)
    effort.visit(&members)
    members.member("cars_passed", &carsPassed)
    members.member("intensity_factor", &intensityFactor)
    members.member("training_stress_score", &trainingStressScore)
    members.member("heart_rate_load", &heartRateLoad)
    members.member("training_load", &trainingLoad)
    members.member("laps", &laps)
    members.member("track", &hasTrack, unless: false)
  }

  package var text: String {
    var writer = JSONWriter()
    write(into: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// Without numbers if the text is damaged.
  package init(text: String?) {
    self = text.flatMap { try? JSONValue.parse($0) }.flatMap { StoredTotals($0) } ?? StoredTotals()
  }
}

extension StoredTotals {
  /// More than any activity has, and few enough that sums of many activities are finite.
  private static let plausibleNumbers = 0...1e9

  /// Without numbers that cannot be true. None of them can be negative.
  package var plausible: StoredTotals {
    guard let members = (try? JSONValue.parse(text))?.members else { return StoredTotals() }
    let kept = members.filter { $0.value.number.map(Self.plausibleNumbers.contains) ?? true }
    return StoredTotals(.object(kept)) ?? StoredTotals()
  }

  /// From power: the training stress score. Otherwise from heart rate, on the same scale; a mean
  /// without a course, as of an entry by hand, counts as if it was held all the time.
  package mutating func setTrainingLoad(_ settings: StoredRider) {
    trainingLoad =
      trainingStressScore
      ?? (heartRateLoad ?? meanLoad(settings.rider)).flatMap {
        HeartRateLoad.score($0, settings.rider)
      }
  }

  private func meanLoad(_ rider: Rider) -> Double? {
    guard let bpm = effort.bpmAvg, let seconds = effort.movingTimeS else { return nil }
    return HeartRateLoad.perMinute(bpm: bpm, rider).map { $0 * seconds / 60 }
  }
}

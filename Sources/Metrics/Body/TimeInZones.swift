// How long the heart was in each zone. A value stands until the next, if that comes soon; what lies in a longer silence is in no zone.

import SensorKit

struct TimeInZones: Equatable, Sendable {
  /// A strap that is silent for longer is stale: its last value says nothing of now.
  private static let longestStep = 5.0

  struct Saved: Equatable, Sendable {
    /// The zones' own, for times of other zones are not these.
    var floorsBpm: [Double]
    /// Below the first zone, then zone by zone.
    var seconds: [Double]
  }

  let zones: HeartRateZones
  /// By zone, 0 being below the first.
  private var seconds: [Double]
  private(set) var zone: Int?
  private var last: MonotonicTime?

  /// Begins at nothing where what was saved is of other zones, or is no time.
  init(_ zones: HeartRateZones, saved: Saved? = nil) {
    self.zones = zones
    seconds = Array(repeating: 0, count: zones.floors.count + 1)
    guard let saved, saved.floorsBpm == zones.floors, saved.seconds.count == seconds.count,
      saved.seconds.allSatisfy({ $0.isFinite && $0 >= 0 })
    else { return }
    seconds = saved.seconds
  }

  var saved: Saved { Saved(floorsBpm: zones.floors, seconds: seconds) }

  /// In a zone, from 1, or below the first, in 0.
  func seconds(in zone: Int) -> Double { seconds[zone] }

  /// `counts`: whether the ride goes on.
  mutating func add(bpm: Double, at time: MonotonicTime, counts: Bool = true) {
    guard let now = zones.zone(of: bpm), last.map({ time >= $0 }) ?? true else { return }
    if counts, let zone, let last {
      let step = time.seconds(since: last)
      if step <= Self.longestStep { seconds[zone] += step }
    }
    zone = now
    last = time
  }

  /// The ride is paused, or the source has changed: what comes until the next value is in no zone.
  mutating func interrupt() {
    zone = nil
    last = nil
  }
}

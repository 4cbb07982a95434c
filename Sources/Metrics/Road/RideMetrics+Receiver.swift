// Uses the receiver's fixes to join gaps in the distance, and to notice that a wheel sensor has
// stopped counting.

import SensorKit
import Time
import Vocabulary

extension RideMetrics {
  /// Seconds for which the last pedalling counts as current.
  private static let pedalling = 3.0

  /// Call after a fix that is not bad.
  mutating func joinGap(to fix: Fix, _ out: inout Batch) {
    let isBelieved = speeds.live(at: fix.time) == road.receiver
    let join = road.gap.add(
      fix, way: odometer.distance, movingTime: clock.movingTime, usual: totals.meanSpeed(.ride), isBelieved: isBelieved)
    guard let join else { return }
    let silence = Odometer.Silence(way: join.way, seconds: join.seconds, movingTime: join.movingTime)
    guard self.join(join.way, silence, fix.speedMps, at: fix.time) else { return }
    out.event("gps_gap_joined")
    out.set(.distanceM, (join.way * 10).rounded() / 10)
    out.set(Field("gap_s"), (join.seconds * 10).rounded() / 10)
  }

  mutating func watchStuckWheel(_ fix: Fix, _ out: inout Batch) {
    let isPedalling = road.pedalled.map { fix.time.seconds(since: $0) <= Self.pedalling } ?? false
    let change = road.stuck.add(fix, isPedalling: isPedalling, movingTime: clock.movingTime)
    guard case .stuck(let way, let seconds, let movingTime) = change, let wheel = road.stuck.source else { return }
    // The receiver takes over as the source of speed.
    speeds.lost(wheel, at: fix.time)
    let silence = Odometer.Silence(way: way, seconds: seconds, movingTime: movingTime)
    let isJoined = join(way, silence, fix.speedMps, at: fix.time)
    out.event("wheel_stuck")
    name(wheel, as: Field("sensor"), in: &out)
    if isJoined { out.set(.distanceM, (way * 10).rounded() / 10) }
  }

  /// Whether to ignore this wheel sensor: it reports 0 or a single revolution while the receiver
  /// sees the bike move.
  mutating func isStuck(_ source: Source, saying speed: Double, at time: MonotonicTime, _ out: inout Batch) -> Bool {
    guard source != road.receiver else { return false }
    let isBelieved = speeds.live(at: time) == source
    if road.stuck.add(speed, from: source, isBelieved: isBelieved, at: time) == .turnsAgain {
      out.event("wheel_turns_again")
      name(source, as: Field("sensor"), in: &out)
    }
    return road.stuck.source == source
  }
}

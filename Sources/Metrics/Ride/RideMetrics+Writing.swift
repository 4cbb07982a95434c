// The samples of the ride and of its averages, once a second.

public import SensorKit
import Time
import Vocabulary

extension RideMetrics {
  /// Writes the final numbers of a ride that the rider has ended.
  public mutating func writeEnd(into out: inout Batch) {
    writeRide(into: &out)
    writeAverages(into: &out)
  }

  mutating func writeRide(into out: inout Batch) {
    out.sample(SampleKind("ride"))
    if let identity = edges.identity {
      out.set(Field("ride_id"), text: identity.id.span)
      if let started = identity.started { out.set(Field("started"), text: started.span) }
    }
    out.set(Field("sport"), sport.sport.word)
    if edges.isClosed { out.set(Field("ended"), true) }
    out.set(Field("ride_time_s"), clock.rideTime)
    out.set(Field("moving_time_s"), clock.movingTime)
    out.set(Field("distance_m"), totals.distance.ride)
    out.set(Field("paused"), clock.phase != .moving)
    if clock.phase != .moving {
      out.set(Field("pause"), clock.phase == .paused ? "by_hand" : "standing")
      out.set(Field("paused_since_t"), pausedSince?.seconds)
    }
    out.set(Field("lap"), lapNumber)
    if let start = lapStart { out.set(Field("lap_time_s"), max(0, clock.rideTime - start.rideTime)) }
    out.set(Field("lap_distance_m"), totals.distance.lap)
    out.set(Field("lap_moving_time_s"), totals.movingTime.lap)
    out.set(Field("work_j"), totals.powerNumbers.ridden.workJ(.ride))
    out.set(Field("energy_kcal"), body.kilocalories)
    if road.elevation.isKnown {
      out.set(Field("ascent_m"), road.elevation.ascentM)
      out.set(Field("descent_m"), road.elevation.descentM)
    }
    out.set(Field("coasting_time_s"), training.coasting.seconds(.ride))
    if let cars = training.cars.count { out.set(Field("cars_passed"), cars) }
  }

  mutating func writeAverages(into out: inout Batch) {
    out.sample(SampleKind("averages"))
    totals.write(.ride, into: &out)
    out.set(Field("power_3s_w"), totals.powerNumbers.mean(ofLast: 3))
    out.set(Field("power_10s_w"), totals.powerNumbers.mean(ofLast: 10))
    out.set(Field("power_30s_w"), totals.powerNumbers.mean(ofLast: 30))
    out.set(Field("power_60s_w"), totals.powerNumbers.mean(ofLast: 60))
    out.sample(SampleKind("lap_averages"))
    totals.write(.lap, into: &out)
    writeLap(into: &out)
  }
}

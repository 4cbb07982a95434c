// The samples of the ride and of its averages, once a second.

import SensorKit

extension RideMetrics {
  mutating func writeRide(into out: inout Batch) {
    out.sample(SampleKind("ride"))
    out.set(Field("ride_time_s"), clock.rideTime)
    out.set(Field("moving_time_s"), clock.movingTime)
    out.set(Field("distance_m"), totals.distance.ride)
    out.set(Field("paused"), clock.phase != .moving)
    out.set(Field("lap"), lapNumber)
    out.set(Field("work_j"), totals.powerNumbers.ridden.workJ(.ride))
    out.set(Field("energy_kcal"), body.energy.kilocalories)
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

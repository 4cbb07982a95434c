// The kinds that are derived: what the ride knows, from several sensors. A line for each field: to add one, add its line here, and set it in
// the plugin or in Metrics.

extension KindInfo {
  static let ofRide: [KindInfo] = [
    KindInfo(
      "ride", "The ride so far.",
      [
        FieldInfo(
          "ride_id", .text(like: #"^[0-9a-f]{16}$"#), "New for each ride; the same after a restart of the daemon."),
        FieldInfo("started", .shared("time"), "Wall clock when the ride began, UTC. Missing if the clock was not set."),
        FieldInfo(
          "sport", .shared("sport"), "Given with `ride new`, or the sport that the sensors of the speed were made for."),
        FieldInfo("ended", .onlyTrue, "True in the last sample of a ride that was ended by hand."),
        FieldInfo("ride_time_s", .number(0...), "s", "Time since the ride began, without pauses by hand."),
        FieldInfo("moving_time_s", .number(0...), "s", "Time in which the bike moved."),
        FieldInfo("distance_m", .number(0...), "m", "Distance of the ride."),
        FieldInfo("paused", .flag, "True while the bike stands or the ride is paused by hand."),
        FieldInfo("pause", .words(["by_hand", "standing"]), "Why it is paused; only while it is."),
        FieldInfo(
          "paused_since_t", .number(0...), "s",
          "When the pause began, on the clock of `t`; only while it is paused and if that is known."),
        FieldInfo("lap", .count(1...), "1", "Number of the current lap."),
        FieldInfo("lap_time_s", .number(0...), "s", "Time since the lap began, without pauses by hand."),
        FieldInfo("lap_distance_m", .number(0...), "m", "Distance of the current lap."),
        FieldInfo("lap_moving_time_s", .number(0...), "s", "Moving time of the current lap."),
        FieldInfo("ascent_m", .number(0...), "m", "Height gained."),
        FieldInfo("descent_m", .number(0...), "m", "Height lost."),
        FieldInfo("work_j", .number(0...), "J", "Work at the pedals."),
        FieldInfo("energy_kcal", .number(0...), "kcal", "Energy used by the body."),
        FieldInfo("coasting_time_s", .number(0...), "s", "Time moving without pedalling."),
        FieldInfo("cars_passed", .count(0...), "1", "Cars that passed."),
      ]),
    KindInfo(
      "averages", "Averages and maxima of the ride, and of its last seconds.",
      hasTrends: true,
      [
        FieldInfo("speed_avg_mps", .number(), "m/s", "Distance over moving time."),
        FieldInfo("speed_max_mps", .number(), "m/s", "Highest speed."),
        FieldInfo("pace_avg_s_per_km", .number(0...), "s/km", "Average pace."),
        FieldInfo("cadence_avg_rpm", .number(), "1/min", "Average cadence while pedalling."),
        FieldInfo("cadence_max_rpm", .number(), "1/min", "Highest cadence."),
        FieldInfo("power_avg_w", .number(), "W", "Average power of the ridden seconds."),
        FieldInfo("power_max_w", .number(), "W", "Highest power."),
        FieldInfo("bpm_avg", .number(), "1/min", "Average heart rate while moving."),
        FieldInfo("bpm_max", .number(), "1/min", "Highest heart rate while moving."),
        FieldInfo("power_3s_w", .number(), "W", "Average power of the last 3 s."),
        FieldInfo("power_10s_w", .number(), "W", "Average power of the last 10 s."),
        FieldInfo("power_30s_w", .number(), "W", "Average power of the last 30 s."),
        FieldInfo("power_60s_w", .number(), "W", "Average power of the last 60 s."),
        FieldInfo("normalized_power_w", .number(), "W", "Normalized power."),
        FieldInfo("balance_avg_pct", .number(), "%", "Average pedal balance."),
      ]),
    KindInfo(
      "lap_averages", "The same for the current lap.",
      hasTrends: true,
      [
        FieldInfo("speed_avg_mps", .number(), "m/s", "Distance over moving time."),
        FieldInfo("speed_max_mps", .number(), "m/s", "Highest speed."),
        FieldInfo("pace_avg_s_per_km", .number(0...), "s/km", "Average pace."),
        FieldInfo("cadence_avg_rpm", .number(), "1/min", "Average cadence while pedalling."),
        FieldInfo("cadence_max_rpm", .number(), "1/min", "Highest cadence."),
        FieldInfo("power_avg_w", .number(), "W", "Average power of the ridden seconds."),
        FieldInfo("power_max_w", .number(), "W", "Highest power."),
        FieldInfo("bpm_avg", .number(), "1/min", "Average heart rate while moving."),
        FieldInfo("bpm_max", .number(), "1/min", "Highest heart rate while moving."),
        FieldInfo("power_3s_w", .number(), "W", "Average power of the last 3 s."),
        FieldInfo("power_10s_w", .number(), "W", "Average power of the last 10 s."),
        FieldInfo("power_30s_w", .number(), "W", "Average power of the last 30 s."),
        FieldInfo("power_60s_w", .number(), "W", "Average power of the last 60 s."),
        FieldInfo("normalized_power_w", .number(), "W", "Normalized power."),
        FieldInfo("variability_index", .number(0...), "1", "Normalized power over average power."),
        FieldInfo("lap_time_s", .number(0...), "s", "Time since the lap began, without pauses by hand."),
        FieldInfo("moving_time_s", .number(0...), "s", "Moving time of the lap."),
        FieldInfo("distance_m", .number(0...), "m", "Distance of the lap."),
        FieldInfo("ascent_m", .number(0...), "m", "Height gained."),
        FieldInfo("descent_m", .number(0...), "m", "Height lost."),
        FieldInfo("vam_m_per_h", .number(0...), "m/h", "Rate of climbing."),
        FieldInfo("work_j", .number(0...), "J", "Work at the pedals."),
        FieldInfo("coasting_time_s", .number(0...), "s", "Time moving without pedalling."),
        FieldInfo("balance_avg_pct", .number(), "%", "Average pedal balance."),
      ]),
    KindInfo(
      "zones", "Heart-rate zones.",
      [
        FieldInfo("zone", .count(0...), "1", "The current zone; 0 is below the first."),
        FieldInfo("zone_times_s", .numbers(0...), "s", "Time in each zone."),
      ]),
    KindInfo(
      "power_zones", "Power zones.",
      needs: .all(["zone_times_s"]),
      [
        FieldInfo("zone", .count(1...7), "1", "The current zone, from 1."),
        FieldInfo("zone_times_s", .numbers(0..., exactly: 7), "s", "Time in each zone."),
      ]),
    KindInfo(
      "training", "Numbers for training plans.",
      [
        FieldInfo("variability_index", .number(0...), "1", "Normalized power over average power."),
        FieldInfo("intensity_factor", .number(0...), "1", "Normalized power over threshold power."),
        FieldInfo("training_stress_score", .number(0...), "1", "Training stress score."),
        FieldInfo("efficiency_factor_w_per_bpm", .number(0...), "W/bpm", "Normalized power over average heart rate."),
        FieldInfo(
          "decoupling_pct", .number(), "%", "Loss of efficiency from the first half of the ride to the second."),
        FieldInfo("heart_rate_load", .number(0...), "1", "Training impulse by heart rate."),
        FieldInfo("w_prime_balance_j", .number(), "J", "What is left of W'."),
        FieldInfo("w_prime_balance_pct", .number(), "%", "The same, as a share of W'."),
        FieldInfo("power_3s_w_per_kg", .number(0...), "W/kg", "Average power of the last 3 s by weight."),
        FieldInfo("power_avg_w_per_kg", .number(0...), "W/kg", "Average power by weight."),
        FieldInfo("normalized_power_w_per_kg", .number(0...), "W/kg", "Normalized power by weight."),
        FieldInfo("best_5s_w", .number(0...), "W", "Best average power over 5 s."),
        FieldInfo("best_1min_w", .number(0...), "W", "Best average power over 1 min."),
        FieldInfo("best_5min_w", .number(0...), "W", "Best average power over 5 min."),
        FieldInfo("best_20min_w", .number(0...), "W", "Best average power over 20 min."),
        FieldInfo("vam_m_per_h", .number(0...), "m/h", "Rate of climbing."),
      ]),
    KindInfo(
      "hrv", "Heart-rate variability.",
      [
        FieldInfo("rmssd_ms", .number(0...), "ms", "Root mean square of successive differences."),
        FieldInfo("sdnn_ms", .number(0...), "ms", "Standard deviation of the intervals."),
        FieldInfo("dfa_alpha1", .number(), "1", "Short-term exponent of the detrended fluctuation analysis."),
        FieldInfo("confidence", .number(0...1), "1", "How far the value can be trusted, 0 to 1."),
        FieldInfo("breaths_per_min", .number(0...), "1/min", "Breathing rate."),
        FieldInfo("breaths_confidence", .number(0...1), "1", "How far the breathing rate can be trusted, 0 to 1."),
      ]),
    KindInfo(
      "position", "Where the bike is.",
      needs: .all(["latitude_deg", "longitude_deg"]),
      [
        FieldInfo("latitude_deg", .number(-90...90), "deg", "Latitude, WGS 84."),
        FieldInfo("longitude_deg", .number(-180...180), "deg", "Longitude, WGS 84."),
        FieldInfo("altitude_m", .number(), "m", "Height above sea level."),
        FieldInfo("speed_mps", .number(0...), "m/s", "Ground speed."),
        FieldInfo("course_deg", .number(0...360), "deg", "Direction of travel, clockwise from north."),
        FieldInfo("accuracy_m", .number(0...), "m", "Horizontal accuracy, as the receiver states it."),
        FieldInfo("satellites", .count(0...), "1", "Satellites in use."),
        FieldInfo("quality", .words(["bad", "okay", "good"]), "Kind of fix."),
      ]),
    KindInfo(
      "grade", "Slope of the road.",
      [
        FieldInfo("grade_pct", .number(), "%", "Slope of the road."),
        FieldInfo("elevation_m", .number(), "m", "Height above sea level."),
      ]),
    KindInfo(
      "wheel", "The measured size of a wheel.",
      [
        FieldInfo("circumference_mm", .number(0...), "mm", "Circumference of the wheel."),
        FieldInfo("confidence", .number(0...1), "1", "How far the size can be trusted, 0 to 1."),
        FieldInfo("agrees", .flag, "Whether the size in use and the measured one agree."),
        FieldInfo(
          "source", .text(),
          "The sensor, or `gps` for a receiver, that a derived value comes from. Derived samples (sensor `ride`) only."),
      ]),
    KindInfo(
      "bike", "The bike that is ridden.",
      needs: .all(["name"]),
      [
        FieldInfo("name", .shared("name"), "Name of the bike.")
      ]),
  ]
}

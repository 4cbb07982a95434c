// The kinds that sensors send. A line for each field: to add one, add its line here, and set it in
// the plugin or in Metrics.

extension KindInfo {
  static let ofSensors: [KindInfo] = [
    KindInfo(
      "heart_rate", "Heart rate, and the intervals between beats. A strap may send intervals while it has no rate.",
      needs: .oneOf(["bpm", "rr_ms"]),
      [
        FieldInfo("bpm", .count(1...65535), "1/min", "Heart rate."),
        FieldInfo(
          "rr_ms", .numbers(0...), "ms", "Intervals between beats since the previous packet, the oldest first."),
        FieldInfo(
          "sensor_contact", .words(["detected", "not_detected"]), "Whether the sensor has contact with the skin."),
        FieldInfo(
          "energy_expended_j", .count(0...), "J", "Energy that the sensor has counted since it was last reset."),
        FieldInfo("body_location", .text(), "Where the sensor is worn."),
        .source,
      ]),
    KindInfo(
      "speed", "Speed and distance.",
      needs: .oneOf(["speed_mps", "distance_delta_m", "wheel_revs"]),
      [
        FieldInfo("speed_mps", .number(), "m/s", "Speed."),
        FieldInfo(
          "pace_s_per_km", .number(0...2000), "s/km", "Time for one kilometre at this speed. Not below 0.5 m/s."),
        FieldInfo("distance_delta_m", .number(0...), "m", "Distance since the previous sample."),
        FieldInfo("distance_m", .number(0...), "m", "Distance since the sensor's counter began."),
        FieldInfo("wheel_revs", .count(0...), "1", "Revolutions of the wheel, as the sensor counts them."),
        .source,
      ]),
    KindInfo(
      "cadence", "How fast the cranks or the legs move.",
      needs: .oneOf(["cadence_rpm", "cadence_per_min"]),
      [
        FieldInfo("cadence_rpm", .number(0...), "1/min", "Crank cadence."),
        FieldInfo("crank_revs", .count(0...), "1", "Revolutions of the crank, as the sensor counts them."),
        FieldInfo(
          "cadence_per_min", .number(0...), "1/min",
          "Steps or strides per minute, as the foot pod counts them: makers differ."),
        FieldInfo("stride_length_m", .number(0...), "m", "Length of a step or stride, as the foot pod counts them."),
        FieldInfo("is_running", .flag, "True while the foot pod takes the movement for running, false for walking."),
        .source,
      ]),
    KindInfo(
      "power", "Power and what power meters measure along with it.",
      needs: .oneOf(["power_w", "force_n", "torque_nm", "first_crank_angle_deg", "direction"]),
      [
        FieldInfo("power_w", .number(), "W", "Power."),
        FieldInfo("pedal_balance_pct", .number(0...127.5), "%", "Share of one pedal in the power."),
        FieldInfo(
          "pedal_balance_reference", .words(["left", "unknown"]), "The pedal that the balance is the share of."),
        FieldInfo("accumulated_torque_nm", .number(), "N·m", "Sum of the torque of all revolutions."),
        FieldInfo("torque_source", .words(["wheel", "crank"]), "Where the torque is measured."),
        FieldInfo("accumulated_energy_j", .number(0...), "J", "Energy since the meter began to count."),
        FieldInfo("max_force_n", .number(), "N", "Largest force of the revolution."),
        FieldInfo("min_force_n", .number(), "N", "Smallest force of the revolution."),
        FieldInfo("max_torque_nm", .number(), "N·m", "Largest torque of the revolution."),
        FieldInfo("min_torque_nm", .number(), "N·m", "Smallest torque of the revolution."),
        FieldInfo("max_angle_deg", .number(0...), "deg", "Crank angle of the largest value."),
        FieldInfo("min_angle_deg", .number(0...), "deg", "Crank angle of the smallest value."),
        FieldInfo("top_dead_spot_deg", .number(0...), "deg", "Crank angle of the top dead spot."),
        FieldInfo("bottom_dead_spot_deg", .number(0...), "deg", "Crank angle of the bottom dead spot."),
        FieldInfo("offset_compensation", .flag, "True if the meter asks for its offset to be compensated."),
        FieldInfo("force_n", .numbers(), "N", "Forces of the revolution, evenly spaced."),
        FieldInfo("torque_nm", .numbers(), "N·m", "Torques of the revolution, evenly spaced."),
        FieldInfo(
          "direction", .words(["unknown", "tangential", "radial", "lateral"]),
          "Direction of the measured force or torque."),
        FieldInfo("first_crank_angle_deg", .number(0...), "deg", "Crank angle of the first force or torque."),
        .source,
      ]),
    KindInfo(
      "radar", "What is on the road behind the bike.",
      needs: .all(["clear", "targets"]),
      [
        FieldInfo("clear", .flag, "True if the radar reports no target."),
        FieldInfo(
          "targets",
          .objects(
            needs: ["id", "distance_m", "level"],
            [
              FieldInfo("id", .count(0...255), "1", "The radar's number for the target."),
              FieldInfo("distance_m", .number(0...), "m", "Distance to the target."),
              FieldInfo("speed_raw", .count(0...255), "1", "Speed as the radar encodes it."),
              FieldInfo("approach_speed_mps", .number(), "m/s", "Speed relative to the bike; above 0 comes nearer."),
              FieldInfo(
                "level", .count(0...3), "1",
                "Threat: 0 none, 1 approaches, 2 approaches fast, 3 highest of some radars."),
              FieldInfo("side", .words(["none", "left", "right"]), "The lane that the target is in."),
            ]), "The vehicles that the radar reports."),
      ]),
    KindInfo(
      "tire_pressure", "Pressure and temperature of a tire.",
      needs: .oneOf([
        "pressure_gauge_pa", "pressure_absolute_pa", "pressure_gauge_pa_variant_a", "temperature_c", "battery_v",
      ]),
      [
        FieldInfo("pressure_gauge_pa", .number(), "Pa", "Pressure above the air's."),
        FieldInfo("pressure_absolute_pa", .number(0...), "Pa", "Pressure against vacuum."),
        FieldInfo("temperature_c", .number((-273.15)...), "°C", "Temperature."),
        FieldInfo("battery_pct", .number(0...100), "%", "Charge of the battery."),
        FieldInfo("battery_v", .number(0...), "V", "Voltage of the battery."),
        FieldInfo("alarm", .flag, "Alarms that the cap raises."),
        FieldInfo("status_raw", .count(0...), "1", "Status byte, as the cap encodes it."),
        FieldInfo("wheel_index", .count(0...), "1", "The cap's own number of its wheel, of a set made for cars."),
        FieldInfo("sensor_id", .text(), "The id printed on the cap."),
        FieldInfo(
          "sensor_address", .text(like: #"^[0-9a-f]{2}(:[0-9a-f]{2}){5}$"#), "The address that the cap sends of itself."
        ),
        FieldInfo("wheel", .words(["front", "rear"]), "Which wheel it is on."),
        FieldInfo(
          "pressure_gauge_pa_variant_a", .number(), "Pa",
          "Gauge pressure if the cap is of the first of two possible models."),
        FieldInfo(
          "pressure_pa_variant_b", .number(), "Pa", "Pressure if the cap is of the second of two possible models."),
      ]),
    KindInfo(
      "trainer", "What a fitness machine reports beside speed, cadence, power and heart rate.",
      [
        FieldInfo("total_distance_m", .number(0...), "m", "Distance of the training session."),
        FieldInfo("average_speed_mps", .number(), "m/s", "Average speed of the session."),
        FieldInfo("average_cadence_rpm", .number(0...), "1/min", "Average cadence of the session."),
        FieldInfo("average_power_w", .number(), "W", "Average power of the session."),
        FieldInfo("resistance_level", .number(), "1", "Resistance, on the machine's own scale."),
        FieldInfo("inclination_pct", .number(), "%", "Incline."),
        FieldInfo("ramp_angle_deg", .number(), "deg", "Angle of the ramp."),
        FieldInfo("elevation_gain_m", .number(0...), "m", "Height gained in the session."),
        FieldInfo("elevation_loss_m", .number(0...), "m", "Height lost in the session."),
        FieldInfo("pace_s_per_500m", .number(0...), "s/500 m", "Time for 500 m."),
        FieldInfo("average_pace_s_per_500m", .number(0...), "s/500 m", "Average time for 500 m in the session."),
        FieldInfo("belt_force_n", .number(), "N", "Force on the belt."),
        FieldInfo("step_rate_spm", .number(0...), "1/min", "Steps per minute."),
        FieldInfo("average_step_rate_spm", .number(0...), "1/min", "Average steps per minute."),
        FieldInfo("stride_count", .number(0...), "1", "Strides of the session."),
        FieldInfo("floor_count", .number(0...), "1", "Floors of the session."),
        FieldInfo("step_count", .number(0...), "1", "Steps of the session."),
        FieldInfo("energy_total_kcal", .number(0...), "kcal", "Energy of the session."),
        FieldInfo("energy_per_hour_kcal", .number(0...), "kcal/h", "Energy per hour at the present effort."),
        FieldInfo("energy_per_minute_kcal", .number(0...), "kcal/min", "Energy per minute at the present effort."),
        FieldInfo("metabolic_equivalent", .number(0...), "1", "Metabolic equivalent of the present effort."),
        FieldInfo("elapsed_s", .number(0...), "s", "Time since the session began."),
        FieldInfo("remaining_s", .number(0...), "s", "Time until the session ends."),
        FieldInfo("movement_direction", .words(["forward", "backward"]), "Direction of movement."),
      ]),
    KindInfo(
      "trainer_status", "A change of a fitness machine's state.",
      needs: .all(["event"]),
      [
        FieldInfo(
          "event",
          .words([
            "reset", "stopped_or_paused", "stopped_by_safety_key", "started_or_resumed", "simulation_parameters",
            "spin_down", "control_permission_lost", "target_speed", "target_incline", "target_resistance",
            "target_power", "target_heart_rate", "wheel_circumference", "target_cadence",
          ]), "What happened."),
        FieldInfo("action", .words(["stop", "pause"]), "Whether it stopped or paused."),
        FieldInfo(
          "spin_down", .words(["requested", "success", "error", "stop_pedaling"]), "State of the calibration."),
        FieldInfo("target_speed_mps", .number(), "m/s", "New target speed."),
        FieldInfo("target_incline_pct", .number(), "%", "New target incline."),
        FieldInfo("target_resistance_level", .number(), "1", "New target resistance, on the machine's own scale."),
        FieldInfo("target_power_w", .number(), "W", "New target power."),
        FieldInfo("target_heart_rate_bpm", .number(0...), "1/min", "New target heart rate."),
        FieldInfo("wheel_circumference_m", .number(0...), "m", "New circumference of the wheel."),
        FieldInfo("target_cadence_rpm", .number(0...), "1/min", "New target cadence."),
        FieldInfo("wind_speed_mps", .number(), "m/s", "Simulated head wind."),
        FieldInfo("grade_pct", .number(), "%", "Slope of the road."),
        FieldInfo("rolling_resistance", .number(0...), "1", "Coefficient of rolling resistance."),
        FieldInfo("wind_resistance_kg_per_m", .number(0...), "kg/m", "Coefficient of wind resistance."),
      ]),
    KindInfo(
      "rowing", "Rowing strokes.",
      [
        FieldInfo("stroke_rate_spm", .number(0...), "1/min", "Strokes per minute."),
        FieldInfo("stroke_count", .number(0...), "1", "Strokes of the session."),
        FieldInfo("average_stroke_rate_spm", .number(0...), "1/min", "Average strokes per minute."),
        FieldInfo("pace_s_per_500m", .number(0...), "s/500 m", "Time for 500 m."),
        FieldInfo("average_pace_s_per_500m", .number(0...), "s/500 m", "Average time for 500 m in the session."),
      ]),
    KindInfo(
      "battery", "Charge of the sensor's battery.",
      needs: .all(["battery_pct"]),
      [
        FieldInfo("battery_pct", .number(0...100), "%", "Charge of the battery.")
      ]),
    KindInfo(
      "oxygen", "Oxygen saturation of the blood.",
      [
        FieldInfo("spo2_pct", .number(), "%", "Oxygen saturation."),
        FieldInfo("pulse_bpm", .number(), "1/min", "Pulse."),
        FieldInfo("spo2_fast_pct", .number(), "%", "Oxygen saturation, short average."),
        FieldInfo("pulse_fast_bpm", .number(), "1/min", "Pulse, short average."),
        FieldInfo("spo2_slow_pct", .number(), "%", "Oxygen saturation, long average."),
        FieldInfo("pulse_slow_bpm", .number(), "1/min", "Pulse, long average."),
        FieldInfo("pulse_amplitude_index_pct", .number(), "%", "Strength of the pulse."),
        FieldInfo("measurement_status", .count(0...65535), "1", "Measurement status bits of the profile."),
        FieldInfo("device_status", .count(0...16777215), "1", "Device and sensor status bits of the profile."),
        FieldInfo(
          "timestamp", .text(like: #"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}$"#),
          "The device's own clock."),
        FieldInfo("device_clock_set", .flag, "Whether the device's clock is set."),
      ]),
    KindInfo(
      "environment", "Weather.",
      needs: .oneOf(["temperature_c", "humidity_pct", "pressure_pa", "elevation_m"]),
      [
        FieldInfo("temperature_c", .number((-273.15)...), "°C", "Temperature."),
        FieldInfo("humidity_pct", .number(), "%", "Relative humidity."),
        FieldInfo("pressure_pa", .number(0...), "Pa", "Air pressure."),
        FieldInfo("elevation_m", .number(), "m", "Height above sea level."),
      ]),
    KindInfo(
      "body_temperature", "Body temperature.",
      [
        FieldInfo("core_temperature_c", .number(), "°C", "Core temperature."),
        FieldInfo("skin_temperature_c", .number(), "°C", "Skin temperature."),
        FieldInfo(
          "quality", .words(["invalid", "poor", "fair", "good", "excellent", "unavailable"]),
          "Quality of the measurement."),
        FieldInfo(
          "heart_rate_state",
          .words(["heart_rate_not_supported", "heart_rate_not_received", "heart_rate_received", "unavailable"]),
          "Whether the sensor receives a heart rate."),
        FieldInfo("heat_strain_index", .number(0...), "1", "Heat strain index."),
      ]),
    KindInfo(
      "muscle_oxygen", "Oxygen in the muscle.",
      [
        FieldInfo("smo2_pct", .number(0...100), "%", "Muscle oxygen saturation."),
        FieldInfo("thb_g_per_dl", .number(0...), "g/dl", "Total hemoglobin."),
        FieldInfo("smo2_previous_pct", .number(0...100), "%", "Muscle oxygen saturation of the previous interval."),
        FieldInfo("message_count", .count(0...), "1", "The sensor's count of its messages."),
      ]),
    KindInfo(
      "ecg", "Electrocardiogram.",
      needs: .all(["microvolts"]),
      [
        FieldInfo(
          "timestamp_ns", .count(0...), "ns",
          "Time of the last value on the sensor's own clock. Needs a 64 bit integer."),
        FieldInfo("microvolts", .numbers(), "µV", "Voltages, the oldest first."),
      ]),
    KindInfo(
      "acceleration", "Acceleration.",
      needs: .all(["milli_g"]),
      [
        FieldInfo(
          "timestamp_ns", .count(0...), "ns",
          "Time of the last value on the sensor's own clock. Needs a 64 bit integer."),
        FieldInfo("milli_g", .groups(of: 3), "mg", "Groups of x, y and z, the oldest first."),
      ]),
  ]
}

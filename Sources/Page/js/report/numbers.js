// The numbers that a report shows: of the whole activity, of its laps, and of its graphs. `of` names
// the series that a number is computed from.

const bpm = { form: "whole", unit: "bpm", of: "bpm" };
const watts = { form: "whole", unit: "w", of: "power_w" };
const rpm = { form: "whole", unit: "rpm", of: "cadence_rpm" };
const speed = { form: "speed", quantity: "speed", of: "speed_mps" };
const height = { form: "whole", quantity: "height", of: "altitude_m" };
const time = { form: "duration" };

export const NUMBERS = {
  distance_m: { form: "distance", quantity: "distance", caption: "distance" },
  moving_time_s: { ...time, caption: "moving" },
  ride_time_s: { ...time, caption: "ride_time" },
  elapsed_time_s: { ...time, caption: "elapsed_time" },
  speed_avg_mps: { ...speed, caption: "avg_speed" },
  speed_max_mps: { ...speed, caption: "max_speed" },
  ascent_m: { ...height, caption: "ascent" },
  descent_m: { ...height, caption: "descent" },
  bpm_avg: { ...bpm, caption: "avg_hr" },
  bpm_max: { ...bpm, caption: "max_hr" },
  power_avg_w: { ...watts, caption: "avg_power" },
  normalized_power_w: { ...watts, caption: "normalized_power" },
  power_max_w: { ...watts, caption: "max_power" },
  cadence_avg_rpm: { ...rpm, caption: "avg_cadence" },
  cadence_max_rpm: { ...rpm, caption: "max_cadence" },
  energy_kcal: { form: "whole", unit: "kcal", caption: "energy" },
  work_j: { form: "whole", unit: "kJ", factor: .001, caption: "work", of: "power_w" },
  balance_avg_pct: { form: "balance", unit: "%", caption: "balance", of: "power_w" },
  coasting_time_s: { ...time, caption: "coasting" },
  intensity_factor: { form: "two", caption: "intensity", of: "power_w" },
  training_stress_score: { form: "whole", caption: "stress", of: "power_w" },
  heart_rate_load: { form: "whole", caption: "load", of: "bpm" },
  cars_passed: { form: "whole", caption: "cars_passed" },
};

/** The columns of the laps. */
export const LAP_NUMBERS = ["distance_m", "speed_avg_mps", "bpm_avg", "power_avg_w", "cadence_avg_rpm", "ascent_m"];

/** The graphs in their order. `average` is the number of the summary that takes the place of the mean. */
export const GRAPHS = [
  { field: "speed_mps", caption: "speed", average: "speed_avg_mps", ...speed },
  { field: "bpm", caption: "heart_rate", average: "bpm_avg", ...bpm },
  { field: "power_w", caption: "power", average: "power_avg_w", ...watts },
  { field: "cadence_rpm", caption: "cadence", average: "cadence_avg_rpm", ...rpm },
  { field: "altitude_m", caption: "altitude", average: null, ...height },
];

// What each widget shows. A value has a kind and field of a sample, a quantity that is converted,
// and the form of its digits. `long` marks values that can have more than five characters.

const value = (kind, field, form, more = {}) => ({ kind, field, form, ...more });

const averages = (field, form, more) => value("averages", field, form, more);
const speed = { quantity: "speed" };
const height = { quantity: "height" };
const warm = { quantity: "temperature" };
const duration = (kind, field) => value(kind, field, "duration", { long: true });

const avgSpeed = averages("speed_avg_mps", "speed", { ...speed, caption: "avg", trend: "speed_trend" });
const avgHeart = averages("bpm_avg", "whole", { caption: "avg" });
const maxHeart = averages("bpm_max", "whole", { caption: "max" });
const avgPower = averages("power_avg_w", "whole", { caption: "avg" });
const maxPower = averages("power_max_w", "whole", { caption: "max" });
const altitude = value("grade", "elevation_m", "whole", { ...height, caption: "altitude" });
const lap = (field, form, caption, more = {}) => value("lap_averages", field, form, { caption, ...more });

export const CATALOGUE = {
  speed: {
    primary: value("speed", "speed_mps", "speed", { ...speed, needs: "wheel_size" }),
    two: [avgSpeed, averages("speed_max_mps", "speed", { ...speed, caption: "max" })],
    watermark: true,
  },
  pace: {
    primary: value("speed", "pace_s_per_km", "pace", { quantity: "pace" }),
    two: [averages("pace_avg_s_per_km", "pace", { quantity: "pace", caption: "avg" })],
    watermark: true,
  },
  cadence: {
    primary: value("cadence", "cadence_rpm", "whole", { unit: "rpm" }),
    two: [
      averages("cadence_avg_rpm", "whole", { caption: "avg" }),
      averages("cadence_max_rpm", "whole", { caption: "max" }),
    ],
    watermark: true,
  },
  power: {
    primary: value("power", "power_w", "whole", { unit: "w" }),
    choices: {
      "3s": averages("power_3s_w", "whole", { unit: "w" }),
      "10s": averages("power_10s_w", "whole", { unit: "w" }),
      "30s": averages("power_30s_w", "whole", { unit: "w" }),
      "60s": averages("power_60s_w", "whole", { unit: "w" }),
    },
    two: [averages("power_10s_w", "whole", { caption: "s10" }), averages("power_60s_w", "whole", { caption: "s60" })],
    three: [averages("normalized_power_w", "whole", { caption: "np" }), avgPower, maxPower],
    watermark: true,
  },
  heart_rate: {
    primary: value("heart_rate", "bpm", "whole", { unit: "bpm" }),
    zone: value("zones", "zone", "whole"),
    two: [avgHeart, maxHeart],
    watermark: true,
  },
  zone: { primary: value("zones", "zone", "whole", { needs: "rider" }), two: [] },
  ride_time: {
    primary: duration("ride", "ride_time_s"),
    two: [value("ride", "moving_time_s", "duration", { caption: "moving", isShort: true })],
  },
  distance: {
    primary: value("ride", "distance_m", "distance", { quantity: "distance" }),
    two: [lap("distance_m", "distance", "lap_time", { quantity: "distance" }), avgSpeed],
  },
  elevation: {
    primary: value("ride", "ascent_m", "whole", height),
    two: [value("ride", "descent_m", "whole", { ...height, caption: "descent" })],
    three: [altitude],
  },
  grade: { primary: value("grade", "grade_pct", "signed", { unit: "%" }), two: [altitude] },
  energy: {
    primary: value("ride", "energy_kcal", "whole", { unit: "kcal" }),
    two: [value("ride", "work_j", "whole", { factor: 0.001, caption: "work" })],
  },
  lap: {
    primary: duration("ride", "lap_time_s"),
    number: "lap",
    two: [
      value("ride", "lap_distance_m", "distance", { quantity: "distance", caption: "distance" }),
      lap("speed_avg_mps", "speed", "avg", speed),
    ],
    three: [lap("power_avg_w", "whole", "avg_power"), lap("bpm_avg", "whole", "avg_hr")],
  },
  tires: { primary: value("tire_pressure", "pressure_gauge_pa", "two", { quantity: "pressure" }), two: [] },
  hrv: {
    primary: value("hrv", "rmssd_ms", "whole", { unit: "ms" }),
    two: [
      value("hrv", "sdnn_ms", "whole", { caption: "sdnn" }),
      value("hrv", "dfa_alpha1", "two", { caption: "alpha1" }),
    ],
    watermark: true,
  },
  breathing: { primary: value("hrv", "breaths_per_min", "one", { unit: "/min" }), two: [], watermark: true },
  oxygen: {
    primary: value("oxygen", "spo2_pct", "whole", { unit: "%" }),
    two: [value("oxygen", "pulse_bpm", "whole", { caption: "pulse" })],
    watermark: true,
  },
  muscle: {
    primary: value("muscle_oxygen", "smo2_pct", "one", { unit: "%" }),
    two: [value("muscle_oxygen", "thb_g_per_dl", "one", { caption: "thb" })],
    watermark: true,
  },
  body_temperature: {
    primary: value("body_temperature", "core_temperature_c", "one", warm),
    two: [value("body_temperature", "skin_temperature_c", "one", { ...warm, caption: "skin" })],
  },
  environment: {
    primary: value("environment", "temperature_c", "whole", warm),
    two: [value("environment", "humidity_pct", "whole", { caption: "humidity" })],
  },
  battery: { primary: value("battery", "battery_pct", "whole", { unit: "%" }), two: [] },
  position: {
    primary: value("position", "satellites", "whole", {}),
    two: [value("position", "accuracy_m", "whole", { ...height, caption: "accuracy" })],
  },
  clock: { clock: true, two: [] },
};

/** Values beside the primary one, by size. */
export function secondsOf(entry, size) {
  if (size === "1x1") return [];
  if (size === "2x1") return entry.two;
  return entry.three ?? entry.two;
}

/** The kinds that a page has to subscribe to. */
export function kindsOf(layout) {
  const kinds = new Set(["radar", "ride", "position", "battery"]);
  for (const { id } of layout.widgets) {
    const entry = CATALOGUE[id];
    for (const item of entry ? [entry.primary, entry.zone, ...entry.two, ...(entry.three ?? [])] : []) {
      if (item) kinds.add(item.kind);
    }
    for (const item of Object.values(entry?.choices ?? {})) kinds.add(item.kind);
  }
  return [...kinds].sort();
}

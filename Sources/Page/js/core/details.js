// What the drawer of a widget adds to its number: averages of the ride and of the lap, the line of
// its graph, and what is special about it.

import { CATALOGUE } from "./catalogue.js";
import { guided, onClimb, onSegment } from "./guidance.js";

const item = (kind, field, form, caption, more = {}) => ({ kind, field, form, caption, ...more });

/** A number of the guide. */
const ofGuide = (compute, form, caption, more = {}) => ({ compute, form, caption, ...more });

/** The same number of the ride and of the lap. */
const both = (field, form, caption, lapCaption, more) => [
  item("averages", field, form, caption, more), item("lap_averages", field, form, lapCaption, more),
];

const speed = { quantity: "speed" };
const height = { quantity: "height" };
const length = { quantity: "distance" };
const long = { isShort: true };

const power = [
  ...both("power_avg_w", "whole", "avg", "lap_avg"), ...both("power_max_w", "whole", "max", "lap_max"),
  item("averages", "power_3s_w", "whole", "s3"), item("averages", "power_10s_w", "whole", "s10"),
  item("averages", "power_30s_w", "whole", "s30"), item("averages", "power_60s_w", "whole", "s60"),
  ...both("normalized_power_w", "whole", "np", "lap_np"),
  item("training", "intensity_factor", "two", "intensity"),
  item("training", "training_stress_score", "whole", "stress"),
  item("averages", "balance_avg_pct", "balance", "balance"),
];

const heights = [
  item("ride", "ascent_m", "whole", "ascent", height), item("ride", "descent_m", "whole", "descent", height),
  item("lap_averages", "ascent_m", "whole", "lap_ascent", height),
  item("grade", "elevation_m", "whole", "altitude", height),
  item("training", "vam_m_per_h", "whole", "vam", height),
];

export const DETAILS = {
  speed: {
    numbers: [...both("speed_avg_mps", "speed", "avg", "lap_avg", speed), ...both("speed_max_mps", "speed", "max", "lap_max", speed)],
    line: "speed_mps",
  },
  pace: {
    numbers: both("pace_avg_s_per_km", "pace", "avg", "lap_avg", { quantity: "pace" }),
    line: "speed_mps", lineOf: "speed",
  },
  cadence: {
    numbers: [...both("cadence_avg_rpm", "whole", "avg", "lap_avg"), ...both("cadence_max_rpm", "whole", "max", "lap_max"),
      item("ride", "coasting_time_s", "duration", "coasting", long)],
    line: "cadence_rpm",
  },
  power: { numbers: power, line: "power_w", zones: "power_zones" },
  heart_rate: {
    numbers: [...both("bpm_avg", "whole", "avg", "lap_avg"), ...both("bpm_max", "whole", "max", "lap_max")],
    line: "bpm", zones: "zones",
  },
  zone: { numbers: both("bpm_avg", "whole", "avg_hr", "lap_avg"), line: "bpm", lineOf: "heart_rate", zones: "zones" },
  ride_time: {
    numbers: [item("ride", "moving_time_s", "duration", "moving", long), item("ride", "lap_time_s", "duration", "lap_time", long),
      item("ride", "coasting_time_s", "duration", "coasting", long)],
  },
  distance: {
    numbers: [item("ride", "lap_distance_m", "distance", "lap_time", length), ...both("speed_avg_mps", "speed", "avg_speed", "lap_avg", speed)],
    line: "distance_m",
  },
  elevation: { numbers: heights, line: "elevation_m", lineItem: heights[3] },
  grade: { numbers: heights, line: "grade_pct" },
  energy: {
    numbers: [item("ride", "work_j", "whole", "work", { factor: 0.001 }), item("training", "heart_rate_load", "whole", "load")],
  },
  lap: {
    numbers: [item("ride", "lap_distance_m", "distance", "distance", length), item("lap_averages", "speed_avg_mps", "speed", "avg_speed", speed),
      item("lap_averages", "power_avg_w", "whole", "avg_power"), item("lap_averages", "bpm_avg", "whole", "avg_hr"),
      item("lap_averages", "cadence_avg_rpm", "whole", "cadence"), item("lap_averages", "ascent_m", "whole", "ascent", height)],
  },
  hrv: {
    numbers: [item("hrv", "sdnn_ms", "whole", "sdnn"), item("hrv", "dfa_alpha1", "two", "alpha1"),
      item("hrv", "confidence", "whole", "confidence", { factor: 100 })],
    line: "rmssd_ms",
  },
  breathing: {
    numbers: [item("hrv", "breaths_confidence", "whole", "confidence", { factor: 100 })], line: "breaths_per_min",
  },
  oxygen: { numbers: [item("oxygen", "pulse_bpm", "whole", "pulse")], line: "spo2_pct" },
  muscle: { numbers: [item("muscle_oxygen", "thb_g_per_dl", "one", "thb")], line: "smo2_pct" },
  body_temperature: {
    numbers: [item("body_temperature", "skin_temperature_c", "one", "skin", { quantity: "temperature" }),
      item("body_temperature", "heat_strain_index", "one", "strain")],
    line: "core_temperature_c",
  },
  environment: {
    numbers: [item("environment", "humidity_pct", "whole", "humidity"),
      item("environment", "pressure_pa", "whole", "air_pressure", { factor: 0.01 })],
  },
  position: {
    numbers: [item("position", "accuracy_m", "whole", "accuracy", height), item("position", "latitude_deg", "degrees", "latitude"),
      item("position", "longitude_deg", "degrees", "longitude"), item("position", "altitude_m", "whole", "altitude", height)],
  },
  map: {
    numbers: [item("position", "accuracy_m", "whole", "accuracy", height), item("position", "latitude_deg", "degrees", "latitude"),
      item("position", "longitude_deg", "degrees", "longitude"), item("position", "altitude_m", "whole", "altitude", height)],
    map: true,
  },
  route: {
    numbers: [ofGuide(guided("route", "distance_m"), "distance", "done_of_route", length), ofGuide(onClimb("climb_grade_pct"), "one", "grade"),
      ofGuide(onClimb("climb_ascent_to_go_m"), "whole", "ascent_to_go", height), ofGuide(onClimb("climb_to_top_m"), "distance", "to_top", length)],
    isGuided: true,
  },
  segment: {
    numbers: [ofGuide(onSegment("time_s"), "duration", "time", long), ofGuide(onSegment("distance_to_go_m"), "distance", "to_go", length),
      ofGuide(onSegment("best_time_s"), "duration", "best_time", long), ofGuide(onSegment("ahead_of_best_s"), "lead", "ahead_of_best"),
      ofGuide(onSegment("last_time_s"), "duration", "last_time", long), ofGuide(onSegment("ahead_of_last_s"), "lead", "ahead_of_last")],
    isGuided: true,
  },
  coach: {
    numbers: [ofGuide(guided("coach", "actual_per_min"), "whole", "actual"), ofGuide(guided("coach", "deviation_per_min"), "whole", "difference")],
  },
  radar: { numbers: [item("ride", "cars_passed", "whole", "cars_passed")], radar: true },
  tires: { numbers: [], tires: true },
  battery: { numbers: [], batteries: true },
};

export function detailsOf(id) {
  return DETAILS[id] ?? { numbers: [] };
}

/** The item that a graph's values are shown as. */
export function lineItem(id) {
  const details = detailsOf(id);
  return details.lineItem ?? CATALOGUE[details.lineOf ?? id].primary;
}

/** The kinds that the drawer of a widget needs beside those of the widget. */
export function kindsOfDetails(id) {
  const details = detailsOf(id);
  return [...details.numbers.map(number => number.kind).filter(Boolean), ...(details.zones ? [details.zones] : [])];
}

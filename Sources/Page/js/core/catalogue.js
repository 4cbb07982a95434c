// What each widget shows. A value has a kind and field of a sample, a quantity that is converted,
// and the form of its digits. `long` marks values that can have more than five characters. A value
// with `compute` comes from more than one sample. `head` stands beside the caption of a 3x1.

import {
  bikeName, carCount, carSpeed, clockDate, clockSunset, clockTime, energyPerHour, fixWord, lastLapTime,
  lowestBattery, lowestTire, nearestCar, timeInZone, tire, tireTargets, trainerGrade, trainerTarget,
} from "./derived.js";
import { distanceToGo, guided, onSegment, segmentLead } from "./guidance.js";
import { SIZES } from "./layout.js";

const value = (kind, field, form, more = {}) => ({ kind, field, form, ...more });

const computed = (compute, form, more = {}) => ({ compute, form, ...more });
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
    watermark: { line: "speed_mps", max: averages("speed_max_mps"), hasAverage: true },
    hasSource: true,
  },
  pace: {
    primary: value("speed", "pace_s_per_km", "pace", { quantity: "pace" }),
    two: [averages("pace_avg_s_per_km", "pace", { quantity: "pace", caption: "avg" })],
    watermark: { line: "speed_mps" },
  },
  cadence: {
    primary: value("cadence", "cadence_rpm", "whole", { unit: "rpm" }),
    two: [
      averages("cadence_avg_rpm", "whole", { caption: "avg" }),
      averages("cadence_max_rpm", "whole", { caption: "max" }),
    ],
    watermark: { line: "cadence_rpm" },
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
    head: [averages("balance_avg_pct", "balance", { caption: "balance" })],
    watermark: { line: "power_w" },
  },
  heart_rate: {
    primary: value("heart_rate", "bpm", "whole", { unit: "bpm" }),
    zone: value("zones", "zone", "whole"),
    two: [avgHeart, maxHeart],
    three: [],
    head: [avgHeart, maxHeart],
    figures: { "3x1": "zones" },
    watermark: { line: "bpm", isByZone: true },
  },
  zone: {
    primary: value("zones", "zone", "whole", { needs: "rider", isZone: true }),
    two: [computed(timeInZone, "duration", { caption: "in_zone", isShort: true })],
    three: [],
    figures: { "3x1": "zones" },
    isZoneFill: true,
  },
  ride_time: {
    primary: duration("ride", "ride_time_s"),
    two: [
      value("ride", "moving_time_s", "duration", { caption: "moving", isShort: true }),
      computed(clockTime, "text", { caption: "clock" }),
    ],
    three: [
      value("ride", "moving_time_s", "duration", { caption: "moving", isShort: true }),
      value("ride", "lap_time_s", "duration", { caption: "lap_time", isShort: true }),
      computed(clockTime, "text", { caption: "clock" }),
    ],
  },
  distance: {
    primary: value("ride", "distance_m", "distance", { quantity: "distance" }),
    two: [
      value("ride", "lap_distance_m", "distance", { quantity: "distance", caption: "lap_time" }),
      { ...avgSpeed, caption: "avg_speed" },
    ],
    watermark: { line: "distance_m" },
  },
  elevation: {
    primary: value("ride", "ascent_m", "whole", height),
    icon: "arrow-up",
    two: [
      value("ride", "descent_m", "whole", { ...height, caption: "descent" }),
      { ...altitude },
    ],
    watermark: { line: "elevation_m", fill: true },
  },
  grade: {
    primary: value("grade", "grade_pct", "signed", { unit: "%" }),
    two: [altitude],
    figures: { "1x1": "wedge", "2x1": "wedge", "3x1": "wedge" },
    watermark: { line: "elevation_m", fill: true, lastMetres: 2000 },
  },
  energy: {
    primary: value("ride", "energy_kcal", "whole", { unit: "kcal" }),
    two: [value("ride", "work_j", "whole", { factor: 0.001, caption: "work" })],
    three: [
      value("ride", "work_j", "whole", { factor: 0.001, caption: "work" }),
      computed(energyPerHour, "whole", { caption: "per_hour" }),
    ],
  },
  lap: {
    primary: duration("ride", "lap_time_s"),
    number: "lap",
    two: [
      value("ride", "lap_distance_m", "distance", { quantity: "distance", caption: "distance" }),
      lap("speed_avg_mps", "speed", "avg_speed", speed),
    ],
    three: [
      lap("power_avg_w", "whole", "avg_power"), lap("bpm_avg", "whole", "avg_hr"),
      computed(lastLapTime, "duration", { caption: "last_lap", isShort: true }),
    ],
    head: [
      value("ride", "lap_distance_m", "distance", { quantity: "distance", caption: "distance" }),
      lap("speed_avg_mps", "speed", "avg", speed),
    ],
  },
  radar: {
    primary: computed(nearestCar, "whole", { unit: "m" }),
    labelInCaption: "cars_of",
    two: [],
    three: [
      computed(carCount, "whole", { caption: "cars" }),
      computed(carSpeed, "speed", { ...speed, caption: "approach" }),
    ],
    figures: { "2x1": "strip", "3x1": "strip" },
  },
  tires: {
    primary: computed(lowestTire, "two", { quantity: "pressure" }),
    labelInCaption: "wheel_of",
    two: [
      computed(tire(0, "pressure"), "two", { quantity: "pressure", caption: "front" }),
      computed(tire(1, "pressure"), "two", { quantity: "pressure", caption: "rear" }),
    ],
    three: [
      computed(tire(0, "pressure"), "two", { quantity: "pressure", caption: "front" }),
      computed(tire(1, "pressure"), "two", { quantity: "pressure", caption: "rear" }),
      computed(tireTargets, "text", { caption: "target", isSmall: true }),
    ],
    head: [
      computed(tire(0, "temperature"), "whole", { ...warm, caption: "front", hasUnit: true }),
      computed(tire(1, "temperature"), "whole", { ...warm, caption: "rear", hasUnit: true }),
    ],
    kinds: ["tire_pressure"],
  },
  hrv: {
    primary: value("hrv", "rmssd_ms", "whole", { unit: "ms" }),
    two: [
      value("hrv", "sdnn_ms", "whole", { caption: "sdnn" }),
      value("hrv", "dfa_alpha1", "two", { caption: "alpha1" }),
    ],
    figures: { "3x1": "confidence" }, confidence: value("hrv", "confidence"),
    watermark: { line: "rmssd_ms" },
  },
  breathing: {
    primary: value("hrv", "breaths_per_min", "one", { unit: "/min" }),
    two: [],
    figures: { "2x1": "confidence", "3x1": "confidence" }, confidence: value("hrv", "breaths_confidence"),
    watermark: { line: "breaths_per_min" },
  },
  oxygen: {
    primary: value("oxygen", "spo2_pct", "whole", { unit: "%" }),
    two: [value("oxygen", "pulse_bpm", "whole", { caption: "pulse" })],
    watermark: { line: "spo2_pct" },
  },
  muscle: {
    primary: value("muscle_oxygen", "smo2_pct", "one", { unit: "%" }),
    two: [value("muscle_oxygen", "thb_g_per_dl", "one", { caption: "thb" })],
    watermark: { line: "smo2_pct" },
  },
  body_temperature: {
    primary: value("body_temperature", "core_temperature_c", "one", warm),
    two: [value("body_temperature", "skin_temperature_c", "one", { ...warm, caption: "skin" })],
    three: [
      value("body_temperature", "skin_temperature_c", "one", { ...warm, caption: "skin" }),
      value("body_temperature", "heat_strain_index", "one", { caption: "strain" }),
    ],
  },
  environment: {
    primary: value("environment", "temperature_c", "whole", warm),
    two: [value("environment", "humidity_pct", "whole", { caption: "humidity" })],
    three: [
      value("environment", "humidity_pct", "whole", { caption: "humidity" }),
      value("environment", "pressure_pa", "whole", { factor: 0.01, caption: "air_pressure" }),
    ],
  },
  ecg: {
    sizes: ["2x1", "3x1"],
    primary: value("ecg", "microvolts", "none"),
    two: [],
    figures: { "2x1": "curve", "3x1": "curve" },
  },
  clock: {
    primary: computed(clockTime, "text"),
    two: [computed(clockDate, "text", { caption: "date" })],
    three: [
      computed(clockDate, "text", { caption: "date" }),
      computed(clockSunset, "text", { caption: "sunset" }),
    ],
    kinds: ["position"],
  },
  battery: {
    primary: computed(lowestBattery, "whole", { unit: "%" }),
    labelInCaption: "name",
    two: [],
    figures: { "2x1": "batteries", "3x1": "batteries" },
    kinds: ["battery"],
  },
  trainer: {
    primary: computed(trainerTarget, "whole"),
    two: [
      computed(trainerGrade, "one", { caption: "grade" }),
      value("trainer_status", "target_power_w", "whole", { caption: "target" }),
    ],
    figures: { "3x1": "steps" },
    kinds: ["trainer", "trainer_status"],
  },
  bike: {
    primary: computed(bikeName, "text", { isName: true }),
    two: [
      value("wheel", "circumference_mm", "whole", { caption: "wheel" }),
      value("wheel", "confidence", "whole", { factor: 100, caption: "confidence" }),
    ],
    kinds: ["bike"],
  },
  route: {
    primary: computed(distanceToGo, "one", { quantity: "distance" }),
    labelInCaption: "state_word",
    two: [],
    figures: { "2x1": "cue", "3x1": "cue_and_climb" },
    kinds: ["route", "position"],
  },
  segment: {
    primary: computed(segmentLead, "text", { long: true }),
    labelInCaption: "state_word",
    two: [
      computed(onSegment("time_s"), "duration", { caption: "time", isShort: true }),
      computed(onSegment("distance_to_go_m"), "two", { quantity: "distance", caption: "to_go" }),
    ],
    three: [
      computed(onSegment("time_s"), "duration", { caption: "time", isShort: true }),
      computed(onSegment("ahead_of_best_s"), "lead", { caption: "of_best" }),
      computed(onSegment("ahead_of_last_s"), "lead", { caption: "of_last" }),
    ],
    figures: { "1x1": "start", "2x1": "start", "3x1": "start" },
    kinds: ["segment", "position"],
  },
  coach: {
    primary: computed(guided("coach", "target_per_min"), "whole", { unit: "/min" }),
    two: [
      computed(guided("coach", "actual_per_min"), "whole", { caption: "actual" }),
      computed(guided("coach", "deviation_per_min"), "whole", { caption: "difference" }),
    ],
    kinds: ["coach"],
  },
  map: {
    primary: value("position", "latitude_deg", "place"),
    two: [],
    figures: { "1x1": "map", "2x1": "map", "3x1": "map" },
  },
  position: {
    primary: value("position", "satellites", "whole", {}),
    two: [
      value("position", "accuracy_m", "whole", { ...height, caption: "accuracy" }),
      computed(fixWord, "text", { caption: "quality", isName: true }),
    ],
    three: [
      value("position", "accuracy_m", "whole", { ...height, caption: "accuracy" }),
      value("position", "latitude_deg", "degrees", { caption: "latitude", isSmall: true }),
      value("position", "longitude_deg", "degrees", { caption: "longitude", isSmall: true }),
    ],
  },
};

/** The sizes that a widget can have. */
export function sizesOf(id) {
  return CATALOGUE[id]?.sizes ?? SIZES;
}

/** Values beside the primary one, by size. */
export function secondsOf(entry, size) {
  if (size === "1x1") return [];
  if (size === "2x1") return entry.two;
  return entry.three ?? entry.two;
}

/** Values beside the caption. */
export function headOf(entry, size) {
  return size === "3x1" ? entry.head ?? [] : [];
}

const ALWAYS = ["radar", "ride", "position", "battery", "averages", "lap_averages", "speed", "route"];

/** The kinds that a page has to subscribe to: those of its widgets and of their drawers. */
export function kindsOf(layout, kindsOfDetails = () => []) {
  const kinds = new Set(ALWAYS);
  for (const { id } of layout.widgets) {
    const entry = CATALOGUE[id];
    if (!entry) continue;
    const items = [
      entry.primary, entry.zone, entry.confidence, ...entry.two, ...(entry.three ?? []), ...(entry.head ?? []),
      ...Object.values(entry.choices ?? {}),
    ];
    for (const item of items) if (item?.kind) kinds.add(item.kind);
    for (const kind of [...(entry.kinds ?? []), ...kindsOfDetails(id)]) kinds.add(kind);
  }
  return [...kinds].sort();
}

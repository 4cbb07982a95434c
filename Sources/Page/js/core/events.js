// What an event of the daemon or the recorder does: a sound, a vibration, a band on the screen. The
// radar has its own band.

import { convert, unitOf } from "./units.js";
import { format } from "./format.js";

const WARNING = { sound: "warning", vibration: [250, 100, 250], rating: "bad", isUrgent: true };
const NOTICE = { sound: "notice", vibration: [100], rating: "okay" };
const LINE = { rating: "okay", isLine: true };

const EVENTS = {
  radar_close: { sound: "radar_close", vibration: [80, 60, 80, 60, 80, 60, 80] },
  radar_lost: { sound: "radar_lost", vibration: [400] },
  radar_clear: { sound: "radar_clear" },
  tire_leak: { ...WARNING, staysWhileMoving: true }, tire_low: { ...WARNING, staysWhileMoving: true },
  tire_high: { ...WARNING, staysWhileMoving: true }, tire_hot: { ...WARNING, staysWhileMoving: true },
  storage_failed: WARNING, storage_low: LINE,
  battery_critical: NOTICE,
  battery_low: LINE, bike_changed: LINE,
  wheel_measured: { ...LINE, isBand: true }, wheel_resized: { ...LINE, isBand: true },
  wheel_disagrees: LINE, wheel_counts_double: LINE, wheel_counts_half: LINE,
  wheel_misses_turns: LINE, wheel_stuck: LINE,
};

const FAST = { sound: "radar_fast", vibration: [200, 80, 200, 80, 400] };
const CAR = { sound: "radar_car", vibration: [180] };

/** @returns {object|null} null for an event that a page does nothing about */
export function effectOf({ event, level }) {
  if (event === "radar_approach") return level >= 2 ? FAST : CAR;
  return EVENTS[event] ?? null;
}

/** The line of an event, or null if it has none. */
export function lineOf(event, { texts, units, point, nameOf }) {
  const name = event.sensor ? nameOf(event.sensor) : "";
  const wheel = event.wheel ? texts.get(`wheel_${event.wheel}`) : name;
  const amount = (value, quantity, form) =>
    `${format(form, convert(quantity, value, units), { point })} ${unitOf(quantity, units)}`;
  switch (event.event) {
  case "tire_low": case "tire_high":
    return texts.get(`event_${event.event}`, wheel, amount(event.pressure_gauge_pa, "pressure", "one"));
  case "tire_leak":
    return texts.get("event_tire_leak", wheel);
  case "tire_hot":
    return texts.get("event_tire_hot", wheel, amount(event.temperature_c, "temperature", "whole"));
  case "battery_low": case "battery_critical":
    return texts.get("battery_of", name, Math.round(event.battery_pct));
  case "wheel_measured": case "wheel_resized":
    return texts.get(`event_${event.event}`, event.circumference_mm.toLocaleString(texts.language, { maximumFractionDigits: 0 }));
  case "bike_changed":
    return texts.get("event_bike_changed", event.name);
  case "storage_failed":
    return texts.get("not_recording", event.message ?? "");
  case "storage_low":
    return texts.get("event_storage_low", event.message ?? "");
  default:
    return event.event in EVENTS ? texts.get(`event_${event.event}`, name) : null;
  }
}

const KEPT = 64;

/** Each event counts once, although a snapshot may repeat it. */
export class EventFilter {
  #seen = [];

  isNew(event) {
    const key = `${event.event}/${event.sensor ?? ""}/${event.t ?? event.time ?? ""}`;
    if (this.#seen.includes(key)) return false;
    this.#seen.push(key);
    if (this.#seen.length > KEPT) this.#seen.shift();
    return true;
  }
}

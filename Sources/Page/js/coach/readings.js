// What the coach reads of live samples: the speed that the target follows, and the actual cadence.

import { read } from "../core/states.js";
import { stepsOf } from "./cadence.js";

/** A slower speed cannot be distinguished from standing. */
const STANDING_MPS = .5;

const SPEED = { kind: "speed", field: "speed_mps" };
/** Before a ride begins, the receiver's speed is only here. */
const GPS_SPEED = { kind: "position", field: "speed_mps" };

/** Keeps the last speed of a runner who moved, because the target stays when the speed is lost. `measured` is what the
 *  sensor has sent, while that is not lost. */
export class SpeedFollower {
  #last = null;

  /** @returns {{state: "live"|"standing"|"stale"|"lost"|"none", speed: number|null, measured?: number, age?: number,
   *  sensor?: string}} */
  read(context) {
    const { state, value, age, sensor } = newestSpeed(context);
    const isLive = state === "live";
    if (isLive && value >= STANDING_MPS) this.#last = value;
    const speed = this.#last;
    if (isLive) return { state: speed === value ? "live" : "standing", speed, measured: value, sensor };
    if (speed === null) return { state: "none", speed };
    return state === "stale" ? { state: "stale", speed, measured: value, age, sensor } : { state: "lost", speed };
  }
}

function newestSpeed({ store, now, isCutOff }) {
  const speed = read(store, SPEED, undefined, now, isCutOff);
  if (speed.state === "live") return speed;
  const ofReceiver = read(store, GPS_SPEED, undefined, now, isCutOff);
  const isBetter = ofReceiver.state === "live" || (speed.state !== "stale" && ofReceiver.state === "stale");
  return isBetter ? ofReceiver : speed;
}

/** @param {number|null} target per minute, which tells steps from strides */
export function readCadence({ store, now, isCutOff }, sport, target) {
  if (sport === "cycling") return read(store, { kind: "cadence", field: "cadence_rpm" }, undefined, now, isCutOff);
  const pod = store.sensorsOf("cadence").find(id => store.sample(id, "cadence")?.cadence_per_min !== undefined);
  if (pod === undefined) return { state: "unknown" };
  const reading = read(store, { kind: "cadence", field: "cadence_per_min" }, pod, now, isCutOff);
  return reading.value === undefined ? reading : { ...reading, value: stepsOf(reading.value, target) };
}

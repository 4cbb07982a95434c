// Whether the bike moves, as far as the page has to know it: nothing that needs reading is offered then.

import { read } from "./states.js";

/** 5 km/h. */
export const MOVING_MPS = 1.4;

export function isMoving(store, now, isCutOff = false) {
  const speed = read(store, { kind: "speed", field: "speed_mps" }, undefined, now, isCutOff);
  if (speed.state === "live") return speed.value >= MOVING_MPS;
  return store.ride?.paused === false && !store.ride.ended;
}

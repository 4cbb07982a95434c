// Watches speed, heart rate and power of a ride: which was lost, and which is back.

import { hasValue, readItem } from "./items.js";
import { CATALOGUE } from "./catalogue.js";

const WATCHED = ["speed", "heart_rate", "power"];
const AGAIN_S = 300;

export class SensorWatch {
  #was = new Map();
  #told = new Map();
  #ride = null;

  /** @returns {{id: string, isBack: boolean, isLoud: boolean}[]} loud once in five minutes */
  update(context) {
    const { store, seconds, isCutOff } = context;
    const ride = store.ride;
    if (!ride || ride.ended || isCutOff) return [];
    if (ride.ride_id !== this.#ride) {
      this.#ride = ride.ride_id;
      this.#was.clear();
      this.#told.clear();
    }
    return WATCHED.flatMap(id => this.#check(id, readItem(CATALOGUE[id].primary, context), seconds));
  }

  #check(id, reading, seconds) {
    const is = hasValue(reading) ? "there" : reading.state === "lost" || reading.state === "error" ? "lost" : null;
    const was = this.#was.get(id);
    if (is === null || is === was) return [];
    this.#was.set(id, is);
    if (was === undefined) return [];
    if (is === "there") return [{ id, isBack: true, isLoud: false }];
    const isLoud = seconds - (this.#told.get(id) ?? -Infinity) >= AGAIN_S;
    if (isLoud) this.#told.set(id, seconds);
    return [{ id, isBack: false, isLoud }];
  }
}

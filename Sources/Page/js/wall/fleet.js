// What a wall knows of other bikes, and whether it is current. Each bike has a store of its own, which is
// read as that of the dashboard is. Knows no DOM.

import { read, readRadar } from "../core/states.js";
import { Store } from "../core/store.js";

export class Fleet {
  #bikes = new Map();
  /** What the server tells of the bridge, and the bridge of its broker; null until they do. */
  bridge = null;
  broker = null;

  /** @param {number} sentAt the server's clock when these records came from the bridge, in seconds */
  record(records, sentAt) {
    for (const record of records) {
      switch (record.class) {
      case "bridge":
        // A bridge that was away tells everything again.
        if (record.present) this.clear();
        this.bridge = record;
        break;
      case "broker":
        if (record.state === "connected" && this.broker?.state !== "connected") this.#bikes.clear();
        this.broker = record;
        break;
      case "receiver":
        if (record.state === "removed") this.#bikes.delete(keyOf(record));
        else this.#bike(record).status = record;
        break;
      case "sensor":
        this.#bike(record).store.record([record]);
        break;
      case "sample":
        this.#bike(record).store.record([{ ...record, t: measuredAt(record, sentAt) }]);
        break;
      }
    }
  }

  clear() {
    this.#bikes.clear();
    this.bridge = this.broker = null;
  }

  /** By group and name; bike-2 is before bike-10. */
  get bikes() {
    const order = (a, b) => a.group.localeCompare(b.group) || a.name.localeCompare(b.name, "en", { numeric: true });
    return [...this.#bikes.values()].sort(order);
  }

  get groups() {
    return new Set([...this.#bikes.values()].map(bike => bike.group)).size;
  }

  #bike(record) {
    const key = keyOf(record);
    if (!this.#bikes.has(key)) {
      this.#bikes.set(key, { key, group: record.group, name: record.receiver, status: null, store: new Store() });
    }
    return this.#bikes.get(key);
  }
}

function keyOf({ group, receiver }) {
  return `${group}/${receiver}`;
}

/** On the server's clock. A value of unknown age is never current, and replaces none whose age is known. */
function measuredAt({ age_ms: age }, sentAt) {
  return typeof age === "number" ? sentAt - age / 1000 : -Infinity;
}

/**
 * Why nothing is known of all bikes.
 * @returns {null|"cut_off"|"no_bridge"|"no_broker"}
 */
export function obstacleOf(fleet, isCutOff) {
  if (isCutOff) return "cut_off";
  if (fleet.bridge?.present === false) return "no_bridge";
  return fleet.broker !== null && fleet.broker.state !== "connected" ? "no_broker" : null;
}

/**
 * Whether a bike is there.
 * @returns {"online"|"blind"|"stopped"|"lost"}
 */
export function stateOf(fleet, bike, isCutOff) {
  if (obstacleOf(fleet, isCutOff) !== null || fleet.broker === null) return "lost";
  const state = bike.status?.state;
  if (state === "online" || state === "blind") return state;
  return state === "offline" && bike.status.reason === "stopped" ? "stopped" : "lost";
}

/** Whether the bike has or had a value of this kind. */
export function hasKind(bike, kind) {
  return bike.store.newest(kind) !== undefined || bike.store.sensorsOf(kind).length > 0;
}

/**
 * Reads a value of a bike: that of a bike that is not there is lost, however new it is.
 * @returns {{state: string, value?: number, age?: number}} the age is missing if it is unknown
 */
export function readValue(fleet, bike, source, now, isCutOff) {
  const reading = read(bike.store, source, undefined, now, isCutOff);
  const age = Number.isFinite(reading.age) ? reading.age : undefined;
  if (stateOf(fleet, bike, isCutOff) === "online") return { ...reading, age };
  return { state: "lost", age };
}

/** The road behind a bike. It is clear only while a radar says so. */
export function readRoad(fleet, bike, now, isCutOff) {
  return readRadar(bike.store, now, stateOf(fleet, bike, isCutOff) !== "online");
}

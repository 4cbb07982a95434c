// Readings that need more than one sample: the lower of two tires, the emptiest battery, the nearest
// car. Each function takes what a view is drawn from and returns a reading as `read` does.

import { format } from "./format.js";
import { hasValue } from "./items.js";
import { liveSeconds, read, readRadar } from "./states.js";
import { sunset } from "./sun.js";
import { convert } from "./units.js";

const unknown = { state: "unknown" };

/** The tires, front first, with pressure, temperature and target. */
export function tiresOf({ store, now, isCutOff, leaking }) {
  const readOf = (sensor, field) => read(store, { kind: "tire_pressure", field }, sensor, now, isCutOff);
  const tires = store.sensorsOf("tire_pressure").map(id => {
    const sensor = store.sensor(id);
    const wheel = store.sample(id, "tire_pressure")?.wheel ?? sensor?.role ?? null;
    return {
      id, wheel, name: sensor?.name ?? id, isLeaking: leaking?.has(wheel ?? id) ?? false,
      pressure: readOf(id, "pressure_gauge_pa"), temperature: readOf(id, "temperature_c"),
      target: sensor?.settings?.target_pressure_pa,
    };
  });
  const rank = ({ wheel }) => (wheel === "front" ? 0 : wheel === "rear" ? 1 : 2);
  return tires.sort((a, b) => rank(a) - rank(b));
}

export function lowestTire(context) {
  const tires = tiresOf(context);
  const known = tires.filter(tire => hasValue(tire.pressure)).sort((a, b) => a.pressure.value - b.pressure.value);
  const lowest = known[0] ?? tires[0];
  return lowest ? { ...lowest.pressure, label: lowest.wheel } : unknown;
}

/** @param {number} place 0 for the front, 1 for the rear @param {"pressure"|"temperature"} part */
export function tire(place, part) {
  const wheel = ["front", "rear"][place];
  return context => {
    const found = tiresOf(context).find(one => one.wheel === wheel);
    if (!found) return unknown;
    return { ...found[part], trend: part === "pressure" && found.isLeaking ? "down" : undefined };
  };
}

/** What the tires should have, front first. */
export function tireTargets(context) {
  const { units, point } = context;
  const known = tiresOf(context).filter(({ target }) => target !== undefined);
  const text = ({ target }) => format("two", convert("pressure", target, units), { point });
  return known.length === 0 ? { state: "not_yet" } : { state: "live", value: known.map(text).join("·") };
}

/** Batteries of all devices, the emptiest first. */
export function batteriesOf({ store, now, isCutOff }) {
  return store.sensorsOf("battery").map(id => ({
    name: store.sensor(id)?.name ?? id,
    reading: read(store, { kind: "battery", field: "battery_pct" }, id, now, isCutOff),
  })).sort((a, b) => (a.reading.value ?? 1000) - (b.reading.value ?? 1000));
}

export function lowestBattery(context) {
  const lowest = batteriesOf(context)[0];
  return lowest ? { ...lowest.reading, label: lowest.name } : unknown;
}

function radarState({ store, now, isCutOff }) {
  const { state, targets } = readRadar(store, now, isCutOff);
  if (targets.length > 0) return { targets };
  return { state: state === "absent" ? "unknown" : state, targets };
}

export function nearestCar(context) {
  const { state, targets } = radarState(context);
  if (state) return { state };
  const nearest = targets[targets.length - 1];
  return { state: "live", value: nearest.distance_m, label: String(targets.length) };
}

export function carCount(context) {
  const { state, targets } = radarState(context);
  if (state === "clear") return { state: "live", value: 0 };
  return state ? { state } : { state: "live", value: targets.length };
}

export function carSpeed(context) {
  const { state, targets } = radarState(context);
  const speed = targets[targets.length - 1]?.approach_speed_mps;
  return state || speed === undefined ? { state: state ?? "not_yet" } : { state: "live", value: speed };
}

/** What the trainer holds: the power it was told, else its resistance. */
export function trainerTarget(context) {
  const { store, now, isCutOff } = context;
  const [id] = store.sensorsOf("trainer");
  if (!id) return unknown;
  // A target holds until the machine reports another one, however long ago it was set.
  const isThere = now - (store.sample(id, "trainer")?.t ?? -Infinity) <= liveSeconds("trainer");
  const target = store.sample(id, "trainer_status")?.target_power_w;
  if (isThere && target !== undefined) return { state: "live", value: target, sensor: id, unit: "w" };
  return read(store, { kind: "trainer", field: "resistance_level" }, id, now, isCutOff);
}

export function trainerGrade({ store, now, isCutOff }) {
  const status = store.newest("trainer_status");
  if (status?.grade_pct !== undefined) return { state: "live", value: status.grade_pct };
  return read(store, { kind: "trainer", field: "inclination_pct" }, undefined, now, isCutOff);
}

export function clockTime({ date }) {
  return { state: "live", value: `${date.getHours()}:${String(date.getMinutes()).padStart(2, "0")}` };
}

export function clockDate({ date, locale }) {
  return { state: "live", value: date.toLocaleDateString(locale, { day: "numeric", month: "numeric" }) };
}

export function clockSunset({ store, date }) {
  const position = store.newest("position");
  const time = position?.latitude_deg === undefined ? null : sunset(date, position.latitude_deg, position.longitude_deg);
  if (!time) return { state: "not_yet" };
  return { state: "live", value: `${time.getHours()}:${String(time.getMinutes()).padStart(2, "0")}` };
}

/** The quality of the fix as a word of the texts. */
export function fixWord({ store, now, isCutOff, texts }) {
  const reading = read(store, { kind: "position", field: "quality" }, undefined, now, isCutOff);
  return hasValue(reading) ? { ...reading, value: texts.get(reading.value) } : reading;
}

export function bikeName({ store }) {
  const name = store.newest("bike")?.name;
  return name === undefined ? { state: "not_yet", word: "bike_unknown" } : { state: "live", value: name };
}

export function lastLapTime({ lastLap }) {
  return lastLap?.seconds ? { state: "live", value: lastLap.seconds } : { state: "not_yet" };
}

/** Energy of an hour at the pace of the ride so far. */
export function energyPerHour({ store, now, isCutOff }) {
  const reading = read(store, { kind: "ride", field: "energy_kcal" }, undefined, now, isCutOff);
  const hours = (store.ride?.moving_time_s ?? 0) / 3600;
  if (!hasValue(reading)) return reading;
  return hours < 1 / 60 ? { state: "not_yet", word: "wait" } : { ...reading, value: reading.value / hours };
}

/** The time in the present zone. */
export function timeInZone({ store, now, isCutOff }) {
  const reading = read(store, { kind: "zones", field: "zone" }, undefined, now, isCutOff);
  if (!hasValue(reading) || reading.value < 1) return reading.value === 0 ? { state: "not_yet" } : reading;
  const seconds = store.newest("zones").zone_times_s?.[reading.value - 1];
  return seconds === undefined ? { state: "not_yet" } : { ...reading, value: seconds };
}

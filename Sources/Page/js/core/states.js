// The state of a value: a number on the screen is true now, or says that it is not.

const MINUTE_S = 60;
const SLOW_S = 15 * MINUTE_S;

const LIVE_S = {
  heart_rate: 6,
  radar: 1.8,
  ride: 3, averages: 3, lap_averages: 3, zones: 3, power_zones: 3, training: 3,
  route: 5, segment: 5, coach: 5,
  hrv: 10,
  battery: SLOW_S, tire_pressure: SLOW_S, environment: SLOW_S, wheel: SLOW_S, bike: SLOW_S,
};
const DEFAULT_LIVE_S = 4;

/** Totals and averages: they keep their value while the ride is paused. */
const TOTALS = new Set(["ride", "averages", "lap_averages", "zones", "power_zones", "training"]);

export function liveSeconds(kind) {
  return LIVE_S[kind] ?? DEFAULT_LIVE_S;
}

/** From which age on a value is lost, and not shown. A slow kind that missed its time has a minute more. */
export function lostSeconds(kind) {
  return Math.max(MINUTE_S, liveSeconds(kind) + (liveSeconds(kind) >= SLOW_S ? MINUTE_S : 0));
}

/**
 * Reads one field.
 * @param {import("./store.js").Store} store
 * @param {{kind: string, field: string, needs?: string}} source
 * @param {string|undefined} sensor
 * @param {number|null} now of the server's clock
 * @param {boolean} isCutOff nothing is known to be paused while no message arrives
 * @returns {{state: string, value?: number, age?: number, reason?: string, word?: string}}
 */
export function read(store, source, sensor, now, isCutOff = false) {
  const { kind, field } = source;
  const sample = store.newest(kind, sensor);
  const owner = sensorOf(store, kind, sensor, sample);
  const link = owner && store.state(owner);
  if (link?.state === "error") return { state: "error", reason: link.reason, sensor: owner };
  if (!sample || now === null) return withoutSample(store, kind, owner, link);

  const age = Math.max(0, now - sample.t);
  if (age > lostSeconds(kind) || isSearching(link)) return { state: "lost", age, sensor: owner };
  const value = sample[field];
  if (value === undefined) return { state: "not_yet", word: source.needs ?? "wait", sensor: owner };
  if (TOTALS.has(kind) && store.ride?.paused && !isCutOff) {
    return { state: "paused", value, age, sensor: owner };
  }
  const isStale = age > liveSeconds(kind) || link?.state === "stale";
  return { state: isStale ? "stale" : "live", value, age, sensor: owner };
}

/** A value of the ride is as good as the sensor it came from, which its sample names. */
function sensorOf(store, kind, sensor, sample) {
  if (sensor) return sensor;
  if (sample?.source && store.state(sample.source)) return sample.source;
  if (sample && sample.sensor !== "ride") return sample.sensor;
  return sample ? undefined : store.sensorsOf(kind)[0];
}

function isSearching(link) {
  return link?.state === "searching" || link?.state === "connecting";
}

function withoutSample(store, kind, owner, link) {
  if (isSearching(link)) return { state: "searching", sensor: owner };
  if (owner) return { state: "not_yet", word: "wait", sensor: owner };
  return { state: TOTALS.has(kind) ? "not_yet" : "unknown", word: TOTALS.has(kind) ? "wait" : undefined };
}

/** What the radar lane shows. Clear is only what a live radar said. */
export function readRadar(store, now, isCutOff) {
  const sample = store.radar;
  const owner = sample?.sensor ?? store.sensorsOf("radar")[0];
  if (!owner) return { state: "absent", targets: [] };
  const link = store.state(owner);
  if (!sample || now === null) return { state: "searching", targets: [] };
  const isLate = now - sample.t > liveSeconds("radar");
  if (isCutOff || isLate || (link && link.state !== "streaming")) return { state: "lost", targets: [] };
  const targets = [...(sample.targets ?? [])].sort((a, b) => b.distance_m - a.distance_m);
  if (targets.length === 0) return { state: sample.clear === true ? "clear" : "lost", targets: [] };
  return { state: targets.some(target => target.level >= 2) ? "fast" : "car", targets };
}

/** An age, or another duration of one unit, for the screen: 12 s, 3 min, 2 h. */
export function shortAge(seconds) {
  if (seconds < MINUTE_S) return `${Math.floor(seconds)} s`;
  if (seconds < 60 * MINUTE_S) return `${Math.floor(seconds / MINUTE_S)} min`;
  return `${Math.floor(seconds / (60 * MINUTE_S))} h`;
}

// The course of the ride for watermarks and graphs. Each value has a line of at most 240 points for
// the whole ride, which the server fills after a reload, and the seconds of the last ten minutes.
// Where nothing was measured, a point is null.

const POINTS = 240;
export const RECENT_S = 600;

/** The values that have a line: the kind of the sample and its field. */
export const LINES = {
  speed_mps: "speed", cadence_rpm: "cadence", power_w: "power", bpm: "heart_rate",
  elevation_m: "grade", grade_pct: "grade", distance_m: "ride", rmssd_ms: "hrv",
  breaths_per_min: "hrv", spo2_pct: "oxygen", smo2_pct: "muscle_oxygen",
  core_temperature_c: "body_temperature",
};

/** A longer silence between two values of a kind is a gap. */
const GAP_S = { hrv: 12, muscle_oxygen: 12, body_temperature: 12 };
const DEFAULT_GAP_S = 4;

export class Line {
  #start = null;
  #step = 1;
  #sums = [];
  #counts = [];
  #recent = [];

  constructor(gap = DEFAULT_GAP_S) {
    this.gap = gap;
  }

  add(t, value) {
    if (this.#start === null) this.#start = t;
    if (t < this.#start) return;
    let place = Math.floor((t - this.#start) / this.#step);
    while (place >= POINTS) {
      this.#halve();
      place = Math.floor((t - this.#start) / this.#step);
    }
    this.#sums[place] = (this.#sums[place] ?? 0) + value;
    this.#counts[place] = (this.#counts[place] ?? 0) + 1;
    this.#addRecent(t, value);
  }

  #addRecent(t, value) {
    const last = this.#recent[this.#recent.length - 1];
    if (last && t <= last.t) return;
    this.#recent.push({ t, value });
    let old = 0;
    while (this.#recent[old].t < t - RECENT_S) old += 1;
    if (old > RECENT_S / 10) this.#recent.splice(0, old);
  }

  #halve() {
    const half = list => Array.from({ length: Math.ceil(list.length / 2) },
      (_, index) => (list[2 * index] ?? 0) + (list[2 * index + 1] ?? 0));
    this.#sums = half(this.#sums);
    this.#counts = half(this.#counts);
    this.#step *= 2;
  }

  /** The line as the server remembers it takes the place of this one. */
  seed(start, step, values) {
    this.#start = start;
    this.#step = step;
    this.#sums = values.map(value => value ?? 0);
    this.#counts = values.map(value => (value === null ? 0 : 1));
  }

  /** The points of the whole ride. */
  get ride() {
    return this.#between(-Infinity, Infinity);
  }

  /** The points since a time: by the second where they are remembered so, else as of the ride. */
  since(time) {
    const first = this.#recent[0]?.t ?? Infinity;
    const seconds = [];
    let last = null;
    for (const point of this.#recent) {
      if (point.t < time) continue;
      if (last !== null && point.t - last > this.gap) seconds.push({ t: last + this.gap / 2, value: null });
      seconds.push(point);
      last = point.t;
    }
    return [...this.#between(time, first - this.#step / 2), ...seconds];
  }

  #between(from, to) {
    if (this.#start === null) return [];
    const points = [];
    for (let place = 0; place < this.#counts.length; place += 1) {
      const t = this.#start + place * this.#step;
      if (t < from || t >= to) continue;
      points.push({ t, value: this.#counts[place] ? this.#sums[place] / this.#counts[place] : null });
    }
    return this.#withoutHoles(points);
  }

  /** Values come a little earlier or later: a short run of empty points is not a gap. */
  #withoutHoles(points) {
    const longest = this.gap / this.#step;
    const kept = [];
    let empty = [];
    for (const point of points) {
      if (point.value === null) {
        empty.push(point);
        continue;
      }
      if (empty.length > longest) kept.push(...empty);
      empty = [];
      kept.push(point);
    }
    return [...kept, ...(empty.length > longest ? empty : [])];
  }
}

export class RideSeries {
  #lines = new Map();
  #last = new Map();
  #ride = null;

  /** @param {string} field */
  line(field) {
    if (!this.#lines.has(field)) this.#lines.set(field, new Line(GAP_S[LINES[field]]));
    return this.#lines.get(field);
  }

  /** What the server remembers: `{start, step_s, FIELD: [number or null, …]}`. */
  seed(series) {
    if (typeof series?.start !== "number") return;
    for (const field of Object.keys(LINES)) {
      if (Array.isArray(series[field])) this.line(field).seed(series.start, series.step_s, series[field]);
    }
  }

  /** Adds what is new in the store. Another ride begins again. */
  record(store) {
    const ride = store.ride?.ride_id ?? null;
    if (ride !== null && this.#ride !== null && ride !== this.#ride) this.#lines.clear();
    if (ride !== null) this.#ride = ride;
    for (const [field, kind] of Object.entries(LINES)) {
      const sample = store.newest(kind);
      const value = sample?.[field];
      if (typeof value !== "number" || this.#last.get(field) >= sample.t) continue;
      this.#last.set(field, sample.t);
      this.line(field).add(sample.t, value);
    }
  }

  clear() {
    this.#lines.clear();
    this.#last.clear();
    this.#ride = null;
  }
}

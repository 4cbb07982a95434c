// The tracks of activities as small pictures. A few are loaded at a time, those of lines on the screen
// only, and the newest are kept.

import { Plane } from "../map/plane.js";

const POINTS = 64;
const MOST_REQUESTS = 3;
const MOST_KEPT = 1000;
const MARGIN = 3;

const ACTIVITIES = {
  pathOf: ({ id }) => `/api/1/activities/${id}/track?points=${POINTS}`,
  // An edit changes the track and the version.
  keyOf: ({ id, version }) => `${id}/${version}`,
};

/** The path of a track in a box, north at the top. @returns {string} data of an SVG path; "" without positions */
export function trackPath({ pieces }, width, height) {
  const lines = pieces.map(({ points }) => points).filter(points => points.length > 0);
  const all = lines.flat();
  if (all.length === 0) return "";
  const latitudes = all.map(point => point.latitude_deg);
  const plane = new Plane((Math.min(...latitudes) + Math.max(...latitudes)) / 2, all[0].longitude_deg);
  const places = lines.map(points => points.map(point => plane.place(point.latitude_deg, point.longitude_deg)));
  const [xs, ys] = [places.flat().map(({ x }) => x), places.flat().map(({ y }) => y)];
  const [left, right, south, north] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const scale = Math.min((width - 2 * MARGIN) / (right - left), (height - 2 * MARGIN) / (north - south));
  const factor = Number.isFinite(scale) ? scale : 0;
  const draw = ({ x, y }) => {
    const column = width / 2 + (x - (left + right) / 2) * factor;
    const row = height / 2 - (y - (south + north) / 2) * factor;
    return `${column.toFixed(1)} ${row.toFixed(1)}`;
  };
  return places.map(points => `M${points.map(draw).join("L")}`).join("");
}

export class Thumbnails {
  #waiting = new Map();
  #paths = new Map();
  #requests = 0;

  /**
   * @param {(path: string) => Promise<object>} get asks the server for a track
   * @param {{width: number, height: number}} size
   * @param {{pathOf: (item: object) => string, keyOf: (item: object) => string}} [items] where the track of an item is, and what
   *   changes with it; activities by default
   */
  constructor(get, { width, height }, { pathOf, keyOf } = ACTIVITIES) {
    this.get = get;
    this.size = [width, height];
    this.pathOf = pathOf;
    this.keyOf = keyOf;
  }

  /** Calls `show` with the path, now or later, unless `cancel` comes first. */
  request(item, show) {
    const path = this.#paths.get(this.keyOf(item));
    if (path !== undefined) return show(path);
    this.#waiting.set(this.keyOf(item), { item, show });
    this.#loadNext();
  }

  cancel(item) {
    this.#waiting.delete(this.keyOf(item));
  }

  cancelAll() {
    this.#waiting.clear();
  }

  async #loadNext() {
    const next = this.#waiting.entries().next().value;
    if (!next || this.#requests >= MOST_REQUESTS) return;
    const [key, { item, show }] = next;
    this.#waiting.delete(key);
    this.#requests += 1;
    try {
      const track = await this.get(this.pathOf(item));
      const path = trackPath(track, ...this.size);
      this.#keep(key, path);
      show(path);
    } catch {
      // The icon stays. The track is asked for again when its line is on the screen again.
    } finally {
      this.#requests -= 1;
      this.#loadNext();
    }
  }

  #keep(key, path) {
    this.#paths.set(key, path);
    if (this.#paths.size > MOST_KEPT) this.#paths.delete(this.#paths.keys().next().value);
  }
}

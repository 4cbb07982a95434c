// A line that is drawn by hand, in pieces: each goes on from the end of the one before, and can be
// taken back. It does not snap to roads, because the bike is often offline.

import { simplify } from "./simplify.js";

/** What the logbook takes for a route. */
const MOST_POINTS = 1000;
/** The line that is saved is at most so far from the one that was drawn. */
const COARSEST_M = 20;

export class Sketch {
  /** @type {{x: number, y: number}[][]} metres on the plane of the map */
  #pieces = [];
  #isOpen = false;

  /** @param {import("./plane.js").Plane} plane */
  constructor(plane) {
    this.plane = plane;
  }

  get places() {
    return this.#pieces.flat();
  }

  get isEmpty() {
    return this.#pieces.length === 0;
  }

  /** Metres along the line, with the ways between its pieces. */
  get length() {
    const { places, plane } = this;
    return places.slice(1).reduce((sum, { x, y }, index) => {
      const before = places[index];
      return sum + Math.hypot(x - before.x, y - before.y) * plane.scaleAt((y + before.y) / 2);
    }, 0);
  }

  /** Gives the line other coordinates: those of another plane. */
  moveTo(plane) {
    if (plane === this.plane) return;
    const moved = ({ x, y }) => {
      const { latitude, longitude } = this.plane.locate(x, y);
      return plane.place(latitude, longitude);
    };
    this.#pieces = this.#pieces.map(piece => piece.map(moved));
    this.plane = plane;
  }

  begin(place) {
    this.#pieces.push([place]);
    this.#isOpen = true;
  }

  add(place) {
    if (this.#isOpen) this.#pieces.at(-1).push(place);
  }

  /** @param {number} tolerance how far the line may move where it is simplified, in metres */
  end(tolerance) {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#pieces.push(simplified(this.#pieces.pop(), tolerance));
  }

  undo() {
    this.#isOpen = false;
    this.#pieces.pop();
  }

  /** As the painter of a map draws lines. */
  get line() {
    const { places } = this;
    return {
      track: { xs: places.map(({ x }) => x), ys: places.map(({ y }) => y) },
      lines: places.length === 0 ? [] : [{ step: null, places: places.map((_, index) => index) }],
    };
  }

  /** As the logbook takes it; null if it has too many bends for one route. */
  get degrees() {
    let { places } = this;
    for (let tolerance = 1; places.length > MOST_POINTS; tolerance *= 2) {
      if (tolerance > COARSEST_M) return null;
      places = simplified(this.places, tolerance);
    }
    const degrees = places.map(({ x, y }) => this.plane.locate(x, y));
    return {
      latitude_deg: degrees.map(({ latitude }) => rounded(latitude)),
      // Beyond the date line, longitudes begin again at -180.
      longitude_deg: degrees.map(({ longitude }) => rounded(((longitude + 180) % 360 + 360) % 360 - 180)),
    };
  }
}

function simplified(places, tolerance) {
  const kept = simplify(places.map(({ x }) => x), places.map(({ y }) => y), 0, places.length - 1, tolerance);
  return kept.map(index => places[index]);
}

/** To a decimetre, which is more than a finger can draw. */
function rounded(degrees) {
  return Math.round(degrees * 1e6) / 1e6;
}

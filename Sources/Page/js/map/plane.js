// A plane in the projection of web maps, Mercator's: at the place of its origin, its units are metres
// east and north. Tracks lie exactly on map tiles, and lines need no projection.

/** The mean radius of the earth. */
const EARTH_M = 6371008.8;
const RADIANS = Math.PI / 180;
/** Web maps end here. */
const MOST_LATITUDE = 85;

export class Plane {
  /** Metres from the equator's east end to its west end, on this plane. */
  worldWidth;
  #radius;
  #north;

  /** @param {number} latitude of the origin, in degrees */
  constructor(latitude, longitude) {
    this.latitude = latitude;
    this.longitude = longitude;
    this.#radius = EARTH_M * Math.cos(limited(latitude) * RADIANS);
    this.#north = mercator(latitude);
    this.worldWidth = 2 * Math.PI * this.#radius;
  }

  /** @returns {{x: number, y: number}} metres east and north of the origin */
  place(latitude, longitude) {
    // The shorter way around, also across the date line.
    const east = ((longitude - this.longitude + 540) % 360 + 360) % 360 - 180;
    return { x: east * RADIANS * this.#radius, y: (mercator(latitude) - this.#north) * this.#radius };
  }

  /** The inverse of `place`. */
  locate(x, y) {
    const latitude = Math.atan(Math.sinh(y / this.#radius + this.#north)) / RADIANS;
    return { latitude, longitude: this.longitude + x / this.#radius / RADIANS };
  }

  /** Metres on the ground per metre of the plane, so far north of the origin. */
  scaleAt(y) {
    return EARTH_M / this.#radius / Math.cosh(y / this.#radius + this.#north);
  }
}

function limited(latitude) {
  return Math.max(-MOST_LATITUDE, Math.min(MOST_LATITUDE, latitude));
}

function mercator(latitude) {
  return Math.asinh(Math.tan(limited(latitude) * RADIANS));
}

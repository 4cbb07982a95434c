// A local plane: metres east and north of one place. Over the length of a ride it is exact enough to
// draw, and lines need no projection.

/** The mean radius of the earth. */
const EARTH_M = 6371008.8;
const RADIANS = Math.PI / 180;

export class Plane {
  /** @param {number} latitude of the origin, in degrees */
  constructor(latitude, longitude) {
    this.latitude = latitude;
    this.longitude = longitude;
    this.#cosine = Math.cos(latitude * RADIANS);
  }

  #cosine;

  /** @returns {{x: number, y: number}} metres east and north of the origin */
  place(latitude, longitude) {
    // The shorter way around, also across the date line.
    const east = ((longitude - this.longitude + 540) % 360 + 360) % 360 - 180;
    return { x: east * RADIANS * EARTH_M * this.#cosine, y: (latitude - this.latitude) * RADIANS * EARTH_M };
  }
}

// What of the plane a map shows: its center, scale and direction. Places of the plane are metres east
// and north, places of the screen are CSS pixels from the top left.

/** The closest and the widest view. */
const CLOSEST = .1, WIDEST = 20000;

export class MapView {
  x = 0;
  y = 0;
  metresPerPixel = 1;
  width = 0;
  height = 0;
  #sine = 0;
  #cosine = 1;
  #course = 0;

  /** The direction that is up, in degrees clockwise from north. */
  get course() {
    return this.#course;
  }

  set course(degrees) {
    this.#course = degrees;
    this.#sine = Math.sin(degrees * Math.PI / 180);
    this.#cosine = Math.cos(degrees * Math.PI / 180);
  }

  toScreen(x, y) {
    const east = x - this.x, north = y - this.y;
    return {
      x: this.width / 2 + (east * this.#cosine - north * this.#sine) / this.metresPerPixel,
      y: this.height / 2 - (east * this.#sine + north * this.#cosine) / this.metresPerPixel,
    };
  }

  toPlane(x, y) {
    const right = (x - this.width / 2) * this.metresPerPixel, up = (this.height / 2 - y) * this.metresPerPixel;
    return { x: this.x + right * this.#cosine + up * this.#sine, y: this.y - right * this.#sine + up * this.#cosine };
  }

  center({ x, y }) {
    this.x = x;
    this.y = y;
  }

  /** Moves the picture by pixels. */
  pan(right, down) {
    this.center(this.toPlane(this.width / 2 - right, this.height / 2 - down));
  }

  /** Enlarges by a factor. The place at this pixel stays where it is. */
  zoom(factor, x = this.width / 2, y = this.height / 2) {
    const place = this.toPlane(x, y);
    this.metresPerPixel = limited(this.metresPerPixel / factor);
    const moved = this.toScreen(place.x, place.y);
    this.pan(x - moved.x, y - moved.y);
  }

  /** Shows a box as large as it can be, with room on each side in pixels. */
  fit({ left, right, bottom, top }, room) {
    this.center({ x: (left + right) / 2, y: (bottom + top) / 2 });
    const width = Math.max(1, this.width - room.left - room.right), height = Math.max(1, this.height - room.top - room.bottom);
    const across = Math.abs(this.#cosine) * (right - left) + Math.abs(this.#sine) * (top - bottom);
    const along = Math.abs(this.#sine) * (right - left) + Math.abs(this.#cosine) * (top - bottom);
    // A ride on one spot is not enlarged without end.
    this.metresPerPixel = limited(Math.max(across / width, along / height, .5));
    this.pan((room.left - room.right) / 2, (room.top - room.bottom) / 2);
  }

  /** The box of the plane around what is shown and some pixels more. */
  box(room = 0) {
    const corners = [[-room, -room], [this.width + room, -room], [-room, this.height + room], [this.width + room, this.height + room]]
      .map(([x, y]) => this.toPlane(x, y));
    const xs = corners.map(({ x }) => x), ys = corners.map(({ y }) => y);
    return { left: Math.min(...xs), right: Math.max(...xs), bottom: Math.min(...ys), top: Math.max(...ys) };
  }
}

function limited(metresPerPixel) {
  return Math.max(CLOSEST, Math.min(WIDEST, metresPerPixel));
}

// A track: positions on a local plane with their times, in pieces. Between two pieces is a gap.

import { Plane } from "./plane.js";

export class Track {
  xs = [];
  ys = [];
  /** Seconds, as the source counts them. */
  times = [];
  distances = [];
  altitudes = [];
  /** The first point of each piece. */
  starts = [];

  /** From what the recorder answers to `track`, on a plane of its own or on the one of other tracks. */
  static from(document, plane) {
    const track = new Track();
    track.plane = plane;
    for (const { points } of document?.pieces ?? []) {
      points.forEach((point, index) => track.add(point, index === 0));
    }
    return track;
  }

  get count() {
    return this.xs.length;
  }

  add(point, isStart = false) {
    this.plane ??= new Plane(point.latitude_deg, point.longitude_deg);
    const { x, y } = this.plane.place(point.latitude_deg, point.longitude_deg);
    if (isStart || this.count === 0) this.starts.push(this.count);
    this.xs.push(x);
    this.ys.push(y);
    this.times.push(point.at_s);
    this.distances.push(point.distance_m);
    this.altitudes.push(point.altitude_m);
  }

  /** The pieces as their first and last points. */
  get pieces() {
    return this.starts.map((first, index) => [first, (this.starts[index + 1] ?? this.count) - 1]);
  }

  /** The parts of pieces whose lines can cross a box. */
  rangesIn({ left, right, bottom, top }) {
    const { xs, ys } = this;
    const ranges = [];
    for (const [first, last] of this.pieces) {
      let from = null;
      for (let index = first; index <= last; index += 1) {
        const next = Math.min(index + 1, last);
        const isOutside = Math.max(xs[index], xs[next]) < left || Math.min(xs[index], xs[next]) > right
          || Math.max(ys[index], ys[next]) < bottom || Math.min(ys[index], ys[next]) > top;
        if (!isOutside) from ??= index;
        else if (from !== null) {
          ranges.push([from, index]);
          from = null;
        }
      }
      if (from !== null) ranges.push([from, last]);
    }
    return ranges;
  }

  /** The points from one second to another, as ranges within pieces. */
  rangesBetween(from, to) {
    return this.pieces.map(([first, last]) => {
      const begin = Math.max(first, this.#after(from, first, last));
      let end = this.#after(to, first, last);
      if (end > last || this.times[end] > to) end -= 1;
      return [begin, Math.min(end, last)];
    }).filter(([begin, end]) => begin <= end);
  }

  /** The first point from `first` on that is not before `seconds`; one more than `last` without one. */
  #after(seconds, first, last) {
    let low = first, high = last + 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.times[middle] < seconds) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Where the rider was at a second, or null in a gap. */
  at(seconds) {
    for (const [first, last] of this.pieces) {
      if (seconds < this.times[first] || seconds > this.times[last]) continue;
      const next = this.#after(seconds, first, last);
      const before = Math.max(first, next - 1);
      const span = this.times[next] - this.times[before];
      const share = span > 0 ? (seconds - this.times[before]) / span : 0;
      return {
        x: this.xs[before] + share * (this.xs[next] - this.xs[before]),
        y: this.ys[before] + share * (this.ys[next] - this.ys[before]),
      };
    }
    return null;
  }

  /** The second at which the track was nearest to a place, or null if it is farther than `most` metres. */
  nearest(x, y, most) {
    let best = most * most, seconds = null;
    for (const [first, last] of this.rangesIn({ left: x - most, right: x + most, bottom: y - most, top: y + most })) {
      for (let index = first; index <= last; index += 1) {
        const next = Math.min(index + 1, last);
        const dx = this.xs[next] - this.xs[index], dy = this.ys[next] - this.ys[index];
        const square = dx * dx + dy * dy;
        const along = (x - this.xs[index]) * dx + (y - this.ys[index]) * dy;
        const share = square === 0 ? 0 : Math.max(0, Math.min(1, along / square));
        const distance = (this.xs[index] + share * dx - x) ** 2 + (this.ys[index] + share * dy - y) ** 2;
        if (distance > best) continue;
        best = distance;
        seconds = this.times[index] + share * (this.times[next] - this.times[index]);
      }
    }
    return seconds;
  }

  /** The box around ranges of points, or null without points. */
  boxOf(ranges) {
    const box = { left: Infinity, right: -Infinity, bottom: Infinity, top: -Infinity };
    for (const [first, last] of ranges) {
      for (let index = first; index <= last; index += 1) {
        box.left = Math.min(box.left, this.xs[index]);
        box.right = Math.max(box.right, this.xs[index]);
        box.bottom = Math.min(box.bottom, this.ys[index]);
        box.top = Math.max(box.top, this.ys[index]);
      }
    }
    return box.left === Infinity ? null : box;
  }

  /** The length up to a point as measured on the ride, otherwise along the line. */
  lengthTo(place) {
    if (this.distances[place] !== undefined) return this.distances[place] - (this.distances[0] ?? 0);
    let length = 0;
    for (const [first, last] of this.pieces) {
      for (let index = first + 1; index <= Math.min(last, place); index += 1) {
        const scale = this.plane.scaleAt(this.ys[index]);
        length += scale * Math.hypot(this.xs[index] - this.xs[index - 1], this.ys[index] - this.ys[index - 1]);
      }
    }
    return length;
  }

  /** The point with the highest altitude, or null if no point has one. */
  get highest() {
    let highest = null;
    this.altitudes.forEach((altitude, index) => {
      if (altitude !== undefined && !(altitude <= this.altitudes[highest])) highest = index;
    });
    return highest;
  }
}

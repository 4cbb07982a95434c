// The series of a ride as the recorder has them: minimum, mean and maximum of each field per point,
// in pieces. Between two pieces is a gap, and a point without a value is null. Without DOM.

/** Shorter than this, a grade says more about the receiver than about the road. */
const GRADE_OVER_M = 60;

export class RideSeries {
  /** @param {object} document what the server answers to `series` */
  constructor(document) {
    this.step = document?.step_s ?? 1;
    this.pieces = document?.pieces ?? [];
    this.fields = new Set(this.pieces.flatMap(piece => piece.fields.map(each => each.field)));
  }

  /** The points of a field with a null where nothing was measured, at the middle of their times. */
  points(field) {
    const points = [];
    for (const { start_s: start, fields } of this.pieces) {
      const found = fields.find(each => each.field === field);
      // A gap that is shorter than a point is one, too.
      if (points.length > 0) points.push({ t: start, value: null, low: null, high: null });
      found?.mean.forEach((value, index) => points.push({
        t: start + (index + .5) * this.step, value, low: found.min[index], high: found.max[index],
      }));
    }
    return points;
  }

  /** Lowest, highest and mean value of a field, or null if it has none. */
  summary(field) {
    let low = Infinity, high = -Infinity, sum = 0, count = 0;
    for (const { fields } of this.pieces) {
      const found = fields.find(each => each.field === field);
      found?.mean.forEach((value, index) => {
        if (value === null) return;
        low = Math.min(low, found.min[index] ?? value);
        high = Math.max(high, found.max[index] ?? value);
        sum += value;
        count += 1;
      });
    }
    return count === 0 ? null : { low, high, mean: sum / count };
  }

  /** The mean of a field at a second of the ride, or null. */
  valueAt(field, seconds) {
    for (const { start_s: start, fields } of this.pieces) {
      const index = Math.floor((seconds - start) / this.step);
      if (index < 0) continue;
      const value = fields.find(each => each.field === field)?.mean[index];
      if (value !== undefined) return value;
    }
    return null;
  }

  /** Seconds for which a field has values, and seconds that were recorded. Null if it never had one. */
  coverage(field) {
    if (!this.fields.has(field)) return null;
    let known = 0, all = 0;
    for (const { fields } of this.pieces) {
      const length = Math.max(0, ...fields.map(each => each.mean.length));
      const values = fields.find(each => each.field === field)?.mean ?? [];
      all += length * this.step;
      known += values.filter(value => value !== null).length * this.step;
    }
    return { known, all };
  }

  /** The times of at least `least` seconds in which a field had no values while the ride went on. */
  losses(field, least) {
    const found = [];
    for (const { start_s: start, fields } of this.pieces) {
      const values = fields.find(each => each.field === field)?.mean ?? [];
      let from = null;
      const end = at => {
        if (from !== null && (at - from) * this.step >= least) found.push({ from: start + from * this.step, to: start + at * this.step });
        from = null;
      };
      values.forEach((value, index) => {
        if (value !== null) end(index);
        else from ??= index;
      });
      end(values.length);
    }
    return this.fields.has(field) ? found : [];
  }

  /**
   * Adds the grade where the height and the distance are known. A receiver's height is too coarse for
   * short ways, so that a grade is that of the last 60 m and more.
   */
  addGrade() {
    if (this.fields.has("grade_pct") || !this.fields.has("altitude_m") || !this.fields.has("distance_m")) return;
    this.pieces = this.pieces.map(piece => {
      const heights = piece.fields.find(each => each.field === "altitude_m")?.mean;
      const ways = piece.fields.find(each => each.field === "distance_m")?.mean;
      if (!heights || !ways) return piece;
      const mean = gradesOf(heights, ways);
      return { ...piece, fields: [...piece.fields, { field: "grade_pct", min: mean, mean, max: mean }] };
    });
    this.fields.add("grade_pct");
  }

  /** As `RideMap` takes it. */
  get document() {
    return { step_s: this.step, pieces: this.pieces };
  }
}

function gradesOf(heights, ways) {
  let behind = 0;
  return heights.map((height, index) => {
    if (height === null || ways[index] === null) return null;
    while (behind + 1 < index && ways[index] - ways[behind + 1] >= GRADE_OVER_M) behind += 1;
    const way = ways[index] - ways[behind];
    return ways[behind] === null || heights[behind] === null || way < GRADE_OVER_M ? null : (height - heights[behind]) / way * 100;
  });
}

// Colors a track by a value: five steps, each with a color of the zones and a width.

/** What a track can be colored by, the usual first: the field of the recorder's series, and how its values are shown. */
export const COLORED_BY = {
  heart_rate: { field: "bpm", form: "whole", unit: "bpm" },
  speed: { field: "speed_mps", form: "speed", quantity: "speed" },
  power: { field: "power_w", form: "whole", unit: "w" },
  grade: { field: "grade_pct", form: "signed", unit: "%" },
};

export const STEPS = 5;
/** So many pixels a stretch of one color has at least, so that colors can be told apart. */
const STRETCH_PX = 4;

/** Of a step from 1 to 5. A part without a value has the step 0. */
export function widthOf(step) {
  return step === 0 ? 2 : 2 + step;
}

/** The value of a field at each point of the track; NaN where it is unknown. */
export function valuesAlong(track, series, field) {
  const values = new Float64Array(track.count).fill(NaN);
  if (!series) return values;
  const step = series.step_s;
  const pieces = series.pieces.map(piece => ({ start: piece.start_s, means: piece.fields.find(each => each.field === field)?.mean ?? [] }));
  let piece = 0;
  for (let index = 0; index < track.count; index += 1) {
    const time = track.times[index];
    while (piece + 1 < pieces.length && pieces[piece + 1].start <= time) piece += 1;
    const place = Math.floor((time - (pieces[piece]?.start ?? Infinity)) / step);
    values[index] = pieces[piece]?.means[place] ?? NaN;
  }
  return values;
}

export class Coloring {
  /** @param {Float64Array} values @param {number[]} [floors] where each zone begins; without them, steps are equal */
  constructor(values, floors) {
    this.values = values;
    this.floors = floors;
    this.low = Infinity;
    this.high = -Infinity;
    for (const value of values) {
      if (Number.isNaN(value)) continue;
      this.low = Math.min(this.low, value);
      this.high = Math.max(this.high, value);
    }
  }

  get isEmpty() {
    return this.low === Infinity;
  }

  /** From 1 to 5; 0 without a value. */
  stepOf(value) {
    if (Number.isNaN(value)) return 0;
    if (this.floors) return clamped(this.floors.filter(floor => value >= floor).length);
    return this.high === this.low ? 1 : clamped(1 + Math.floor((value - this.low) / (this.high - this.low) * STEPS));
  }

  /** The step of the mean of some points. */
  #stepBetween(first, last) {
    let sum = 0, count = 0;
    for (let index = first; index <= last; index += 1) {
      if (Number.isNaN(this.values[index])) continue;
      sum += this.values[index];
      count += 1;
    }
    return this.stepOf(count === 0 ? NaN : sum / count);
  }

  /**
   * Divides ranges of a track into runs of one step each.
   * @param {number} most how many there may be, about
   * @returns {{step: number, first: number, last: number}[]}
   */
  runsOf(track, ranges, metresPerPixel, most) {
    const length = ranges.reduce((sum, range) => sum + lengthOf(track, range), 0);
    const stretch = Math.max(STRETCH_PX * metresPerPixel, length / most);
    const runs = [];
    for (const range of ranges) this.#divide(track, range, stretch, runs);
    return runs;
  }

  #divide({ xs, ys }, [first, last], stretch, runs) {
    let from = first, length = 0, run = null;
    for (let index = first; index <= last; index += 1) {
      if (index > first) length += distanceBetween(xs, ys, index);
      if (length < stretch && index < last) continue;
      const step = this.#stepBetween(from, index);
      if (run?.step === step) run.last = index;
      else {
        run = { step, first: from, last: index };
        runs.push(run);
      }
      from = index;
      length = 0;
    }
  }
}

function clamped(step) {
  return Math.max(1, Math.min(STEPS, step));
}

function lengthOf({ xs, ys }, [first, last]) {
  let length = 0;
  for (let index = first + 1; index <= last; index += 1) length += distanceBetween(xs, ys, index);
  return length;
}

/** From the point before. Much faster than `Math.hypot`. */
function distanceBetween(xs, ys, index) {
  const dx = xs[index] - xs[index - 1], dy = ys[index] - ys[index - 1];
  return Math.sqrt(dx * dx + dy * dy);
}

// The climbs of a route, by the rules of the guide (docs/guidance.md): what the page shows before a
// ride is what the guide announces on it.

const STEP_M = 25, MOST_VALUES = 20_000;
/** Values before and after one that it is averaged with, twice. */
const REACH = 2;
/** A climb rises above a line of this slope by so many metres, and ends where it falls by as much. */
const SLOPE = .02, THRESHOLD_M = 10;
/** Smaller climbs are not counted. */
const LEAST_ASCENT_M = 20, LEAST_GRADE_PCT = 3;

/** @param {{distance_m: number, altitude_m?: number}[]} points @returns {{startM: number, endM: number, ascentM: number, gradePct: number}[]} */
export function climbsOf(points) {
  const known = points.filter(point => point.altitude_m !== undefined);
  if (known.length < 2) return [];
  const length = points.at(-1).distance_m;
  const step = Math.max(STEP_M, length / MOST_VALUES);
  return find(smooth(smooth(resample(known, length, step))), step);
}

/** Altitudes at equal distances. Before the first one that is known and after the last one they stay. */
function resample(known, length, step) {
  const values = [];
  let next = 0;
  for (let along = 0; along < length + step; along += step) {
    while (next < known.length && known[next].distance_m < along) next += 1;
    const after = known[Math.min(next, known.length - 1)], before = known[Math.max(0, next - 1)];
    const span = after.distance_m - before.distance_m;
    const share = span > 0 ? Math.max(0, Math.min(1, (along - before.distance_m) / span)) : 1;
    values.push(before.altitude_m + share * (after.altitude_m - before.altitude_m));
  }
  return values;
}

function smooth(values) {
  return values.map((_, index) => {
    // As many before as after, so that the ends of a slope stay where they are.
    const reach = Math.min(REACH, index, values.length - 1 - index);
    let sum = 0;
    for (let other = index - reach; other <= index + reach; other += 1) sum += values[other];
    return sum / (2 * reach + 1);
  });
}

function find(values, step) {
  const climbs = [];
  const height = index => values[index] - SLOPE * step * index;
  let low = 0, high = 0;
  const isClimb = () => height(high) - height(low) >= THRESHOLD_M;
  const end = () => {
    const ascentM = values[high] - values[low], lengthM = step * (high - low);
    const gradePct = 100 * ascentM / lengthM;
    if (ascentM >= LEAST_ASCENT_M && gradePct >= LEAST_GRADE_PCT) climbs.push({ startM: step * low, endM: step * high, ascentM, gradePct });
  };
  for (let index = 0; index < values.length; index += 1) {
    if (isClimb()) {
      if (height(index) > height(high)) high = index;
      if (height(high) - height(index) < THRESHOLD_M) continue;
      end();
      low = high = index;
    } else if (height(index) < height(low)) low = high = index;
    else if (height(index) > height(high)) high = index;
  }
  if (isClimb()) end();
  return climbs;
}

// The cadence that suits a runner. docs/guidance.md has the formula in words, and cyclometer-guide
// computes the same; this page does it by itself so that it needs no guide.

/** Steps per minute, before the preference. */
const LEAST = 155;
const MOST = 195;
/** Of a body height. */
const LEG_LENGTH = .53;
/** Of a leg length. */
const SHORTEST_STEP = .7;
const LONGEST_STEP = 1.3;
const MOST_CORRECTION = 5;
/** Steps per minute that the rider may add or take away. */
export const MOST_PREFERENCE = 10;

/**
 * @param {number} speed in m/s
 * @param {number|null} height in m; null leaves the correction out
 * @param {number} preference steps per minute more or less
 * @returns {number|null} steps per minute; null if the runner stands
 */
export function runningCadence(speed, height = null, preference = 0) {
  if (!(speed > 0) || !Number.isFinite(speed)) return null;
  const simple = within(LEAST, MOST, 170 + 8 * (speed - 3));
  const corrected = height > 0 ? correct(simple, speed, height * LEG_LENGTH) : simple;
  return within(LEAST, MOST, corrected) + within(-MOST_PREFERENCE, MOST_PREFERENCE, preference);
}

/** Moves the cadence towards the one at which the step suits the leg. */
function correct(cadence, speed, leg) {
  const step = 60 * speed / cadence;
  const suited = within(SHORTEST_STEP * leg, LONGEST_STEP * leg, step);
  return cadence + within(-MOST_CORRECTION, MOST_CORRECTION, 60 * speed / suited - cadence);
}

function within(least, most, value) {
  return Math.min(most, Math.max(least, value));
}

/**
 * Makers of foot pods disagree on whether a pod counts steps or strides, of two steps each. It counts
 * strides if twice its number is nearer to the target.
 */
export function stepsOf(count, target) {
  if (target === null) return count;
  return Math.abs(2 * count - target) < Math.abs(count - target) ? 2 * count : count;
}

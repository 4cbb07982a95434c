// The distances that the ground of a map shows: between lines of the grid, and of the scale bar.

import { unitOf } from "../core/units.js";

const GRID_M = [100, 1000, 10000, 100000, 1000000];
/** Lines of the grid are at least so far apart. */
const GRID_PX = 24;
const FOOT_M = 0.3048, MILE_M = 1609.344;

/** Metres between two lines of the grid. */
export function gridStep(metresPerPixel) {
  return GRID_M.find(step => step / metresPerPixel >= GRID_PX) ?? GRID_M[GRID_M.length - 1];
}

/** The longest round length of at most so many pixels. @returns {{metres: number, text: string}} */
export function scaleBar(metresPerPixel, pixels, units = {}) {
  const most = metresPerPixel * pixels;
  const isImperial = unitOf("distance", units) === "mi";
  const [small, smallUnit, large, largeUnit] = isImperial ? [FOOT_M, "ft", MILE_M, "mi"] : [1, "m", 1000, "km"];
  const [metre, unit] = most >= large ? [large, largeUnit] : [small, smallUnit];
  const count = roundDown(most / metre);
  return { metres: count * metre, text: `${count} ${unit}` };
}

/** 1, 2 or 5 times a power of ten. */
function roundDown(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  const digit = [5, 2, 1].find(each => each * power <= value * (1 + 1e-9)) ?? 1;
  return Number((digit * power).toPrecision(3));
}

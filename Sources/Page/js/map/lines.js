// What of a track is drawn: the visible parts, without points that make no difference, in runs of
// one step of color.

import { simplify } from "./simplify.js";

export const MOST_POINTS = 4000;
/** Runs of one color take two points each at least. */
export const MOST_RUNS = MOST_POINTS / 4;
/** Lines begin and end outside of the picture by more than their width. */
const ROOM_PX = 16;

/**
 * @param {import("./track.js").Track} track
 * @param {import("./view.js").MapView} view
 * @param {{coloring?: import("./coloring.js").Coloring, ranges?: number[][]}} options `ranges` limits what is shown
 * @returns {{step: number|null, places: number[]}[]}
 */
export function linesOf(track, view, { coloring = null, ranges = null } = {}) {
  let visible = track.rangesIn(view.box(ROOM_PX));
  if (ranges) visible = intersection(visible, ranges);
  const { metresPerPixel } = view;
  const runs = coloring
    ? coloring.runsOf(track, visible, metresPerPixel, MOST_RUNS)
    : visible.map(([first, last]) => ({ step: null, first, last }));
  const thinned = every(runs, Math.ceil(2 * runs.length / MOST_POINTS));
  for (let tolerance = metresPerPixel / 2; ; tolerance *= 2) {
    const lines = thinned.map(({ step, first, last }) => ({ step, places: simplify(track.xs, track.ys, first, last, tolerance) }));
    const count = lines.reduce((sum, { places }) => sum + places.length, 0);
    if (count <= MOST_POINTS) return lines;
  }
}

/** Of more runs than can be drawn, each nth. */
function every(runs, step) {
  return step <= 1 ? runs : runs.filter((_, index) => index % step === 0);
}

/** Both lists are in the order of the track. */
function intersection(some, others) {
  const common = [];
  for (const [first, last] of some) {
    for (const [from, to] of others) {
      if (from <= last && to >= first) common.push([Math.max(first, from), Math.min(last, to)]);
    }
  }
  return common;
}

// The frame of a graph: the lines and numbers of its vertical axis, and where its points stand.

import { colorOf, placer } from "./plot.js";

export const MARGIN = { left: 40, right: 8, top: 10, bottom: 22 };
const LINES_OF_AXIS = 3;
const FONT_PX = 14;

/**
 * @param {HTMLCanvasElement} canvas
 * @param {{context: CanvasRenderingContext2D, width: number, height: number, scale: number}} opened by `openCanvas`
 * @param {{low: number, high: number, from: number, to: number}} range
 * @param {(value: number) => string} text
 * @returns the place of a point, the sides of the plot in pixels of the canvas, and the color of its numbers
 */
export function drawFrame(canvas, { context, width, height, scale }, range, text) {
  const axis = axisOf(range);
  const left = MARGIN.left * scale, right = width - MARGIN.right * scale;
  const place = placer(
    { left, top: MARGIN.top * scale, width: right - left, height: height - (MARGIN.top + MARGIN.bottom) * scale },
    { ...range, low: axis[0], high: axis[axis.length - 1] });
  const minor = colorOf(canvas, "--text-secondary"), line = colorOf(canvas, "--border-subtle");
  const { fontFamily, fontWeight } = getComputedStyle(canvas);
  context.font = `${fontWeight} ${FONT_PX * scale}px ${fontFamily}`;
  context.textBaseline = "middle";
  context.textAlign = "right";
  for (const value of axis) {
    const { y } = place({ t: range.from, value });
    context.fillStyle = minor;
    context.fillText(text(value), left - 6 * scale, y);
    context.fillStyle = line;
    context.fillRect(left, Math.round(y), right - left, scale);
  }
  context.fillStyle = minor;
  context.textBaseline = "alphabetic";
  return { place, left, right, bottom: place({ t: range.from, value: axis[0] }).y, minor, line };
}

/** Three values of an axis around a range. A value that stays the same has room around it. */
function axisOf({ low, high }) {
  const span = high - low || Math.max(1, Math.abs(high) * .1);
  const from = high === low ? low - span / 2 : low;
  return Array.from({ length: LINES_OF_AXIS }, (_, index) => from + span * index / (LINES_OF_AXIS - 1));
}

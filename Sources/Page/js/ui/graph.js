// The graph of the drawer: one value over the lap, ten minutes or the ride, with its axes.

import { textOf } from "../core/items.js";
import { RECENT_S } from "../core/series.js";
import { duration } from "../core/format.js";
import { make, makeText, setAttribute } from "./elements.js";
import { colorOf, fillRuns, openCanvas, placer, rangeOf, runsOf, strokeRuns } from "./plot.js";

const RANGES = ["lap", "minutes", "ride"];
const MARGIN = { left: 40, right: 8, top: 10, bottom: 22 };
const LINES_OF_AXIS = 3;

export class Graph {
  #range = "minutes";
  #lastDrawn = -Infinity;

  constructor(texts) {
    this.texts = texts;
    this.canvas = make("canvas", "graph");
    this.canvas.setAttribute("role", "img");
    this.empty = makeText("p", "hint");
    this.buttons = RANGES.map(range => this.#makeButton(range));
    const choice = make("div", "range-choice", ...this.buttons);
    choice.setAttribute("role", "group");
    choice.setAttribute("aria-label", texts.get("graph_range"));
    this.element = make("section", "graph-box", choice, this.canvas, this.empty.element);
    this.#choose("minutes");
  }

  #makeButton(range) {
    const word = makeText("span");
    word.text = this.texts.get(`graph_${range}`);
    const button = make("button", "", word.element);
    button.type = "button";
    button.addEventListener("click", () => this.#choose(range));
    return button;
  }

  #choose(range) {
    this.#range = range;
    this.buttons.forEach((button, index) => button.setAttribute("aria-pressed", String(RANGES[index] === range)));
    this.#lastDrawn = -Infinity;
    if (this.last) this.update(...this.last);
  }

  /** Another value: drawn at once. */
  reset() {
    this.#lastDrawn = -Infinity;
  }

  update(context, item, line) {
    this.last = [context, item, line];
    if (context.seconds - this.#lastDrawn < 1) return;
    this.#lastDrawn = context.seconds;
    const points = this.#points(context, line);
    const range = rangeOf(points);
    this.canvas.hidden = !range;
    this.empty.element.hidden = range !== null;
    this.empty.text = range ? "" : this.texts.get("graph_empty");
    if (range) this.#draw(context, item, points, range);
  }

  #points({ store, now }, line) {
    if (this.#range === "ride" || now === null) return line.ride;
    const lap = store.ride?.lap_time_s;
    const seconds = this.#range === "lap" && lap !== undefined ? lap : RECENT_S;
    return line.since(now - seconds);
  }

  #draw(context, item, points, range) {
    const opened = openCanvas(this.canvas);
    if (!opened) return;
    const { context: canvas, width, height, scale } = opened;
    const text = value => textOf(item, { state: "live", value }, context) ?? "";
    const axis = axisOf(range);
    const place = placer({
      left: MARGIN.left * scale, top: MARGIN.top * scale,
      width: width - (MARGIN.left + MARGIN.right) * scale,
      height: height - (MARGIN.top + MARGIN.bottom) * scale,
    }, { ...range, low: axis[0], high: axis[axis.length - 1] });
    const minor = colorOf(this.canvas, "--text-secondary");
    canvas.font = `${14 * scale}px ${getComputedStyle(this.canvas).fontFamily}`;
    canvas.fillStyle = minor;
    canvas.textBaseline = "middle";
    canvas.textAlign = "right";
    for (const value of axis) {
      const { y } = place({ t: range.from, value });
      canvas.fillStyle = minor;
      canvas.fillText(text(value), (MARGIN.left - 6) * scale, y);
      canvas.fillStyle = colorOf(this.canvas, "--border-subtle");
      canvas.fillRect(MARGIN.left * scale, Math.round(y), width - (MARGIN.left + MARGIN.right) * scale, scale);
    }
    const bottom = place({ t: range.from, value: axis[0] }).y;
    const runs = runsOf(points);
    fillRuns(canvas, runs, place, { color: colorOf(this.canvas, "--primary-light"), bottom });
    strokeRuns(canvas, runs, place, { color: colorOf(this.canvas, "--text-primary"), width: 2 * scale });
    canvas.fillStyle = minor;
    canvas.textBaseline = "alphabetic";
    canvas.textAlign = "left";
    canvas.fillText(`-${duration(range.to - range.from)}`, MARGIN.left * scale, height - 4 * scale);
    canvas.textAlign = "right";
    canvas.fillText(this.texts.get("graph_now"), width - MARGIN.right * scale, height - 4 * scale);
    setAttribute(this.canvas, "aria-label", this.texts.get(
      "graph_label", this.texts.get(`graph_${this.#range}`), text(range.low), text(range.high)));
  }
}

/** Three values of an axis around a range. A value that stays the same has room around it. */
function axisOf({ low, high }) {
  const span = high - low || Math.max(1, Math.abs(high) * .1);
  const from = high === low ? low - span / 2 : low;
  return Array.from({ length: LINES_OF_AXIS }, (_, index) => from + span * index / (LINES_OF_AXIS - 1));
}

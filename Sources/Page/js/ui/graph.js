// The graph of the drawer: one value over the lap, ten minutes or the ride, with its axes.

import { textOf } from "../core/items.js";
import { RECENT_S } from "../core/series.js";
import { duration } from "../core/format.js";
import { drawFrame } from "./axes.js";
import { make, makeText, setAttribute } from "./elements.js";
import { colorOf, fillRuns, openCanvas, rangeOf, runsOf, strokeRuns } from "./plot.js";

const RANGES = ["lap", "minutes", "ride"];

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
    const { context: canvas, height, scale } = opened;
    const text = value => textOf(item, { state: "live", value }, context) ?? "";
    const { place, left, right, bottom, minor } = drawFrame(this.canvas, opened, range, text);
    const runs = runsOf(points);
    fillRuns(canvas, runs, place, { color: colorOf(this.canvas, "--primary-light"), bottom });
    strokeRuns(canvas, runs, place, { color: colorOf(this.canvas, "--text-primary"), width: 2 * scale });
    canvas.fillStyle = minor;
    canvas.textAlign = "left";
    canvas.fillText(`-${duration(range.to - range.from)}`, left, height - 4 * scale);
    canvas.textAlign = "right";
    canvas.fillText(this.texts.get("graph_now"), right, height - 4 * scale);
    setAttribute(this.canvas, "aria-label", this.texts.get(
      "graph_label", this.texts.get(`graph_${this.#range}`), text(range.low), text(range.high)));
  }
}

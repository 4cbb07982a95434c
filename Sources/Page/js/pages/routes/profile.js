// The altitudes along a route, with its climbs, and a cursor that it shares with the map. The cursor
// follows the pointer, and the arrow keys on its slider.

import { followColors } from "../../map/palette.js";
import { makePart } from "../../report/part.js";
import { MARGIN, drawFrame } from "../../ui/axes.js";
import { make, makeText } from "../../ui/elements.js";
import { colorOf, fillRuns, openCanvas, rangeOf, runsOf, strokeRuns } from "../../ui/plot.js";

const DISTANCE = { form: "distance", quantity: "distance" };
const HEIGHT = { form: "whole", quantity: "height" };
/** Steps of the slider. */
const STEPS = 500;
const PX_PER_NUMBER = 88;

export class Profile {
  #width = 0;
  #cursor = null;
  #mark = [null, null];

  constructor(app, amounts, { points, climbs, cursor }) {
    const { texts } = app;
    this.app = app;
    this.amounts = amounts;
    this.climbs = climbs;
    this.length = points.at(-1).distance_m;
    this.points = points.map(({ distance_m, altitude_m }) => ({ t: distance_m, value: altitude_m ?? null }));
    this.range = rangeOf(this.points);
    this.slider = this.#makeSlider(cursor);
    this.place = makeText("output", "cursor-place");
    this.place.element.setAttribute("aria-hidden", "true");
    this.canvas = make("canvas", "graph");
    this.canvas.setAttribute("aria-hidden", "true");
    this.part = make("div", "graph-lap");
    this.line = make("div", "graph-cursor");
    this.part.hidden = this.line.hidden = true;
    this.plot = make("div", "graph-plot", this.part, this.canvas, this.line);
    for (const kind of ["pointerdown", "pointermove"]) this.plot.addEventListener(kind, event => cursor.set(this.#metresAt(event.clientX)));
    const words = make("p", "graph-stats", this.range ? this.#sentence : texts.get("no_altitudes"));
    const row = make("div", "cursor-row", this.slider, this.place.element);
    this.element = makePart("profile", texts.get("profile"), words, ...this.range ? [row, make("div", "ride-graph", this.plot)] : []);
    cursor.follow(metres => this.#showCursor(metres));
    this.observer = new ResizeObserver(() => this.paint());
    this.observer.observe(this.plot);
    this.endColors = followColors(() => this.paint());
  }

  get #sentence() {
    const [low, high] = [this.range.low, this.range.high].map(value => this.amounts.text(HEIGHT, value));
    return this.app.texts.get("profile_sentence", low, high);
  }

  #makeSlider(cursor) {
    const slider = make("input", "slider");
    Object.assign(slider, { type: "range", min: 0, max: STEPS, step: 1, value: 0, dir: "ltr" });
    slider.setAttribute("aria-label", this.app.texts.get("route_cursor"));
    slider.setAttribute("aria-valuetext", this.#textAt(0));
    slider.addEventListener("input", () => cursor.set(Number(slider.value) / STEPS * this.length));
    return slider;
  }

  paint() {
    const opened = this.range && openCanvas(this.canvas);
    if (!opened) return;
    this.#width = this.canvas.clientWidth;
    const { context, scale } = opened;
    const frame = drawFrame(this.canvas, opened, { ...this.range, from: 0, to: this.length }, value => this.amounts.parts(HEIGHT, value).number);
    for (const { startM, endM } of this.climbs) {
      const runs = runsOf(this.points.filter(({ t }) => t >= startM && t <= endM));
      fillRuns(context, runs, frame.place, { color: colorOf(this.canvas, "--primary-muted"), bottom: frame.bottom });
    }
    this.#paintDistances(opened, frame);
    strokeRuns(context, runsOf(this.points), frame.place, { color: colorOf(this.canvas, "--text-primary"), width: 1.5 * scale });
    this.#showCursor(this.#cursor);
    this.mark(...this.#mark);
  }

  #paintDistances({ context, height, scale }, { left, right, minor }) {
    const count = Math.max(1, Math.floor((right - left) / scale / PX_PER_NUMBER));
    context.fillStyle = minor;
    for (let index = 0; index <= count; index += 1) {
      context.textAlign = index === 0 ? "left" : index === count ? "right" : "center";
      context.fillText(this.amounts.text(DISTANCE, this.length * index / count), left + (right - left) * index / count, height - 4 * scale);
    }
  }

  /** Marks a part of the route; null, null marks none. */
  mark(from, to) {
    this.#mark = [from, to];
    this.part.hidden = from === null || this.#width === 0;
    if (this.part.hidden) return;
    this.part.style.left = `${this.#place(from)}px`;
    this.part.style.width = `${this.#place(to) - this.#place(from)}px`;
  }

  #showCursor(metres) {
    this.#cursor = metres;
    this.line.hidden = metres === null || this.#width === 0;
    if (metres === null) return;
    this.line.style.transform = `translateX(${this.#place(metres)}px)`;
    this.place.text = this.amounts.text(DISTANCE, metres);
    this.slider.value = String(Math.round(metres / this.length * STEPS));
    this.slider.setAttribute("aria-valuetext", this.#textAt(metres));
  }

  #textAt(metres) {
    const point = this.points.find(({ t }) => t >= metres) ?? this.points.at(-1);
    return [this.amounts.text(DISTANCE, metres), this.amounts.text(HEIGHT, point.value)].filter(Boolean).join(", ");
  }

  #place(metres) {
    return MARGIN.left + Math.min(1, metres / this.length) * (this.#width - MARGIN.left - MARGIN.right);
  }

  #metresAt(clientX) {
    const share = (clientX - this.plot.getBoundingClientRect().left - MARGIN.left) / (this.#width - MARGIN.left - MARGIN.right);
    return Math.max(0, Math.min(1, share)) * this.length;
  }

  close() {
    this.observer.disconnect();
    this.endColors();
  }
}

// The graph of one value over the whole ride: its mean as a line, its lowest and highest values as a
// band, with lines above it for the cursor and for the lap that is chosen. Moving these paints nothing.

import { MARGIN, drawFrame } from "../ui/axes.js";
import { make, makeText } from "../ui/elements.js";
import { colorOf, openCanvas, runsOf, strokeRuns } from "../ui/plot.js";
import { duration } from "../core/format.js";

const TICKS_S = [60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 86400];
const PX_PER_TICK = 88;

export class RideGraph {
  #series = null;
  #width = 0;
  #length = 0;
  #cursor = null;
  #mark = null;

  /** @param {object} item of `GRAPHS` */
  constructor(app, amounts, item) {
    this.app = app;
    this.amounts = amounts;
    this.item = item;
    this.value = makeText("span", "graph-value");
    this.value.element.setAttribute("aria-hidden", "true");
    this.stats = makeText("p", "graph-stats");
    this.canvas = make("canvas", "graph");
    this.canvas.setAttribute("aria-hidden", "true");
    this.lap = make("div", "graph-lap");
    this.lap.hidden = true;
    this.line = make("div", "graph-cursor");
    this.line.hidden = true;
    this.plot = make("div", "graph-plot", this.lap, this.canvas, this.line);
    const head = make("div", "graph-head", make("h3", "caption", app.texts.get(item.caption)), this.value.element);
    this.element = make("div", "ride-graph", head, this.stats.element, this.plot);
  }

  /**
   * @param {import("./ride-series.js").RideSeries} series
   * @param {number} length of the ride in seconds
   * @param {number|undefined} average of the summary
   */
  show(series, length, average) {
    this.#series = series;
    this.#length = length;
    const summary = series.summary(this.item.field);
    this.element.hidden = summary === null;
    if (summary === null) return;
    const { low, high, mean } = summary;
    const [from, middle, to] = [low, average ?? mean, high].map(value => this.amounts.parts(this.item, value));
    this.stats.text = this.app.texts.get("graph_stats", from.number, middle.number, to.number, to.unit);
    this.paint();
  }

  /** Paints everything but cursor and lap. */
  paint() {
    const range = this.#series?.summary(this.item.field);
    const opened = range && openCanvas(this.canvas);
    if (!opened) return;
    this.#width = this.canvas.clientWidth;
    const { context, height, scale } = opened;
    const frame = drawFrame(this.canvas, opened, { ...range, from: 0, to: this.#length },
      value => this.amounts.parts(this.item, value).number);
    this.#paintTimes(context, frame, height, scale);
    const runs = runsOf(this.#series.points(this.item.field));
    context.fillStyle = colorOf(this.canvas, "--primary-muted");
    for (const run of runs) fillBand(context, run, frame.place, scale);
    strokeRuns(context, runs, frame.place, { color: colorOf(this.canvas, "--text-primary"), width: 1.5 * scale });
    this.setCursor(this.#cursor);
    this.mark(...this.#mark ?? [null, null]);
  }

  #paintTimes(context, { left, right, bottom, minor, line }, height, scale) {
    const most = Math.max(1, (right - left) / scale / PX_PER_TICK);
    const step = TICKS_S.find(tick => this.#length / tick <= most) ?? TICKS_S.at(-1);
    context.textAlign = "center";
    for (let time = 0; time <= this.#length; time += step) {
      const x = left + time / this.#length * (right - left);
      context.fillStyle = line;
      context.fillRect(Math.round(x), 0, scale, bottom);
      context.fillStyle = minor;
      const text = duration(time);
      const half = context.measureText(text).width / 2;
      context.fillText(text, Math.min(x, right - half), height - 4 * scale);
    }
  }

  /** @param {number|null} seconds */
  setCursor(seconds) {
    this.#cursor = seconds;
    this.line.hidden = seconds === null || this.#width === 0;
    if (seconds !== null) this.line.style.transform = `translateX(${this.#place(seconds)}px)`;
    this.value.text = this.textAt(seconds) ?? "";
  }

  /** The value at a second of the ride with its unit; a dash in a gap; null without a cursor. */
  textAt(seconds) {
    if (seconds === null || !this.#series?.fields.has(this.item.field)) return null;
    const value = this.#series.valueAt(this.item.field, seconds);
    return this.amounts.text(this.item, value) ?? "–";
  }

  /** Marks a part of the ride; null, null marks none. */
  mark(from, to) {
    this.#mark = from === null ? null : [from, to];
    this.lap.hidden = from === null || this.#width === 0;
    if (this.lap.hidden) return;
    this.lap.style.left = `${this.#place(from)}px`;
    this.lap.style.width = `${this.#place(to) - this.#place(from)}px`;
  }

  #place(seconds) {
    return MARGIN.left + Math.min(1, seconds / this.#length) * (this.#width - MARGIN.left - MARGIN.right);
  }

  /** The second of the ride below a pointer. */
  secondsAt(clientX) {
    const inner = this.#width - MARGIN.left - MARGIN.right;
    const share = (clientX - this.plot.getBoundingClientRect().left - MARGIN.left) / inner;
    return Math.max(0, Math.min(1, share)) * this.#length;
  }
}

function fillBand(context, run, place, scale) {
  context.beginPath();
  run.forEach(({ t, value, high }, index) => {
    const { x, y } = place({ t, value: high ?? value });
    if (index === 0) context.moveTo(x, y);
    else context.lineTo(x, y);
    if (run.length === 1) context.lineTo(x + scale, y);
  });
  for (const { t, value, low } of [...run].reverse()) {
    const { x, y } = place({ t, value: low ?? value });
    context.lineTo(x, y);
  }
  context.fill();
}

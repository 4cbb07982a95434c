// Fitness and fatigue: means of the training load over 42 and 7 days, as the logbook computes them,
// as numbers of today and as two lines.

import { today } from "../../core/periods.js";
import { DAY_MS } from "../../core/weeks.js";
import { followColors } from "../../map/palette.js";
import { Amounts } from "../../report/amounts.js";
import { makePart } from "../../report/part.js";
import { drawFrame } from "../../ui/axes.js";
import { make } from "../../ui/elements.js";
import { colorOf, openCanvas, rangeOf, strokeRuns } from "../../ui/plot.js";
import { makeChoice } from "./choice.js";
import { Loading } from "./loading.js";

const RANGES_DAYS = { "3_months": 91, "6_months": 182, "1_year": 365 };
const LOAD = { form: "whole" };
const FORM = { form: "signed" };
const DASH_PX = [2, 6];
const MONTH_PX = 48;

export class Fitness {
  #rows = [];
  #range = "3_months";

  constructor(app) {
    const { texts } = app;
    this.app = app;
    this.amounts = new Amounts(app);
    this.loading = new Loading(app, () => this.#path, answer => this.#receive(answer));
    this.choice = makeChoice(texts.get("fitness_range"), Object.keys(RANGES_DAYS).map(range => [range, texts.get(`range_${range}`)]),
      this.#range, range => {
        this.#range = range;
        this.load();
      });
    this.numbers = make("dl", "report-numbers");
    this.canvas = make("canvas", "graph");
    this.canvas.setAttribute("role", "img");
    this.without = make("p", "hint");
    const legend = make("p", "fitness-legend", makeSample("solid"), texts.get("fitness"), makeSample("dashed"), texts.get("fatigue"));
    legend.setAttribute("aria-hidden", "true");
    this.shown = make("div", "", this.numbers, this.choice.element, legend, this.canvas, make("p", "hint", texts.get("fitness_hint")), this.without);
    this.shown.hidden = true;
    this.element = makePart("fitness", texts.get("fitness"), this.loading.status.element, this.shown);
    this.observer = new ResizeObserver(() => this.#paint());
    this.observer.observe(this.canvas);
    this.endColors = followColors(() => this.#paint());
  }

  get #path() {
    const from = new Date(today() - RANGES_DAYS[this.#range] * DAY_MS).toISOString();
    return `/api/1/fitness?${new URLSearchParams({ from })}`;
  }

  load() {
    return this.loading.load();
  }

  close() {
    this.loading.close();
    this.observer.disconnect();
    this.endColors();
  }

  #receive(answer) {
    const { texts } = this.app;
    this.#rows = [...(answer?.rows ?? [])].reverse();
    this.shown.hidden = this.#rows.length === 0;
    if (answer && this.#rows.length === 0) this.loading.sayNothing(texts.get("no_fitness"));
    if (this.#rows.length === 0) return;
    const last = this.#rows.at(-1);
    const numbers = [["fitness", LOAD], ["fatigue", LOAD], ["form", FORM]].map(([name, item]) => make(
      "div", "", make("dt", "caption", texts.get(name)), make("dd", "", make("span", "number-text", this.amounts.text(item, last[name]) ?? "–"))));
    this.numbers.replaceChildren(...numbers);
    this.without.textContent = answer.without_load > 0 ? texts.get("without_load", answer.without_load, answer.activities) : "";
    this.canvas.setAttribute("aria-label", this.#sentence);
    this.#paint();
  }

  /** What the lines show, in words: each at the beginning, at its highest and now. */
  get #sentence() {
    const words = ["fitness", "fatigue"].map(name => {
      const values = this.#rows.map(row => row[name]);
      const [first, highest, last] = [values[0], Math.max(...values), values.at(-1)].map(value => this.amounts.text(LOAD, value));
      return this.app.texts.get("fitness_course", this.app.texts.get(name), first, last, highest);
    });
    return words.join(" ");
  }

  #paint() {
    const opened = this.#rows.length < 2 ? null : openCanvas(this.canvas);
    if (!opened) return;
    const lines = ["fitness", "fatigue"].map(name => this.#rows.map(row => ({ t: Date.parse(row.day), value: row[name] })));
    const { from, to } = rangeOf(lines[0]);
    const high = Math.max(1, ...lines.flat().map(({ value }) => value));
    const frame = drawFrame(this.canvas, opened, { low: 0, high, from, to }, value => this.amounts.text(LOAD, value));
    this.#paintMonths(opened, frame, { from, to });
    const color = colorOf(this.canvas, "--text-primary");
    const width = 2 * opened.scale;
    strokeRuns(opened.context, [lines[0]], frame.place, { color, width });
    strokeRuns(opened.context, [lines[1]], frame.place, { color, width, dash: DASH_PX.map(px => px * opened.scale) });
  }

  #paintMonths({ context, height, scale }, { place, right, bottom, minor, line }, { from, to }) {
    context.textAlign = "left";
    const first = new Date(from);
    let free = 0;
    for (let month = 1; ; month += 1) {
      const t = Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + month, 1);
      if (t > to) return;
      const { x } = place({ t, value: 0 });
      context.fillStyle = line;
      context.fillRect(Math.round(x), 0, scale, bottom);
      const name = new Intl.DateTimeFormat(this.app.language, { month: "short", timeZone: "UTC" }).format(t);
      if (x < free || x + context.measureText(name).width > right) continue;
      context.fillStyle = minor;
      context.fillText(name, x, height - 4 * scale);
      free = x + MONTH_PX * scale;
    }
  }
}

function makeSample(kind) {
  return make("i", `line-sample ${kind}`);
}

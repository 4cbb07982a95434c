// The power curve: the best average power for each duration, over a logarithmic axis of time, and the
// usual durations as numbers.

import { duration } from "../core/format.js";
import { drawFrame } from "../ui/axes.js";
import { make } from "../ui/elements.js";
import { colorOf, openCanvas, strokeRuns } from "../ui/plot.js";
import { followColors } from "../map/palette.js";
import { makePart } from "./part.js";

const USUAL_S = [1, 5, 15, 60, 300, 1200, 3600];
const WATTS = { form: "whole", unit: "w" };

export class PowerCurve {
  constructor(app, amounts, curve = []) {
    this.amounts = amounts;
    this.curve = curve.filter(({ duration_s: seconds }) => seconds > 0);
    this.canvas = make("canvas", "graph");
    this.canvas.setAttribute("aria-hidden", "true");
    const best = this.curve.filter(({ duration_s: seconds }) => USUAL_S.includes(seconds)).map(({ duration_s: seconds, power_w: power }) =>
      make("div", "", make("dt", "caption", duration(seconds)), make("dd", "", make("span", "number-text", amounts.text(WATTS, power)))));
    this.element = makePart("curve", app.texts.get("power_curve"), this.canvas, make("dl", "report-numbers", ...best));
    this.element.hidden = this.curve.length < 2;
    this.observer = new ResizeObserver(() => this.#paint());
    this.observer.observe(this.canvas);
    this.endColors = followColors(() => this.#paint());
  }

  #paint() {
    const opened = this.curve.length < 2 ? null : openCanvas(this.canvas);
    if (!opened) return;
    const { context, height, scale } = opened;
    const points = this.curve.map(({ duration_s: seconds, power_w: value }) => ({ t: Math.log(seconds), value }));
    const range = { low: 0, high: Math.max(...points.map(({ value }) => value)), from: points[0].t, to: points.at(-1).t };
    const { place, bottom, minor, line, right } = drawFrame(this.canvas, opened, range, value => this.amounts.parts(WATTS, value).number);
    context.textAlign = "center";
    for (const seconds of USUAL_S) {
      const t = Math.log(seconds);
      if (t < range.from || t > range.to) continue;
      const { x } = place({ t, value: 0 });
      context.fillStyle = line;
      context.fillRect(Math.round(x), 0, scale, bottom);
      context.fillStyle = minor;
      const text = duration(seconds);
      context.fillText(text, Math.min(x, right - context.measureText(text).width / 2), height - 4 * scale);
    }
    strokeRuns(context, [points], place, { color: colorOf(this.canvas, "--text-primary"), width: 2 * scale });
  }

  close() {
    this.observer.disconnect();
    this.endColors();
  }
}

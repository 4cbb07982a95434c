// The line behind a widget: the course of its value in this ride, redrawn at most once a second.

import { colorOf, fillRuns, openCanvas, placer, rangeOf, runsOf, strokeRuns } from "./plot.js";

export class Watermark {
  #lastDrawn = -Infinity;

  /** @param {{fill?: boolean, lines?: object[], colors?: Function}} style */
  constructor(style = {}) {
    this.style = style;
    this.element = document.createElement("canvas");
    this.element.className = "watermark";
    this.element.setAttribute("aria-hidden", "true");
  }

  /**
   * @param {object[]} points of the ride
   * @param {number} seconds of the page's clock
   * @param {number} interval between two drawings
   * @param {{max?: number, averages?: object[], zoneOf?: Function}} more
   */
  update(points, seconds, interval, more = {}) {
    if (seconds - this.#lastDrawn < interval) return;
    const range = rangeOf(points);
    const opened = range && openCanvas(this.element);
    if (!opened) return;
    this.#lastDrawn = seconds;
    const { context, width, height, scale } = opened;
    const line = 2 * scale;
    if (more.max !== undefined) range.high = Math.max(range.high, more.max);
    const place = placer({ left: 0, top: line, width, height: height - 2 * line }, range);
    const runs = runsOf(points);
    const color = colorOf(this.element, "--primary-muted");
    if (this.style.fill) fillRuns(context, runs, place, { color: colorOf(this.element, "--primary-light"), bottom: height });
    if (more.zoneOf) this.#strokeZones(context, runs, place, line, more.zoneOf, color);
    else strokeRuns(context, runs, place, { color, width: line });
    if (more.averages) strokeRuns(context, runsOf(more.averages), place, { color, width: scale });
    if (more.max !== undefined) {
      const ends = [{ t: range.from, value: more.max }, { t: range.to, value: more.max }];
      strokeRuns(context, [ends], place, { color, width: scale, dash: [4 * scale, 4 * scale] });
    }
  }

  /** Each stretch has the colour of the zone in which it ends. */
  #strokeZones(context, runs, place, width, zoneOf, color) {
    const stretches = new Map();
    for (const run of runs) {
      for (let index = 1; index < run.length; index += 1) {
        const zone = zoneOf(run[index].value);
        const list = stretches.get(zone) ?? [];
        list.push([run[index - 1], run[index]]);
        stretches.set(zone, list);
      }
    }
    for (const [zone, list] of stretches) {
      const token = zone >= 1 ? `--hr-zone-${Math.min(zone, 5)}` : null;
      strokeRuns(context, list, place, { color: token ? colorOf(this.element, token) : color, width });
    }
  }
}

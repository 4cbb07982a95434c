// The times in the zones as bars: each has its number on its colour, its time, and a length. The
// present zone is outlined.

import { duration } from "../core/format.js";
import { make, makeText, setAttribute } from "./elements.js";

const MOST = 7;
const COLORS = 5;

export class ZoneBars {
  #rows = [];

  constructor(texts) {
    this.texts = texts;
    this.element = make("ol", "zone-bars");
    this.element.hidden = true;
  }

  /**
   * @param {{zone: number, zone_times_s: number[]}|null|undefined} sample
   * @param {string[]} [names] what is written next to each number
   * @param {boolean} [isShort] whether times of an hour and more are without seconds
   */
  update(sample, names = [], isShort = names.length === 0) {
    const times = sample?.zone_times_s ?? [];
    this.element.hidden = times.length === 0;
    while (this.#rows.length < Math.min(MOST, times.length)) this.#addRow();
    const longest = Math.max(1, ...times);
    this.#rows.forEach((row, index) => row.show(times[index], sample?.zone === index + 1, longest, names[index] ?? "", isShort));
  }

  #addRow() {
    const zone = this.#rows.length + 1;
    const badge = makeText("span", "zone");
    badge.text = String(zone);
    badge.element.dataset.zone = Math.min(COLORS, zone);
    const name = makeText("span", "zone-range");
    const fill = make("span", "fill");
    fill.dataset.zone = Math.min(COLORS, zone);
    const time = makeText("span", "number-text");
    const element = make("li", "", badge.element, name.element, make("span", "track", fill), time.element);
    this.element.append(element);
    this.#rows.push({
      show(seconds, isPresent, longest, words, isShort) {
        element.hidden = seconds === undefined;
        if (seconds === undefined) return;
        setAttribute(element, "data-present", isPresent ? "" : null);
        fill.style.width = `${(seconds / longest * 100).toFixed(1)}%`;
        name.text = words;
        time.text = duration(seconds, isShort);
      },
    });
  }
}

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

  /** @param {{zone: number, zone_times_s: number[]}|null|undefined} sample */
  update(sample) {
    const times = sample?.zone_times_s ?? [];
    this.element.hidden = times.length === 0;
    while (this.#rows.length < Math.min(MOST, times.length)) this.#addRow();
    const longest = Math.max(1, ...times);
    this.#rows.forEach((row, index) => row.show(times[index], sample?.zone === index + 1, longest));
  }

  #addRow() {
    const zone = this.#rows.length + 1;
    const badge = makeText("span", "zone");
    badge.text = String(zone);
    badge.element.dataset.zone = Math.min(COLORS, zone);
    const fill = make("span", "fill");
    fill.dataset.zone = Math.min(COLORS, zone);
    const time = makeText("span", "number-text");
    const element = make("li", "", badge.element, make("span", "track", fill), time.element);
    this.element.append(element);
    this.#rows.push({
      show(seconds, isPresent, longest) {
        element.hidden = seconds === undefined;
        if (seconds === undefined) return;
        setAttribute(element, "data-present", isPresent ? "" : null);
        fill.style.width = `${(seconds / longest * 100).toFixed(1)}%`;
        time.text = duration(seconds, true);
      },
    });
  }
}

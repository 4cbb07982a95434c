// The electrocardiogram: its last seconds at 25 mm/s. It is drawn while the screen is bright only.

import { colorOf, openCanvas } from "./plot.js";

const MM_PER_S = 25;
const PX_PER_MM = 96 / 25.4;
const SPAN_UV = 3000;
const KEPT_S = 12;
const USUAL_HZ = 130;

export class Curve {
  #values = [];
  #last = null;
  #hz = USUAL_HZ;
  /** Whether it is on the screen. */
  isSeen = false;

  constructor() {
    this.element = document.createElement("canvas");
    this.element.className = "figure curve";
    this.element.setAttribute("aria-hidden", "true");
    new IntersectionObserver(entries => { this.isSeen = entries.at(-1).isIntersecting; }).observe(this.element);
  }

  update({ store, now, isBright }) {
    const sample = store.newest("ecg");
    if (sample && sample !== this.#last && Array.isArray(sample.microvolts)) this.#add(sample);
    this.element.hidden = !isBright;
    if (isBright && sample) this.#draw(now !== null && now - sample.t > 4);
  }

  #add(sample) {
    const seconds = this.#last ? sample.t - this.#last.t : null;
    const count = sample.microvolts.length;
    if (seconds > 0 && seconds < 2) this.#hz += (count / seconds - this.#hz) * .2;
    // What was missed is a gap, not a joined line.
    if (seconds !== null && seconds > 2 * count / this.#hz) this.#values.push(null);
    this.#last = sample;
    this.#values.push(...sample.microvolts);
    const most = KEPT_S * USUAL_HZ;
    if (this.#values.length > most) this.#values.splice(0, this.#values.length - most);
  }

  #draw(isOld) {
    const opened = openCanvas(this.element);
    if (!opened) return;
    const { context, width, height, scale } = opened;
    const step = MM_PER_S * PX_PER_MM * scale / this.#hz;
    const shown = this.#values.slice(-Math.floor(width / step));
    context.beginPath();
    let isDown = false;
    shown.forEach((value, index) => {
      if (value === null) {
        isDown = false;
        return;
      }
      const y = height * (.6 - Math.max(-.5, Math.min(.5, value / SPAN_UV)));
      if (isDown) context.lineTo(index * step, y);
      else context.moveTo(index * step, y);
      isDown = true;
    });
    context.lineWidth = 2 * scale;
    context.lineJoin = "round";
    context.strokeStyle = colorOf(this.element, isOld ? "--text-secondary" : "--text-primary");
    context.stroke();
  }
}

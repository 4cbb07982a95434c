// How bright the screen is: full after a touch, dimmed 30 s later while the ride goes on, asleep
// when the bike has stood for long. Pure: the page's clock is passed in.

import { isActive } from "./ride.js";

const DIM_S = 30;
const AFTER_CLEAR_S = 3;
const AFTER_LOST_S = 5;

export const RATES = { bright: 4, dimmed: 1, asleep: .1 };
const WATERMARK_S = { bright: 1, dimmed: 10, asleep: 10 };
const DRAW_S = { bright: 0, dimmed: 0, asleep: 10 };

export class Dimmer {
  #touched;
  #alertUntil = -Infinity;
  #isDimmedByHand = false;
  #wasRiding = null;
  state = "bright";

  constructor(seconds) {
    this.#touched = seconds;
  }

  /** A touch, key, start or stop. Returns whether the screen was dark: then it does nothing else. */
  touch(seconds) {
    const wasDark = this.isDark;
    this.#touched = seconds;
    this.#isDimmedByHand = false;
    this.state = "bright";
    return wasDark;
  }

  dimByHand() {
    this.#isDimmedByHand = true;
    this.state = "dimmed";
  }

  /** A warning shows the screen for a while, as a touch does. */
  warn(seconds) {
    this.touch(seconds);
  }

  /** Dark to the eye: a car makes a dimmed screen bright without a new stream. */
  get isDark() {
    return this.state !== "bright" && !this.isAlerted;
  }

  /** @param {string} radar the state of the lane @param {object} ride @param {boolean} isAutomatic */
  update({ seconds, radar, ride, now, isAutomatic }) {
    if (radar === "car" || radar === "fast") this.#alertUntil = seconds + AFTER_CLEAR_S;
    if (radar === "lost" && this.lastRadar !== "lost") this.#alertUntil = seconds + AFTER_LOST_S;
    this.lastRadar = radar;
    this.isAlerted = seconds < this.#alertUntil;
    this.#followRide(ride, seconds);
    if (this.#isDimmedByHand || seconds - this.#touched < DIM_S || !isAutomatic) return;
    if (ride && !ride.paused && !ride.ended) this.state = "dimmed";
    else if (ride?.paused && ride.pause !== "by_hand" && !isActive(ride, now)) this.state = "asleep";
    else this.state = "bright";
  }

  /** A start or a stop is a moment at which the rider looks. */
  #followRide(ride, seconds) {
    const isRiding = Boolean(ride && !ride.paused && !ride.ended);
    if (this.#wasRiding !== null && isRiding !== this.#wasRiding) this.touch(seconds);
    this.#wasRiding = isRiding;
  }

  get rate() {
    return RATES[this.state];
  }

  get watermarkSeconds() {
    return WATERMARK_S[this.state];
  }

  get drawSeconds() {
    return this.isAlerted ? 0 : DRAW_S[this.state];
  }

  /** The backlight in percent for a level that the rider chose. */
  backlight(level) {
    if (!this.isDark) return level;
    return this.state === "asleep" ? 0 : Math.max(5, Math.round(level * .2));
  }
}

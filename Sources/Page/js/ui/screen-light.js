// The light of the screen: the backlight where the server may set it, an overlay where it may not,
// and the clock of a bike that has stood for long. Keeps the screen on while a ride is active.

import { make, makeText, setAttribute } from "./elements.js";
import { NumberView } from "./number.js";

const DARK_EVENTS = [
  "pointerdown", "pointerup", "pointercancel", "mousedown", "mouseup", "touchstart", "touchend", "click",
  "contextmenu", "keydown", "keyup",
];
const BEGINS = new Set(["pointerdown", "keydown"]);
const ENDS_AFTER_MS = 60;

export class ScreenLight {
  #level = null;
  #hasBacklight = true;
  #isSwallowing = false;
  #lock = null;

  /** @param {(seconds: number) => boolean} touch returns whether the screen was dark */
  constructor(texts, server, touch) {
    this.texts = texts;
    this.server = server;
    this.touch = touch;
    this.overlay = make("div");
    this.overlay.id = "dim";
    this.overlay.setAttribute("aria-hidden", "true");
    this.overlay.hidden = true;
    this.time = new NumberView();
    this.words = makeText("p", "caption");
    this.rest = make("div", "", this.time.element, this.words.element);
    this.rest.id = "rest";
    this.rest.hidden = true;
    for (const name of DARK_EVENTS) window.addEventListener(name, event => this.#receive(event), { capture: true, passive: false });
  }

  /** The first touch of a dark screen only brightens: nothing else sees it. */
  #receive(event) {
    if (BEGINS.has(event.type)) this.#isSwallowing = this.touch(event);
    if (!this.#isSwallowing) return;
    event.stopImmediatePropagation();
    if (event.cancelable) event.preventDefault();
    if (event.type === "click" || event.type === "keyup") this.#endSoon();
  }

  #endSoon() {
    setTimeout(() => { this.#isSwallowing = false; }, ENDS_AFTER_MS);
  }

  update({ store, date }, dimmer, level) {
    const isDark = dimmer.isDark;
    const isAsleep = isDark && dimmer.state === "asleep";
    this.rest.hidden = !isAsleep;
    if (isAsleep) {
      this.time.text = `${date.getHours()}:${String(date.getMinutes()).padStart(2, "0")}`;
      this.words.text = this.texts.get(store.ride?.paused ? "paused_word" : "no_ride");
    }
    this.#setBacklight(dimmer.backlight(level));
    this.overlay.hidden = !isDark || this.#hasBacklight;
    setAttribute(document.documentElement, "data-dimmed", isDark ? "" : null);
    setAttribute(document.documentElement, "data-light", dimmer.isAlerted ? "bright" : dimmer.state);
  }

  #setBacklight(level) {
    if (level === this.#level || (this.#level === null && level === 100)) return;
    this.#level = level;
    if (!this.#hasBacklight) return;
    this.server.post("/api/1/display", { brightness_pct: level }).catch(() => {
      this.#hasBacklight = false;
    });
  }

  /** Keeps the screen on, where the browser can. */
  async keepAwake(isWanted) {
    if (!navigator.wakeLock || document.hidden) return;
    if (!isWanted) {
      const lock = this.#lock;
      this.#lock = null;
      if (lock?.release) lock.release().catch(() => {});
      return;
    }
    if (this.#lock && !this.#lock.released) return;
    this.#lock = { released: false };
    try {
      this.#lock = await navigator.wakeLock.request("screen");
    } catch {
      // Without the lock the screen follows the settings of the phone.
    }
  }

  /** A hidden page loses its lock. */
  forgetLock() {
    this.#lock = null;
  }
}

// Top bar and bottom bar.

import { make, makeIcon, makeSVG, makeText, setAttribute } from "./elements.js";
import { NumberView } from "./number.js";
import { onHold } from "./touch.js";

const LIT = { good: 4, okay: 2, bad: 1, none: 0 };
const BAR_COUNT = 4;
const STANDING_S = 300;
const STOP_HOLD_MS = 1000;

export class TopBar {
  constructor(element, texts) {
    this.texts = texts;
    this.button = make("button");
    this.button.id = "status";
    this.button.type = "button";
    this.satellite = this.#makeMark("satellite");
    this.strength = makeStrength();
    this.satellite.element.append(this.strength.element);
    this.devices = this.#makeMark("microchip");
    this.count = makeText("span", "number chip");
    this.devices.element.append(this.count.element);
    this.sun = this.#makeMark("sun");
    this.sound = this.#makeMark("volume-high");
    this.paused = makeText("span");
    this.paused.element.id = "paused";
    this.paused.element.hidden = true;
    this.paused.text = `${texts.get("paused_sign")} ${texts.get("paused_word").toUpperCase()}`;
    this.time = new NumberView();
    this.time.element.id = "time";
    const marks = [this.satellite, this.devices, this.sun, this.sound].map(mark => mark.element);
    this.button.append(...marks, this.paused.element, this.time.element);
    element.append(this.button);
  }

  #makeMark(name) {
    const icon = makeIcon(name);
    return { element: make("span", "mark", icon.element), icon };
  }

  update({ store, now, date }) {
    const position = store.newest("position");
    const isFresh = position && now !== null && now - position.t < 10;
    const quality = isFresh ? position.quality ?? "none" : "none";
    this.satellite.element.hidden = !position;
    setAttribute(this.satellite.element, "data-rating", quality);
    this.strength.show(LIT[quality] ?? 0);

    const states = store.states.filter(state => state.sensor !== "ride" && state.state !== "disabled");
    const streaming = states.filter(state => state.state === "streaming").length;
    const hasError = states.some(state => state.state === "error");
    this.count.text = `${streaming}/${states.length}`;
    const rating = hasError ? "bad" : streaming < states.length ? "okay" : "good";
    setAttribute(this.devices.element, "data-rating", rating === "good" ? null : rating);

    const ride = store.ride;
    this.paused.element.hidden = !(ride?.paused && ride.pause === "by_hand");
    this.time.text = `${date.getHours()}:${String(date.getMinutes()).padStart(2, "0")}`;
    const gps = position ? `${this.texts.get("gps")} ${this.texts.get(quality)}, ` : "";
    const devices = this.texts.get("of_devices", streaming, states.length);
    setAttribute(this.button, "aria-label", `${this.texts.get("status")}: ${gps}${devices}`);
  }
}

function makeStrength() {
  const bars = Array.from({ length: BAR_COUNT }, (_, index) => makeSVG("rect", {
    x: index * 5, y: 15 - index * 4, width: 4, height: 5 + index * 4,
  }));
  const element = makeSVG("svg", { class: "strength", width: 19, height: 20, viewBox: "0 0 19 20" }, ...bars);
  return {
    element,
    show: lit => bars.forEach((bar, index) => setAttribute(bar, "class", index < lit ? "lit" : null)),
  };
}

/** Whether a ride is active: moving, or standing by itself for less than five minutes. */
export function isActive(ride, now) {
  if (!ride || ride.ended) return false;
  if (!ride.paused) return true;
  if (ride.pause === "by_hand") return true;
  return now !== null && ride.paused_since_t !== undefined && now - ride.paused_since_t < STANDING_S;
}

export class BottomBar {
  #mode = null;
  #page = null;

  constructor(element, texts, act) {
    this.element = element;
    this.texts = texts;
    this.act = act;
  }

  update({ store, now, page }) {
    const ride = store.ride;
    const isManual = ride?.paused && ride.pause === "by_hand";
    const mode = !isActive(ride, now) ? "idle" : isManual ? "paused" : "riding";
    if (mode === this.#mode && page === this.#page) return;
    this.#mode = mode;
    this.#page = page;
    this.element.dataset.mode = mode;
    this.element.replaceChildren(...this.#buttons(mode));
  }

  #buttons(mode) {
    if (mode === "idle") {
      const pages = [["gauge-high", "dashboard"], ["list", "rides"], ["gear", "settings"]].map(([icon, page]) => {
        const button = this.#button(icon, page);
        setAttribute(button, "aria-current", page === this.#page ? "page" : null);
        return button;
      });
      return [...pages, this.#button("play", "start", "call")];
    }
    const first = mode === "paused"
      ? this.#button("play", "resume", "wide call")
      : this.#holdButton("stop", "stop");
    return [first, this.#button("flag", "lap_button", "wide")];
  }

  /** A button that has to be held, so that no bump of the road ends a ride. */
  #holdButton(icon, key) {
    const button = this.#makeButton(icon, key, "wide");
    const filled = make("span", "hold");
    filled.style.width = "0%";
    button.prepend(filled);
    onHold(button, STOP_HOLD_MS, {
      progress: share => { filled.style.width = `${share * 100}%`; },
      done: () => this.act(key),
    });
    return button;
  }

  #button(icon, key, className = "") {
    const button = this.#makeButton(icon, key, className);
    button.addEventListener("click", () => this.act(key));
    return button;
  }

  #makeButton(icon, key, className) {
    const word = makeText("span");
    word.text = this.texts.get(key);
    const button = make("button", className, makeIcon(icon).element, word.element);
    button.type = "button";
    return button;
  }
}

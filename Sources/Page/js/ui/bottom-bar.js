// The bottom bar: pages and START without a ride; STOP or RESUME and LAP during one. For 4 s it
// answers LAP with the numbers of the lap. A run has a button of the coach too.

import { modeOf } from "../core/ride.js";
import { make, makeIcon, makeText, setAttribute } from "./elements.js";
import { onHold } from "./touch.js";

const STOP_HOLD_MS = 1000;
const START_HOLD_MS = 500;
const ANSWER_MS = 4000;

export class BottomBar {
  #mode = null;
  #page = null;
  #sport = null;
  #timer = null;

  /** @param {(action: string) => void} act */
  constructor(element, texts, act) {
    this.element = element;
    this.texts = texts;
    this.act = act;
    this.reply = makeText("p", "reply");
    this.reply.element.hidden = true;
  }

  update({ store, now, page = "dashboard" }) {
    const mode = modeOf(store.ride, now);
    const sport = store.ride?.sport ?? null;
    if (mode === this.#mode && page === this.#page && sport === this.#sport) return;
    this.#mode = mode;
    this.#page = page;
    this.#sport = sport;
    this.element.dataset.mode = mode;
    this.element.replaceChildren(...this.#buttons(mode), this.reply.element);
  }

  /** Shows a text over the bar. The buttons below it still work. */
  answer(text) {
    clearTimeout(this.#timer);
    this.reply.text = text;
    this.reply.element.hidden = false;
    this.#timer = setTimeout(() => { this.reply.element.hidden = true; }, ANSWER_MS);
  }

  #buttons(mode) {
    if (mode === "idle") {
      const pages = [["gauge-high", "dashboard"], ["list", "rides"], ["gear", "settings"]].map(([icon, page]) => {
        const button = this.#button(icon, page);
        setAttribute(button, "aria-current", page === this.#page ? "page" : null);
        return button;
      });
      return [...pages, makeStartButton(this.texts, this.act)];
    }
    const first = mode === "paused"
      ? this.#button("play", "resume", "wide call")
      : makeStopButton(this.texts, this.act);
    const buttons = [first, this.#button("flag", "lap_button", "wide")];
    if (this.#page === "coach") buttons.push(this.#button("gauge-high", "dashboard", "page"));
    else if (this.#sport === "running") buttons.push(this.#button("person-running", "coach", "page"));
    return buttons;
  }

  #button(icon, key, className = "") {
    const button = makeButton(this.texts, icon, key, className);
    button.addEventListener("click", () => this.act(key));
    return button;
  }
}

function makeButton(texts, icon, key, className) {
  const word = makeText("span");
  word.text = texts.get(key);
  const button = make("button", className, makeIcon(icon).element, word.element);
  button.type = "button";
  return button;
}

/** A tap starts the sport of the last time, a hold offers all. @param {(action: string) => void} act */
export function makeStartButton(texts, act) {
  const button = makeButton(texts, "play", "start", "call");
  let wasHeld = false;
  onHold(button, START_HOLD_MS, {
    progress: () => {},
    done: () => {
      wasHeld = true;
      act("sports");
    },
  });
  button.addEventListener("click", () => {
    if (!wasHeld) act("start");
    wasHeld = false;
  });
  return button;
}

/** Has to be held, so that no bump of the road ends a ride. @param {(action: string) => void} act */
export function makeStopButton(texts, act) {
  const button = makeButton(texts, "stop", "stop", "wide");
  const ring = make("span", "ring");
  const held = make("span", "held", ring);
  held.append(button.querySelector(".icon"));
  button.prepend(held);
  onHold(button, STOP_HOLD_MS, {
    progress: share => ring.style.setProperty("--share", share),
    done: () => act("stop"),
  });
  return button;
}

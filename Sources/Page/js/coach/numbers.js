// Target, actual cadence and the difference: three numbers with their captions.

import { fixed } from "../core/format.js";
import { hasValue } from "../core/items.js";
import { shortAge } from "../core/states.js";
import { make, makeText, setAttribute } from "../ui/elements.js";
import { NumberView } from "../ui/number.js";

export class CoachNumbers {
  constructor(texts) {
    this.texts = texts;
    this.target = makeNumber();
    this.actual = makeNumber();
    this.difference = makeNumber();
    this.element = make("dl", "coach-numbers", this.target.element, this.actual.element, this.difference.element);
  }

  /** @param {number|null} target @param {object} actual a reading @param {string} unit of all three */
  update(target, actual, point, unit) {
    const caption = key => `${this.texts.get(key)} (${unit})`;
    this.target.caption = caption("target");
    this.actual.caption = caption("coach_actual");
    this.difference.caption = caption("coach_difference");
    const shown = target === null ? null : Math.round(target);
    this.target.show(text(shown, point), "");
    const isShown = hasValue(actual);
    this.actual.show(isShown ? text(Math.round(actual.value), point) : null, this.#note(actual), actual.state);
    const isCompared = actual.state === "live" && shown !== null;
    const difference = isCompared ? Math.round(actual.value) - shown : null;
    this.difference.show(difference > 0 ? `+${text(difference, point)}` : text(difference, point), "");
  }

  #note({ state, age, word }) {
    if (state === "live") return "";
    if (state === "stale") return shortAge(age);
    return this.texts.get(state === "not_yet" ? word : state);
  }
}

function text(value, point) {
  return value === null ? null : fixed(value, 0, point);
}

function makeNumber() {
  const caption = makeText("dt", "caption");
  const number = new NumberView();
  const spoken = makeText("span", "unseen");
  const note = makeText("span", "hint");
  const element = make("div", "", caption.element, make("dd", "", number.element, spoken.element, note.element));
  return {
    element,
    set caption(words) { caption.text = words; },
    /** @param {string|null} value @param {string} words why there is none, or how old it is */
    show(value, words, state = null) {
      number.text = value;
      spoken.text = value ?? (words === "" ? "–" : "");
      note.text = words;
      setAttribute(element, "data-state", state);
    },
  };
}

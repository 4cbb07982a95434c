// A part of the report: a section below its heading, with a line for what it waits for or lacks.

import { make, setAttribute } from "../ui/elements.js";

export function makePart(name, title, ...children) {
  const heading = make("h2", "section-title", title);
  heading.id = `report-${name}`;
  const part = make("section", `section report-${name}`, heading, ...children);
  setAttribute(part, "aria-labelledby", heading.id);
  return part;
}

/** Shows that a part loads, and why it did not. */
export class PartStatus {
  /** @param {() => void} again */
  constructor(texts, again) {
    this.texts = texts;
    this.sentence = make("p", "sentence");
    this.button = make("button", "line-button plain", texts.get("retry"));
    this.button.type = "button";
    this.button.addEventListener("click", again);
    this.element = make("div", "part-status", this.sentence, this.button);
    this.say("");
  }

  /** @param {string} sentence empty for nothing */
  say(sentence, mayRetry = false) {
    this.sentence.textContent = sentence;
    this.button.hidden = !mayRetry;
    this.element.hidden = sentence === "" && !mayRetry;
  }

  loading() {
    this.say(this.texts.get("loading"));
  }

  refuse(error) {
    this.say(this.texts.get("refused", error.message), true);
  }
}

// A line of text that goes by itself, with at most one button, such as UNDO.

import { make } from "./elements.js";

export class Message {
  #timer = null;

  constructor(element, speak) {
    this.element = element;
    this.speak = speak;
  }

  /** @param {{label: string, act: () => void}} [button] */
  show(text, seconds, button) {
    clearTimeout(this.#timer);
    this.element.replaceChildren(make("span", "", text));
    if (button) {
      const made = make("button", "", button.label);
      made.type = "button";
      made.addEventListener("click", () => {
        this.hide();
        button.act();
      });
      this.element.append(made);
    }
    this.element.hidden = false;
    this.speak(text);
    this.#timer = setTimeout(() => this.hide(), seconds * 1000);
  }

  hide() {
    clearTimeout(this.#timer);
    this.element.hidden = true;
  }
}

// A dialog over the page that asks something or offers a choice. It is not a modal dialog of the
// browser, because those cover everything, also the radar lane.

import { make, makeIcon } from "./elements.js";

const BEHIND = ["top", "dashboard", "page", "bottom", "editbar"];

export class Question {
  #before = null;

  /** @param {() => void} onClose called when it closes without a choice */
  constructor(texts, title, content, { onClose = () => {}, isTall = false } = {}) {
    this.onClose = onClose;
    const heading = make("h2", "", title);
    heading.id = "question-title";
    heading.tabIndex = -1;
    const close = make("button", "close", makeIcon("xmark").element);
    close.type = "button";
    close.setAttribute("aria-label", texts.get("close"));
    close.addEventListener("click", () => this.dismiss());
    this.heading = heading;
    this.dialog = make("dialog", "question", make("div", "question-head", heading, close), ...content);
    this.dialog.setAttribute("aria-labelledby", heading.id);
    this.dialog.setAttribute("aria-modal", "true");
    this.dialog.toggleAttribute("data-tall", isTall);
    this.shade = make("div", "shade");
    this.shade.addEventListener("click", () => this.dismiss());
    this.dialog.addEventListener("keydown", event => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      this.dismiss();
    });
  }

  open() {
    this.#before = document.activeElement;
    document.body.append(this.shade, this.dialog);
    setInert(true);
    this.dialog.show();
    this.heading.focus();
    return this;
  }

  close() {
    if (!this.dialog.isConnected) return;
    this.dialog.remove();
    this.shade.remove();
    setInert(false);
    this.#before?.focus?.({ preventScroll: true });
  }

  dismiss() {
    this.close();
    this.onClose();
  }
}

function setInert(isInert) {
  for (const id of BEHIND) document.getElementById(id)?.toggleAttribute("inert", isInert);
}

/** Asks one question. @returns {Promise<string|null>} the key of the chosen button; null if none */
export function ask(texts, title, sentence, keys) {
  return new Promise(resolve => {
    const buttons = keys.map((key, index) => {
      const button = make("button", index === 0 ? "call" : "plain", texts.get(key));
      button.type = "button";
      button.addEventListener("click", () => {
        question.close();
        resolve(key);
      });
      return button;
    });
    const content = [make("p", "sentence", sentence), make("div", "answers", ...buttons)];
    const question = new Question(texts, title, content, { onClose: () => resolve(null) });
    question.open();
  });
}

// The band of an event, in the place of the radar's band, which displaces it. It goes after 8 s;
// a tire's stays until the bike stands.

import { make, makeIcon, makeText, rememberFocus, setAttribute } from "./elements.js";

const SHOWN_S = 8;
const MOST = 8;

export class EventBand {
  #queue = [];

  constructor(texts) {
    this.words = makeText("span", "words");
    this.shut = make("button", "shut", makeIcon("xmark").element);
    this.shut.type = "button";
    this.shut.setAttribute("aria-label", texts.get("close"));
    const giveBack = rememberFocus(this.shut);
    this.shut.addEventListener("click", () => {
      giveBack();
      this.#queue.shift();
      this.element.hidden = true;
    });
    this.element = make("div", "", this.words.element, this.shut);
    this.element.id = "event-band";
    this.element.hidden = true;
  }

  /** @param {{text: string, rating: string, isUrgent?: boolean, staysWhileMoving?: boolean}} band */
  add(band) {
    const entry = { ...band, shownSince: null };
    if (band.isUrgent) this.#queue.unshift(entry);
    else this.#queue.push(entry);
    this.#queue.length = Math.min(this.#queue.length, MOST);
  }

  /** Whether the next band cannot wait for that of the route. */
  get isUrgent() {
    return this.#queue[0]?.isUrgent === true;
  }

  get isShown() {
    return !this.element.hidden;
  }

  /** @param {{isCovered: boolean}} now by a band that is more important */
  update({ seconds, isMoving, isCovered }) {
    const first = this.#queue[0];
    if (first && !isCovered) {
      const mayGo = !first.staysWhileMoving || !isMoving;
      if (first.shownSince === null || (first.staysWhileMoving && isMoving)) first.shownSince = seconds;
      if (mayGo && seconds - first.shownSince >= SHOWN_S) {
        this.#queue.shift();
        return this.update({ seconds, isMoving, isCovered });
      }
      this.words.text = first.text;
      setAttribute(this.element, "data-rating", first.rating);
    }
    this.element.hidden = !first || isCovered;
  }
}

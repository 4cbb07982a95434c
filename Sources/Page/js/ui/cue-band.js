// The band of the route, in the place of the radar's band, which displaces it: a cue that is near as a
// large arrow with its distance and street, or the way back to the route. It can be shut until
// something else is to be shown.

import { convert, unitOf } from "../core/units.js";
import { format } from "../core/format.js";
import { makeCueArrow } from "./cue-arrow.js";
import { make, makeIcon, makeText, rememberFocus, setAttribute } from "./elements.js";

/** Distances are shown in steps, which a receiver can tell apart. */
const STEP = 10;

/** A distance of the route that a glance can read: 120 m, 1.2 km. */
export function nearText(metres, { units, point }) {
  const length = convert("height", metres, units);
  if (metres < 1000) return `${Math.round(length / STEP) * STEP} ${unitOf("height", units)}`;
  return `${format("one", convert("distance", metres, units), { point })} ${unitOf("distance", units)}`;
}

/** The words of an advice, as far as the page has some. The words of a file stand for themselves. */
export function adviceWords(advice, texts) {
  if (advice.kind !== "cue") return texts.get(`route_${advice.kind}`);
  const key = `cue_${advice.cue}`;
  const name = texts.get(key);
  return name === key ? advice.cue.replaceAll("_", " ") : name;
}

/** The words and the distance of an advice in a sentence. */
export function spokenAdvice(advice, texts, context) {
  if (advice.kind === "off_route") return texts.get("off_route_away", nearText(advice.metres, context));
  const words = [adviceWords(advice, texts), advice.text].filter(Boolean).join(", ");
  return advice.kind === "reversed" ? words : texts.get("cue_in", words, nearText(advice.metres, context));
}

export class CueBand {
  #isShut = false;

  constructor(texts) {
    this.texts = texts;
    this.arrow = makeCueArrow();
    this.distance = makeText("span", "distance");
    this.words = makeText("span", "words");
    const shut = make("button", "shut", makeIcon("xmark").element);
    shut.type = "button";
    shut.setAttribute("aria-label", texts.get("close"));
    const giveBack = rememberFocus(shut);
    shut.addEventListener("click", () => {
      giveBack();
      this.#isShut = true;
      this.element.hidden = true;
    });
    this.element = make("div", "", this.arrow.element, this.distance.element, this.words.element, shut);
    this.element.id = "cue-band";
    this.element.setAttribute("role", "region");
    this.element.setAttribute("aria-label", texts.get("route"));
    this.element.hidden = true;
  }

  /** Whether it has something to show. */
  hasAdvice(advice) {
    return advice !== null && !this.#isShut;
  }

  /** Another advice is shown although the one before was shut. */
  open() {
    this.#isShut = false;
  }

  /** @param {object|null} advice of `adviceOf` @param {boolean} isCovered by a band that is more urgent */
  update(advice, isCovered, context) {
    this.element.hidden = isCovered || !this.hasAdvice(advice);
    if (this.element.hidden) return;
    if (advice.kind === "cue") this.arrow.showCue(advice.cue);
    else this.arrow.showDirection(advice.direction);
    this.distance.text = advice.kind === "reversed" ? "" : nearText(advice.metres, context);
    this.words.text = advice.text ?? adviceWords(advice, this.texts);
    setAttribute(this.element, "data-rating", advice.kind === "cue" ? null : "okay");
  }
}

// The right half of the widget of a route: the next cue as an arrow with its distance, or the way back
// to the route; on a large widget also the words of the cue and the profile of the climb ahead. And the
// arrow of the widget of a segment, which points to its start.

import { climbOf, directionToSegment, nextAdvice } from "../core/guidance.js";
import { hasValue } from "../core/items.js";
import { format } from "../core/format.js";
import { convert, unitOf } from "../core/units.js";
import { makeCueArrow } from "./cue-arrow.js";
import { adviceWords, nearText, spokenAdvice } from "./cue-band.js";
import { make, makeSVG, makeText, setAttribute } from "./elements.js";

const PROFILE = { width: 100, height: 40 };
/** A lower climb does not fill the height. */
const LEAST_RISE_M = 40;

/** The outline of a climb, and how far of it the rider has come. */
function outlineOf({ climb_profile_m: altitudes, climb_length_m: length, climb_to_top_m: toTop }) {
  const { width, height } = PROFILE;
  const lowest = Math.min(...altitudes);
  const rise = Math.max(LEAST_RISE_M, Math.max(...altitudes) - lowest);
  const places = altitudes.map((altitude, index) => {
    const x = index / (altitudes.length - 1) * width, y = height - (altitude - lowest) / rise * (height - 2);
    return `${x.toFixed(1)} ${y.toFixed(1)}`;
  });
  const done = Math.max(0, Math.min(1, 1 - toTop / length));
  return { path: `M0 ${height}L${places.join("L")}L${width} ${height}Z`, done: done * width };
}

export class GuidanceFigure {
  constructor(texts, hasClimb) {
    this.texts = texts;
    this.arrow = makeCueArrow();
    this.distance = makeText("span", "number-text");
    this.words = makeText("span", "cue-words");
    this.element = make("span", "figure guidance", make("span", "next", this.arrow.element, this.distance.element), this.words.element);
    if (hasClimb) this.#buildClimb();
  }

  #buildClimb() {
    this.outline = makeSVG("path", { class: "outline" });
    this.done = makeSVG("rect", { class: "done", x: 0, y: 0, height: PROFILE.height });
    this.profile = makeSVG("svg", {
      class: "climb", viewBox: `0 0 ${PROFILE.width} ${PROFILE.height}`, preserveAspectRatio: "none",
    }, this.outline, this.done);
    this.climb = makeText("span", "minor");
    this.element.append(this.profile, this.climb.element);
  }

  update(context, reading) {
    const advice = hasValue(reading) ? nextAdvice(context) : null;
    const climb = this.profile ? climbOf(context) : null;
    this.element.hidden = !advice && !climb;
    if (advice?.kind === "cue") this.arrow.showCue(advice.cue);
    else if (advice) this.arrow.showDirection(advice.direction);
    else this.arrow.hide();
    setAttribute(this.element, "data-off", advice && advice.kind !== "cue" ? "" : null);
    this.distance.text = advice && advice.kind !== "reversed" ? nearText(advice.metres, context) : "";
    // Without an arrow, a distance says nothing.
    const needsWords = this.profile || this.arrow.isHidden;
    this.words.text = advice && needsWords ? advice.text ?? adviceWords(advice, this.texts) : "";
    if (this.profile) this.#showClimb(climb, context);
  }

  #showClimb(climb, context) {
    this.profile.toggleAttribute("hidden", climb === null);
    this.climb.text = climb === null ? "" : this.#climbText(climb, context);
    if (climb === null) return;
    const { path, done } = outlineOf(climb);
    setAttribute(this.outline, "d", path);
    setAttribute(this.done, "width", done.toFixed(1));
  }

  /** The grade, the height that is left, and the distance to the start or, on the climb, to the top. */
  #climbText({ climb_grade_pct: grade, climb_ascent_to_go_m: left, climb_distance_m: away, climb_to_top_m: toTop }, context) {
    const { units, point } = context;
    const height = `${format("whole", convert("height", left, units))} ${unitOf("height", units)}`;
    const way = away > 0 ? nearText(away, context) : `${this.texts.get("to_top")} ${nearText(toTop, context)}`;
    return `${format("one", grade, { point })} % · ↑ ${height} · ${way}`;
  }

  /** What a screen reader gets in place of the number: the way to go, and the next cue. */
  spoken(context, reading) {
    const advice = hasValue(reading) ? nextAdvice(context) : null;
    if (!advice) return null;
    const { units, point } = context;
    const toGo = `${format("one", convert("distance", reading.value, units), { point })} ${this.texts.get(`spoken_${unitOf("distance", units)}`)}`;
    return `${toGo}, ${spokenAdvice(advice, this.texts, context)}`;
  }
}

const SIDES = ["side_ahead", "side_right", "side_behind", "side_left"];

/** The distance is the number of the widget. */
export class StartArrow {
  constructor(texts) {
    this.texts = texts;
    this.arrow = makeCueArrow();
    this.element = this.arrow.element;
    this.element.classList.add("figure", "start-arrow");
  }

  update(context) {
    this.arrow.showDirection(directionToSegment(context));
  }

  /** What a screen reader gets in place of the number: the distance, and on which side the start is. */
  spoken(context, reading) {
    const direction = hasValue(reading) ? directionToSegment(context) : null;
    if (direction === null) return null;
    const { label, value, unit } = reading;
    return `${label} ${value} ${this.texts.get(`spoken_${unit}`)}, ${this.texts.get(SIDES[Math.round(direction / 90) % 4])}`;
  }
}

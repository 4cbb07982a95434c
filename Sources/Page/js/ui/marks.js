// Marks of the top bar that are drawn: the record mark, and the sun in its ring.

import { makeIcon, make, makeSVG, makeText, setAttribute } from "./elements.js";

const RADIUS = 10.5;
const ROUND = 2 * Math.PI * RADIUS;

/** Recording: a disc. Ready: a ring. Neither: crossed out. */
export function makeRecordMark() {
  const disc = makeSVG("circle", { class: "disc", cx: 12, cy: 12, r: 7 });
  const ring = makeSVG("circle", { class: "outline", cx: 12, cy: 12, r: 9 });
  const slash = makeSVG("path", { class: "slash", d: "M3 3 21 21" });
  const element = make("span", "mark", makeSVG("svg", { class: "drawn", viewBox: "0 0 24 24" }, ring, disc, slash));
  element.id = "record";
  return {
    element,
    /** @param {string|null} state recording, ready, off; null hides the mark @param {boolean} isBad */
    show(state, isBad) {
      element.hidden = state === null;
      setAttribute(element, "data-record", state);
      setAttribute(element, "data-rating", isBad ? "bad" : null);
    },
  };
}

export function makeSunMark() {
  const track = makeSVG("circle", { class: "track", cx: 12, cy: 12, r: RADIUS });
  const level = makeSVG("circle", { class: "level", cx: 12, cy: 12, r: RADIUS, transform: "rotate(-90 12 12)" });
  const automatic = makeText("span", "automatic");
  const icon = makeIcon("sun").element;
  const element = make("span", "mark", makeSVG("svg", { class: "drawn", viewBox: "0 0 24 24" }, track, level), icon, automatic.element);
  element.id = "sun";
  return {
    element,
    show(percent, isAutomatic) {
      setAttribute(level, "stroke-dasharray", `${(ROUND * percent / 100).toFixed(1)} ${ROUND.toFixed(1)}`);
      automatic.text = isAutomatic ? "A" : "";
    },
  };
}

export function makeSoundMark(texts) {
  const icon = makeIcon("volume-high");
  const tap = makeText("span", "chip");
  const element = make("span", "mark", icon.element, tap.element);
  element.id = "sound";
  return {
    element,
    show(state) {
      icon.name = state === "off" ? "volume-xmark" : "volume-high";
      tap.text = state === "blocked" ? texts.get("tap").toUpperCase() : "";
      setAttribute(element, "data-rating", state === "blocked" ? "okay" : null);
    },
  };
}

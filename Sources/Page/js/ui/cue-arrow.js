// Arrows of the route: the shape of a turn, and one that points to the route.

import { makeSVG, setAttribute } from "./elements.js";

/** Lines in a box of 48, from the bottom, with their tips. The left ones are the right ones, mirrored. */
const SHAPES = {
  straight: "M24 45V8M13 19 24 7l11 12",
  slight: "M20 45V27L33 12M21 9H35V23",
  turn: "M15 45V20h20M26 10 37 20 26 31",
  sharp: "M14 45V8L34 32M35 20V33H22",
  u_turn: "M14 45V18a9 9 0 0 1 20 0V34M24 25 34 36 44 25",
};
const KINDS = {
  straight: "straight", slight_right: "slight", slight_left: "slight", right: "turn", left: "turn", sharp_right: "sharp",
  sharp_left: "sharp", u_turn: "u_turn",
  right_fork: "slight", left_fork: "slight", middle_fork: "straight",
};

/** A file can have cues that are not turns, such as a summit or water. */
function shapeOf(cue) {
  return KINDS[cue] ?? null;
}

export function makeCueArrow() {
  const line = makeSVG("path", {});
  const element = makeSVG("svg", { class: "cue-arrow", viewBox: "0 0 48 48", "aria-hidden": "true" }, line);
  const turn = (shape, transform) => {
    element.toggleAttribute("hidden", shape === null);
    if (shape === null) return;
    setAttribute(line, "d", SHAPES[shape]);
    setAttribute(line, "transform", transform);
  };
  return {
    element,
    get isHidden() {
      return element.hasAttribute("hidden");
    },
    /** The turn of a cue. */
    showCue: cue => turn(shapeOf(cue), /(^|_)left/.test(cue) ? "matrix(-1 0 0 1 48 0)" : null),
    /** The way to the route, in degrees from the direction of travel; null if it is unknown. */
    showDirection: degrees => turn(degrees === null ? null : "straight", degrees === null ? null : `rotate(${Math.round(degrees)} 24 24)`),
    hide: () => turn(null, null),
  };
}

// An arrow for rising, level or falling, drawn as a shape.

import { makeSVG, setAttribute } from "./elements.js";

const TURNS = { up: -45, flat: 0, down: 45 };

export function makeTrend() {
  const arrow = makeSVG("path", { d: "M1 6H13M8 1l5 5-5 5" });
  const element = makeSVG("svg", { class: "trend", viewBox: "0 0 14 12", "aria-hidden": "true" }, arrow);
  return {
    element,
    shown: null,
    show(trend) {
      this.shown = trend in TURNS ? trend : null;
      element.toggleAttribute("hidden", !(trend in TURNS));
      setAttribute(element, "data-trend", trend in TURNS ? trend : null);
    },
  };
}

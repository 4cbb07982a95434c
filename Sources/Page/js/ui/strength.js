// Four bars, of which some are lit: reception and signal.

import { makeSVG, setAttribute } from "./elements.js";

const COUNT = 4;

export function makeStrength() {
  const bars = Array.from({ length: COUNT }, (_, index) => makeSVG("rect", {
    x: index * 5, y: 15 - index * 4, width: 4, height: 5 + index * 4,
  }));
  const element = makeSVG("svg", { class: "strength", width: 19, height: 20, viewBox: "0 0 19 20", role: "img" }, ...bars);
  return {
    element,
    show: lit => bars.forEach((bar, index) => setAttribute(bar, "class", index < lit ? "lit" : null)),
  };
}

// The colors of a map, from the tokens of the style sheets. With forced colors there are two: shapes
// and widths tell apart what colors would.

import { colorOf } from "../ui/plot.js";

const FORCED = "(forced-colors: active)";

/** @param {Element} element with the colors of text and ground */
export function readPalette(element) {
  if (matchMedia(FORCED).matches) {
    const { color: ink, backgroundColor: ground } = getComputedStyle(element);
    const all = { ink, ground, line: ground, faint: ink, me: ink, edge: ground, start: ink, accuracy: ink, route: ink };
    return { ...all, steps: Array(6).fill(ink) };
  }
  const color = token => colorOf(element, token);
  return {
    ink: color("--text-primary"), ground: color("--bg-primary"), line: color("--border-subtle"),
    faint: color("--border-strong"), start: color("--rating-good"),
    route: color("--info"), me: color("--primary"), edge: color("--text-on-primary-fill"), accuracy: color("--primary-dark"),
    steps: ["--text-secondary", ...[1, 2, 3, 4, 5].map(zone => `--hr-zone-${zone}`)].map(color),
  };
}

/** Calls `change` when colors change. @returns {() => void} ends it */
export function followColors(change) {
  const queries = ["(prefers-color-scheme: dark)", FORCED, "print"].map(query => matchMedia(query));
  for (const query of queries) query.addEventListener("change", change);
  // The setting of the scheme says when this style sheet applies.
  const observer = new MutationObserver(change);
  const sheet = document.getElementById("dark");
  if (sheet) observer.observe(sheet, { attributes: true });
  return () => {
    for (const query of queries) query.removeEventListener("change", change);
    observer.disconnect();
  };
}

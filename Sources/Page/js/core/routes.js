// Routes of the logbook, as pages ask for them and write about them.

import { amount } from "./activities.js";

/** A line of this many points is as exact as a screen can show it. */
export const MOST_POINTS = 4000;

export function pathOf(id) {
  return `/api/1/routes/${encodeURIComponent(id)}`;
}

/** The points of a route as a track of the map, which then counts metres in place of seconds. */
export function trackOf({ points }) {
  return { pieces: [{ points: points.map(point => ({ ...point, at_s: point.distance_m })) }] };
}

/** Length and ascent, those of them that are known. */
export function numbersOf(app, route) {
  return [
    amount(app, "distance", "distance", route.distance_m),
    amount(app, "height", "whole", route.ascent_m, "↑ "),
  ].filter(Boolean);
}

/** What a page says about a request that failed. */
export function sentenceOf(texts, { status, message }) {
  if (status === 404) return texts.get("no_such_route");
  if (status === 503) return `${texts.get("routes_not_kept")} ${texts.get("refused", message)}`;
  return texts.get("refused", message);
}

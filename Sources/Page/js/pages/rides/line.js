// One ride in a list: date, name, numbers, and its track as a small picture.

import { amount, dateOf, iconOf, nameOf } from "../../core/activities.js";
import { duration } from "../../core/format.js";
import { make, makeIcon, makeLink, makeSVG } from "../../ui/elements.js";

export const THUMBNAIL = { width: 64, height: 48 };

/** @param {string} heading the element of its name, by what is above it on the page */
export function makeLine(app, activity, heading = "h3") {
  const { texts } = app;
  const numbers = [
    amount(app, "distance", "distance", activity.distance_m),
    timeOf(activity),
    amount(app, "height", "whole", activity.ascent_m, "↑ "),
  ].filter(Boolean).map(text => make("span", "", text));
  const state = activity.state === "complete" || activity.state === undefined ? "" : texts.get(activity.state);
  const link = makeLink(app.router, `/rides/${activity.id}`, nameOf(activity, texts));
  link.classList.add("ride-link");
  const head = make("div", "ride-head", make("span", "ride-date", dateOf(activity, app)), make("span", "ride-state", state));
  const words = make("div", "ride-words", head, make(heading, "ride-name", link), make("p", "ride-numbers", ...numbers));
  const picture = make("span", "thumbnail", makeIcon(iconOf(activity.sport)).element);
  picture.setAttribute("aria-hidden", "true");
  const line = make("li", "ride", words, picture);
  line.showTrack = path => {
    if (path === "") return;
    const { width, height } = THUMBNAIL;
    picture.replaceChildren(makeSVG("svg", { viewBox: `0 0 ${width} ${height}`, width, height }, makeSVG("path", { d: path })));
  };
  return line;
}

/** What was entered by hand has the elapsed time only. */
function timeOf({ moving_time_s, elapsed_time_s }) {
  const seconds = moving_time_s ?? elapsed_time_s;
  return seconds === undefined ? null : duration(seconds, true);
}

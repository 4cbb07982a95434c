// One week of rides: its totals, a bar for each day, and its lines.

import { amount } from "../../core/activities.js";
import { duration } from "../../core/format.js";
import { DAY_MS, localTimeOf, totalsOfWeek } from "../../core/weeks.js";
import { make, makeSVG } from "../../ui/elements.js";

export class Week {
  #activities = [];
  #lines = new Map();
  #head = make("div", "week-head");
  #list = make("ul", "rides");

  /** @param {number|null} start when the week begins; null for rides without a date */
  constructor(app, start, makeLine) {
    this.app = app;
    this.start = start;
    this.makeLine = makeLine;
    this.element = make("section", "week", this.#head, this.#list);
    this.element.week = this;
  }

  get isEmpty() {
    return this.#activities.length === 0;
  }

  /** Adds a ride after the others. `update` then shows the totals. */
  append(activity) {
    this.#activities.push(activity);
    this.#list.append(this.#lineOf(activity));
  }

  /** Puts a ride to its place by date. */
  insert(activity) {
    const place = this.#activities.findIndex(other => localTimeOf(other) < localTimeOf(activity));
    if (place < 0) return this.append(activity);
    this.#lines.get(this.#activities[place].id).before(this.#lineOf(activity));
    this.#activities.splice(place, 0, activity);
  }

  replace(activity) {
    const place = this.#activities.findIndex(({ id }) => id === activity.id);
    const old = this.#lines.get(activity.id);
    const hadFocus = old.contains(document.activeElement);
    this.#activities[place] = activity;
    old.replaceWith(this.#lineOf(activity));
    if (hadFocus) this.#lines.get(activity.id).querySelector("a").focus({ preventScroll: true });
  }

  remove(id) {
    this.#activities = this.#activities.filter(activity => activity.id !== id);
    this.#lines.get(id).remove();
    this.#lines.delete(id);
  }

  update() {
    const { app } = this;
    const totals = totalsOfWeek(this.#activities, this.start);
    const day = new Intl.DateTimeFormat(app.language, { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });
    const title = this.start === null ? app.texts.get("no_date") : app.texts.get("week_of", day.format(this.start));
    const numbers = [
      amount(app, "distance", "distance", totals.distance),
      totals.moving === undefined ? null : duration(totals.moving, true),
      amount(app, "height", "whole", totals.ascent, "↑ "),
    ].filter(Boolean).join("   ");
    this.#head.replaceChildren(make("h2", "week-title", title), make("p", "week-total", numbers), ...this.#makeDays(totals.distances));
  }

  #lineOf(activity) {
    const line = this.makeLine(activity);
    this.#lines.set(activity.id, line);
    return line;
  }

  /** A bar for each day of the week. */
  #makeDays(distances) {
    const longest = Math.max(...distances);
    if (this.start === null || longest === 0) return [];
    const { texts, language } = this.app;
    // To make a format takes longer than to use it for a week.
    const [short, narrow] = ["short", "narrow"].map(weekday => new Intl.DateTimeFormat(language, { weekday, timeZone: "UTC" }));
    const nameOf = (index, format) => format.format(this.start + index * DAY_MS);
    const words = distances.map((distance, index) => `${nameOf(index, short)} ${amount(this.app, "distance", "distance", distance)}`);
    const bars = distances.flatMap((distance, index) => {
      const height = distance === 0 ? 2 : Math.max(2, 36 * distance / longest);
      const x = index * 50 + 11;
      const name = makeSVG("text", { x: x + 14, y: 54 });
      name.textContent = nameOf(index, narrow);
      return [makeSVG("rect", { class: distance === 0 ? "none" : "some", x, y: 38 - height, width: 28, height }), name];
    });
    const label = `${texts.get("per_day")}: ${words.join(", ")}`;
    return [makeSVG("svg", { class: "days", viewBox: "0 0 350 56", preserveAspectRatio: "xMinYMid", role: "img", "aria-label": label }, ...bars)];
  }
}

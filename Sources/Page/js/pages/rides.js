// The rides by week, the newest first, with their files.

import { duration, format } from "../core/format.js";
import { convert, unitOf } from "../core/units.js";
import { DAY_MS, firstDayOfWeek, groupByWeek } from "../core/weeks.js";
import { make, makeLink, makeSVG } from "../ui/elements.js";

const PAGE_SIZE = 50;
const FORMATS = ["fit", "gpx", "tcx", "csv"];

export function open(app) {
  const list = make("div", "weeks");
  const status = make("p", "sentence");
  status.setAttribute("role", "status");
  const more = make("button", "line-button plain", app.texts.get("more"));
  more.type = "button";
  more.hidden = true;
  const rides = new RideList(app, { list, status, more });
  more.addEventListener("click", () => rides.load());
  rides.load();
  return {
    title: app.texts.get("rides"), parent: "/",
    element: make("div", "page-body", status, list, more),
  };
}

class RideList {
  #activities = [];

  constructor(app, { list, status, more }) {
    this.app = app;
    this.list = list;
    this.status = status;
    this.more = more;
    this.firstDay = firstDayOfWeek(app.settings.get("week_start"), app.language);
  }

  async load() {
    const { texts } = this.app;
    this.status.textContent = texts.get("loading");
    const last = this.#activities[this.#activities.length - 1];
    const before = last ? `&before=${last.id}` : "";
    try {
      const { activities, more } = await this.app.server.get(`/api/1/activities?limit=${PAGE_SIZE}${before}`);
      this.#activities.push(...activities);
      this.status.textContent = this.#activities.length === 0 ? texts.get("no_rides") : "";
      this.more.hidden = !more;
    } catch (error) {
      const isMissing = error.status === 503 || error.status === 404;
      this.status.textContent = isMissing ? texts.get("not_recorded") : texts.get("refused", error.message);
      this.more.hidden = true;
    }
    const weeks = groupByWeek(this.#activities, this.firstDay);
    this.list.replaceChildren(...weeks.map(week => this.#makeWeek(week)));
  }

  #makeWeek(week) {
    const { texts, language } = this.app;
    const day = new Intl.DateTimeFormat(language, { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });
    const title = week.start === null ? texts.get("no_date") : texts.get("week_of", day.format(week.start));
    const heading = make("h2", "week-title", title);
    const total = make("p", "week-total", [
      this.#amount("distance", "distance", week.distance),
      week.moving === undefined ? null : duration(week.moving, true),
      this.#amount("height", "whole", week.ascent, "↑ "),
    ].filter(Boolean).join("   "));
    const items = week.activities.map(activity => this.#makeRide(activity));
    return make("section", "week", make("div", "week-head", heading, total), ...this.#makeDays(week), make("ul", "rides", ...items));
  }

  /** A bar for each day of the week. */
  #makeDays({ start, distances }) {
    const longest = Math.max(...distances);
    if (start === null || longest === 0) return [];
    const { texts, language } = this.app;
    const nameOf = (index, weekday) => new Intl.DateTimeFormat(language, { weekday, timeZone: "UTC" }).format(start + index * DAY_MS);
    const words = distances.map((distance, index) => `${nameOf(index, "short")} ${this.#amount("distance", "distance", distance)}`);
    const bars = distances.flatMap((distance, index) => {
      const height = distance === 0 ? 2 : Math.max(2, 36 * distance / longest);
      const x = index * 50 + 11;
      const name = makeSVG("text", { x: x + 14, y: 54 });
      name.textContent = nameOf(index, "narrow");
      return [makeSVG("rect", { class: distance === 0 ? "none" : "some", x, y: 38 - height, width: 28, height }), name];
    });
    const label = `${texts.get("per_day")}: ${words.join(", ")}`;
    return [makeSVG("svg", { class: "days", viewBox: "0 0 350 56", preserveAspectRatio: "xMinYMid", role: "img", "aria-label": label }, ...bars)];
  }

  #makeRide(activity) {
    const { texts } = this.app;
    const name = activity.name ?? texts.get(`sport_${activity.sport ?? "cycling"}`);
    const numbers = [
      this.#amount("distance", "distance", activity.distance_m),
      activity.moving_time_s === undefined ? null : duration(activity.moving_time_s, true),
      this.#amount("height", "whole", activity.ascent_m, "↑ "),
    ].filter(Boolean).map(text => make("span", "", text));
    const state = activity.state === "complete" || activity.state === undefined ? "" : texts.get(activity.state);
    const head = make("div", "ride-head", make("span", "ride-date", this.#dateOf(activity)),
      make("span", "ride-state", state), make("h3", "ride-name", makeLink(this.app.router, `/rides/${activity.id}`, name)));
    const line = make("li", "ride", head, make("p", "ride-numbers", ...numbers));
    if (activity.state !== "recording") line.append(this.#makeFiles(activity, name));
    return line;
  }

  /** Local time at the ride, not at this screen. */
  #dateOf(activity) {
    if (activity.start === undefined) return this.app.texts.get("no_date");
    const local = new Date(Date.parse(activity.start) + (activity.utc_offset_s ?? 0) * 1000);
    const parts = { weekday: "short", day: "numeric", month: "short", hour: "numeric", minute: "2-digit", timeZone: "UTC" };
    return new Intl.DateTimeFormat(this.app.language, parts).format(local);
  }

  #makeFiles(activity, name) {
    const links = FORMATS.map(format => {
      const link = make("a", "file", format.toUpperCase());
      link.href = `/api/1/activities/${activity.id}/export?format=${format}`;
      link.download = "";
      link.setAttribute("aria-label", `${name}: ${format.toUpperCase()}`);
      return link;
    });
    return make("p", "files", ...links);
  }

  #amount(quantity, form, value, sign = "") {
    if (value === undefined) return null;
    const { units } = this.app.settings;
    const text = format(form, convert(quantity, value, units), { point: this.app.point });
    return `${sign}${text} ${unitOf(quantity, units)}`;
  }
}

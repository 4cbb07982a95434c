// The list of rides by week, the newest first. It grows while it is scrolled, and follows what other
// screens change.

import { firstDayOfWeek, weekOf } from "../../core/weeks.js";
import { Thumbnails } from "../../core/thumbnails.js";
import { make } from "../../ui/elements.js";
import { makeLine, THUMBNAIL } from "./line.js";
import { makeLinks, RideFilter } from "./tools.js";
import { Week } from "./week.js";

const PAGE_SIZE = 50;
/** The next rides are loaded when the end of the list is this close. */
const AHEAD = "800px 0px";

/** Tracks stay when the rider leaves the page and comes back. */
let thumbnails = null;

export function open(app) {
  const filter = { text: "", sport: "", ...history.state?.rides };
  const list = new RideList(app, filter);
  const links = makeLinks(app);
  const tools = new RideFilter(app, filter, changed => {
    // Back from a ride shows what was searched for.
    history.replaceState({ ...history.state, rides: changed }, "", location.href);
    list.restart(changed);
  });
  list.onSports = sports => tools.offer(sports);
  list.restart(filter);
  return {
    element: make("div", "page-body", tools.element, links.element, ...list.elements),
    update: () => links.update(),
    recordActivity: record => list.record(record),
    close: () => {
      tools.close();
      list.close();
    },
  };
}

class RideList {
  #weeks = new Map();
  #activities = new Map();
  /** The id that the next page begins after. */
  #last = null;
  /** Counts the searches: an answer to an older one is dropped. */
  #search = 0;
  #isLoading = false;
  #list = make("div", "weeks");
  #status = make("p", "sentence");
  #more = make("button", "line-button plain");

  constructor(app, filter) {
    this.app = app;
    this.filter = filter;
    this.onSports = () => {};
    this.firstDay = firstDayOfWeek(app.settings.get("week_start"), app.language);
    this.#status.setAttribute("role", "status");
    this.#more.type = "button";
    this.#more.addEventListener("click", () => this.#load());
    this.elements = [this.#status, this.#list, this.#more];
    thumbnails ??= new Thumbnails(path => app.server.get(path), THUMBNAIL);
    const root = app.pages.element;
    this.seen = new IntersectionObserver(entries => this.#followLines(entries), { root });
    this.end = new IntersectionObserver(entries => {
      if (entries.some(entry => entry.isIntersecting) && !this.hasFailed) this.#load();
    }, { root, rootMargin: AHEAD });
  }

  /** Asks for the first rides again. */
  restart(filter) {
    this.filter = filter;
    this.#search += 1;
    this.#last = null;
    this.#isLoading = false;
    this.#load();
  }

  close() {
    this.#search += 1;
    this.seen.disconnect();
    this.end.disconnect();
    thumbnails.cancelAll();
  }

  async #load() {
    if (this.#isLoading) return;
    const { texts } = this.app;
    const isFirst = this.#last === null;
    const search = this.#search;
    this.#isLoading = true;
    this.hasFailed = false;
    if (isFirst) this.#status.textContent = texts.get("loading");
    try {
      const { activities, more = false } = await this.app.server.get(`/api/1/activities?${this.#query()}`);
      if (search !== this.#search) return;
      if (isFirst) this.#clear();
      this.#last = activities.at(-1)?.id ?? this.#last;
      this.#append(activities);
      this.#status.textContent = this.#activities.size > 0 ? "" : texts.get(this.#isSearch ? "no_such_rides" : "no_rides");
      this.#offerMore(more, "more");
    } catch (error) {
      if (search !== this.#search) return;
      const isMissing = error.status === 503 || error.status === 404;
      this.hasFailed = true;
      this.#status.textContent = isMissing ? texts.get("not_recorded") : texts.get("refused", error.message);
      if (isFirst) this.#clear();
      this.#offerMore(!isMissing, "retry");
    } finally {
      if (search === this.#search) this.#isLoading = false;
    }
  }

  get #isSearch() {
    return this.filter.text !== "" || this.filter.sport !== "";
  }

  #query() {
    const query = new URLSearchParams({ limit: PAGE_SIZE });
    if (this.#last !== null) query.set("before", this.#last);
    for (const name of ["text", "sport"]) if (this.filter[name]) query.set(name, this.filter[name]);
    return query;
  }

  /** The button is for keyboards: the next rides are loaded when it comes near. */
  #offerMore(isOffered, key) {
    this.#more.hidden = !isOffered;
    this.#more.textContent = this.app.texts.get(key);
    this.end.disconnect();
    if (isOffered) this.end.observe(this.#more);
  }

  #clear() {
    this.seen.disconnect();
    this.#weeks.clear();
    this.#activities.clear();
    this.#list.replaceChildren();
  }

  #append(activities) {
    const changed = new Set();
    for (const activity of activities) {
      if (this.#activities.has(activity.id)) continue;
      this.#activities.set(activity.id, activity);
      const week = this.#weekOf(activity, last => this.#list.append(last.element));
      week.append(activity);
      changed.add(week);
    }
    for (const week of changed) week.update();
    this.onSports(activities.flatMap(({ sport }) => sport ?? []));
  }

  #weekOf(activity, place) {
    const start = weekOf(activity, this.firstDay);
    let week = this.#weeks.get(start);
    if (!week) {
      week = new Week(this.app, start, each => this.#makeLine(each));
      this.#weeks.set(start, week);
      place(week);
    }
    return week;
  }

  // Tracks

  #makeLine(activity) {
    const line = makeLine(this.app, activity);
    if (!activity.track) return line;
    line.activity = activity;
    this.seen.observe(line);
    return line;
  }

  #followLines(entries) {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) thumbnails.cancel(target.activity);
      else thumbnails.request(target.activity, path => {
        target.showTrack(path);
        this.seen.unobserve(target);
      });
    }
  }

  // Changes by other screens and by the recorder

  /** A record `activity` of the recorder. */
  record({ change, id, activity }) {
    const known = this.#activities.get(id);
    const isListed = change !== "removed" && activity !== undefined && this.#matches(activity);
    if (known && isListed && known.start === activity.start && known.utc_offset_s === activity.utc_offset_s) {
      this.#activities.set(id, activity);
      const week = this.#weekOf(activity);
      week.replace(activity);
      week.update();
      return;
    }
    if (known) this.#remove(known);
    if (isListed) this.#insert(activity);
  }

  #remove(known) {
    const week = this.#weekOf(known);
    week.remove(known.id);
    this.#activities.delete(known.id);
    if (!week.isEmpty) return week.update();
    week.element.remove();
    this.#weeks.delete(week.start);
  }

  #insert(activity) {
    // What belongs below the rides that are loaded comes with them.
    if (!this.#more.hidden && !this.#isAboveEnd(activity)) return;
    this.#activities.set(activity.id, activity);
    const week = this.#weekOf(activity, made => {
      // After it are the weeks that began before it, and the rides without a date.
      const isBelow = ({ week: { start } }) => made.start !== null && (start === null || start < made.start);
      const next = [...this.#list.children].find(isBelow);
      this.#list.insertBefore(made.element, next ?? null);
    });
    week.insert(activity);
    week.update();
    this.#status.textContent = "";
  }

  #isAboveEnd({ start }) {
    return start !== undefined && [...this.#activities.values()].some(other => other.start !== undefined && other.start < start);
  }

  #matches({ name = "", note = "", sport, deleted }) {
    const { filter } = this;
    const text = `${name}\n${note}`.toLowerCase();
    return deleted === undefined && (filter.sport === "" || filter.sport === sport) && text.includes(filter.text.toLowerCase());
  }
}

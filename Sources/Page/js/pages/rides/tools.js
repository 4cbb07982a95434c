// What is above the list of rides: search, choice of the sport, and links to other pages.

import { SPORTS, sportName } from "../../core/activities.js";
import { make, makeLink } from "../../ui/elements.js";

/** The search begins this long after the last key. */
export const TYPING_MS = 300;

/** With the right that each needs. */
const LINKS = {
  "/routes": ["routes", "view"], "/week": ["statistics", "view"], "/rides/add": ["rides_add", "ride"], "/rides/import": ["rides_import", "manage"],
  "/rides/deleted": ["rides_deleted", "manage"], "/coach": ["coach", "view"],
};

export class RideFilter {
  #timer = null;

  /** @param {(filter: {text: string, sport: string}) => void} change */
  constructor(app, filter, change) {
    const { texts } = app;
    this.app = app;
    this.change = change;
    this.search = make("input", "field search");
    Object.assign(this.search, { type: "search", value: filter.text, placeholder: texts.get("search_rides"), autocomplete: "off" });
    this.search.setAttribute("aria-label", texts.get("search_rides"));
    this.sport = make("select", "field");
    this.sport.setAttribute("aria-label", texts.get("sport"));
    this.sport.append(new Option(texts.get("all_sports"), ""));
    this.offer([...SPORTS, ...(filter.sport ? [filter.sport] : [])]);
    this.sport.value = filter.sport;
    this.search.addEventListener("input", () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#report(), TYPING_MS);
    });
    this.search.addEventListener("change", () => this.#report());
    this.sport.addEventListener("change", () => this.#report());
    this.shown = { ...filter };
    this.element = make("div", "ride-filter", this.search, this.sport);
    this.element.setAttribute("role", "search");
  }

  /** Adds sports that are not in the choice. */
  offer(sports) {
    const known = new Set([...this.sport.options].map(option => option.value));
    for (const sport of new Set(sports)) if (!known.has(sport)) this.sport.append(new Option(sportName(this.app.texts, sport), sport));
  }

  close() {
    clearTimeout(this.#timer);
  }

  #report() {
    clearTimeout(this.#timer);
    const filter = { text: this.search.value.trim(), sport: this.sport.value };
    if (filter.text === this.shown.text && filter.sport === this.shown.sport) return;
    this.shown = filter;
    this.change(filter);
  }
}

/** Links to the other pages of rides. `update` shows those for which this screen has the right. */
export function makeLinks(app) {
  const links = Object.entries(LINKS).map(([path, [key, right]]) => {
    const link = makeLink(app.router, path, app.texts.get(key));
    link.classList.add("line-button");
    return { link, right };
  });
  const element = make("nav", "ride-links", ...links.map(({ link }) => link));
  element.setAttribute("aria-label", app.texts.get("rides_more"));
  const update = () => {
    for (const { link, right } of links) link.hidden = !app.rights.includes(right);
  };
  update();
  return { element, update };
}

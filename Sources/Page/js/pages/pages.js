// The pages besides the dashboard. Their code is loaded when the first of them is opened.

import { make, makeIcon } from "../ui/elements.js";

/** Pages below /rides. Any other name there is the id of a ride. */
const RIDES_PAGES = new Set(["add", "deleted", "import"]);

/** Modules of the pages below /routes. Any other name there is the id of a route. */
const ROUTES_PAGES = { draw: () => import("./draw.js"), import: () => import("./routes.js") };

const LOADERS = {
  coach: () => import("./coach.js"),
  rides: ([name]) => (name === undefined || RIDES_PAGES.has(name) ? import("./rides.js") : import("./ride.js")),
  routes: ([name]) => (name === undefined ? import("./routes.js") : ROUTES_PAGES[name]?.() ?? import("./route.js")),
  settings: () => import("./settings.js"),
  pair: () => import("./pair.js"),
  wall: () => import("./wall.js"),
  week: () => import("./week.js"),
};

/** A title is a word, or a function if it depends on records that may come later. */
function titleOf({ title }) {
  return typeof title === "function" ? title() : title;
}

export class Pages {
  #opened = null;
  #heading = make("h1");
  #wanted = 0;

  /** @param {object} app the parts of the page that all pages use */
  constructor(element, app) {
    this.element = element;
    this.app = app;
  }

  get isOpen() {
    return this.#opened !== null;
  }

  /** Whether the page needs values while it is hidden. */
  get worksHidden() {
    return this.#opened?.worksHidden?.() ?? false;
  }

  async show({ page, parts }) {
    this.#wanted += 1;
    const wanted = this.#wanted;
    const load = LOADERS[page];
    const open = load ? (await load(parts)).open : null;
    if (wanted !== this.#wanted) return;
    this.#opened?.close?.();
    this.#opened = open ? open(this.app, parts) : null;
    document.documentElement.dataset.page = page;
    document.title = "Cyclometer";
    this.element.replaceChildren();
    if (!this.#opened) return;
    this.element.append(this.#makeHead(this.#opened), this.#opened.element);
    this.#showTitle();
    this.element.scrollTop = 0;
    this.#heading.focus({ preventScroll: true });
    this.app.draw();
  }

  /** With each frame. */
  update(context) {
    if (!this.#opened) return;
    this.#opened.update?.(context);
    this.#showTitle();
  }

  /** A record about something that this page asked the daemon to do. */
  recordTask(record) {
    this.#opened?.recordTask?.(record);
  }

  /** A record of the recorder: an activity was added, changed or removed. */
  recordActivity(record) {
    this.#opened?.recordActivity?.(record);
  }

  /** Another screen or program saved a document. */
  recordDocument(record) {
    this.#opened?.recordDocument?.(record);
  }

  #showTitle() {
    const title = titleOf(this.#opened);
    if (this.#heading.textContent === title) return;
    this.#heading.textContent = title;
    document.title = `${title} – Cyclometer`;
  }

  #makeHead({ parent }) {
    this.#heading = make("h1");
    this.#heading.tabIndex = -1;
    const head = make("div", "page-head", this.#heading);
    if (parent) {
      const back = make("button", "back", makeIcon("chevron-left").element);
      back.type = "button";
      back.setAttribute("aria-label", this.app.texts.get("back"));
      back.addEventListener("click", () => this.app.router.leave(parent));
      head.prepend(back);
    }
    return head;
  }
}

// The pages besides the dashboard. Their code is loaded when the first of them is opened.

import { make, makeIcon } from "../ui/elements.js";

const LOADERS = {
  rides: () => import("./rides.js"),
  settings: () => import("./settings.js"),
  pair: () => import("./pair.js"),
};

export class Pages {
  #opened = null;
  #wanted = 0;

  /** @param {object} app the parts of the page that all pages use */
  constructor(element, app) {
    this.element = element;
    this.app = app;
  }

  get isOpen() {
    return this.#opened !== null;
  }

  async show({ page, parts }) {
    this.#wanted += 1;
    const wanted = this.#wanted;
    const load = LOADERS[page];
    const open = load ? (await load()).open : null;
    if (wanted !== this.#wanted) return;
    this.#opened?.close?.();
    this.#opened = open ? open(this.app, parts) : null;
    document.documentElement.dataset.page = page;
    document.title = this.#opened ? `${this.#opened.title} – Cyclometer` : "Cyclometer";
    this.element.replaceChildren();
    if (!this.#opened) return;
    this.element.append(this.#makeHead(this.#opened), this.#opened.element);
    this.element.scrollTop = 0;
    this.element.querySelector("h1").focus({ preventScroll: true });
  }

  /** With each frame. */
  update(context) {
    this.#opened?.update?.(context);
  }

  /** A record about something that this page asked the daemon to do. */
  recordTask(record) {
    this.#opened?.recordTask?.(record);
  }

  #makeHead({ title, parent }) {
    const heading = make("h1", "", title);
    heading.tabIndex = -1;
    const head = make("div", "page-head", heading);
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

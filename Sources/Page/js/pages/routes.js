// The routes of the logbook as a list, with pages to draw and to import some.

import { isBeingRemoved } from "../acts/removal.js";
import { make, makeIcon, makeLink, makeSVG } from "../ui/elements.js";
import { numbersOf, pathOf, sentenceOf, trackOf } from "../core/routes.js";
import { Thumbnails } from "../core/thumbnails.js";
import { open as openImport } from "./rides/import.js";
import { THUMBNAIL } from "./rides/line.js";
import { TYPING_MS } from "./rides/tools.js";

const PAGE_SIZE = 50;
const THUMBNAIL_POINTS = 64;
/** With the right that each needs. */
const LINKS = { "/routes/draw": ["routes_draw", "ride"], "/routes/import": ["rides_import", "manage"] };

/** Tracks stay when the rider leaves the page and comes back. */
let thumbnails = null;

export function open(app, [name]) {
  if (name === "import") return { ...openImport(app, "route"), title: app.texts.get("routes_import"), parent: "/routes" };
  const list = new RouteList(app);
  return {
    title: app.texts.get("routes"), parent: "/rides", element: list.element,
    update: () => list.update(),
    close: () => list.close(),
  };
}

class RouteList {
  #last = null;
  #search = 0;
  #timer = null;
  #links = [];

  constructor(app) {
    const { texts } = app;
    this.app = app;
    // Back from a route shows what was searched for.
    this.text = history.state?.routes ?? "";
    this.status = make("p", "sentence");
    this.status.setAttribute("role", "status");
    this.list = make("ul", "rides");
    this.list.hidden = true;
    this.more = make("button", "line-button plain", texts.get("more"));
    this.more.type = "button";
    this.more.hidden = true;
    this.more.addEventListener("click", () => this.#load());
    thumbnails ??= new Thumbnails(async path => trackOf(await app.server.get(path)), THUMBNAIL, {
      pathOf: ({ id }) => `${pathOf(id)}?points=${THUMBNAIL_POINTS}`, keyOf: ({ id }) => id,
    });
    this.seen = new IntersectionObserver(entries => this.#follow(entries), { root: app.pages.element });
    this.element = make("div", "page-body", this.#makeSearch(), this.#makeLinks(), this.status, this.list, this.more);
    this.#load();
  }

  #makeSearch() {
    const field = make("input", "field search");
    Object.assign(field, { type: "search", value: this.text, placeholder: this.app.texts.get("routes_search"), autocomplete: "off" });
    field.setAttribute("aria-label", this.app.texts.get("routes_search"));
    field.addEventListener("input", () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#restart(field.value.trim()), TYPING_MS);
    });
    const box = make("div", "ride-filter", field);
    box.setAttribute("role", "search");
    return box;
  }

  #makeLinks() {
    const { router, texts } = this.app;
    this.#links = Object.entries(LINKS).map(([path, [key, right]]) => {
      const link = makeLink(router, path, texts.get(key));
      link.classList.add("line-button");
      return { link, right };
    });
    const element = make("nav", "ride-links", ...this.#links.map(({ link }) => link));
    element.setAttribute("aria-label", texts.get("routes_more"));
    this.update();
    return element;
  }

  /** With each frame: the rights of the screen can change. */
  update() {
    for (const { link, right } of this.#links) link.hidden = !this.app.rights.includes(right);
  }

  #restart(text) {
    if (text === this.text) return;
    this.text = text;
    history.replaceState({ ...history.state, routes: text }, "", location.href);
    this.#last = null;
    this.#load();
  }

  async #load() {
    const { server, texts } = this.app;
    this.#search += 1;
    const search = this.#search, isFirst = this.#last === null;
    if (isFirst) this.status.textContent = texts.get("loading");
    const query = new URLSearchParams({ limit: PAGE_SIZE });
    if (!isFirst) query.set("before", this.#last);
    if (this.text) query.set("text", this.text);
    try {
      const { routes, more = false } = await server.get(`/api/1/routes?${query}`);
      if (search !== this.#search) return;
      // The lines that go are not seen any more.
      if (isFirst) this.seen.disconnect();
      const lines = routes.filter(({ id }) => !isBeingRemoved(pathOf(id))).map(route => this.#makeLine(route));
      if (isFirst) this.list.replaceChildren(...lines);
      else this.list.append(...lines);
      // The button that goes had the focus, so the first new route gets it.
      if (!more && document.activeElement === this.more) lines[0]?.querySelector("a").focus();
      this.#last = routes.at(-1)?.id ?? this.#last;
      this.#show(more, "more", this.list.childElementCount > 0 ? "" : texts.get(this.text ? "no_such_rides" : "no_routes"));
    } catch (error) {
      if (search !== this.#search) return;
      if (isFirst) this.list.replaceChildren();
      this.#show(true, "retry", sentenceOf(texts, error));
    }
  }

  #show(hasMore, key, sentence) {
    this.status.textContent = sentence;
    this.list.hidden = this.list.childElementCount === 0;
    this.more.hidden = !hasMore;
    this.more.textContent = this.app.texts.get(key);
  }

  #makeLine(route) {
    const link = makeLink(this.app.router, `/routes/${route.id}`, route.name);
    link.classList.add("ride-link");
    const numbers = numbersOf(this.app, route).map(text => make("span", "", text));
    const words = make("div", "ride-words", make("h2", "ride-name", link), make("p", "ride-numbers", ...numbers));
    const picture = make("span", "thumbnail", makeIcon("flag").element);
    picture.setAttribute("aria-hidden", "true");
    const line = make("li", "ride", words, picture);
    line.route = route;
    line.showTrack = path => {
      if (path === "") return;
      const { width, height } = THUMBNAIL;
      picture.replaceChildren(makeSVG("svg", { viewBox: `0 0 ${width} ${height}`, width, height }, makeSVG("path", { d: path })));
    };
    this.seen.observe(line);
    return line;
  }

  #follow(entries) {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) thumbnails.cancel(target.route);
      else thumbnails.request(target.route, path => {
        target.showTrack(path);
        this.seen.unobserve(target);
      });
    }
  }

  close() {
    this.#search += 1;
    clearTimeout(this.#timer);
    this.seen.disconnect();
    thumbnails.cancelAll();
  }
}

// Which page a path shows. There is one document: a path is a state of it, so that Back works and a
// reload shows the same page again.

const PAGES = new Set(["coach", "rides", "routes", "settings", "pair", "wall", "week"]);

/** @returns {{page: string, parts: string[]}} the parts after the name of the page */
export function parsePath(path) {
  const parts = path.split("/").filter(part => part !== "").map(decode);
  return PAGES.has(parts[0]) ? { page: parts[0], parts: parts.slice(1) } : { page: "dashboard", parts: [] };
}

function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export class Router {
  #onBack = null;
  #isReleasing = false;

  /** @param {(place: {page: string, parts: string[]}) => void} show */
  constructor(show) {
    this.show = show;
  }

  start() {
    window.addEventListener("popstate", () => this.#pop());
    this.#show();
  }

  get place() {
    return parsePath(location.pathname);
  }

  go(path) {
    if (path === location.pathname) return;
    history.pushState({ depth: this.#depth + 1 }, "", path + location.search);
    this.#show();
  }

  replace(path) {
    history.replaceState(history.state, "", path + location.search);
    this.#show();
  }

  /** Back to where the rider came from, or to `parent` if this page was opened by its address. */
  leave(parent) {
    if (this.#depth > 0) history.back();
    else this.replace(parent);
  }

  /** While something is held, Back calls `onBack` in place of leaving the page. */
  hold(onBack) {
    this.#onBack = onBack;
    history.pushState({ depth: this.#depth + 1 }, "", location.href);
  }

  release() {
    if (!this.#onBack) return;
    this.#onBack = null;
    this.#isReleasing = true;
    history.back();
  }

  get #depth() {
    return history.state?.depth ?? 0;
  }

  #pop() {
    const isReleased = this.#isReleasing;
    this.#isReleasing = false;
    if (isReleased) return;
    const onBack = this.#onBack;
    this.#onBack = null;
    if (onBack) onBack();
    else this.#show();
  }

  #show() {
    this.show(this.place);
  }
}

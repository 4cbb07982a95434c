// Adds files to the logbook, one after the other. A file that is refused stops no other.

import { dateOf, nameOf } from "../../core/activities.js";
import { make, makeLink } from "../../ui/elements.js";
import { Form } from "../../ui/form.js";

const MEBIBYTE = 1048576;
const MOST_BYTES = 64 * MEBIBYTE;
const FORMATS = ".fit,.gpx,.tcx";
const TARGETS = ["", "activity", "route"];
/** The rides that one file added are listed up to this number. */
const MOST_LINKS = 20;

/** @param {string} [wanted] of `TARGETS`: what the files are added as, unless the rider chooses otherwise */
export function open(app, wanted = "") {
  const { texts } = app;
  const form = new Form(app);
  const files = make("ul", "lines imports");
  files.hidden = true;
  let target = wanted;
  let queue = Promise.resolve();
  const choice = form.choice(texts.get("import_as"), target, TARGETS.map(key => [key, texts.get(`import_as_${key || "content"}`)]), value => {
    target = value;
  }, texts.get("import_as_hint"), false);
  // The button stands for it: browsers do not let pages draw theirs.
  const picker = make("input");
  Object.assign(picker, { type: "file", accept: FORMATS, multiple: true, hidden: true });
  const button = form.button(texts.get("choose_files"), () => picker.click(), "call");
  picker.addEventListener("change", () => {
    for (const file of picker.files) {
      const line = new FileLine(app, file);
      files.append(line.element);
      const as = target;
      queue = queue.then(() => line.send(as));
    }
    files.hidden = files.childElementCount === 0;
    // The same file can be chosen again.
    picker.value = "";
  });
  return {
    title: texts.get("rides_import"),
    element: make("div", "page-body", form.text(texts.get("import_hint")), make("div", "lines section", choice), button, picker, files),
  };
}

/** One file: how much of it is sent, and what became of it. */
class FileLine {
  constructor(app, file) {
    this.app = app;
    this.file = file;
    this.state = make("span", "value", app.texts.get("import_waiting"));
    this.progress = make("progress", "sent");
    Object.assign(this.progress, { max: 1, value: 0 });
    this.progress.setAttribute("aria-label", file.name);
    this.result = make("div", "import-result");
    this.element = make("li", "line fact", make("span", "label", file.name), this.state, this.progress, this.result);
  }

  async send(target) {
    const { texts, server } = this.app;
    if (this.file.size > MOST_BYTES) return this.#fail(texts.get("import_too_large", Math.ceil(this.file.size / MEBIBYTE)));
    if (this.file.size === 0) return this.#fail(texts.get("import_empty"));
    this.state.textContent = texts.get("import_sending");
    const query = new URLSearchParams({ name: this.file.name, ...(target ? { as: target } : {}) });
    try {
      const answer = await server.upload(`/api/1/import?${query}`, this.file, share => {
        this.progress.value = share;
        if (share === 1) this.state.textContent = texts.get("import_reading");
      });
      await this.#show(answer);
    } catch (error) {
      this.#fail(error.status === 503 ? texts.get("not_recorded") : error.message);
    }
  }

  async #show({ added = [], routes = [], warnings = [], duplicate_of = [] }) {
    const { texts } = this.app;
    const parts = [
      added.length > 0 && texts.get(added.length === 1 ? "import_added_1" : "import_added", added.length),
      routes.length > 0 && texts.get(routes.length === 1 ? "import_route_1" : "import_routes", routes.length),
      duplicate_of.length > 0 && texts.get("import_known"),
    ].filter(Boolean);
    this.#end(parts.join(", ") || texts.get("import_nothing"));
    this.result.append(...warnings.map(warning => make("p", "hint", warning)));
    for (const id of [...added, ...duplicate_of].slice(0, MOST_LINKS)) this.result.append(await this.#makeRideLink(id));
    for (const id of routes.slice(0, MOST_LINKS)) this.result.append(this.#makeRouteLink(id));
  }

  #makeRouteLink(id) {
    const link = makeLink(this.app.router, `/routes/${id}`, this.app.texts.get("import_open_route"));
    link.classList.add("line-button");
    return link;
  }

  async #makeRideLink(id) {
    const { texts, router, server } = this.app;
    const link = makeLink(router, `/rides/${id}`, texts.get("import_open"));
    link.classList.add("line-button");
    try {
      const activity = await server.get(`/api/1/activities/${id}`);
      link.textContent = `${nameOf(activity, texts)}, ${dateOf(activity, this.app)}`;
    } catch {
      // The link leads there without a name.
    }
    return link;
  }

  #fail(reason) {
    this.#end(this.app.texts.get("import_failed"));
    this.result.append(make("p", "error", reason));
    this.app.speak(reason);
  }

  #end(text) {
    this.progress.remove();
    this.state.textContent = text;
    this.app.speak(`${this.file.name}: ${text}`);
  }
}

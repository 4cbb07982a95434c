// What can be done with a route: save it as a file, rename it, delete it. Each act is there only for
// screens with its right.

import { removeLater } from "../../acts/removal.js";
import { pathOf } from "../../core/routes.js";
import { make } from "../../ui/elements.js";
import { Form } from "../../ui/form.js";

const FORMATS = ["gpx", "tcx", "fit"];

export class RouteActs {
  #rights = null;

  /** @param {(route: object) => void} onChange called with each state that the rider made */
  constructor(app, route, { onChange }) {
    this.app = app;
    this.route = route;
    this.onChange = onChange;
    this.form = new Form(app);
    this.element = make("div", "acts report-acts route-acts");
    this.update();
  }

  /** Builds the acts again if the rights of the screen have changed. */
  update() {
    const rights = this.app.rights.join();
    if (rights === this.#rights) return;
    this.#rights = rights;
    const { form, route, app: { texts } } = this;
    const mayEdit = this.app.rights.includes("ride"), mayManage = this.app.rights.includes("manage");
    this.element.replaceChildren(...[
      form.section(texts.get("files"), make("div", "act-buttons", ...FORMATS.map(format => this.#makeFile(format)))),
      mayEdit && form.section(texts.get("route_edit"), form.word(texts.get("name"), route.name, name => this.#rename(name))),
      mayManage && make("section", "section", form.hold(texts.get("route_delete"), async () => this.#remove())),
    ].filter(Boolean));
  }

  #makeFile(format) {
    const link = make("a", "line-button", format.toUpperCase());
    link.href = `${pathOf(this.route.id)}?format=${format}`;
    link.download = "";
    link.setAttribute("aria-label", `${this.route.name}: ${format.toUpperCase()}`);
    return link;
  }

  async #rename(name) {
    if (name === "") throw new Error(this.app.texts.get("route_needs_name"));
    this.route = await this.app.server.patch(pathOf(this.route.id), { name });
    this.onChange(this.route);
  }

  #remove() {
    const { route, app } = this;
    if (this.element.isConnected) app.router.replace("/routes");
    removeLater(app, { path: pathOf(route.id), name: route.name, undone: () => app.router.go(`/routes/${route.id}`) });
  }
}

// The widgets that can be added, in groups, each with its value of now and its sizes.

import { CATALOGUE, sizesOf } from "../core/catalogue.js";
import { readItem } from "../core/items.js";
import { make } from "../ui/elements.js";
import { Question } from "../ui/question.js";
import { WidgetView } from "../ui/widget.js";

const GROUPS = {
  ride: ["speed", "pace", "distance", "ride_time", "lap", "energy"],
  body: ["heart_rate", "zone", "hrv", "breathing", "oxygen", "muscle", "body_temperature", "ecg"],
  pedals: ["cadence", "power", "trainer", "coach"],
  bike: ["tires", "radar", "battery", "bike"],
  place: ["elevation", "grade", "position", "environment", "map", "route", "segment"],
};

export class Picker {
  #views = [];
  #question = null;

  /** @param {(widget: object) => void} add */
  constructor(app, add) {
    this.app = app;
    this.add = add;
  }

  open() {
    this.#views = [];
    this.#question = new Question(this.app.texts, this.app.texts.get("picker"), this.#makeGroups(),
      { isTall: true, onClose: () => this.close() });
    this.#question.open();
    // The values that no widget of the layout has shown so far.
    this.app.setPreview(this.#views.map(view => view.widget));
  }

  close() {
    this.#question?.close();
    this.#question = null;
    this.#views = [];
  }

  update(context) {
    for (const view of this.#views) view.update(context);
  }

  #makeGroups() {
    const { store, clock, texts } = this.app;
    const known = Object.keys(CATALOGUE);
    const grouped = Object.values(GROUPS).flat();
    const groups = { ...GROUPS, other: known.filter(id => !grouped.includes(id)) };
    const context = { store, now: clock.now, isCutOff: false, date: new Date(), texts };
    const isMissing = id => readItem(CATALOGUE[id].primary, context).state === "unknown";
    const missing = known.filter(isMissing);
    const sections = Object.entries(groups).map(([name, ids]) => this.#makeGroup(
      texts.get(`group_${name}`), ids.filter(id => known.includes(id) && !missing.includes(id))));
    return [...sections, this.#makeGroup(texts.get("needs_sensor"), missing)].filter(Boolean);
  }

  #makeGroup(title, ids) {
    if (ids.length === 0) return null;
    const list = make("ul", "choices", ...ids.map(id => this.#makeChoice(id)));
    return make("section", "picker-group", make("h3", "section-title", title), list);
  }

  #makeChoice(id) {
    const { texts } = this.app;
    const view = new WidgetView({ id, size: "1x1" }, texts);
    this.#views.push(view);
    const preview = make("div", "preview");
    preview.setAttribute("aria-hidden", "true");
    // The preview is a picture: its buttons are those of the sizes.
    const picture = make("div", view.element.className, ...view.element.childNodes);
    for (const [name, value] of Object.entries(view.element.dataset)) picture.dataset[name] = value;
    view.element = picture;
    preview.toggleAttribute("inert", true);
    preview.append(picture);
    const sizes = sizesOf(id).map(size => {
      const button = make("button", "size", size.replace("x", "×"));
      button.type = "button";
      button.setAttribute("aria-label", `${texts.get(id)}, ${texts.get("edit_size", size.replace("x", " × "))}`);
      button.addEventListener("click", () => {
        this.close();
        this.add({ id, size });
      });
      return button;
    });
    return make("li", "choice", preview, make("span", "sizes", ...sizes));
  }
}

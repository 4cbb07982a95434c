// The map of a ride, and the choice of what colors its track. The track is there before the series,
// which colors it.

import { make } from "../ui/elements.js";
import { COLORED_BY } from "../map/coloring.js";
import { RideMap } from "../map/ride-map.js";
import { makePart, PartStatus } from "./part.js";

const MOST_POINTS = 4000;

export class MapPart {
  #track = null;
  #series = null;
  #by = null;
  #isClosed = false;

  constructor(app, { activity, path, cursor }) {
    this.app = app;
    this.activity = activity;
    this.path = path;
    const { texts } = app;
    this.status = new PartStatus(texts, () => this.load());
    this.choice = make("div", "range-choice color-choice");
    this.choice.setAttribute("role", "radiogroup");
    this.choice.setAttribute("aria-label", texts.get("color_by"));
    this.choice.hidden = true;
    this.map = new RideMap(app, { label: texts.get("map_of_ride") });
    this.map.element.hidden = true;
    this.map.onCursor = seconds => cursor.set(seconds);
    cursor.follow(seconds => this.map.setCursor(seconds));
    this.element = makePart("map", texts.get("map"), this.choice, this.status.element, this.map.element);
  }

  async load() {
    this.status.loading();
    try {
      this.#track = await this.app.server.get(`${this.path}/track?points=${MOST_POINTS}`);
      if (this.#isClosed) return;
      this.status.say("");
      this.map.element.hidden = false;
      this.#show();
    } catch (error) {
      if (!this.#isClosed) this.status.refuse(error);
    }
  }

  /** @param {import("./ride-series.js").RideSeries} series */
  showSeries(series) {
    this.#series = series;
    const offered = Object.keys(COLORED_BY).filter(by => series.summary(COLORED_BY[by].field) !== null);
    if (!offered.includes(this.#by)) this.#by = offered[0] ?? null;
    this.choice.replaceChildren(...offered.map(by => this.#makeOption(by)));
    this.#show();
  }

  #makeOption(by) {
    const radio = make("input");
    Object.assign(radio, { type: "radio", name: "color", value: by, checked: by === this.#by });
    radio.addEventListener("change", () => {
      this.#by = by;
      this.#show();
    });
    return make("label", "", radio, make("span", "", this.app.texts.get(by)));
  }

  #show() {
    if (this.#track === null) return;
    this.map.show({ track: this.#track, series: this.#series?.document ?? null, by: this.#by, floors: this.activity.zone_floors_bpm });
    this.choice.hidden = this.map.isEmpty || this.choice.childElementCount < 2;
  }

  lengthBetween(from, to) {
    return this.map.lengthBetween(from, to);
  }

  /** Marks a part of the ride; null, null marks none. */
  mark(from, to) {
    this.map.zoomToLap(from, to);
  }

  close() {
    this.#isClosed = true;
    this.map.close();
  }
}

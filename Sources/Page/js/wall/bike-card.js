// One bike of the wall: its name and state, the road behind, and its values, each with its age. The
// elements are made once and change in place.

import { CATALOGUE } from "../core/catalogue.js";
import { format } from "../core/format.js";
import { shortAge } from "../core/states.js";
import { convert, unitOf } from "../core/units.js";
import { make, makeText, setAttribute } from "../ui/elements.js";
import { NumberView } from "../ui/number.js";
import { hasKind, readRoad, readValue, stateOf } from "./fleet.js";

export const VALUES = ["speed", "power", "heart_rate", "cadence"];

/** Words for the states of values that have no number. */
const WORDS = new Set(["lost", "searching", "unknown", "error"]);

export class BikeCard {
  #values = [];

  constructor(texts) {
    this.texts = texts;
    this.name = makeText("h2", "wall-name");
    this.state = makeText("p", "wall-state");
    this.road = makeText("p", "wall-road");
    this.list = make("dl", "wall-values");
    this.element = make("li", "wall-bike", make("div", "wall-head", this.name.element, this.state.element), this.road.element, this.list);
    for (const id of VALUES) {
      const value = new ValueCell(id, texts);
      this.#values.push(value);
      this.list.append(value.element);
    }
  }

  /** @param {object} context as the page's, with `fleet`, `now` and `isCutOff` of the wall's stream */
  update(bike, context) {
    const { fleet, now, isCutOff } = context;
    const state = stateOf(fleet, bike, isCutOff);
    setAttribute(this.element, "data-state", state);
    this.name.text = fleet.groups > 1 ? `${bike.group} · ${bike.name}` : bike.name;
    this.state.text = this.texts.get(`wall_${state}`);
    this.#showRoad(readRoad(fleet, bike, now, isCutOff), context);
    for (const value of this.#values) value.update(bike, context);
  }

  #showRoad({ state, targets }, { units, point }) {
    this.road.element.hidden = state === "absent";
    setAttribute(this.road.element, "data-road", state);
    if (state !== "car" && state !== "fast") {
      this.road.text = this.texts.get(`wall_road_${state}`);
      return;
    }
    const nearest = convert("height", targets.at(-1).distance_m, units);
    const distance = `${format("whole", nearest, { point })} ${unitOf("height", units)}`;
    const cars = targets.length === 1 ? this.texts.get("wall_car", distance) : this.texts.get("wall_cars", targets.length, distance);
    this.road.text = state === "fast" ? this.texts.get("wall_fast", cars) : cars;
  }
}

class ValueCell {
  constructor(id, texts) {
    this.texts = texts;
    this.source = CATALOGUE[id].primary;
    this.number = new NumberView();
    this.unit = makeText("span", "unit");
    this.remark = makeText("span", "wall-age");
    this.spoken = makeText("span", "unseen");
    for (const { element } of [this.unit, this.remark]) element.setAttribute("aria-hidden", "true");
    const caption = make("dt", "caption", texts.get(id));
    const number = make("span", "wall-number", this.number.element, this.unit.element);
    this.element = make("div", "wall-value", caption, make("dd", "", number, this.remark.element, this.spoken.element));
  }

  update(bike, { fleet, now, isCutOff, units, point }) {
    const isShown = hasKind(bike, this.source.kind);
    this.element.hidden = !isShown;
    if (!isShown) return;
    const { state, value, age } = readValue(fleet, bike, this.source, now, isCutOff);
    const isCurrent = state === "live" || state === "stale";
    const text = isCurrent ? format(this.source.form, convert(this.source.quantity, value, units), { point }) : null;
    const unit = this.source.unit ?? unitOf(this.source.quantity, units) ?? "";
    const word = WORDS.has(state) ? this.texts.get(state) : isCurrent ? "" : this.texts.get("wait");
    const old = age === undefined ? "" : this.texts.get("seconds_old", shortAge(age));
    setAttribute(this.element, "data-state", state);
    this.number.text = text;
    this.unit.text = text === null ? "" : unit;
    // The age of a live value is always short: its place does not move the others.
    const remark = [word, old].filter(each => each !== "").join(", ");
    this.remark.text = remark;
    this.spoken.text = text === null ? remark : `${text} ${unit}, ${remark}`;
  }
}

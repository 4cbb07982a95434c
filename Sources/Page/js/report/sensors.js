// The sensors of a ride: what they measured, and the charge of their batteries at its end.

import { make } from "../ui/elements.js";
import { nameOfSensor } from "./happenings.js";
import { makePart } from "./part.js";

export class RideSensors {
  constructor(app, activity) {
    const { texts } = app;
    const sensors = activity.sensors ?? [];
    const lines = sensors.map(({ sensor, kinds = [], battery_pct: charge }) => make("li", "line",
      make("span", "label", nameOfSensor(activity, sensor), make("span", "note", kinds.map(kind => wordOf(texts, kind)).join(", "))),
      make("span", "value", charge === undefined ? "" : texts.get("battery_left", Math.round(charge)))));
    this.element = makePart("sensors", texts.get("sensors"), make("ul", "lines", ...lines));
    this.element.hidden = sensors.length === 0;
  }
}

/** A kind that has no word yet is shown as the protocol has it. */
function wordOf(texts, kind) {
  const word = texts.get(kind);
  return word === kind ? kind.replaceAll("_", " ") : word;
}

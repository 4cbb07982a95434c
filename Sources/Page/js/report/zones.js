// The times in the zones of the heart rate and of the power.

import { ZoneBars } from "../ui/zone-bars.js";
import { makePart } from "./part.js";

export class Zones {
  constructor(app, { name, title, times, floors, unit }) {
    const bars = new ZoneBars(app.texts);
    const count = times?.length ?? 0;
    bars.update({ zone_times_s: times ?? [] }, floors?.length === count ? rangesOf(floors, unit) : [], false);
    this.element = makePart(name, title, bars.element);
    this.element.hidden = !times?.some(time => time > 0);
  }
}

/** The last zone has no upper end. */
function rangesOf(floors, unit) {
  return floors.map((floor, index) => {
    const next = floors[index + 1];
    const from = Math.round(floor);
    return next === undefined ? `≥ ${from} ${unit}` : `${from}–${Math.max(from, Math.ceil(next) - 1)} ${unit}`;
  });
}

// Items of the catalogue as readings and texts: what widgets, the drawer and the status sheet share.

import { format } from "./format.js";
import { read } from "./states.js";
import { convert } from "./units.js";

const HAS_VALUE = new Set(["live", "stale", "paused"]);

export function hasValue(reading) {
  return HAS_VALUE.has(reading.state);
}

export function readItem(item, context, sensor) {
  if (item.compute) return item.compute(context, sensor);
  return read(context.store, item, sensor, context.now, context.isCutOff);
}

/** The text of a reading, or null where there is no number. */
export function textOf(item, reading, context, isShort = false) {
  if (!hasValue(reading)) return null;
  if (item.form === "text") return reading.value;
  const value = convert(item.quantity, reading.value * (item.factor ?? 1), context.units);
  return format(item.form, value, { point: context.point, isShort });
}

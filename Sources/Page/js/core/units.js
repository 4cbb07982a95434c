// From SI to what the rider reads. Samples are SI; this table is the only place that converts.

const METRIC = {
  speed: { unit: "km/h", factor: 3.6 },
  distance: { unit: "km", factor: 0.001 },
  pool: { unit: "m", factor: 1 },
  height: { unit: "m", factor: 1 },
  pressure: { unit: "bar", factor: 1e-5 },
  temperature: { unit: "°C", factor: 1 },
  weight: { unit: "kg", factor: 1 },
  pace: { unit: "/km", factor: 1 },
};

const IMPERIAL = {
  speed: { unit: "mph", factor: 3600 / 1609.344 },
  distance: { unit: "mi", factor: 1 / 1609.344 },
  pool: { unit: "yd", factor: 1 / 0.9144 },
  height: { unit: "ft", factor: 1 / 0.3048 },
  pressure: { unit: "psi", factor: 1 / 6894.757293 },
  temperature: { unit: "°F", factor: 1.8, offset: 32 },
  weight: { unit: "lb", factor: 1 / 0.45359237 },
  pace: { unit: "/mi", factor: 1.609344 },
};

/** A quantity that has no choice of its own follows another one. */
const FOLLOWS = { pool: "distance" };

/** @param {string} quantity @param {{system?: string}} units what Settings chose; a quantity may differ */
export function convert(quantity, value, units = {}) {
  const row = rowOf(quantity, units);
  return row ? value * row.factor + (row.offset ?? 0) : value;
}

/** From what the rider wrote back to SI. */
export function revert(quantity, value, units = {}) {
  const row = rowOf(quantity, units);
  // Twelve digits, so that 5 bar are 500000 Pa and not a little less.
  return row ? Number(((value - (row.offset ?? 0)) / row.factor).toPrecision(12)) : value;
}

export function unitOf(quantity, units = {}) {
  return rowOf(quantity, units)?.unit;
}

function rowOf(quantity, units) {
  const system = units[FOLLOWS[quantity] ?? quantity] ?? units.system ?? "metric";
  return (system === "imperial" ? IMPERIAL : METRIC)[quantity];
}

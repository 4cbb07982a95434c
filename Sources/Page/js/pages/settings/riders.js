// The rider's body and heart, which energy, load and zones are computed from.

import { convert, revert, unitOf } from "../../core/units.js";
import { make } from "../../ui/elements.js";
import { loadLater } from "./later.js";

const ZONES = 5;

export function open(app, form) {
  const later = loadLater(app, form, async () => makeForm(app, form, await app.daemon.ask("rider")));
  return { element: make("div", "page-body", later.element) };
}

function makeForm(app, form, rider) {
  const { texts, settings } = app;
  const save = key => value => app.daemon.ask("rider", { [key]: value });
  const number = (label, key, unit) => form.number(texts.get(label), rider[key], unit, save(key));
  const measure = (label, key, quantity, digits) => {
    const shown = rider[key] === undefined ? undefined : Number(convert(quantity, rider[key], settings.units).toFixed(digits));
    return form.number(texts.get(label), shown, unitOf(quantity, settings.units),
      value => save(key)(value === "" ? "" : revert(quantity, value, settings.units)));
  };
  const sexes = [["", texts.get("none_set")], ["female", texts.get("female")], ["male", texts.get("male")]];
  return [
    form.section(texts.get("body"),
      measure("weight", "weight_kg", "weight", 1), measure("body_height", "height_m", "height", 2),
      number("age", "age_years", texts.get("years")),
      form.choice(texts.get("sex"), rider.sex ?? "", sexes, save("sex"), texts.get("sex_hint"))),
    form.section(texts.get("heart"),
      number("max_bpm", "max_bpm", "bpm"), number("resting_bpm", "resting_bpm", "bpm"),
      number("threshold_bpm", "threshold_bpm", "bpm")),
    form.section(texts.get("strength"), number("threshold_power", "threshold_power_w", "W"), number("w_prime", "w_prime_j", "J")),
    makeZones(app, form, rider.zone_floors_bpm ?? []),
  ];
}

/** The zones are saved together, once each has a number, or none has. */
function makeZones(app, form, saved) {
  const { texts } = app;
  const count = Math.max(ZONES, saved.length);
  const floors = Array.from({ length: count }, (_, index) => saved[index] ?? "");
  const save = index => async value => {
    floors[index] = value;
    const known = floors.filter(floor => floor !== "");
    if (known.length === 0) return app.daemon.ask("rider", { zone_floors_bpm: "" });
    if (known.length < count) throw new Error(texts.get("zones_missing", count));
    return app.daemon.ask("rider", { zone_floors_bpm: floors });
  };
  const lines = floors.map((floor, index) => form.number(texts.get("zone_from", index + 1), floor, "bpm", save(index)));
  const section = form.section(texts.get("zones"), ...lines);
  section.append(form.text(texts.get("zones_hint"), "sentence"));
  return section;
}

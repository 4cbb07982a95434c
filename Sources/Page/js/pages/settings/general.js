// General settings: when the ride pauses, units, and how the page looks.

import { convert, revert, unitOf } from "../../core/units.js";
import { make } from "../../ui/elements.js";
import { loadLater } from "./later.js";

const QUANTITIES = ["speed", "height", "temperature", "pressure", "weight"];
/** Distance and pace follow the speed. */
const FOLLOWERS = { speed: ["distance", "pace"] };

export function open(app, form) {
  const { texts, settings } = app;
  const word = key => texts.get(key);
  const systems = [["metric", word("metric")], ["imperial", word("imperial")]];
  const save = key => value => settings.set(key, value);

  const units = form.section(word("units"),
    form.choice(word("unit_system"), settings.units.system, systems, system => settings.set("units", { system })),
    ...QUANTITIES.map(quantity => form.choice(
      word(`unit_${quantity}`), settings.units[quantity] ?? "", [["", word("as_all")], ...systems],
      value => settings.set("units", changedUnits(settings.units, quantity, value)))));

  const display = form.section(word("display"),
    form.choice(word("text_size"), settings.get("text_size"), [85, 100, 115, 130].map(size => [size, `${size} %`]),
      value => settings.set("text_size", Number(value))),
    form.choice(word("bold_text"), settings.get("bold_text"), ["system", "on", "off"].map(key => [key, word(key)]), save("bold_text")),
    form.choice(word("scheme"), settings.get("scheme"), ["system", "light", "dark"].map(key => [key, word(key)]), save("scheme")),
    form.choice(word("language"), settings.get("language"),
      [["system", word("system")], ["en", word("english")], ["de", word("german")]], save("language")),
    form.toggle(word("auto_dim"), settings.get("auto_dim"), save("auto_dim"), word("auto_dim_hint")),
    form.choice(word("radar_side"), settings.get("radar_side"), ["left", "right"].map(key => [key, word(key)]),
      save("radar_side"), word("radar_side_hint")),
    form.choice(word("week_start"), settings.get("week_start"), ["system", "monday", "sunday"].map(key => [key, word(key)]),
      save("week_start")),
    form.toggle(word("lock_layout"), settings.get("lock_layout"), save("lock_layout"), word("lock_layout_hint")),
    form.toggle(word("do_not_disturb"), settings.get("do_not_disturb"), save("do_not_disturb"), word("do_not_disturb_hint")));

  const ride = loadLater(app, form, async () => [makeRide(app, form, await app.daemon.ask("ride_settings"))]);
  const hints = ["keep_awake_hint", ...(navigator.wakeLock ? [] : ["no_wake_lock_hint"])].map(key => form.text(word(key)));
  return { element: make("div", "page-body", ride.element, units, display, ...hints) };
}

function makeRide(app, form, now) {
  const { texts, settings } = app;
  const save = (key, quantity) => value => {
    const inSI = value === "" || !quantity ? value : revert(quantity, value, settings.units);
    return app.daemon.ask("ride_settings", { [key]: inSI });
  };
  const shown = (quantity, value, digits) => Number(convert(quantity, value, settings.units).toFixed(digits));
  return form.section(texts.get("riding"),
    form.toggle(texts.get("auto_pause"), now.auto_pause, save("auto_pause"), texts.get("auto_pause_hint")),
    form.number(texts.get("auto_pause_speed"), shown("speed", now.auto_pause_speed_mps, 1),
      unitOf("speed", settings.units), save("auto_pause_speed_mps", "speed")),
    form.number(texts.get("auto_pause_delay"), now.auto_pause_delay_s, "s", save("auto_pause_delay_s")),
    form.number(texts.get("lap_distance"), shown("distance", now.lap_distance_m, 2),
      unitOf("distance", settings.units), save("lap_distance_m", "distance"), texts.get("lap_distance_hint")));
}

export function changedUnits(units, quantity, value) {
  const changed = { ...units };
  for (const name of [quantity, ...(FOLLOWERS[quantity] ?? [])]) {
    if (value === "") delete changed[name];
    else changed[name] = value;
  }
  return changed;
}

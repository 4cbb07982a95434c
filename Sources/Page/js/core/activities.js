// What several pages show of an activity of the logbook: its name, its date and its sport.

import { format } from "./format.js";
import { convert, unitOf } from "./units.js";
import { localTimeOf } from "./weeks.js";

/** The sports that the rider can choose. Files can have others. */
export const SPORTS = ["cycling", "running", "walking", "hiking", "swimming", "rowing", "strength_training"];

const ICONS = {
  running: "person-running", walking: "person-walking", hiking: "person-hiking", swimming: "person-swimming",
  rowing: "water", strength_training: "dumbbell",
};

export function iconOf(sport) {
  return ICONS[sport] ?? "person-biking";
}

/** A sport that only a file can have is shown by its name there. */
export function sportName(texts, sport = "cycling") {
  const key = `sport_${sport}`;
  const name = texts.get(key);
  return name === key ? sport.replaceAll("_", " ") : name;
}

export function nameOf(activity, texts) {
  return activity.name ?? sportName(texts, activity.sport);
}

/** The date and time at the ride, not at this screen. */
export function dateOf(activity, { texts, language }) {
  const local = localTimeOf(activity);
  if (local === null) return texts.get("no_date");
  const parts = { weekday: "short", day: "numeric", month: "short", hour: "numeric", minute: "2-digit", timeZone: "UTC" };
  return new Intl.DateTimeFormat(language, parts).format(local);
}

/** A number with its unit; null if it is unknown. */
export function amount(app, quantity, form, value, sign = "") {
  if (value === undefined) return null;
  const { units } = app.settings;
  const text = format(form, convert(quantity, value, units), { point: app.point });
  return `${sign}${text} ${unitOf(quantity, units)}`;
}

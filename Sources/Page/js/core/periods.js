// Weeks, months and years of the calendar, as the totals of the logbook name them: 2026-W18, 2026-05
// and 2026. A week has the number of its Thursday in ISO 8601, on whatever day it begins. A day is its
// midnight in UTC. `firstDay` is what `firstDayOfWeek` returns.

import { DAY_MS, startOfWeek } from "./weeks.js";

const THURSDAY = 4;
const WEEK_MS = 7 * DAY_MS;

/** The day that this screen has now. */
export function today(now = new Date()) {
  return Date.UTC(now.getFullYear(), now.getMonth(), now.getDate());
}

/** The first day of the period that a day is in. @param {"week"|"month"|"year"} by */
export function startOf(day, by, firstDay) {
  if (by === "week") return startOfWeek(day, firstDay);
  const date = new Date(day);
  return Date.UTC(date.getUTCFullYear(), by === "month" ? date.getUTCMonth() : 0, 1);
}

/** The name of the period that begins on a day. */
export function nameOf(start, by) {
  if (by !== "week") return new Date(start).toISOString().slice(0, by === "month" ? 7 : 4);
  const thursday = thursdayFrom(start);
  const year = new Date(thursday).getUTCFullYear();
  const number = (thursday - firstThursday(year)) / WEEK_MS + 1;
  return `${year}-W${String(number).padStart(2, "0")}`;
}

/** The first day of the period with a name. */
export function startOfNamed(name, by, firstDay) {
  if (by !== "week") return Date.parse(name);
  const [year, number] = name.split("-W");
  return startOfWeek(firstThursday(Number(year)) + (Number(number) - 1) * WEEK_MS, firstDay);
}

/** The period of a day and those before it, the newest first. */
export function periodsUntil(day, by, count, firstDay) {
  const periods = [];
  for (let start = startOf(day, by, firstDay); periods.length < count; start = startOf(start - DAY_MS, by, firstDay)) {
    periods.push({ name: nameOf(start, by), start });
  }
  return periods;
}

function firstThursday(year) {
  return thursdayFrom(Date.UTC(year, 0, 1));
}

/** The first one from a day on. */
function thursdayFrom(day) {
  return day + ((THURSDAY - new Date(day).getUTCDay() + 7) % 7) * DAY_MS;
}

// Weeks, months and years of the calendar, as the totals of the logbook name them: 2026-W18, 2026-05
// and 2026. Weeks begin on Monday and are numbered as in ISO 8601. A day is its midnight in UTC.

import { DAY_MS, startOfWeek } from "./weeks.js";

const MONDAY = 1;
const WEEK_MS = 7 * DAY_MS;

/** The day that this screen has now. */
export function today(now = new Date()) {
  return Date.UTC(now.getFullYear(), now.getMonth(), now.getDate());
}

/** The first day of the period that a day is in. @param {"week"|"month"|"year"} by */
export function startOf(day, by) {
  if (by === "week") return startOfWeek(day, MONDAY);
  const date = new Date(day);
  return Date.UTC(date.getUTCFullYear(), by === "month" ? date.getUTCMonth() : 0, 1);
}

/** The name of the period that begins on a day. */
export function nameOf(start, by) {
  if (by !== "week") return new Date(start).toISOString().slice(0, by === "month" ? 7 : 4);
  // A week belongs to the year of its Thursday, and the first one has January 4.
  const year = new Date(start + 3 * DAY_MS).getUTCFullYear();
  const number = (start - startOfWeek(Date.UTC(year, 0, 4), MONDAY)) / WEEK_MS + 1;
  return `${year}-W${String(number).padStart(2, "0")}`;
}

/** The first day of the period with a name. */
export function startOfNamed(name, by) {
  if (by !== "week") return Date.parse(name);
  const [year, number] = name.split("-W");
  return startOfWeek(Date.UTC(Number(year), 0, 4), MONDAY) + (Number(number) - 1) * WEEK_MS;
}

/** The period of a day and those before it, the newest first. */
export function periodsUntil(day, by, count) {
  const periods = [];
  for (let start = startOf(day, by); periods.length < count; start = startOf(start - DAY_MS, by)) {
    periods.push({ name: nameOf(start, by), start });
  }
  return periods;
}

// Weeks of the calendar, as the rides are listed by.

export const DAY_MS = 86400000;
const MONDAY = 1;
const SUNDAY = 0;
/** Regions whose weeks begin on Sunday, for browsers that do not know it. */
const SUNDAY_REGIONS = new Set(["US", "CA", "MX", "BR", "IL", "IN", "JP", "KR", "TW", "ZA"]);

/** Sunday or Monday. @param {string} chosen `monday`, `sunday`, or `system` for that of the language */
export function firstDayOfWeek(chosen, language) {
  if (chosen !== "system") return chosen === "sunday" ? SUNDAY : MONDAY;
  const locale = new Intl.Locale(language);
  const first = (locale.getWeekInfo?.() ?? locale.weekInfo)?.firstDay;
  // The logbook has no other weeks.
  if (first) return first % 7 === SUNDAY ? SUNDAY : MONDAY;
  return SUNDAY_REGIONS.has(locale.maximize().region) ? SUNDAY : MONDAY;
}

/** What a query of the logbook needs for weeks that begin on this day. Monday is its default. */
export function weekQuery(firstDay) {
  return firstDay === SUNDAY ? { week_start: "sunday" } : {};
}

/** The first moment of the week, as UTC of a local time. */
export function startOfWeek(local, firstDay) {
  const midnight = Math.floor(local / DAY_MS) * DAY_MS;
  const day = new Date(midnight).getUTCDay();
  return midnight - ((day - firstDay + 7) % 7) * DAY_MS;
}

/** When an activity started, as UTC of the time at the ride; null while its date is unknown. Without a zone it is UTC. */
export function localTimeOf({ start, utc_offset_s: offset }) {
  return start === undefined ? null : Date.parse(start) + (offset ?? 0) * 1000;
}

/** When the week of an activity begins; null if its date is unknown. */
export function weekOf(activity, firstDay) {
  const local = localTimeOf(activity);
  return local === null ? null : startOfWeek(local, firstDay);
}

/** The totals of the activities of one week, and the distance of each of its days. */
export function totalsOfWeek(activities, start) {
  const distances = new Array(7).fill(0);
  const totals = { distances };
  for (const activity of activities) {
    totals.distance = sum(totals.distance, activity.distance_m);
    totals.moving = sum(totals.moving, activity.moving_time_s);
    totals.ascent = sum(totals.ascent, activity.ascent_m);
    if (start !== null) distances[Math.floor((localTimeOf(activity) - start) / DAY_MS)] += activity.distance_m ?? 0;
  }
  return totals;
}

/** Unknown as long as no part is known. */
function sum(total, part) {
  return part === undefined ? total : (total ?? 0) + part;
}

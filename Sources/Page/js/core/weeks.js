// Weeks of the calendar, as the rides are listed by.

export const DAY_MS = 86400000;
const MONDAY = 1;
const SUNDAY = 0;
/** Regions whose weeks begin on Sunday, for browsers that do not know it. */
const SUNDAY_REGIONS = new Set(["US", "CA", "MX", "BR", "IL", "IN", "JP", "KR", "TW", "ZA"]);

/** @param {string} chosen `monday`, `sunday`, or `system` for that of the language */
export function firstDayOfWeek(chosen, language) {
  if (chosen !== "system") return chosen === "sunday" ? SUNDAY : MONDAY;
  const locale = new Intl.Locale(language);
  const first = (locale.getWeekInfo?.() ?? locale.weekInfo)?.firstDay;
  if (first) return first % 7;
  return SUNDAY_REGIONS.has(locale.maximize().region) ? SUNDAY : MONDAY;
}

/** The first moment of the week, as UTC of a local time. */
export function startOfWeek(local, firstDay) {
  const midnight = Math.floor(local / DAY_MS) * DAY_MS;
  const day = new Date(midnight).getUTCDay();
  return midnight - ((day - firstDay + 7) % 7) * DAY_MS;
}

/** When an activity started, as UTC of the time at the ride; null while its date is unknown. */
export function localTimeOf({ start, utc_offset_s: offset }) {
  return start === undefined ? null : Date.parse(start) + (offset ?? 0) * 1000;
}

/** Activities by week, in their order, with totals. `start` is null for those without a date. */
export function groupByWeek(activities, firstDay) {
  const weeks = [];
  for (const activity of activities) {
    const local = localTimeOf(activity);
    const start = local === null ? null : startOfWeek(local, firstDay);
    let week = weeks.find(known => known.start === start);
    if (!week) {
      week = { start, activities: [], distances: new Array(7).fill(0) };
      weeks.push(week);
    }
    week.activities.push(activity);
    week.distance = sum(week.distance, activity.distance_m);
    week.moving = sum(week.moving, activity.moving_time_s);
    week.ascent = sum(week.ascent, activity.ascent_m);
    if (start !== null) week.distances[Math.floor((local - start) / DAY_MS)] += activity.distance_m ?? 0;
  }
  return weeks;
}

/** Unknown as long as no part is known. */
function sum(total, part) {
  return part === undefined ? total : (total ?? 0) + part;
}

// The numbers of an activity as texts, each with its unit, and its times as the rider's clock had them.

import { duration, format } from "../core/format.js";
import { convert, unitOf } from "../core/units.js";
import { localTimeOf } from "../core/weeks.js";

export class Amounts {
  constructor(app) {
    this.app = app;
  }

  /**
   * @param {{form: string, quantity?: string, unit?: string, factor?: number}} item how it is written
   * @returns {{number: string, unit: string}|null} null for a value that is unknown
   */
  parts(item, value) {
    if (value === undefined || value === null) return null;
    const { units } = this.app.settings;
    const number = format(item.form, convert(item.quantity, value * (item.factor ?? 1), units), { point: this.app.point });
    return number === null ? null : { number, unit: item.unit ?? unitOf(item.quantity, units) ?? "" };
  }

  text(item, value) {
    const parts = this.parts(item, value);
    return parts && [parts.number, parts.unit].filter(Boolean).join(" ");
  }

  /** Hours, minutes and seconds since the start. */
  elapsed(seconds) {
    return duration(seconds);
  }

  /** The time of day at the ride, or the time since its start while its date is unknown. */
  clock(activity, seconds) {
    const start = localTimeOf(activity);
    if (start === null) return duration(seconds);
    return this.#local({ hour: "numeric", minute: "2-digit" }).format(start + seconds * 1000);
  }

  date(activity) {
    const start = localTimeOf(activity);
    if (start === null) return this.app.texts.get("no_date");
    const parts = { weekday: "long", day: "numeric", month: "long", year: "numeric", hour: "numeric", minute: "2-digit" };
    return this.#local(parts).format(start);
  }

  /** The day of an activity, at the ride. */
  dayOf(activity) {
    const start = localTimeOf(activity);
    return start === null ? this.app.texts.get("no_date") : this.#local({ day: "numeric", month: "long", year: "numeric" }).format(start);
  }

  /** A day of this screen, of something that happened elsewhere than at a ride. */
  day(time) {
    return new Intl.DateTimeFormat(this.app.language, { day: "numeric", month: "long", year: "numeric" }).format(Date.parse(time));
  }

  #local(parts) {
    return new Intl.DateTimeFormat(this.app.language, { ...parts, timeZone: "UTC" });
  }
}

// The records of each sport, with the activity that holds each, and streaks of days and weeks.

import { sportName } from "../../core/activities.js";
import { shortAge } from "../../core/states.js";
import { weekQuery } from "../../core/weeks.js";
import { Amounts } from "../../report/amounts.js";
import { makePart } from "../../report/part.js";
import { make } from "../../ui/elements.js";
import { Form } from "../../ui/form.js";
import { Loading } from "./loading.js";

const RECORDS = {
  farthest: { member: "distance_m", item: { form: "distance", quantity: "distance" } },
  longest: { member: "moving_time_s", item: { form: "hours", unit: "h" } },
  fastest: { member: "speed_avg_mps", item: { form: "one", quantity: "speed" } },
  most_ascent: { member: "ascent_m", item: { form: "whole", quantity: "height" } },
};
const BEST_S = [5, 60, 300, 1200, 3600];
const WATTS = { form: "whole", unit: "w" };

export class Records {
  /** @param {() => {sport: string, firstDay: number}} asked what is chosen now @param {(sports: string[]) => void} offer gets the sports of the logbook */
  constructor(app, asked, offer) {
    const { texts } = app;
    this.app = app;
    this.asked = asked;
    this.offer = offer;
    this.form = new Form(app);
    this.amounts = new Amounts(app);
    this.loading = new Loading(app, () => this.#path, answer => this.#receive(answer));
    this.shown = make("div", "");
    this.element = makePart("records", texts.get("records"), this.loading.status.element, this.shown);
  }

  get #path() {
    const { sport, firstDay } = this.asked();
    const query = new URLSearchParams({ ...(sport ? { sport } : {}), ...weekQuery(firstDay) }).toString();
    return `/api/1/records${query ? `?${query}` : ""}`;
  }

  load() {
    return this.loading.load();
  }

  close() {
    this.loading.close();
  }

  #receive(answer) {
    const sports = answer?.sports ?? [];
    this.offer(sports.map(({ sport }) => sport));
    const streaks = answer?.streaks ? this.#makeStreaks(answer.streaks) : [];
    if (answer && sports.length === 0) this.loading.sayNothing(this.app.texts.get("no_records"));
    this.shown.replaceChildren(...streaks, ...sports.flatMap(sport => this.#makeSport(sport)));
  }

  #makeSport(records) {
    const { texts } = this.app;
    const lines = Object.entries(RECORDS).flatMap(([name, { member, item }]) => {
      const record = records[name];
      return record ? [this.#makeLine(texts.get(`record_${name}`), record, this.amounts.text(item, record[member]))] : [];
    });
    const powers = (records.best_powers ?? []).filter(({ duration_s: seconds }) => BEST_S.includes(seconds)).map(record =>
      this.#makeLine(texts.get("best_power", shortAge(record.duration_s)), record, this.amounts.text(WATTS, record.power_w)));
    if (lines.length + powers.length === 0) return [];
    const sentence = records.activities === 1 ? "records_of_1" : "records_of";
    const title = texts.get(sentence, sportName(texts, records.sport), records.activities);
    return [make("h3", "section-title", title), make("div", "lines", ...lines, ...powers)];
  }

  #makeLine(label, record, number) {
    return this.form.link(label, `/rides/${record.activity}`, `${number} · ${this.amounts.dayOf(record)}`);
  }

  #makeStreaks({ days, weeks }) {
    const { texts } = this.app;
    const lines = [["streak_days", days], ["streak_weeks", weeks]].filter(([, streak]) => streak?.longest > 0).map(([key, streak]) => {
      const dates = streak.from === undefined ? "" : ` (${this.#date(streak.from)} – ${this.#date(streak.to)})`;
      return this.form.fact(texts.get(key), texts.get("streak", streak.current, streak.longest) + dates);
    });
    return lines.length === 0 ? [] : [make("h3", "section-title", texts.get("streaks")), make("div", "lines", ...lines)];
  }

  #date(day) {
    return new Intl.DateTimeFormat(this.app.language, { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" }).format(Date.parse(day));
  }
}

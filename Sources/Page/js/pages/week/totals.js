// The totals by week, month or year: those of the present one, a bar for each of the last ones, and a
// table. Periods without an activity are zero, because the logbook has nothing of them.

import { periodsUntil, startOf, today } from "../../core/periods.js";
import { Amounts } from "../../report/amounts.js";
import { makePart } from "../../report/part.js";
import { make } from "../../ui/elements.js";
import { makeCell, makeGroup, makeNumberCell, makeRow, makeTable } from "../../ui/table.js";
import { makeChoice } from "./choice.js";
import { Loading } from "./loading.js";
import { COUNT, MEASURES } from "./measures.js";

/** How many periods the graph has, and how many more the table has with each "More". */
const SHOWN = { week: 12, month: 12, year: 10 };
/** Every so many bars have a name below them. */
const NAMED = { week: 4, month: 1, year: 2 };
const LEAST_BAR_PCT = 2;

export class Totals {
  #rows = null;
  #count = 0;
  /** Called with whether there is nothing to show. */
  onEmpty = () => {};

  /** @param {{sport: string, by: string, measure: string}} filter what is chosen now */
  constructor(app, filter, choose) {
    const { texts } = app;
    this.app = app;
    this.filter = filter;
    this.amounts = new Amounts(app);
    this.loading = new Loading(app, () => this.#path, answer => this.#receive(answer));
    this.periods = makeChoice(texts.get("statistics_by"), Object.keys(SHOWN).map(by => [by, texts.get(`by_${by}`)]), filter.by, by => {
      choose({ by });
      this.load();
    });
    this.measures = makeChoice(texts.get("statistics_of"), Object.keys(MEASURES).map(name => [name, texts.get(MEASURES[name].caption)]),
      filter.measure, measure => {
        choose({ measure });
        this.#show();
      });
    this.present = make("h3", "section-title");
    this.numbers = make("dl", "report-numbers");
    this.bars = make("div", "period-bars");
    this.bars.setAttribute("role", "img");
    this.highest = make("p", "graph-stats");
    this.hint = make("p", "hint");
    this.table = makeTable("totals-table");
    this.more = make("button", "line-button plain", texts.get("more"));
    this.more.type = "button";
    this.more.addEventListener("click", () => this.#showMore());
    this.shown = make("div", "", this.present, this.numbers, this.measures.element, this.highest, this.bars, this.hint, this.table, this.more);
    this.shown.hidden = true;
    this.element = makePart("totals", texts.get("totals"), this.periods.element, this.loading.status.element, this.shown);
  }

  get #path() {
    const { by, sport } = this.filter;
    return `/api/1/stats?${new URLSearchParams({ by, ...(sport ? { sport } : {}) })}`;
  }

  load() {
    return this.loading.load();
  }

  close() {
    this.loading.close();
  }

  #receive(answer) {
    const { sport, by } = this.filter;
    const isEmpty = !(answer?.rows.length > 0);
    this.#rows = answer && new Map(answer.rows.map(row => [row.period, row]));
    this.#count = SHOWN[by];
    this.shown.hidden = isEmpty;
    // Another sport may have something, so the rest stays.
    this.onEmpty(isEmpty && (answer === null || sport === ""));
    if (isEmpty && answer) this.loading.say(this.app.texts.get(sport === "" ? "no_rides" : "no_such_rides"));
    if (!isEmpty) this.#show();
  }

  #show() {
    const { by } = this.filter;
    const periods = periodsUntil(today(), by, this.#count).map(period => ({ ...period, row: this.#rows.get(period.name) }));
    this.#showPresent(periods[0]);
    this.#offerLoad();
    this.#showBars(periods.slice(0, SHOWN[by]));
    this.#showWithoutLoad(periods);
    this.#showTable(periods);
    this.more.hidden = periods.filter(({ row }) => row).length >= this.#rows.size;
  }

  #showPresent({ row }) {
    this.present.textContent = this.app.texts.get(`this_${this.filter.by}`);
    const items = [COUNT, ...this.#measuresKnown.map(name => MEASURES[name])].map(item => {
      const text = this.#text(item, row);
      return make("div", "", make("dt", "caption", this.app.texts.get(item.caption)), make("dd", "", make("span", "number-text", text)));
    });
    this.numbers.replaceChildren(...items);
  }

  /** The training load is there if an activity has one. */
  get #measuresKnown() {
    const hasLoad = [...this.#rows.values()].some(row => row.training_load !== undefined);
    return Object.keys(MEASURES).filter(name => name !== "load" || hasLoad);
  }

  #offerLoad() {
    const known = this.#measuresKnown;
    for (const button of this.measures.buttons) button.hidden = !known.includes(button.value);
    this.measures.press(this.#measure);
  }

  get #measure() {
    const { measure } = this.filter;
    return this.#measuresKnown.includes(measure) ? measure : "distance";
  }

  /** A period without an activity is zero. A number that no activity of it has is unknown, not zero. */
  #text(item, row) {
    const value = row ? row[item.member] : 0;
    return this.amounts.text(item, value) ?? "–";
  }

  #showBars(periods) {
    const { texts } = this.app;
    const item = MEASURES[this.#measure];
    const values = periods.map(({ row }) => row?.[item.member] ?? 0);
    const highest = Math.max(...values);
    const named = NAMED[this.filter.by];
    const bars = periods.map(({ start }, index) => {
      const bar = make("i");
      bar.style.height = `${highest > 0 && values[index] > 0 ? Math.max(LEAST_BAR_PCT, 100 * values[index] / highest) : 0}%`;
      const name = make("span", "period-name", index % named === 0 ? this.#shortName(start) : "");
      return make("span", "period-bar", make("span", "period-space", bar), name);
    }).reverse();
    this.bars.replaceChildren(...bars);
    this.bars.dataset.by = this.filter.by;
    this.highest.textContent = texts.get("highest", this.amounts.text(item, highest));
    const words = periods.map(({ start, row }) => `${this.#longName(start)} ${this.#text(item, row)}`).reverse();
    this.bars.setAttribute("aria-label", `${texts.get(item.caption)}: ${words.join(", ")}`);
  }

  #showWithoutLoad(periods) {
    const rows = periods.flatMap(({ row }) => row ?? []);
    const sum = member => rows.reduce((total, row) => total + (row[member] ?? 0), 0);
    const missing = sum("without_load");
    this.hint.textContent = missing > 0 ? this.app.texts.get("without_load", missing, sum("activities")) : "";
    this.hint.hidden = missing === 0;
  }

  #showTable(periods) {
    const { texts } = this.app;
    const columns = [COUNT, ...this.#measuresKnown.map(name => MEASURES[name])];
    const titles = columns.map(({ caption }) => texts.get(caption));
    const head = makeRow([texts.get(`by_${this.filter.by}`), ...titles].map(title => makeCell("th", "columnheader", title)));
    const rows = periods.filter(({ row }) => row).map(({ start, row }) => makeRow([
      makeCell("th", "rowheader", this.#longName(start)),
      ...columns.map((item, index) => makeNumberCell(titles[index], this.#text(item, row))),
    ]));
    this.table.replaceChildren(makeGroup("thead", head), makeGroup("tbody", ...rows));
    this.table.setAttribute("aria-label", texts.get("totals"));
  }

  /** As many as the graph has again, but not before the first activity. */
  #showMore() {
    const { by } = this.filter;
    const had = this.table.tBodies[0].rows.length;
    while (this.table.tBodies[0].rows.length === had && !this.more.hidden) {
      this.#count += SHOWN[by];
      this.#show();
    }
    // The button that goes had the focus.
    if (this.more.hidden) this.element.querySelector("h2").focus({ preventScroll: true });
  }

  #shortName(start) {
    const parts = { week: { day: "numeric", month: "short" }, month: { month: "narrow" }, year: { year: "numeric" } };
    return this.#date(start, parts[this.filter.by]);
  }

  #longName(start) {
    const parts = { week: { day: "numeric", month: "short", year: "numeric" }, month: { month: "long", year: "numeric" }, year: { year: "numeric" } };
    return this.#date(startOf(start, this.filter.by), parts[this.filter.by]);
  }

  #date(day, parts) {
    return new Intl.DateTimeFormat(this.app.language, { ...parts, timeZone: "UTC" }).format(day);
  }
}

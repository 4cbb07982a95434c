// The totals by week, month or year: those of the present one, a bar for each of the last ones, and a
// table. Periods without an activity are zero, because the logbook has nothing of them.

import { periodsUntil, startOfNamed, today } from "../../core/periods.js";
import { DAY_MS, weekQuery } from "../../core/weeks.js";
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
  /** @type {null|{by: string, firstDay: number, rows: Map, names: string[], periods: object[], path: string,
   *  hasOlder: boolean}} the newest answer. It stays while the answer for another choice is on its way. Names are the newest
   *  first. If it has older rows, the logbook had more than a page. */
  #shown = null;
  #isLoadingOlder = false;

  /** @param {() => {sport: string, by: string, measure: string, firstDay: number}} asked what is chosen now */
  constructor(app, asked, choose) {
    const { texts } = app;
    this.app = app;
    this.asked = asked;
    const { by: chosenPeriod, measure: chosenMeasure } = asked();
    this.amounts = new Amounts(app);
    this.loading = new Loading(app, () => this.#path, answer => this.#receive(answer));
    this.periods = makeChoice(texts.get("statistics_by"), Object.keys(SHOWN).map(by => [by, texts.get(`by_${by}`)]), chosenPeriod, by => {
      choose({ by });
      this.load();
    });
    this.measures = makeChoice(texts.get("statistics_of"), Object.keys(MEASURES).map(name => [name, texts.get(MEASURES[name].caption)]),
      chosenMeasure, measure => {
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
    const { by, sport, firstDay } = this.asked();
    return `/api/1/stats?${new URLSearchParams({ by, ...(sport ? { sport } : {}), ...(by === "week" ? weekQuery(firstDay) : {}) })}`;
  }

  load() {
    return this.loading.load();
  }

  close() {
    this.loading.close();
  }

  #receive(answer) {
    const { sport, by, firstDay } = this.asked();
    const isEmpty = !(answer?.rows.length > 0);
    this.shown.hidden = isEmpty;
    this.#shown = null;
    if (isEmpty && answer) this.loading.sayNothing(this.app.texts.get(sport === "" ? "no_rides" : "no_such_rides"));
    if (isEmpty) return;
    this.#shown = { by, firstDay, rows: new Map(), names: [], periods: periodsUntil(today(), by, SHOWN[by], firstDay), path: this.#path };
    this.#addRows(answer);
    this.#show();
  }

  #addRows({ rows, more }) {
    const shown = this.#shown;
    for (const row of rows) shown.rows.set(row.period, row);
    shown.names = [...shown.rows.keys()].sort().reverse();
    shown.hasOlder = more === true;
  }

  #show() {
    if (!this.#shown) return;
    const { by, rows } = this.#shown;
    const periods = this.#shown.periods.map(period => ({ ...period, row: rows.get(period.name) }));
    const all = [...this.#future, ...periods];
    this.#showPresent(periods[0]);
    this.#offerLoad();
    this.#showBars(periods.slice(0, SHOWN[by]));
    this.#showWithoutLoad(all);
    this.#showTable(all);
    this.more.hidden = this.#isComplete;
  }

  /** Periods after the present one, the newest first: an activity may be planned, or a clock was wrong. */
  get #future() {
    const { by, firstDay, rows, names, periods } = this.#shown;
    return names.filter(name => name > periods[0].name).map(name => ({ name, start: startOfNamed(name, by, firstDay), row: rows.get(name) }));
  }

  /** Whether no row is older than the periods that are shown. Names sort as text. */
  get #isComplete() {
    return !this.#shown.hasOlder && this.#shown.periods.at(-1).name <= this.#shown.names.at(-1);
  }

  #showPresent({ row }) {
    this.present.textContent = this.app.texts.get(`this_${this.#shown.by}`);
    const items = [COUNT, ...this.#measuresKnown.map(name => MEASURES[name])].map(item => {
      const text = this.#text(item, row);
      return make("div", "", make("dt", "caption", this.app.texts.get(item.caption)), make("dd", "", make("span", "number-text", text)));
    });
    this.numbers.replaceChildren(...items);
  }

  /** The training load is there if an activity has one. */
  get #measuresKnown() {
    const hasLoad = [...this.#shown.rows.values()].some(row => row.training_load !== undefined);
    return Object.keys(MEASURES).filter(name => name !== "load" || hasLoad);
  }

  #offerLoad() {
    const known = this.#measuresKnown;
    for (const button of this.measures.buttons) button.hidden = !known.includes(button.value);
    this.measures.press(this.#measure);
  }

  get #measure() {
    const { measure } = this.asked();
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
    const named = NAMED[this.#shown.by];
    const bars = periods.map(({ start }, index) => {
      const bar = make("i");
      bar.style.height = `${highest > 0 && values[index] > 0 ? Math.max(LEAST_BAR_PCT, 100 * values[index] / highest) : 0}%`;
      const name = make("span", "period-name", index % named === 0 ? this.#shortName(start) : "");
      return make("span", "period-bar", make("span", "period-space", bar), name);
    }).reverse();
    this.bars.replaceChildren(...bars);
    this.bars.dataset.by = this.#shown.by;
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
    const head = makeRow([texts.get(`by_${this.#shown.by}`), ...titles].map(title => makeCell("th", "columnheader", title)));
    const rows = periods.filter(({ row }) => row).map(({ start, row }) => makeRow([
      makeCell("th", "rowheader", this.#longName(start)),
      ...columns.map((item, index) => makeNumberCell(titles[index], this.#text(item, row))),
    ]));
    this.table.replaceChildren(makeGroup("thead", head), makeGroup("tbody", ...rows));
    this.table.setAttribute("aria-label", texts.get("totals"));
  }

  /** As many as the graph has again, up to the next row in any case. */
  async #showMore() {
    const shown = this.#shown;
    const { by, firstDay, periods } = shown;
    const findNext = () => shown.names.find(name => name < periods.at(-1).name);
    const had = this.table.tBodies[0].rows.length;
    if (!findNext() && !await this.#loadOlder()) return this.#hideMore();
    const next = findNext();
    do periods.push(...periodsUntil(periods.at(-1).start - DAY_MS, by, SHOWN[by], firstDay));
    while (periods.at(-1).name > next);
    this.#show();
    // The button that goes had the focus, so the first new row gets it.
    if (this.more.hidden) this.#focus(this.table.tBodies[0].rows[had].cells[0]);
  }

  /** Older rows may have been deleted meanwhile. */
  #hideMore() {
    if (!this.#shown || !this.#isComplete) return;
    const hadFocus = document.activeElement === this.more;
    this.more.hidden = true;
    if (hadFocus) this.#focus(this.table.tBodies[0].lastElementChild.cells[0]);
  }

  /** Returns whether what is shown has more rows now. */
  async #loadOlder() {
    const shown = this.#shown;
    if (this.#isLoadingOlder) return false;
    this.#isLoadingOlder = true;
    try {
      const answer = await this.app.server.get(`${shown.path}&before_period=${shown.names.at(-1)}`);
      if (shown !== this.#shown) return false;
      this.#addRows(answer);
      return answer.rows.length > 0;
    } catch (error) {
      if (shown === this.#shown) this.loading.status.refuse(error);
      return false;
    } finally {
      this.#isLoadingOlder = false;
    }
  }

  #focus(cell) {
    cell.tabIndex = -1;
    cell.focus();
  }

  #shortName(start) {
    const parts = { week: { day: "numeric", month: "short" }, month: { month: "narrow" }, year: { year: "numeric" } };
    return this.#date(start, parts[this.#shown.by]);
  }

  #longName(start) {
    const parts = { week: { day: "numeric", month: "short", year: "numeric" }, month: { month: "long", year: "numeric" }, year: { year: "numeric" } };
    return this.#date(start, parts[this.#shown.by]);
  }

  #date(day, parts) {
    return new Intl.DateTimeFormat(this.app.language, { ...parts, timeZone: "UTC" }).format(day);
  }
}

// One segment on the report: its best time and that of this ride, and, when it is opened, all efforts
// with what can be done with it.

import { dateOf } from "../core/activities.js";
import { make, makeLink, setAttribute } from "../ui/elements.js";
import { Form } from "../ui/form.js";
import { makeCell, makeGroup, makeNumberCell, makeRow, makeTable } from "../ui/table.js";
import { NUMBERS } from "./numbers.js";

const MOST_EFFORTS = 200;
const DISTANCE = NUMBERS.distance_m;
const TIME = { form: "duration" };
const COLUMNS = ["speed_avg_mps", "power_avg_w", "bpm_avg"];

export class SegmentLine {
  /** Null until they were asked for. */
  #efforts = null;
  /** Called when the rider deletes the segment. */
  onRemove = () => {};

  constructor(app, amounts, segment, activity) {
    this.app = app;
    this.amounts = amounts;
    this.segment = segment;
    this.activity = activity;
    this.form = new Form(app);
    this.button = make("button", "segment-button");
    this.button.type = "button";
    this.button.addEventListener("click", () => this.toggle());
    this.summary = make("span", "segment-summary");
    const { activity_time_s: here } = segment;
    this.here = make("span", "segment-here", here === undefined ? "" : app.texts.get("segment_here", amounts.text(TIME, here)));
    this.title = make("span", "segment-name", segment.name);
    this.button.append(this.title, this.summary, this.here);
    setAttribute(this.button, "aria-expanded", "false");
    this.table = makeTable("efforts-table");
    this.rest = make("p", "hint");
    this.acts = make("div", "acts segment-acts");
    this.inner = make("div", "segment-inner", this.table, this.rest, this.acts);
    this.inner.hidden = this.table.hidden = this.rest.hidden = true;
    this.element = make("li", "segment", this.button, this.inner);
    this.#showSummary();
    this.showActs();
  }

  get path() {
    return `/api/1/segments/${this.segment.id}`;
  }

  get name() {
    return this.segment.name;
  }

  /** Asks for the efforts. After a failure, they are asked for when the line is opened again. */
  async #load() {
    const { server, texts } = this.app;
    this.#tell(texts.get("loading"));
    try {
      const { efforts, more = false } = await server.get(`${this.path}?limit=${MOST_EFFORTS}`);
      this.#efforts = efforts;
      this.#tell(more ? texts.get("efforts_more") : "");
      this.#showTable();
    } catch (error) {
      this.#tell(texts.get("refused", error.message));
    }
  }

  #tell(text) {
    this.rest.textContent = text;
    this.rest.hidden = text === "";
  }

  #showSummary() {
    const { distance_m, best_time_s, efforts = 0 } = this.segment;
    const length = this.amounts.text(DISTANCE, distance_m), best = this.amounts.text(TIME, best_time_s);
    const key = efforts > 1 ? "segment_times" : `segment_times_${efforts}`;
    this.summary.textContent = this.app.texts.get(key, length, best, efforts);
  }

  get isOpen() {
    return !this.inner.hidden;
  }

  toggle() {
    this.inner.hidden = !this.inner.hidden;
    setAttribute(this.button, "aria-expanded", String(this.isOpen));
    if (this.isOpen && this.#efforts === null) this.#load();
  }

  /** The newest first, as the recorder lists them. */
  #showTable() {
    const { texts } = this.app;
    const columns = COLUMNS.filter(name => this.#efforts.some(effort => effort[name] !== undefined));
    const titles = [texts.get("effort_date"), texts.get("effort_time"), ...columns.map(name => texts.get(NUMBERS[name].caption))];
    const best = Math.min(...this.#efforts.map(({ time_s }) => time_s));
    const rows = this.#efforts.map((effort, index) => {
      const words = [
        effort.time_s === best && texts.get("effort_best"), index === 0 && texts.get("effort_last"),
        effort.activity === this.activity.id && texts.get("effort_here"),
      ].filter(Boolean).join(", ");
      const numbers = [this.amounts.text(TIME, effort.time_s), ...columns.map(name => this.amounts.text(NUMBERS[name], effort[name]))];
      return makeRow([
        makeCell("th", "rowheader", this.#makeRide(effort), make("span", "effort-words", words)),
        ...numbers.map((text, column) => makeNumberCell(titles[column + 1], text)),
      ]);
    });
    this.table.hidden = rows.length === 0;
    const head = makeRow(titles.map(title => makeCell("th", "columnheader", title)));
    this.table.replaceChildren(makeGroup("thead", head), makeGroup("tbody", ...rows));
  }

  /** The date at the place of the ride. */
  #makeRide(effort) {
    const { activity } = effort;
    const date = dateOf(effort, this.app);
    if (activity === this.activity.id) return make("span", "effort-ride", date);
    const link = makeLink(this.app.router, `/rides/${activity}`, date);
    link.classList.add("effort-ride");
    return link;
  }

  /** What this screen may do with the segment. */
  showActs() {
    const { form, app: { texts, rights } } = this;
    this.acts.replaceChildren(...[
      rights.includes("ride") && make("div", "lines", form.word(texts.get("segment_rename"), this.segment.name, name => this.#rename(name))),
      rights.includes("manage") && form.hold(texts.get("segment_delete"), async () => this.onRemove()),
    ].filter(Boolean));
  }

  async #rename(name) {
    if (name === "") throw new Error(this.app.texts.get("segment_needs_name"));
    this.segment = await this.app.server.patch(this.path, { name });
    this.title.textContent = this.segment.name;
  }
}

// The laps as a table. A lap that is chosen is marked on the map and on the graphs.

import { make, setAttribute } from "../ui/elements.js";
import { makeCell, makeGroup, makeNumberCell, makeRow, makeTable } from "../ui/table.js";
import { LAP_NUMBERS, NUMBERS } from "./numbers.js";
import { makePart, PartStatus } from "./part.js";

const TIME = { form: "duration" };

export class Laps {
  #laps = [];
  #buttons = new Map();
  #chosen = null;
  /** Called with the lap that is chosen, or null. */
  onChoose = () => {};

  constructor(app, amounts, { path }) {
    this.app = app;
    this.amounts = amounts;
    this.path = path;
    const { texts } = app;
    this.status = new PartStatus(texts, () => this.load());
    this.table = makeTable("laps-table");
    this.table.hidden = true;
    this.more = make("button", "line-button plain", texts.get("more"));
    this.more.type = "button";
    this.more.hidden = true;
    this.more.addEventListener("click", () => this.load());
    this.element = makePart("laps", texts.get("laps"), this.status.element, this.table, this.more);
    this.element.hidden = true;
  }

  async load() {
    if (this.isLoading) return;
    this.isLoading = true;
    this.status.loading();
    const after = this.#laps.at(-1)?.lap;
    try {
      const { laps, more } = await this.app.server.get(`${this.path}/laps${after === undefined ? "" : `?after=${after}`}`);
      this.status.say("");
      this.#laps.push(...laps);
      this.#show();
      // The button that goes had the focus, so the first new lap gets it.
      if (!more && document.activeElement === this.more) this.#buttons.get(laps[0])?.focus();
      this.more.hidden = !more;
    } catch (error) {
      this.status.refuse(error);
      this.more.hidden = true;
      this.element.hidden = false;
    } finally {
      this.isLoading = false;
    }
  }

  /** The whole ride is one lap, which needs no table. */
  #show() {
    this.element.hidden = this.#laps.length < 2;
    this.table.hidden = this.element.hidden;
    const columns = LAP_NUMBERS.filter(name => this.#laps.some(lap => lap[name] !== undefined));
    const { texts } = this.app;
    const titles = ["lap", "lap_duration", ...columns.map(name => NUMBERS[name].caption)].map(key => texts.get(key));
    const head = makeRow(titles.map(title => makeCell("th", "columnheader", title)));
    this.#buttons.clear();
    const rows = this.#laps.map(lap => this.#makeRow(lap, columns, titles));
    this.table.replaceChildren(makeGroup("thead", head), makeGroup("tbody", ...rows));
    this.#showChosen();
  }

  #makeRow(lap, columns, titles) {
    const button = make("button", "lap-button", this.app.texts.get("lap_number", lap.lap));
    button.type = "button";
    button.addEventListener("click", () => this.choose(this.#chosen === lap ? null : lap));
    this.#buttons.set(lap, button);
    const numbers = [this.amounts.text(TIME, lap.lap_time_s), ...columns.map(name => this.amounts.text(NUMBERS[name], lap[name]))];
    const cells = numbers.map((text, index) => makeNumberCell(titles[index + 1], text));
    return makeRow([makeCell("th", "rowheader", button), ...cells]);
  }

  choose(lap) {
    this.#chosen = lap;
    this.#showChosen();
    this.onChoose(lap);
  }

  /** Something else is marked in its place. */
  forgetChoice() {
    this.#chosen = null;
    this.#showChosen();
  }

  #showChosen() {
    for (const [lap, button] of this.#buttons) setAttribute(button, "aria-pressed", String(lap === this.#chosen));
  }
}

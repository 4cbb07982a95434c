// The summary of an activity: what it was, and its numbers in a grid. A number that was measured
// during a part of the ride only has a line that says so.

import { sportName } from "../core/activities.js";
import { make, setAttribute } from "../ui/elements.js";
import { NUMBERS } from "./numbers.js";

/** A number from less than this share of the ride has the line. */
const WHOLE = .98;

export class Summary {
  #notes = [];

  constructor(app, amounts, activity) {
    this.app = app;
    this.amounts = amounts;
    const cells = Object.entries(NUMBERS)
      .map(([name, item]) => this.#makeNumber(item, activity[name]))
      .filter(Boolean);
    this.head = this.#makeHead(activity);
    this.element = make("section", "section report-summary", this.head, make("dl", "report-numbers", ...cells));
    setAttribute(this.element, "aria-label", app.texts.get("summary"));
  }

  /** Shows another name, note, sport or bike. */
  showHead(activity) {
    const head = this.#makeHead(activity);
    this.head.replaceWith(head);
    this.head = head;
  }

  #makeHead(activity) {
    const { texts } = this.app;
    const facts = [
      sportName(texts, activity.sport),
      activity.bike && texts.get("with_bike", activity.bike),
      activity.state === "recording" && texts.get("recording_now"),
      activity.state === "interrupted" && texts.get("was_interrupted"),
      activity.source === "hand" && texts.get("by_hand"),
      activity.edited && texts.get("was_edited"),
      activity.deleted && texts.get("was_deleted", this.amounts.day(activity.deleted)),
    ].filter(Boolean);
    const head = make("div", "report-head", make("p", "report-date", this.amounts.date(activity)), make("p", "report-facts", facts.join(" · ")));
    if (activity.note) head.append(make("p", "report-note", activity.note));
    return head;
  }

  #makeNumber(item, value) {
    const parts = this.amounts.parts(item, value);
    if (!parts) return null;
    const note = make("span", "hint");
    note.hidden = true;
    if (item.of) this.#notes.push({ note, of: item.of });
    const number = make("span", "number-text", parts.number);
    const shown = make("dd", "", number, ...(parts.unit ? [" ", make("span", "unit", parts.unit)] : []), note);
    return make("div", "", make("dt", "caption", this.app.texts.get(item.caption)), shown);
  }

  /** @param {(field: string) => {known: number, all: number}|null} coverage seconds with a value, and all of the ride */
  showCoverage(coverage) {
    for (const { note, of } of this.#notes) {
      const found = coverage(of);
      const isPartial = found !== null && found.known < found.all * WHOLE;
      note.hidden = !isPartial;
      if (isPartial) {
        const [known, all] = [found.known, found.all].map(seconds => this.amounts.elapsed(seconds));
        note.textContent = this.app.texts.get("from_part", known, all);
      }
    }
  }
}

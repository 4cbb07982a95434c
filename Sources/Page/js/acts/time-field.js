// A field for a time since the start of a ride, such as 1:02:30. It can take the time of the cursor of
// the graphs.

import { duration } from "../core/format.js";
import { make } from "../ui/elements.js";

/** Seconds of h:mm:ss, m:ss or a number of minutes; NaN if it is none of these. */
export function parseTime(text) {
  const parts = text.trim().split(":");
  if (parts.length > 3 || parts.some(part => !/^\d+([.,]\d+)?$/.test(part))) return NaN;
  const numbers = parts.map(part => Number(part.replace(",", ".")));
  if (numbers.length === 1) return numbers[0] * 60;
  return numbers.reduce((total, number) => total * 60 + number, 0);
}

export class TimeField {
  #cursor = null;

  /** @param {import("../ui/form.js").Form} form @param {number|undefined} seconds what stands in it at first */
  constructor(form, label, seconds, hint) {
    const { texts } = form;
    this.input = make("input", "field");
    Object.assign(this.input, {
      type: "text", inputMode: "text", autocomplete: "off", value: seconds === undefined ? "" : duration(seconds), placeholder: "0:00",
    });
    this.take = form.button(texts.get("take_cursor"), () => { this.input.value = duration(this.#cursor); });
    this.take.setAttribute("aria-label", `${label}: ${texts.get("take_cursor")}`);
    this.take.hidden = true;
    this.element = form.labelled(label, this.input, hint);
    this.element.querySelector(".end").prepend(this.take);
  }

  /** Seconds; NaN if it is not a time, undefined if the field is empty. */
  get seconds() {
    return this.input.value.trim() === "" ? undefined : parseTime(this.input.value);
  }

  /** @param {number|null} seconds where the cursor of the graphs is */
  showCursor(seconds) {
    this.#cursor = seconds;
    this.take.hidden = seconds === null;
  }
}

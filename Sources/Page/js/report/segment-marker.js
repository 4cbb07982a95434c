// Marks a part of a ride as a segment: two sliders, for fingers and keyboards, which can also take the
// place of the cursor of the graphs.

import { make, whileDisabled } from "../ui/elements.js";
import { Form } from "../ui/form.js";
import { NUMBERS } from "./numbers.js";

const TIME = { form: "duration" };

export class SegmentMarker {
  #cursor = null;
  /** Called with the part, in seconds, and whether the slider was released. */
  onMark = () => {};
  /** Saves a segment; throws what refuses it. */
  onSave = async () => {};

  constructor(app, amounts, { activity, cursor, lengthBetween }) {
    const { texts } = app;
    this.app = app;
    this.amounts = amounts;
    this.lengthBetween = lengthBetween;
    this.end = Math.max(1, Math.floor(activity.elapsed_time_s ?? 0));
    this.form = new Form(app);
    this.from = this.#makeSlider("segment_from", 0);
    this.to = this.#makeSlider("segment_to", this.end);
    this.part = make("p", "segment-part");
    this.name = make("input", "field long");
    Object.assign(this.name, { type: "text", autocomplete: "off", maxLength: 200 });
    this.error = make("p", "error");
    this.error.setAttribute("role", "alert");
    this.error.hidden = true;
    this.save = this.form.button(texts.get("segment_save"), () => this.#save());
    const heading = make("h3", "caption", texts.get("segment_mark"));
    this.element = make("div", "segment-marker", heading, this.from.element, this.to.element, this.part,
      make("div", "lines", this.form.labelled(texts.get("segment_name"), this.name)), this.error, this.save);
    cursor.follow(seconds => this.#showCursor(seconds));
    this.refresh();
  }

  #makeSlider(key, value) {
    const { texts } = this.app;
    const input = make("input", "slider");
    Object.assign(input, { type: "range", min: 0, max: this.end, step: 1, value, dir: "ltr" });
    input.setAttribute("aria-label", texts.get(key));
    const shown = make("span", "cursor-place");
    shown.setAttribute("aria-hidden", "true");
    const take = this.form.button(texts.get("take_cursor"), () => this.#set(input, this.#cursor, true));
    take.setAttribute("aria-label", `${texts.get(key)}: ${texts.get("take_cursor")}`);
    take.hidden = true;
    input.addEventListener("input", () => this.#set(input, Number(input.value), false));
    input.addEventListener("change", () => this.#set(input, Number(input.value), true));
    const caption = make("span", "segment-caption", texts.get(key));
    caption.setAttribute("aria-hidden", "true");
    return { input, shown, take, element: make("div", "segment-slider", caption, input, shown, take) };
  }

  #showCursor(seconds) {
    this.#cursor = seconds;
    for (const { take } of [this.from, this.to]) take.hidden = seconds === null;
  }

  /** The other end moves along if this one passes it. */
  #set(input, seconds, isChosen) {
    const [from, to] = [this.from.input, this.to.input];
    // Room for the other end is left.
    const [first, last] = input === from ? [0, this.end - 1] : [1, this.end];
    const place = Math.max(first, Math.min(last, Math.round(seconds)));
    input.value = String(place);
    if (input === from && place >= Number(to.value)) to.value = String(place + 1);
    if (input === to && place <= Number(from.value)) from.value = String(place - 1);
    this.refresh();
    this.onMark(this.seconds.from, this.seconds.to, isChosen);
  }

  /** Marks a part that the rider was offered, and asks for its name. */
  mark(from, to) {
    this.#set(this.from.input, 0, false);
    this.#set(this.to.input, to, false);
    this.#set(this.from.input, from, true);
    this.name.focus();
  }

  get seconds() {
    return { from: Number(this.from.input.value), to: Number(this.to.input.value) };
  }

  /** Shows the part again: its length is known once the map has the track. */
  refresh() {
    const { from, to } = this.seconds;
    for (const [{ input, shown }, seconds] of [[this.from, from], [this.to, to]]) {
      shown.textContent = this.amounts.elapsed(seconds);
      input.setAttribute("aria-valuetext", shown.textContent);
    }
    const length = this.amounts.text(NUMBERS.distance_m, this.lengthBetween(from, to));
    const time = this.amounts.text(TIME, to - from);
    this.part.textContent = length === null ? time : this.app.texts.get("segment_part", length, time);
  }

  #refuse(sentence) {
    this.error.textContent = sentence;
    this.error.hidden = sentence === "";
  }

  async #save() {
    const name = this.name.value.trim();
    if (name === "") {
      this.#refuse(this.app.texts.get("segment_needs_name"));
      return this.name.focus();
    }
    this.#refuse("");
    await whileDisabled(this.save, async () => {
      try {
        await this.onSave({ name, ...this.seconds });
        this.name.value = "";
      } catch (error) {
        this.#refuse(this.app.texts.get("refused", error.message));
      }
    });
  }
}

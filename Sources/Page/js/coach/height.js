// The rider's height. It is one of the rider's values in the daemon. A screen that may not read or
// change those keeps the height with the choices of the coach.

import { convert, revert, unitOf } from "../core/units.js";

export class Height {
  #ofRider = null;
  /** Whether the daemon let this screen read the rider. */
  #isRiderKnown = false;
  #input = null;
  #unit = null;
  #isSaving = false;

  constructor(app, choices) {
    this.app = app;
    this.choices = choices;
  }

  /** In m; null if it is unknown. */
  get value() {
    return this.#ofRider ?? this.choices.get("height_m");
  }

  async load() {
    try {
      this.#keep(await this.app.daemon.ask("rider"));
    } catch {
      // Without the right or without a daemon, the choice counts.
    }
  }

  /** @param {() => void} changed */
  makeLine(form, changed) {
    const { texts, settings } = this.app;
    const line = form.number(texts.get("body_height"), this.#text, unitOf("height", settings.units), async value => {
      this.#isSaving = true;
      try {
        await this.#save(value === "" ? null : revert("height", value, settings.units));
      } finally {
        this.#isSaving = false;
      }
      changed();
    });
    this.#input = line.querySelector("input");
    this.#unit = line.querySelector(".unit-of-field");
    return line;
  }

  /** Shows the height as it is now. What is being typed or saved, and what was refused, stays. */
  show() {
    const isRefused = this.#input.hasAttribute("data-refused");
    if (document.activeElement === this.#input || this.#isSaving || isRefused) return;
    const text = this.#text;
    if (this.#input.value !== text) this.#input.value = text;
    const unit = unitOf("height", this.app.settings.units);
    if (this.#unit.textContent !== unit) this.#unit.textContent = unit;
  }

  get #text() {
    return this.value === null ? "" : String(Number(convert("height", this.value, this.app.settings.units).toFixed(2)));
  }

  async #save(height) {
    if (!this.#isRiderKnown) {
      if (height !== null && !this.choices.allows("height_m", height)) throw new Error(this.app.texts.get("coach_height_range"));
      this.choices.set("height_m", height);
      return;
    }
    this.#keep(await this.app.daemon.ask("rider", { height_m: height ?? "" }));
    // From now on the rider has it. An older choice would come back once that is removed.
    if (this.choices.get("height_m") !== null) this.choices.set("height_m", null);
  }

  #keep(rider) {
    this.#isRiderKnown = true;
    this.#ofRider = rider.height_m ?? null;
  }
}

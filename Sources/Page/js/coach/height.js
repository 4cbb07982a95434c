// The rider's height. It is one of the rider's values in the daemon. A screen that may not read or
// change those keeps the height with the choices of the coach.

import { convert, revert, unitOf } from "../core/units.js";

export class Height {
  #ofRider = null;
  /** Whether the daemon let this screen read the rider. */
  #isRiderKnown = false;

  constructor(app, choices) {
    this.app = app;
    this.choices = choices;
  }

  /** In m; null if it is unknown. */
  get value() {
    return this.#isRiderKnown ? this.#ofRider : this.choices.get("height_m");
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
    const shown = this.value === null ? undefined : Number(convert("height", this.value, settings.units).toFixed(2));
    return form.number(texts.get("body_height"), shown, unitOf("height", settings.units), async value => {
      await this.#save(value === "" ? null : revert("height", value, settings.units));
      changed();
    });
  }

  async #save(height) {
    if (this.#isRiderKnown) return this.#keep(await this.app.daemon.ask("rider", { height_m: height ?? "" }));
    if (height !== null && !this.choices.allows("height_m", height)) throw new Error(this.app.texts.get("coach_height_range"));
    this.choices.set("height_m", height);
  }

  #keep(rider) {
    this.#isRiderKnown = true;
    this.#ofRider = rider.height_m ?? null;
  }
}

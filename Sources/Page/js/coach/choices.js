// What the rider chose for the coach. Settings keep it for all screens; a screen that may not change
// settings keeps it until its page is left. The sport, target and preference are those of the guide
// while it coaches, so that all displays show the same.

import { BEAT_SOUNDS } from "./beat-sounds.js";
import { MOST_PREFERENCE } from "./cadence.js";

const SAVE_AFTER_MS = 800;
const REFUSAL_S = 8;

const oneOf = (...values) => value => values.includes(value);
const between = (least, most) => value => typeof value === "number" && value >= least && value <= most;

/** The first value of each choice, and which values it can have. */
const CHOICES = {
  sport: { first: "running", isValid: oneOf("running", "cycling") },
  source: { first: "hand", isValid: oneOf("hand", "follow") },
  speed_mps: { first: 10 / 3.6, isValid: between(.5, 10) },
  preference: { first: 0, isValid: between(-MOST_PREFERENCE, MOST_PREFERENCE) },
  target_rpm: { first: 90, isValid: between(30, 150) },
  every: { first: 1, isValid: oneOf(1, 2) },
  sound: { first: BEAT_SOUNDS[0], isValid: oneOf(...BEAT_SOUNDS) },
  vibrates: { first: false, isValid: oneOf(true, false) },
  /** Of a screen that may not read or change the rider. */
  height_m: { first: null, isValid: between(1, 2.5) },
};

/** What the guide has of them, by its names. */
const OF_GUIDE = { sport: "sport", target_rpm: "target_rpm", preference: "preference_per_min" };

export class Choices {
  /** What was chosen here and is not saved yet. The rest is as the settings have it, which other screens change too. */
  #chosen = {};
  #timer = null;

  constructor(app) {
    this.app = app;
  }

  get(key) {
    if (key in this.#chosen) return this.#chosen[key];
    // A guide that does not coach has values of its own, which the rider did not choose.
    const guided = this.isGuided ? this.#guide[OF_GUIDE[key]] : undefined;
    if (guided !== undefined && this.allows(key, guided)) return guided;
    const saved = this.app.settings.get("coach")[key];
    return this.allows(key, saved) ? saved : CHOICES[key].first;
  }

  /** The coach of the guide; null without a guide. */
  get #guide() {
    const { guide } = this.app.store;
    return guide?.present ? guide.status?.coach ?? null : null;
  }

  /** Whether the guide coaches; null without a guide. */
  get isGuided() {
    return this.#guide === null ? null : this.#guide.sport !== "off";
  }

  /** Has the guide coach the chosen sport on every display, or not. */
  guide(isOn) {
    return this.#ask(isOn ? this.#wishes(["sport", "target_rpm", "preference"]) : { sport: "off" });
  }

  /** What the guide has to know of choices. A sport that it does not coach stays here. */
  #wishes(keys) {
    return Object.fromEntries(keys.map(key => [OF_GUIDE[key], this.get(key)]));
  }

  async #ask(params) {
    const { store, server } = this.app;
    const coach = await server.post("/api/1/guide", { method: "coach", params });
    // The record of the change comes too, but perhaps later than the next frame.
    if (coach && store.guide?.status) store.guide = { ...store.guide, status: { ...store.guide.status, coach } };
  }

  /** Whether a choice can have a value. */
  allows(key, value) {
    return CHOICES[key].isValid(value);
  }

  set(key, value) {
    this.#chosen[key] = value;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#save(), SAVE_AFTER_MS);
  }

  close() {
    if (this.#timer !== null) this.#save();
  }

  async #save() {
    const { app } = this;
    clearTimeout(this.#timer);
    this.#timer = null;
    if (!app.rights.includes("ride")) return;
    const sent = { ...this.#chosen };
    try {
      await app.settings.set("coach", stored => ({ ...stored, ...sent }));
      const shared = Object.keys(sent).filter(key => key in OF_GUIDE && (key !== "sport" || this.isGuided));
      // A cyclist needs a target.
      if (this.isGuided !== null && shared.length > 0) await this.#ask(this.#wishes([...new Set([...shared, "target_rpm"])]));
      for (const [key, value] of Object.entries(sent)) if (this.#chosen[key] === value) delete this.#chosen[key];
    } catch (error) {
      app.message.show(app.texts.get("refused", error.message), REFUSAL_S);
    }
  }
}

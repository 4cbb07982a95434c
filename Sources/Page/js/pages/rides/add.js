// Adds a ride, run or swim that no sensor recorded.

import { SPORTS, sportName } from "../../core/activities.js";
import { revert, unitOf } from "../../core/units.js";
import { make } from "../../ui/elements.js";
import { Form } from "../../ui/form.js";

const HOUR_S = 3600;
const MINUTE_S = 60;
const MINUTE_MS = 60_000;
/** Sports without a distance, and those whose distance is counted in lengths of a pool. */
const STANDING = new Set(["strength_training"]);
const IN_WATER = new Set(["swimming"]);
const LEVEL = new Set(["swimming", "strength_training", "rowing"]);

export function open(app) {
  const draft = new Draft(app);
  return { title: app.texts.get("rides_add"), element: draft.element };
}

class Draft {
  #values = { sport: "swimming" };

  constructor(app) {
    const { texts } = app;
    this.app = app;
    this.form = new Form(app);
    this.start = makeStart();
    this.fields = make("div", "lines section");
    this.error = make("p", "error");
    this.error.hidden = true;
    this.save = this.form.button(texts.get("add_save"), () => this.#send(), "call");
    this.element = make("div", "page-body", this.#makeSports(), this.fields, this.error, this.save);
    this.#makeFields();
  }

  #makeSports() {
    const { texts } = this.app;
    const order = ["swimming", "running", "strength_training", ...SPORTS.filter(sport => !["swimming", "running", "strength_training"].includes(sport))];
    const buttons = order.map(sport => this.form.button(sportName(texts, sport), () => {
      this.#values.sport = sport;
      for (const button of buttons) button.setAttribute("aria-pressed", String(button.sport === sport));
      this.#makeFields();
    }));
    for (const [index, button] of buttons.entries()) {
      button.sport = order[index];
      button.setAttribute("aria-pressed", String(order[index] === this.#values.sport));
    }
    const group = make("div", "sports", ...buttons);
    group.setAttribute("role", "group");
    group.setAttribute("aria-label", texts.get("sport"));
    return group;
  }

  /** The fields of the chosen sport. What was typed stays. */
  #makeFields() {
    const { form, app: { texts, settings: { units } } } = this;
    const values = this.#values;
    const number = (key, label, unit) => form.number(texts.get(label), values[key], unit, value => { values[key] = value; }, undefined, false);
    const word = (key, label) => form.word(texts.get(label), values[key], value => { values[key] = value; }, undefined, false);
    const { sport } = values;
    const lines = [form.labelled(texts.get("add_start"), this.start), number("hours", "add_hours", "h"), number("minutes", "add_minutes", "min")];
    if (!STANDING.has(sport)) lines.push(number("distance", "distance", unitOf(distanceOf(sport), units)));
    if (!LEVEL.has(sport)) lines.push(number("ascent", "elevation", unitOf("height", units)));
    lines.push(number("bpm_avg", "avg_hr", "bpm"), number("energy_kcal", "energy", "kcal"), word("name", "name"), word("note", "note"));
    this.fields.replaceChildren(...lines);
  }

  /** What the server gets; null if a field is missing, which then has the focus. */
  #read() {
    const { fields, app: { settings: { units } } } = this;
    const refused = fields.querySelector("[data-refused]");
    if (refused) return refuse(refused);
    const values = this.#values;
    const start = new Date(this.start.value);
    if (Number.isNaN(start.getTime())) return refuse(this.start);
    const elapsed = Math.round((values.hours || 0) * HOUR_S + (values.minutes || 0) * MINUTE_S);
    if (elapsed <= 0) return refuse(fields.querySelectorAll("input")[2], this.app.texts.get("add_no_duration"), this.#show);
    const body = {
      sport: values.sport, start: start.toISOString(), utc_offset_s: -start.getTimezoneOffset() * MINUTE_S, elapsed_time_s: elapsed,
    };
    const isGiven = key => values[key] !== undefined && values[key] !== "";
    if (isGiven("distance") && !STANDING.has(values.sport)) body.distance_m = revert(distanceOf(values.sport), values.distance, units);
    if (isGiven("ascent") && !LEVEL.has(values.sport)) body.ascent_m = revert("height", values.ascent, units);
    for (const key of ["bpm_avg", "energy_kcal", "name", "note"]) if (isGiven(key)) body[key] = values[key];
    return body;
  }

  #show = sentence => {
    this.error.textContent = sentence;
    this.error.hidden = sentence === "";
    if (sentence) this.app.speak(sentence);
  };

  async #send() {
    this.#show("");
    const body = this.#read();
    if (!body) return;
    this.save.disabled = true;
    try {
      await this.app.server.post("/api/1/activities", body);
      if (this.save.isConnected) this.app.router.leave("/rides");
    } catch (error) {
      this.#show(error.status === 503 ? this.app.texts.get("not_recorded") : this.app.texts.get("refused", error.message));
    } finally {
      this.save.disabled = false;
    }
  }
}

function distanceOf(sport) {
  return IN_WATER.has(sport) ? "pool" : "distance";
}

function refuse(field, sentence, show) {
  if (sentence) show(sentence);
  field.focus();
  return null;
}

/** The time of this screen, now. */
function makeStart() {
  const now = new Date();
  const field = make("input", "field");
  field.type = "datetime-local";
  field.value = new Date(now.getTime() - now.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16);
  return field;
}

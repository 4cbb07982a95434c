// What can be done with one activity: rename it, cut it, join it with others, save it as a file,
// delete it. Each act is there only for screens with its right.

import { nameOf, SPORTS, sportName } from "../core/activities.js";
import { make } from "../ui/elements.js";
import { Form } from "../ui/form.js";
import { Editing } from "./editing.js";
import { makeExports } from "./exports.js";
import { chooseOthers } from "./joining.js";
import { TimeField } from "./time-field.js";

const UNDO_S = 10;
const MESSAGE_S = 8;

/**
 * The acts on an activity, for its report. The element has three methods: `showCursor(seconds)` tells
 * the cursor of the graphs (null for none), `show(activity)` shows a new state, and `update()` follows
 * the rights of the screen.
 * @param {(activity: object) => void} onChange called with each new state that the rider made
 */
export function makeActs(app, activity, { onChange }) {
  const acts = new Acts(app, activity, onChange);
  const { element } = acts;
  element.showCursor = seconds => acts.showCursor(seconds);
  element.show = state => acts.editing.show(state);
  element.update = () => acts.update();
  return element;
}

class Acts {
  #rights = "";
  #shape = "";
  #fields = {};
  #times = [];
  #cursor = null;
  #bikes = null;

  constructor(app, activity, onChange) {
    this.app = app;
    this.form = new Form(app);
    this.element = make("div", "acts");
    this.onReport = onChange;
    this.editing = new Editing(app, activity, (state, taken) => this.#follow(state, taken));
    this.update();
  }

  get activity() {
    return this.editing.activity;
  }

  /** Builds the acts again if the rights of the screen, or what is possible, have changed. */
  update() {
    const { state, source, edited, deleted, start, elapsed_time_s } = this.activity;
    const rights = this.app.rights.join();
    const shape = JSON.stringify([state, source, edited, deleted, start, state === "recording" ? null : elapsed_time_s]);
    if (rights === this.#rights && shape === this.#shape) return;
    // What is being typed stays. The acts are built when the field is left.
    if (Object.values(this.#fields).includes(document.activeElement)) return;
    [this.#rights, this.#shape] = [rights, shape];
    this.#build();
  }

  showCursor(seconds) {
    this.#cursor = seconds;
    for (const field of this.#times) field.showCursor(seconds);
  }

  #build() {
    const mayEdit = this.app.rights.includes("ride");
    const mayManage = this.app.rights.includes("manage");
    const { state, source, deleted } = this.activity;
    const isKept = deleted === undefined;
    const isDone = isKept && state !== "recording";
    this.#fields = {};
    this.editing.forgetTyped();
    this.#times = [];
    const sections = [
      isDone && this.#makeFiles(),
      isKept && mayEdit && this.#makeEdit(mayManage),
      isDone && mayManage && source !== "hand" && this.#makeCuts(),
      isDone && mayManage && make("section", "section", this.form.hold(this.#text("delete_ride"), () => this.#remove())),
      !isKept && mayManage && this.form.button(this.#text("restore"), () => this.#restore(), "call"),
    ];
    const focused = this.element.contains(document.activeElement) ? document.activeElement.textContent : null;
    this.element.replaceChildren(...sections.filter(Boolean));
    // The button of an act that has changed what is possible keeps the focus.
    [...this.element.querySelectorAll("button")].find(button => button.textContent === focused)?.focus({ preventScroll: true });
    this.showCursor(this.#cursor);
  }

  #text(key, ...values) {
    return this.app.texts.get(key, ...values);
  }

  #follow(state, taken) {
    for (const [name, field] of Object.entries(this.#fields)) {
      if (name === taken || !this.editing.isTyped(name)) setValue(field, shownOf(state, name));
    }
    this.update();
    this.onReport(state);
  }

  #makeFiles() {
    return this.form.section(this.#text("files"), makeExports(this.app, this.form, this.activity));
  }

  // Name, note, sport and bike

  #makeEdit(mayManage) {
    const { form, editing, activity, app: { texts } } = this;
    const sports = [...new Set([...SPORTS, shownOf(activity, "sport")])].map(sport => [sport, sportName(texts, sport)]);
    const lines = {
      name: form.word(texts.get("name"), activity.name, value => editing.edit("name", value)),
      note: form.passage(texts.get("note"), activity.note, value => editing.edit("note", value)),
      sport: form.choice(texts.get("sport"), shownOf(activity, "sport"), sports,
        value => editing.edit("sport", value, sport => sportName(texts, sport))),
    };
    if (mayManage) lines.bike = this.#makeBike();
    for (const [name, line] of Object.entries(lines)) this.#followTyping(name, line.querySelector("input, textarea, select"));
    return form.section(texts.get("edit_ride"), ...Object.values(lines));
  }

  #followTyping(name, field) {
    this.#fields[name] = field;
    field.addEventListener("input", () => this.editing.type(name));
    field.addEventListener("blur", () => {
      this.editing.leave(name, field.value);
      if (!this.editing.isTyped(name)) setValue(field, shownOf(this.activity, name));
    });
  }

  #makeBike() {
    const { form, editing, activity, app } = this;
    const none = ["", this.#text("none_set")];
    const own = activity.bike ? [[activity.bike, activity.bike]] : [];
    const line = form.choice(app.texts.get("bike"), activity.bike ?? "", [none, ...own], value => editing.edit("bike", value));
    const select = line.querySelector("select");
    this.#loadBikes().then(bikes => {
      const known = new Set([...select.options].map(option => option.value));
      for (const { name } of bikes) if (!known.has(name)) select.append(new Option(name, name));
    });
    return line;
  }

  /** Without a daemon, the bike of the activity is the only one to choose. */
  async #loadBikes() {
    try {
      this.#bikes ??= (await this.app.daemon.ask("bike")).bikes;
    } catch {
      return [];
    }
    return this.#bikes;
  }

  // Crop, split, join and revert

  #makeCuts() {
    const { form, activity } = this;
    const from = new TimeField(form, this.#text("crop_from"), 0);
    const to = new TimeField(form, this.#text("crop_to"), activity.elapsed_time_s);
    const at = new TimeField(form, this.#text("split_at"), undefined, this.#text("split_hint"));
    this.#times = [from, to, at];
    const lines = [
      from.element, to.element, form.action(this.#text("crop_text"), this.#text("crop"), () => this.#crop(from, to)),
      at.element, form.action(this.#text("split_text"), this.#text("split"), () => this.#split(at)),
      form.action(this.#text("join_title"), this.#text("join_choose"), () => this.#join()),
    ];
    if (activity.edited) lines.push(form.action(this.#text("revert_text"), this.#text("revert"), () => this.#revert(), this.#text("revert_hint")));
    return form.section(this.#text("cut_ride"), ...lines);
  }

  #read(field) {
    if (!Number.isNaN(field.seconds)) return field.seconds;
    field.input.focus();
    throw new Error(this.#text("not_a_time"));
  }

  async #crop(from, to) {
    const body = {};
    const [begin, end] = [this.#read(from), this.#read(to)];
    if (begin) body.from_s = begin;
    // A field shows whole seconds: one that was not changed keeps the end.
    if (end !== undefined && end < Math.floor(this.activity.elapsed_time_s ?? Infinity)) body.to_s = end;
    this.editing.show(await this.editing.post("crop", body));
    this.app.message.show(this.#text("cropped"), MESSAGE_S);
    return "";
  }

  async #split(at) {
    const seconds = this.#read(at);
    if (seconds === undefined) {
      at.input.focus();
      throw new Error(this.#text("not_a_time"));
    }
    const { activities } = await this.editing.post("split", { at_s: seconds });
    const rest = activities.find(({ id }) => id !== this.activity.id);
    const open = { label: this.#text("split_open"), act: () => this.app.router.go(`/rides/${rest.id}`) };
    this.editing.show(activities.find(({ id }) => id === this.activity.id));
    this.app.message.show(this.#text("split_done"), UNDO_S, open);
  }

  async #join() {
    const { app, editing, activity } = this;
    const ids = await chooseOthers(app, this.form, activity, () => !this.element.isConnected);
    if (ids === null) return "";
    const joined = await app.server.post(`${editing.path}/join`, { ids });
    app.message.show(this.#text("joined"), MESSAGE_S);
    if (!this.element.isConnected) return "";
    // The first in time shows them all.
    if (joined.id !== activity.id) app.router.replace(`/rides/${joined.id}`);
    else editing.show(joined);
    return "";
  }

  async #revert() {
    this.editing.show(await this.editing.post("revert", {}));
    return "";
  }

  // Deleting

  async #remove() {
    const { app, editing, activity } = this;
    await editing.remove();
    if (this.element.isConnected) app.router.replace("/rides");
    const undo = { label: this.#text("undo"), act: () => this.#restore(activity) };
    app.message.show(this.#text("deleted_ride", nameOf(activity, app.texts)), UNDO_S, undo);
  }

  async #restore(deleted = this.activity) {
    const { app, editing } = this;
    const name = nameOf(deleted, app.texts);
    try {
      const restored = await app.server.post(`${editing.path}/restore`, {});
      app.message.show(this.#text("restored", name), MESSAGE_S);
      if (this.element.isConnected) editing.show(restored);
    } catch (error) {
      app.message.show(this.#text("refused", error.message), MESSAGE_S);
    }
  }
}

/** What the field of a member shows. An activity without a sport is a ride. */
function shownOf(activity, name) {
  return activity[name] ?? (name === "sport" ? "cycling" : "");
}

/** A choice gets the value if it does not have it. */
function setValue(field, value) {
  if (field.options && ![...field.options].some(option => option.value === value)) field.append(new Option(value, value));
  field.value = value;
}

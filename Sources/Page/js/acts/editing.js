// Changes of an activity that build on the version that is shown. If another screen has changed it
// meanwhile, the rider sees the new state, and what was typed stays.

import { Refusal } from "../core/server.js";
import { ask } from "../ui/question.js";

const CHANGED = 412;

export class Editing {
  /** Ends when the newest change is done. The changes of a screen wait for each other, so that none of
   *  them finds another version than it expects because of the one before. */
  #last = Promise.resolve();
  /** The changes of members that are not saved yet. */
  #waiting = new Set();
  /** The stored values of the members that the rider types at, as they were when typing began. */
  #bases = new Map();

  /** @param {(activity: object, taken?: string) => void} onChange gets the new state, and the name of the member that takes
   *  its value even while the rider types another */
  constructor(app, activity, onChange) {
    this.app = app;
    this.activity = activity;
    this.onChange = onChange;
  }

  get path() {
    return `/api/1/activities/${this.activity.id}`;
  }

  get #match() {
    return { "If-Match": `"${this.activity.version}"` };
  }

  /** The rider begins to type at a member, or types on. */
  type(name) {
    if (!this.#bases.has(name)) this.#bases.set(name, this.#stored(name));
  }

  /** The rider leaves the field of a member. What is there again as it was is no longer typed. */
  leave(name, value) {
    if (this.#bases.get(name) === value) this.#bases.delete(name);
  }

  /** The fields were made again, without what was typed. */
  forgetTyped() {
    this.#bases.clear();
  }

  /** Changes one member, such as the name. `describe` is how its value is shown. */
  edit(name, value, describe = text => text ?? "") {
    const change = { name, value, describe, base: this.#bases.get(name) ?? this.#stored(name) };
    this.#bases.delete(name);
    this.#waiting.add(change);
    return this.#inTurn(() => this.#save(change))
      .catch(error => {
        // What was refused stays in its field.
        this.type(name);
        throw error;
      })
      .finally(() => this.#waiting.delete(change));
  }

  /** Whether the rider types at this member, or a new value of it waits to be saved. */
  isTyped(name) {
    return this.#bases.has(name) || [...this.#waiting].some(change => change.name === name);
  }

  #stored(name) {
    return this.activity[name] ?? "";
  }

  async #save(change, mayRetry = true) {
    const { name, value } = change;
    if (value === this.#stored(name)) return;
    if (change.base !== this.#stored(name)) return this.#resolve(change);
    try {
      const saved = await this.app.server.patch(this.path, { [name]: value }, this.#match);
      this.#waiting.delete(change);
      this.#rebase(name, saved[name] ?? "");
      this.show(saved);
    } catch (error) {
      if (error.status !== CHANGED) throw error;
      this.show(await this.app.server.get(this.path));
      if (!mayRetry) throw new Refusal(CHANGED, this.app.texts.get("changed_elsewhere_again"));
      await this.#save(change, false);
    }
  }

  /** What the rider typed meanwhile builds on what this screen saved. */
  #rebase(name, value) {
    if (this.#bases.has(name)) this.#bases.set(name, value);
    for (const change of this.#waiting) if (change.name === name) change.base = value;
  }

  /** Another screen has changed the member meanwhile. */
  async #resolve(change) {
    const { name, describe } = change;
    const { texts } = this.app;
    const current = this.#stored(name);
    const sentence = texts.get("changed_elsewhere_text", describe(current) || texts.get("none_set"));
    const choice = await ask(texts, texts.get("changed_elsewhere"), sentence, ["keep_mine", "take_theirs"]);
    if (choice === "keep_mine") {
      change.base = current;
      return this.#save(change);
    }
    if (choice === null) throw new Refusal(CHANGED, texts.get("changed_elsewhere"));
    this.#waiting.delete(change);
    this.#bases.delete(name);
    this.show(this.activity, name);
  }

  /** Crops, splits or reverts. @returns {Promise<object>} the answer */
  post(word, body) {
    return this.#change(() => this.app.server.post(`${this.path}/${word}`, body, this.#match));
  }

  remove() {
    return this.#change(() => this.app.server.remove(this.path, this.#match));
  }

  #change(request) {
    return this.#inTurn(async () => {
      try {
        return await request();
      } catch (error) {
        if (error.status !== CHANGED) throw error;
        this.show(await this.app.server.get(this.path));
        throw new Refusal(CHANGED, this.app.texts.get("changed_elsewhere_again"));
      }
    });
  }

  #inTurn(act) {
    const done = this.#last.then(act);
    this.#last = done.catch(() => {});
    return done;
  }

  /** Shows a state that the server has. */
  show(activity, taken = null) {
    this.activity = activity;
    this.onChange(activity, taken);
  }
}

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

  /** Changes one member, such as the name. `describe` is how its value is shown. */
  edit(name, value, describe = text => text ?? "") {
    const change = { name, value, describe };
    this.#waiting.add(change);
    return this.#inTurn(() => this.#save(change)).finally(() => this.#waiting.delete(change));
  }

  /** Whether a new value of this member waits to be saved. */
  isWaiting(name) {
    return [...this.#waiting].some(change => change.name === name);
  }

  async #save(change) {
    const { name, value } = change;
    if (value === (this.activity[name] ?? "")) return;
    try {
      const saved = await this.app.server.patch(this.path, { [name]: value }, this.#match);
      this.#waiting.delete(change);
      this.show(saved);
    } catch (error) {
      if (error.status !== CHANGED) throw error;
      await this.#resolve(change);
    }
  }

  async #resolve(change) {
    const { name, describe } = change;
    const { texts, server } = this.app;
    this.show(await server.get(this.path));
    const current = this.activity[name];
    const sentence = texts.get("changed_elsewhere_text", describe(current) || texts.get("none_set"));
    const choice = await ask(texts, texts.get("changed_elsewhere"), sentence, ["keep_mine", "take_theirs"]);
    if (choice === "keep_mine") return this.#save(change);
    if (choice === null) throw new Refusal(CHANGED, texts.get("changed_elsewhere"));
    this.#waiting.delete(change);
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

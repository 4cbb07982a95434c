// Changes of an activity that build on the version that is shown. If another screen has changed it
// meanwhile, the rider sees the new state, and what was typed stays.

import { Refusal } from "../core/server.js";
import { ask } from "../ui/question.js";

const CHANGED = 412;

export class Editing {
  /** @param {(activity: object, names: {typed?: string, taken?: string}) => void} onChange gets the new state, and the names of
   *  the member that keeps what was typed, and of the one that takes the new value */
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
  async edit(name, value, describe = text => text ?? "") {
    if (value === (this.activity[name] ?? "")) return;
    try {
      this.show(await this.app.server.patch(this.path, { [name]: value }, this.#match));
    } catch (error) {
      if (error.status !== CHANGED) throw error;
      await this.#resolve(name, value, describe);
    }
  }

  async #resolve(name, value, describe) {
    const { texts, server } = this.app;
    this.show(await server.get(this.path), { typed: name });
    const current = this.activity[name];
    const sentence = texts.get("changed_elsewhere_text", describe(current) || texts.get("none_set"));
    const choice = await ask(texts, texts.get("changed_elsewhere"), sentence, ["keep_mine", "take_theirs"]);
    if (choice === "keep_mine") return this.edit(name, value, describe);
    if (choice === null) throw new Refusal(CHANGED, texts.get("changed_elsewhere"));
    this.show(this.activity, { taken: name });
  }

  /** Crops, splits or reverts. @returns {Promise<object>} the answer */
  post(word, body) {
    return this.#change(() => this.app.server.post(`${this.path}/${word}`, body, this.#match));
  }

  remove() {
    return this.#change(() => this.app.server.remove(this.path, this.#match));
  }

  async #change(request) {
    try {
      return await request();
    } catch (error) {
      if (error.status !== CHANGED) throw error;
      this.show(await this.app.server.get(this.path));
      throw new Refusal(CHANGED, this.app.texts.get("changed_elsewhere_again"));
    }
  }

  /** Shows a state that the server has. */
  show(activity, names = {}) {
    this.activity = activity;
    this.onChange(activity, names);
  }
}

// What a part of the statistics asks of the logbook. Answers to older questions are dropped, and what
// is shown stays until the next answer.

import { PartStatus } from "../../report/part.js";

const NO_RECORDER = 503;

export class Loading {
  #wanted = 0;
  #hasAnswer = false;
  /** Whether the logbook has nothing of this, or there is no logbook. */
  hasNothing = false;
  /** Called after an answer was shown. */
  onEnd = () => {};

  /**
   * @param {() => string} path what is asked now
   * @param {(answer: object|null) => void} show gets null if there is no answer
   */
  constructor(app, path, show) {
    this.app = app;
    this.path = path;
    this.show = show;
    this.status = new PartStatus(app.texts, () => this.load());
  }

  async load() {
    this.#wanted += 1;
    const wanted = this.#wanted;
    if (!this.#hasAnswer) this.status.loading();
    try {
      const answer = await this.app.server.get(this.path());
      if (wanted !== this.#wanted) return;
      this.#hasAnswer = true;
      this.status.say("");
      this.hasNothing = false;
      this.show(answer);
      this.onEnd();
    } catch (error) {
      if (wanted !== this.#wanted) return;
      this.#hasAnswer = false;
      this.hasNothing = error.status === NO_RECORDER;
      this.show(null);
      if (this.hasNothing) this.status.say(this.app.texts.get("not_recorded"), true);
      else this.status.refuse(error);
      this.onEnd();
    }
  }

  /** The answer has nothing to show. */
  sayNothing(sentence) {
    this.hasNothing = true;
    this.status.say(sentence);
  }

  close() {
    this.#wanted += 1;
  }
}

// Parts of a ride that the rider rides often, for segments: searched for when the rider asks, because
// the recorder compares many rides for it. The rider decides which one becomes a segment.

import { make } from "../ui/elements.js";
import { Form } from "../ui/form.js";
import { NUMBERS } from "./numbers.js";

export class Proposals {
  /** Counts the searches: an answer to an older one is dropped. */
  #search = 0;
  /** Called with the part that the rider takes, in seconds. */
  onTake = () => {};

  constructor(app, amounts, activity) {
    const { texts } = app;
    this.app = app;
    this.amounts = amounts;
    this.activity = activity;
    this.form = new Form(app);
    this.status = make("p", "sentence");
    this.status.setAttribute("role", "status");
    this.list = make("ul", "segments");
    this.button = this.form.button(texts.get("segment_propose"), () => this.#find());
    this.element = make("div", "segment-proposals", this.button, this.status, this.list);
    this.clear();
  }

  /** Forgets what was found: with a new segment, other parts are worth one. */
  clear() {
    this.#search += 1;
    this.button.disabled = false;
    this.#show("", []);
  }

  close() {
    this.#search += 1;
  }

  async #find() {
    const { server, texts } = this.app;
    this.clear();
    const search = this.#search;
    this.button.disabled = true;
    this.#show(texts.get("segment_searching"), []);
    try {
      const { proposals } = await server.get(`/api/1/activities/${this.activity.id}/proposals`);
      if (search !== this.#search) return;
      this.#show(proposals.length > 0 ? "" : texts.get("no_proposals"), proposals);
    } catch (error) {
      if (search !== this.#search) return;
      this.#show(texts.get("refused", error.message), []);
    }
    this.button.disabled = false;
  }

  #show(sentence, proposals) {
    this.status.textContent = sentence;
    this.status.hidden = sentence === "";
    this.list.replaceChildren(...proposals.map(proposal => this.#makeLine(proposal)));
    this.list.hidden = proposals.length === 0;
  }

  #makeLine({ from_s, to_s, distance_m, times }) {
    const { amounts, app: { texts } } = this;
    const length = amounts.text(NUMBERS.distance_m, distance_m);
    const sentence = texts.get("segment_proposal", length, amounts.elapsed(from_s), amounts.elapsed(to_s), times);
    const take = this.form.button(texts.get("segment_take"), () => this.onTake(from_s, to_s));
    take.setAttribute("aria-label", `${texts.get("segment_take")}: ${sentence}`);
    return make("li", "segment segment-proposal", make("span", "label", sentence), take);
  }
}

// The segments of the logbook on the report of a ride: marking a part of the ride as a new one, and
// all efforts on each of them, those of past rides included.

import { isBeingRemoved, removeLater } from "../acts/removal.js";
import { make } from "../ui/elements.js";
import { Form } from "../ui/form.js";
import { makePart, PartStatus } from "./part.js";
import { Proposals } from "./proposals.js";
import { SegmentLine } from "./segment-line.js";
import { SegmentMarker } from "./segment-marker.js";

const MOST = 200;
const MESSAGE_S = 8;

export class Segments {
  #isClosed = false;
  /** An older load ends when another one begins. */
  #loads = 0;
  #rights = null;
  #lines = [];
  /** Called with the part that is being marked, and whether its slider was released. */
  onMark = () => {};

  constructor(app, amounts, { activity, cursor, lengthBetween }) {
    const { texts } = app;
    this.app = app;
    this.amounts = amounts;
    this.activity = activity;
    this.form = new Form(app);
    this.status = new PartStatus(texts, () => this.load());
    this.list = make("ul", "segments");
    this.list.hidden = true;
    this.marker = new SegmentMarker(app, amounts, { activity, cursor, lengthBetween });
    this.marker.onMark = (...part) => this.onMark(...part);
    this.marker.onSave = segment => this.#save(segment);
    this.proposals = new Proposals(app, amounts, activity);
    this.proposals.onTake = (from, to) => this.marker.mark(from, to);
    this.element = makePart("segments", texts.get("segments"), this.form.text(texts.get("segments_hint")), this.status.element, this.list,
      this.proposals.element, this.marker.element);
    // A segment that goes leaves the focus here.
    this.element.querySelector("h2").tabIndex = -1;
    this.update();
  }

  /** One request for all segments. The efforts on one are asked for when it is opened. */
  async load() {
    const { texts, server } = this.app;
    this.#loads += 1;
    const loads = this.#loads;
    this.status.loading();
    try {
      const { segments } = await server.get(`/api/1/segments?limit=${MOST}&activity=${this.activity.id}`);
      if (this.#isClosed || loads !== this.#loads) return;
      this.status.say(segments.length > 0 ? "" : texts.get("no_segments"));
      this.#show(segments);
      this.marker.refresh();
    } catch (error) {
      if (!this.#isClosed && loads === this.#loads) this.status.refuse(error);
    }
  }

  #show(segments) {
    const opened = new Set(this.#lines.filter(({ isOpen }) => isOpen).map(({ path }) => path));
    this.#lines = segments.map(segment => {
      const line = new SegmentLine(this.app, this.amounts, segment, this.activity);
      if (opened.has(line.path)) line.toggle();
      line.onRemove = () => this.#remove(line);
      return line;
    });
    this.list.replaceChildren(...this.#lines.map(line => line.element));
    this.#hideRemoved();
  }

  /** A line that was deleted comes back when the rider or the recorder refuses that. */
  #hideRemoved() {
    for (const { element, path } of this.#lines) element.hidden = isBeingRemoved(path);
    this.list.hidden = this.#lines.every(({ element }) => element.hidden);
  }

  async #save({ name, from, to }) {
    const { server, texts, message } = this.app;
    const made = await server.post("/api/1/segments", { activity: this.activity.id, name, from_s: from, to_s: to });
    message.show(texts.get("segment_saved", made.name), MESSAGE_S);
    this.proposals.clear();
    await this.load();
  }

  #remove(line) {
    const { path, name } = line;
    this.element.querySelector("h2").focus();
    removeLater(this.app, { path, name, undone: () => this.#hideRemoved() });
    this.#hideRemoved();
  }

  /** With each frame: the rights of the screen can change, and deleting can fail. */
  update() {
    this.#hideRemoved();
    const { rights } = this.app;
    if (rights.join() === this.#rights) return;
    this.#rights = rights.join();
    this.marker.element.hidden = this.proposals.element.hidden = !rights.includes("ride");
    for (const line of this.#lines) line.showActs();
  }

  close() {
    this.#isClosed = true;
    this.proposals.close();
  }
}

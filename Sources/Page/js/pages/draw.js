// Draws a route by hand: /routes/draw. The line stays while this document is open, so that a look at
// another page loses nothing.

import { sentenceOf } from "../core/routes.js";
import { DrawingMap } from "../map/drawing-map.js";
import { make, whileDisabled } from "../ui/elements.js";
import { Form } from "../ui/form.js";

/** Past rides to draw along: the newest ones, each with so many points. */
const RIDES = 40, POINTS = 500;
const MESSAGE_S = 8;
/** Statuses of refusals. Without a recorder or a server, no other ride can be read either. */
const NO_ANSWER = 0, NOT_FOUND = 404, UNAVAILABLE = 503;

/** What was drawn and not saved. */
let kept = null;

export function open(app) {
  const page = new DrawingPage(app);
  page.load();
  return {
    title: app.texts.get("routes_draw"), parent: "/routes", element: page.element,
    update: context => page.update(context),
    close: () => page.close(),
  };
}

class DrawingPage {
  #isClosed = false;
  #hasAsked = false;
  #isSaving = false;

  constructor(app) {
    const { texts } = app;
    this.app = app;
    this.form = new Form(app);
    this.hint = make("p", "sentence", texts.get("draw_hint"));
    this.hint.id = "draw-hint";
    this.map = new DrawingMap(app, { label: texts.get("draw_map"), hint: this.hint, sketch: kept });
    this.map.onChange = isEnd => this.#showLength(isEnd);
    this.length = make("p", "draw-length");
    this.undo = this.form.button(texts.get("draw_undo"), () => this.map.undo());
    this.status = make("p", "hint");
    this.status.setAttribute("role", "status");
    this.name = make("input", "field long");
    Object.assign(this.name, { type: "text", autocomplete: "off", maxLength: 200 });
    this.error = make("p", "error");
    this.error.hidden = true;
    this.error.setAttribute("role", "alert");
    this.save = this.form.button(texts.get("draw_save"), () => this.#save(), "call");
    this.element = make("div", "page-body draw-map", this.hint, this.map.element,
      make("div", "draw-state", this.length, this.undo), this.status,
      make("div", "lines section", this.form.labelled(texts.get("draw_name"), this.name)), this.error, this.save);
    this.#showLength(false);
  }

  /** The rides of the logbook. Without them there is still something to draw on. */
  async load() {
    const { server, texts } = this.app;
    try {
      const { activities } = await server.get(`/api/1/activities?limit=${RIDES}`);
      await this.#loadTracks(activities.filter(({ track }) => track));
    } catch (error) {
      if (!this.#isClosed) this.status.textContent = error.status === NOT_FOUND ? texts.get("refused", error.message) : sentenceOf(texts, error);
    }
    this.#hasAsked = true;
  }

  /** One after the other. A ride that cannot be read, or was deleted meanwhile, does not keep the others away. */
  async #loadTracks(activities) {
    const { server, texts } = this.app;
    for (const { id } of activities) {
      let track;
      try {
        track = await server.get(`/api/1/activities/${id}/track?points=${POINTS}`);
      } catch (error) {
        if (error.status === NO_ANSWER || error.status === UNAVAILABLE) throw error;
        continue;
      }
      if (this.#isClosed) return;
      this.map.addRide(track);
      this.status.textContent = texts.get("draw_past");
    }
  }

  /** With each frame: the rights of the screen can change, and the first position can come. */
  update({ store }) {
    this.save.disabled = this.#isSaving || !this.app.rights.includes("ride");
    if (this.map.isPlaced || !this.#hasAsked) return;
    const nowhere = this.app.texts.get("draw_nowhere");
    const sample = store.newest("position");
    if (sample?.latitude_deg !== undefined) {
      this.map.place(sample.latitude_deg, sample.longitude_deg);
      if (this.status.textContent === nowhere) this.status.textContent = "";
    } else if (this.status.textContent === "") this.status.textContent = nowhere;
  }

  #showLength(isEnd) {
    const { texts } = this.app;
    const { sketch } = this.map;
    const isEmpty = !sketch || sketch.isEmpty;
    const text = isEmpty ? texts.get("draw_none") : texts.get("draw_length", this.map.lengthText);
    this.length.textContent = text;
    this.undo.disabled = isEmpty;
    kept = sketch;
    if (!isEnd) return;
    this.#refuse("");
    this.app.speak(text, "draw");
  }

  #refuse(sentence, field) {
    this.error.textContent = sentence;
    this.error.hidden = sentence === "";
    field?.focus();
  }

  async #save() {
    const { texts, server, message, router } = this.app;
    const { sketch } = this.map;
    const name = this.name.value.trim();
    if (!sketch || sketch.places.length < 2) return this.#refuse(texts.get("draw_too_short"), this.map.surface.face);
    if (name === "") return this.#refuse(texts.get("route_needs_name"), this.name);
    const { degrees } = sketch;
    if (degrees === null) return this.#refuse(texts.get("draw_too_long"));
    this.#refuse("");
    this.#isSaving = true;
    await whileDisabled(this.save, async () => {
      try {
        const route = await server.post("/api/1/routes", { name, ...degrees });
        kept = null;
        message.show(texts.get("draw_saved", route.name), MESSAGE_S);
        if (!this.#isClosed) router.replace(`/routes/${route.id}`);
      } catch (error) {
        this.#refuse(sentenceOf(texts, error));
      }
    });
    this.#isSaving = false;
  }

  close() {
    this.#isClosed = true;
    this.map.close();
  }
}

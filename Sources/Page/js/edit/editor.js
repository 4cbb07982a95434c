// Edit mode: the rider changes which widgets there are, their order and sizes. The layout is a draft
// until DONE; CANCEL and Back drop it.

import { sizesOf } from "../core/catalogue.js";
import { added, firstLayout, LIMIT, moved, removed, resized } from "../core/layout.js";
import { isMoving } from "../core/motion.js";
import { ask } from "../ui/question.js";
import { EditBars } from "./bars.js";
import { Drag } from "./drag.js";
import { Gestures } from "./gestures.js";
import { handleKey } from "./keys.js";
import { Picker } from "./picker.js";
import { saveLayout } from "./saving.js";
import { WidgetTools } from "./tools.js";

const MOVING_END_S = 5;
const MESSAGE_S = 4;
const UNDO_S = 8;
const VIBRATION_MS = 20;

export class Editor {
  #before = null;
  #selected = null;
  #movingSince = null;
  #isSaving = false;

  /** @param {object} app with `layout`, `show`, `router`, `settings`, `store` */
  constructor(app) {
    this.app = app;
    this.texts = app.texts;
    this.tools = new WidgetTools(this);
    this.bars = new EditBars(this);
    this.drag = new Drag(app.dashboard, app.list);
    this.picker = new Picker(app, widget => this.add(widget));
    this.gestures = new Gestures(this);
    window.addEventListener("keydown", event => handleKey(this, event), { capture: true });
  }

  get isEditing() {
    return this.#before !== null;
  }

  get layout() {
    return this.app.layout;
  }

  /** The index of the selected widget, or null. */
  get selected() {
    return this.#selected;
  }

  get widget() {
    return this.#selected === null ? null : this.layout.widgets[this.#selected];
  }

  nameOf(widget) {
    return this.texts.get(widget.id);
  }

  /** Begins to edit, with a widget selected, unless the bike moves. */
  start(index = null) {
    const { app } = this;
    if (this.isEditing) return;
    if (app.settings.get("lock_layout")) return app.message.show(this.texts.get("edit_locked"), MESSAGE_S);
    if (app.isLoadingLayout) return app.message.show(this.texts.get("edit_loading"), MESSAGE_S);
    if (isMoving(app.store, app.clock.now, app.stream.isCutOff)) {
      app.riding.band.add({ text: this.texts.get("edit_moving"), rating: "okay", isUrgent: true });
      return app.draw();
    }
    this.#before = app.layout;
    this.#movingSince = null;
    navigator.vibrate?.(VIBRATION_MS);
    document.documentElement.toggleAttribute("data-editing", true);
    app.router.hold(() => this.#restore());
    this.bars.open();
    this.select(index);
  }

  cancel() {
    if (!this.isEditing) return;
    this.app.router.release();
    this.#restore();
  }

  #restore() {
    const before = this.#before;
    this.#end();
    this.app.show(before);
  }

  /** Saves, and ends if that succeeded. */
  async finish() {
    if (!this.isEditing || this.#isSaving) return;
    this.#isSaving = true;
    try {
      const layout = await saveLayout(this.app);
      if (layout === null) return;
      this.app.router.release();
      this.#end();
      if (layout !== this.app.layout) this.app.show(layout);
      this.app.message.show(this.texts.get("edit_saved"), MESSAGE_S);
    } catch (error) {
      this.app.message.show(this.texts.get("edit_unsaved", error.message), MESSAGE_S);
    } finally {
      this.#isSaving = false;
    }
  }

  #end() {
    this.#before = null;
    this.#selected = null;
    this.drag.cancel();
    this.picker.close();
    this.bars.close();
    this.tools.hide();
    document.documentElement.toggleAttribute("data-editing", false);
  }

  /** With each frame: an end by itself, when the bike moves. */
  update(context) {
    this.picker.update(context);
    if (!this.isEditing) return;
    if (!isMoving(context.store, context.now, context.isCutOff)) {
      this.#movingSince = null;
      return;
    }
    this.#movingSince ??= context.seconds;
    if (context.seconds - this.#movingSince >= MOVING_END_S) this.finish();
  }

  // What the rider does

  select(index) {
    const last = this.layout.widgets.length - 1;
    this.#selected = index === null || last < 0 ? null : Math.max(0, Math.min(last, index));
    this.#show();
    if (this.widget) this.#speakPlace();
  }

  move(from, to) {
    const target = Math.max(0, Math.min(this.layout.widgets.length - 1, to));
    this.#selected = target;
    this.#change(moved(this.layout, from, target));
    this.#speakPlace();
  }

  resize(size) {
    if (this.widget && sizesOf(this.widget.id).includes(size)) this.#change(resized(this.layout, this.#selected, size));
  }

  /** Chooses the seconds of an average; null for the value of now. */
  setAverage(of) {
    if (!this.widget) return;
    const { of: _, ...rest } = this.widget;
    const widgets = [...this.layout.widgets];
    widgets[this.#selected] = of === null ? rest : { ...rest, of };
    this.#change({ ...this.layout, widgets });
  }

  remove(index) {
    const before = this.layout;
    const name = this.nameOf(before.widgets[index]);
    this.#selected = null;
    this.#change(removed(before, index));
    const undo = { label: this.texts.get("undo"), act: () => { if (this.isEditing) this.#change(before); } };
    this.app.message.show(this.texts.get("edit_removed", name), UNDO_S, undo);
    this.app.list.querySelectorAll(".face")[Math.min(index, this.layout.widgets.length - 1)]?.focus();
  }

  add(widget) {
    if (this.layout.widgets.length >= LIMIT) return this.app.message.show(this.texts.get("edit_full"), MESSAGE_S);
    this.#selected = this.layout.widgets.length;
    this.#change(added(this.layout, widget));
    this.app.list.lastElementChild.scrollIntoView({ block: "nearest" });
  }

  async reset() {
    const texts = this.texts;
    const answer = await ask(texts, texts.get("edit_reset_question"), texts.get("edit_reset_text"), ["edit_reset", "cancel"]);
    if (answer !== "edit_reset" || !this.isEditing) return;
    this.#selected = null;
    this.#change(firstLayout(this.app.screen, kind => this.app.store.sensorsOf(kind).length > 0));
  }

  #change(layout) {
    this.app.show(layout);
    this.#show();
  }

  #show() {
    this.tools.show(this.#selected);
    this.bars.update();
  }

  #speakPlace() {
    const count = this.layout.widgets.length;
    this.app.speak(this.texts.get("edit_place", this.nameOf(this.widget), this.#selected + 1, count));
  }
}

// Pointers on the dashboard: a hold in place begins to edit; while editing, a tap selects, and a hold
// or the handle begins to drag.

export const HOLD_MS = 500;
const STILL_PX = 10;
const TAP_PX = 24;
const DRAG_PX = 6;
/** A longer press that did not become a hold is nothing. */
const TAP_MS = 400;

export class Gestures {
  #start = null;
  #timer = null;
  /** The click that follows a hold is not a tap. */
  #dropsClick = false;
  #pressed = -Infinity;

  constructor(editor) {
    this.editor = editor;
    this.app = editor.app;
    const { dashboard } = this.app;
    dashboard.addEventListener("pointerdown", event => this.#begin(event));
    dashboard.addEventListener("pointermove", event => this.#move(event));
    dashboard.addEventListener("pointerup", event => this.#end(event));
    dashboard.addEventListener("pointercancel", () => this.#forget());
    dashboard.addEventListener("click", event => this.#click(event), { capture: true });
    dashboard.addEventListener("contextmenu", event => event.preventDefault());
    dashboard.addEventListener("touchmove", event => {
      if (editor.drag.isActive && event.cancelable) event.preventDefault();
    }, { passive: false });
  }

  #indexOf(target) {
    const item = target.closest?.(".widget");
    const index = [...this.app.list.children].indexOf(item);
    return index < 0 ? null : index;
  }

  #begin(event) {
    this.#forget();
    this.#dropsClick = false;
    this.#pressed = event.timeStamp;
    if (!event.isPrimary || event.button !== 0) return;
    const index = this.#indexOf(event.target);
    const isHandle = event.target.closest?.(".handle") !== null;
    const isTool = event.target.closest?.(".tools button") !== null;
    if (isTool) return;
    this.#start = { x: event.clientX, y: event.clientY, index, id: event.pointerId, isHandle };
    this.#timer = setTimeout(() => this.#held(), HOLD_MS);
  }

  #held() {
    const { editor } = this;
    const start = this.#start;
    if (!editor.isEditing) {
      if (this.app.settings.get("lock_layout")) return;
      this.#dropsClick = true;
      this.#start = null;
      editor.start(start.index);
    } else if (start.index !== null) {
      this.#startDrag();
    }
  }

  #startDrag() {
    const { editor } = this;
    const { index, x, y, id } = this.#start;
    clearTimeout(this.#timer);
    this.#dropsClick = true;
    if (editor.selected !== index) editor.select(index);
    this.app.dashboard.setPointerCapture(id);
    editor.drag.start(index, x, y);
  }

  #move(event) {
    const { drag, selected, isEditing } = this.editor;
    if (drag.isActive) return drag.move(event.clientX, event.clientY);
    const start = this.#start;
    if (!start || event.pointerId !== start.id) return;
    const way = Math.hypot(event.clientX - start.x, event.clientY - start.y);
    const isDraggable = isEditing && start.index !== null && (start.isHandle || start.index === selected);
    if (isDraggable && way > DRAG_PX) {
      this.#startDrag();
      drag.move(event.clientX, event.clientY);
    } else if (way > STILL_PX) {
      clearTimeout(this.#timer);
      if (way > TAP_PX) this.#start = null;
    }
  }

  #end(event) {
    if (event.pointerType === "touch" && event.timeStamp - this.#pressed > TAP_MS) this.#dropsClick = true;
    const { drag } = this.editor;
    if (drag.isActive) {
      const { from, to } = drag.end();
      this.editor.move(from, to);
    }
    this.#forget();
  }

  #forget() {
    clearTimeout(this.#timer);
    this.#start = null;
    this.editor.drag?.cancel();
  }

  #click(event) {
    const { editor } = this;
    const dropsClick = this.#dropsClick && event.detail > 0;
    this.#dropsClick = false;
    if (!editor.isEditing && !dropsClick) return;
    if (event.target.closest(".tools button")) return;
    event.stopPropagation();
    event.preventDefault();
    if (!dropsClick) editor.select(this.#indexOf(event.target));
  }
}

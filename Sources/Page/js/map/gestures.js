// Touch, mouse, wheel and keys that move the view of a map.

const KEY_PX = 48;
export const ZOOM_STEP = 1.5;
const WHEEL_PX = 400;
const LINE_PX = 16;
/** A finger that stays this near to where it was pressed has tapped, or holds. */
const TAP_PX = 10;
const HOLD_MS = 500;

export class Gestures {
  /** Where each pointer is, and where it was pressed. */
  #pointers = new Map();
  #hasMoved = false;
  #holdTimer = null;
  /** The pointer that draws after a hold. */
  #drawing = null;

  /**
   * @param {Element} element
   * @param {import("./view.js").MapView} view
   * @param {object} handlers
   * @param {() => void} handlers.moved
   * @param {() => void} handlers.all
   * @param {(x: number, y: number) => void} handlers.pointed
   * @param {{begin: (x: number, y: number) => boolean, draw: (x: number, y: number) => void, end: () => void}} [handlers.hold]
   *   what a hold in place begins, and what the pointer does until it is lifted
   */
  constructor(element, view, handlers) {
    this.element = element;
    this.view = view;
    this.handlers = handlers;
    element.addEventListener("pointerdown", event => this.#press(event));
    element.addEventListener("pointermove", event => this.#move(event));
    for (const end of ["pointerup", "pointercancel"]) element.addEventListener(end, event => this.#release(event));
    // A long touch would open the menu of the browser, and end the line.
    if (handlers.hold) element.addEventListener("contextmenu", event => event.preventDefault());
    element.addEventListener("wheel", event => this.#turn(event), { passive: false });
    element.addEventListener("keydown", event => this.#type(event));
  }

  #placeOf({ clientX, clientY }) {
    const { left, top } = this.element.getBoundingClientRect();
    return { x: clientX - left - this.element.clientLeft, y: clientY - top - this.element.clientTop };
  }

  #press(event) {
    if (event.button !== 0) return;
    if (this.#pointers.size === 0) this.#hasMoved = false;
    this.element.setPointerCapture(event.pointerId);
    const place = this.#placeOf(event);
    this.#pointers.set(event.pointerId, { ...place, pressed: place });
    this.#awaitHold(event);
  }

  /** A second finger ends the hold, and the line of the first one. */
  #awaitHold({ pointerId }) {
    this.#endHold();
    const { hold } = this.handlers;
    if (!hold || this.#pointers.size > 1) return;
    this.#holdTimer = setTimeout(() => {
      const { x, y } = this.#pointers.get(pointerId);
      if (hold.begin(x, y)) this.#drawing = pointerId;
    }, HOLD_MS);
  }

  #endHold() {
    clearTimeout(this.#holdTimer);
    if (this.#drawing === null) return;
    this.#drawing = null;
    this.handlers.hold.end();
  }

  #move(event) {
    const place = this.#placeOf(event);
    if (event.pointerId === this.#drawing) {
      this.#pointers.set(event.pointerId, { ...this.#pointers.get(event.pointerId), ...place });
      return this.handlers.hold.draw(place.x, place.y);
    }
    const last = this.#pointers.get(event.pointerId);
    if (!last) return this.handlers.pointed(place.x, place.y);
    const other = [...this.#pointers].find(([id]) => id !== event.pointerId)?.[1];
    this.#pointers.set(event.pointerId, { ...place, pressed: last.pressed });
    // A finger that rests trembles, so its way is not summed up.
    this.#hasMoved ||= other !== undefined || Math.hypot(place.x - last.pressed.x, place.y - last.pressed.y) > TAP_PX;
    if (!this.#hasMoved) return;
    clearTimeout(this.#holdTimer);
    if (other) this.#pinch(last, place, other);
    else this.view.pan(place.x - last.x, place.y - last.y);
    this.handlers.moved();
  }

  /** One of two fingers moves; the other stays where it is. */
  #pinch(last, place, other) {
    const before = Math.hypot(last.x - other.x, last.y - other.y);
    const after = Math.hypot(place.x - other.x, place.y - other.y);
    if (before < 1 || after < 1) return;
    this.view.pan((place.x - last.x) / 2, (place.y - last.y) / 2);
    this.view.zoom(after / before, (place.x + other.x) / 2, (place.y + other.y) / 2);
  }

  #release(event) {
    if (!this.#pointers.delete(event.pointerId)) return;
    const hasDrawn = event.pointerId === this.#drawing;
    this.#endHold();
    if (hasDrawn) return;
    const place = this.#placeOf(event);
    if (event.type === "pointerup" && !this.#hasMoved) this.handlers.pointed(place.x, place.y);
  }

  /** What waits for a hold ends with the map. */
  close() {
    clearTimeout(this.#holdTimer);
  }

  #turn(event) {
    event.preventDefault();
    const { x, y } = this.#placeOf(event);
    const pixels = event.deltaMode === 0 ? event.deltaY : event.deltaY * LINE_PX;
    // Browsers report a pinch on a touchpad as a small turn with the control key.
    this.view.zoom(2 ** (-pixels / (event.ctrlKey ? WHEEL_PX / 4 : WHEEL_PX)), x, y);
    this.handlers.moved();
  }

  #type(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { view } = this;
    const keys = {
      ArrowLeft: () => view.pan(KEY_PX, 0), ArrowRight: () => view.pan(-KEY_PX, 0),
      ArrowUp: () => view.pan(0, KEY_PX), ArrowDown: () => view.pan(0, -KEY_PX),
      "+": () => view.zoom(ZOOM_STEP), "=": () => view.zoom(ZOOM_STEP), "-": () => view.zoom(1 / ZOOM_STEP),
    };
    const act = event.key === "Home" ? this.handlers.all : keys[event.key];
    if (!act) return;
    // The page has other uses for these keys.
    event.preventDefault();
    event.stopPropagation();
    act();
    if (event.key !== "Home") this.handlers.moved();
  }
}

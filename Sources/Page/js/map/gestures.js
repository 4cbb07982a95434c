// Touch, mouse, wheel and keys that move the view of a map.

const KEY_PX = 48;
export const ZOOM_STEP = 1.5;
const WHEEL_PX = 400;
const LINE_PX = 16;
/** A finger that moves less has tapped. */
const TAP_PX = 10;

export class Gestures {
  #pointers = new Map();
  #moved = 0;

  /**
   * @param {Element} element
   * @param {import("./view.js").MapView} view
   * @param {{moved: () => void, all: () => void, pointed: (x: number, y: number) => void}} handlers
   */
  constructor(element, view, handlers) {
    this.element = element;
    this.view = view;
    this.handlers = handlers;
    element.addEventListener("pointerdown", event => this.#press(event));
    element.addEventListener("pointermove", event => this.#move(event));
    for (const end of ["pointerup", "pointercancel"]) element.addEventListener(end, event => this.#release(event));
    element.addEventListener("wheel", event => this.#turn(event), { passive: false });
    element.addEventListener("keydown", event => this.#type(event));
  }

  #placeOf({ clientX, clientY }) {
    const { left, top } = this.element.getBoundingClientRect();
    return { x: clientX - left - this.element.clientLeft, y: clientY - top - this.element.clientTop };
  }

  #press(event) {
    if (event.button !== 0) return;
    if (this.#pointers.size === 0) this.#moved = 0;
    this.element.setPointerCapture(event.pointerId);
    this.#pointers.set(event.pointerId, this.#placeOf(event));
  }

  #move(event) {
    const place = this.#placeOf(event);
    const last = this.#pointers.get(event.pointerId);
    if (!last) return this.handlers.pointed(place.x, place.y);
    const other = [...this.#pointers].find(([id]) => id !== event.pointerId)?.[1];
    this.#pointers.set(event.pointerId, place);
    this.#moved += Math.hypot(place.x - last.x, place.y - last.y);
    if (this.#moved < TAP_PX) return;
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
    const place = this.#placeOf(event);
    if (event.type === "pointerup" && this.#moved < TAP_PX) this.handlers.pointed(place.x, place.y);
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

// Drags a widget: it follows the finger, and the others take their places. The order is one of styles
// until the widget is dropped, so that no element leaves the document under the finger.

const SETTLE_MS = 120;
const EDGE_PX = 64;
const STEP_PX = 8;

export class Drag {
  #item = null;
  #order = [];
  #from = 0;
  #grab = null;
  #pointer = null;
  #timer = null;
  #over = null;
  #frame = null;

  constructor(scroller, list) {
    this.scroller = scroller;
    this.list = list;
  }

  get isActive() {
    return this.#item !== null;
  }

  start(index, x, y) {
    this.#item = this.list.children[index];
    this.#from = index;
    this.#order = [...this.list.children];
    const box = this.#item.getBoundingClientRect();
    this.#grab = { x: x - box.left, y: y - box.top };
    this.#item.toggleAttribute("data-dragged", true);
    this.move(x, y);
    this.#scroll();
  }

  move(x, y) {
    this.#pointer = { x, y };
    this.#follow();
    const over = this.#placeAt(x, y);
    if (over === this.#over) return;
    this.#over = over;
    clearTimeout(this.#timer);
    if (over !== null) this.#timer = setTimeout(() => this.#settle(over), SETTLE_MS);
  }

  /** @returns {{from: number, to: number}} where it was and where it is dropped */
  end() {
    const over = this.#placeAt(this.#pointer.x, this.#pointer.y);
    if (over !== null) this.#settle(over);
    const places = { from: this.#from, to: this.#order.indexOf(this.#item) };
    this.cancel();
    return places;
  }

  cancel() {
    if (!this.#item) return;
    clearTimeout(this.#timer);
    cancelAnimationFrame(this.#frame);
    this.#item.style.transform = "";
    this.#item.toggleAttribute("data-dragged", false);
    for (const item of this.#order) item.style.order = "";
    this.#item = null;
    this.#over = null;
  }

  #follow() {
    this.#item.style.transform = "";
    const box = this.#item.getBoundingClientRect();
    const x = this.#pointer.x - this.#grab.x - box.left;
    const y = this.#pointer.y - this.#grab.y - box.top;
    this.#item.style.transform = `translate(${x}px, ${y}px)`;
  }

  /** The other widget at a point; null over a hole or over its own place. */
  #placeAt(x, y) {
    const isIn = box => x >= box.left && x < box.right && y >= box.top && y < box.bottom;
    const item = this.#order.find(other => other !== this.#item && isIn(other.getBoundingClientRect()));
    return item ?? null;
  }

  #settle(over) {
    const places = new Map(this.#order.map(item => [item, item.getBoundingClientRect()]));
    const target = this.#order.indexOf(over);
    this.#order.splice(this.#order.indexOf(this.#item), 1);
    this.#order.splice(target, 0, this.#item);
    this.#order.forEach((item, index) => { item.style.order = index; });
    this.#over = null;
    this.#follow();
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    for (const [item, before] of places) {
      if (item === this.#item) continue;
      const after = item.getBoundingClientRect();
      const way = `translate(${before.left - after.left}px, ${before.top - after.top}px)`;
      item.animate([{ transform: way }, { transform: "none" }], { duration: SETTLE_MS });
    }
  }

  /** Near an edge the page scrolls. */
  #scroll() {
    this.#frame = requestAnimationFrame(() => {
      if (!this.#item) return;
      const box = this.scroller.getBoundingClientRect();
      const { y } = this.#pointer;
      const step = y < box.top + EDGE_PX ? -STEP_PX : y > box.bottom - EDGE_PX ? STEP_PX : 0;
      const before = this.scroller.scrollTop;
      if (step !== 0) this.scroller.scrollTop += step;
      if (this.scroller.scrollTop !== before) this.move(this.#pointer.x, this.#pointer.y);
      this.#scroll();
    });
  }
}

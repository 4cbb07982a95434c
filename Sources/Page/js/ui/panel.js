// A panel: at the bottom of upright screens, at the right of wide ones. The dashboard stays visible
// and alive next to it, and the radar lane is never covered.

import { make, makeIcon, makeText } from "./elements.js";

const SWIPE_PX = 60;
const TAP_PX = 10;

export class Panel {
  #opener = null;
  #drag = null;

  /** @param {string} name of the panel, used for ids and styles */
  constructor(name, texts) {
    this.name = name;
    this.texts = texts;
    this.title = makeText("h2", "caption");
    this.title.element.id = `${name}-title`;
    this.title.element.tabIndex = -1;
    this.handle = make("button", "grip", make("span"));
    this.handle.type = "button";
    this.handle.setAttribute("aria-label", texts.get("panel_larger"));
    this.shut = make("button", "shut", makeIcon("xmark").element);
    this.shut.type = "button";
    this.shut.setAttribute("aria-label", texts.get("close"));
    this.shut.addEventListener("click", () => this.close());
    this.body = make("div", "panel-body");
    this.element = make("dialog", "panel", this.handle, make("div", "panel-head", this.title.element, this.shut), this.body);
    this.element.id = name;
    this.element.setAttribute("aria-labelledby", this.title.element.id);
    this.#followHandle();
  }

  get isOpen() {
    return this.element.open;
  }

  /** @param {HTMLElement|null} opener gets the focus back */
  open(opener) {
    if (!this.isOpen) this.element.show();
    this.#opener = opener;
    this.element.toggleAttribute("data-full", false);
    this.body.scrollTop = 0;
    this.title.element.focus({ preventScroll: true });
  }

  close() {
    if (!this.isOpen) return;
    const hasFocus = this.element.contains(document.activeElement);
    this.element.close();
    if (hasFocus) this.#opener?.focus({ preventScroll: true });
    this.#opener = null;
    this.didClose?.();
  }

  /** Swipe down closes, swipe up enlarges, a tap does one of the two stops. */
  #followHandle() {
    const { handle, element } = this;
    handle.addEventListener("pointerdown", event => {
      this.#drag = event.clientY;
      handle.setPointerCapture(event.pointerId);
    });
    handle.addEventListener("pointerup", event => {
      if (this.#drag === null) return;
      const way = event.clientY - this.#drag;
      this.#drag = null;
      if (way > SWIPE_PX) this.close();
      else if (way < -SWIPE_PX) element.toggleAttribute("data-full", true);
      else if (Math.abs(way) <= TAP_PX) element.toggleAttribute("data-full");
    });
    handle.addEventListener("pointercancel", () => { this.#drag = null; });
    handle.addEventListener("keydown", event => {
      if (event.key === "Enter" || event.key === " ") element.toggleAttribute("data-full");
    });
  }
}

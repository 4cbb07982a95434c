// Keys: a handlebar remote is a keyboard. In a field or a panel, keys belong to what has the focus.

const HOLD_MS = 1000;
const EDITABLE = "input, select, textarea, [contenteditable]";

export class Keys {
  #hold = null;

  /**
   * @param {HTMLElement} scroller
   * @param {object} acts lap, stop, dim, silence, close
   * @param {() => boolean} isRiding whether the keys of a ride are wanted
   */
  constructor(scroller, acts, isRiding) {
    this.scroller = scroller;
    this.acts = acts;
    this.isRiding = isRiding;
    window.addEventListener("keydown", event => this.#down(event));
    window.addEventListener("keyup", event => this.#up(event));
    window.addEventListener("blur", () => this.#release());
  }

  #down(event) {
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "Escape") return this.acts.close();
    const target = event.target instanceof Element ? event.target : document.body;
    if (!this.isRiding() || target.closest(EDITABLE)) return;
    const isFree = target === document.body || target === this.scroller;
    switch (event.key) {
    case "l": case "L": return event.repeat ? undefined : this.acts.lap();
    case "d": case "D": return event.repeat ? undefined : this.acts.dim();
    case "m": case "M": return event.repeat ? undefined : this.acts.silence();
    case "Enter": return isFree && !event.repeat ? this.acts.lap() : undefined;
    case " ": return isFree ? this.#startHold(event) : undefined;
    case "ArrowUp": case "ArrowDown": return isFree ? this.#scroll(event) : undefined;
    }
  }

  #startHold(event) {
    event.preventDefault();
    if (event.repeat || this.#hold !== null) return;
    this.#hold = setTimeout(() => {
      this.#hold = null;
      this.acts.stop();
    }, HOLD_MS);
  }

  #up(event) {
    if (event.key === " ") this.#release();
  }

  #release() {
    clearTimeout(this.#hold);
    this.#hold = null;
  }

  #scroll(event) {
    event.preventDefault();
    const row = parseFloat(getComputedStyle(this.scroller.querySelector(".widget") ?? this.scroller).minHeight) || 100;
    const gap = parseFloat(getComputedStyle(this.scroller).paddingLeft) || 0;
    this.scroller.scrollBy({ top: (event.key === "ArrowUp" ? -1 : 1) * (row + gap) });
  }
}

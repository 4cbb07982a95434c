// Drawing a line on a map: press and hold begins it, and the pointer draws until it is lifted. With a
// keyboard, Enter sets a point at the cross in the middle, and Backspace takes the last piece back.

import { Sketch } from "./sketch.js";

const VIBRATION_MS = 20;

export class Drawing {
  #surface = null;
  /** Where the pointer draws, in pixels; null while it does not. */
  #pen = null;
  /** Whether the keyboard is used: only then the cross is shown. */
  #hasCross = false;
  /** Called when the line has changed. `isEnd` is false while the pointer draws. */
  onChange = () => {};
  /** What a hold in place does, as `Gestures` has it. */
  hold = {
    begin: (x, y) => this.#begin(x, y),
    draw: (x, y) => this.#draw(x, y),
    end: () => this.#end(),
  };

  /**
   * @param {object} texts
   * @param {object} parts
   * @param {Sketch|null} [parts.sketch] the line so far
   * @param {() => import("./plane.js").Plane|null} parts.planeToDrawOn null while nothing can be drawn
   * @param {() => string} parts.lengthText the length of the line with its unit
   */
  constructor(texts, { sketch = null, planeToDrawOn, lengthText }) {
    this.texts = texts;
    this.sketch = sketch;
    this.planeToDrawOn = planeToDrawOn;
    this.lengthText = lengthText;
  }

  /** @param {import("./surface.js").MapSurface} surface which has `hold` */
  attach(surface) {
    this.#surface = surface;
    const { face } = surface;
    face.addEventListener("keydown", event => this.#type(event));
    face.addEventListener("pointerdown", () => this.#showCross(false));
    face.addEventListener("focus", () => this.#showCross(face.matches(":focus-visible")));
    face.addEventListener("blur", () => this.#showCross(false));
  }

  focus() {
    this.#surface.face.focus({ preventScroll: true });
  }

  get isEmpty() {
    return this.sketch === null || this.sketch.isEmpty;
  }

  /** Whether the pointer draws now. */
  get isDrawing() {
    return this.#pen !== null;
  }

  undo() {
    this.sketch?.undo();
    this.#change();
  }

  forget() {
    this.sketch = null;
    this.#change();
  }

  /** Prepares a new piece. Returns whether one can begin. */
  #prepare() {
    const plane = this.planeToDrawOn();
    if (plane === null) return false;
    this.sketch ??= new Sketch(plane);
    return true;
  }

  #begin(x, y) {
    if (!this.#prepare()) return false;
    navigator.vibrate?.(VIBRATION_MS);
    this.#pen = { x, y };
    this.sketch.begin(this.#surface.view.toPlane(x, y));
    this.#change(false);
    return true;
  }

  #draw(x, y) {
    this.#pen = { x, y };
    this.sketch.add(this.#surface.view.toPlane(x, y));
    this.#change(false);
  }

  #end() {
    this.#pen = null;
    this.sketch.end(this.#surface.view.metresPerPixel / 2);
    this.#change();
  }

  #change(isEnd = true) {
    this.#surface.invalidateTop();
    this.onChange(isEnd);
  }

  #type(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    this.#showCross(true);
    if (event.key !== "Backspace" && event.key !== "Enter") return;
    // A key that is kept down sets one point.
    if (event.key === "Backspace") this.undo();
    else if (!event.repeat) this.#setPoint();
    event.preventDefault();
    event.stopPropagation();
  }

  #setPoint() {
    if (!this.#prepare()) return;
    const { x, y } = this.#surface.view;
    this.sketch.begin({ x, y });
    this.sketch.end(0);
    this.#change();
  }

  #showCross(isShown) {
    const isWanted = isShown && this.planeToDrawOn() !== null;
    if (isWanted === this.#hasCross) return;
    this.#hasCross = isWanted;
    this.#surface.invalidateTop();
  }

  /** Paints the line with its ends, the cross, and the length at the pointer. */
  paint(painter) {
    if (!this.isEmpty) {
      const { line: { track, lines }, places } = this.sketch;
      painter.route(track, lines);
      painter.ends(places[0], places.at(-1), [this.texts.get("map_start"), this.texts.get("map_finish")]);
    }
    if (this.#hasCross) painter.cross();
    if (this.#pen) painter.label(this.lengthText(), this.#pen);
  }
}

// A line that is drawn on the map of the drawer while the bike stands. One button makes it the route,
// the other forgets it. The line stays while other drawers are open.

import { isMoving } from "../core/motion.js";
import { make, makeIcon, makeText, whileDisabled } from "../ui/elements.js";
import { nearText } from "../ui/cue-band.js";
import { Drawing } from "./drawing.js";

export class DrawnRoute {
  #context = null;
  #isMoving = true;

  /** @param {(plane: import("./plane.js").Plane) => void} begun called when the first point is set */
  constructor(texts, begun) {
    this.texts = texts;
    this.drawing = new Drawing(texts, {
      planeToDrawOn: () => this.#planeToDrawOn, lengthText: () => nearText(this.drawing.sketch?.length ?? 0, this.#context),
    });
    this.drawing.onChange = isEnd => {
      if (!isEnd) begun();
      this.#show();
    };
    this.length = makeText("p", "drawn-length");
    this.length.element.setAttribute("role", "status");
    this.follow = this.#makeButton("check", "drawn_follow", () => this.#follow());
    this.forget = this.#makeButton("xmark", "drawn_forget", () => this.#end());
    this.hint = make("p", "unseen", texts.get("drawn_hint"));
    this.hint.id = "drawn-hint";
    this.element = make("div", "drawn-route", this.length.element, make("div", "panel-buttons", this.follow, this.forget));
    this.element.hidden = true;
  }

  #makeButton(icon, key, act) {
    const button = make("button", "", makeIcon(icon).element, make("span", "", this.texts.get(key)));
    button.type = "button";
    button.addEventListener("click", act);
    return button;
  }

  /** Null while riding, and for a screen that may not follow routes. */
  get #planeToDrawOn() {
    if (this.#isMoving || !this.#context?.followDrawn) return null;
    return this.#context.rideTrack.me ? this.#context.rideTrack.track.plane : null;
  }

  update(context) {
    this.#context = context;
    this.#isMoving = isMoving(context.store, context.now, context.isCutOff);
    const { plane } = context.rideTrack.track;
    // After the recorder's answer, places are metres from another origin.
    if (this.drawing.sketch && plane) this.drawing.sketch.moveTo(plane);
    this.#show();
  }

  #show() {
    const { sketch, isEmpty, isDrawing } = this.drawing;
    this.element.hidden = isEmpty || !this.#context.followDrawn;
    if (isEmpty) return;
    this.follow.disabled = sketch.places.length < 2 || isDrawing;
    this.length.text = isDrawing ? "" : this.texts.get("draw_length", nearText(sketch.length, this.#context));
  }

  async #follow() {
    const { degrees } = this.drawing.sketch;
    if (degrees === null) {
      this.length.text = this.texts.get("draw_too_long");
      return;
    }
    await whileDisabled(this.follow, async () => {
      if (await this.#context.followDrawn(degrees)) this.#end();
    });
  }

  /** The buttons go. Their focus goes to the map. */
  #end() {
    const hadFocus = document.activeElement === document.body || this.element.contains(document.activeElement);
    this.drawing.forget();
    if (hadFocus) this.drawing.focus();
  }
}

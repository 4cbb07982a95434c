// A map to draw a route on. Press and hold begins a line; without a hold, the map moves as others do.
// With a keyboard, Enter sets a point at the cross in the middle. Past rides are shown faintly below.

import { format } from "../core/format.js";
import { convert, unitOf } from "../core/units.js";
import { Drawing } from "./drawing.js";
import { linesOf } from "./lines.js";
import { Plane } from "./plane.js";
import { MapSurface } from "./surface.js";
import { Track } from "./track.js";

const ROOM_PX = 28;
/** What is shown around a place, without rides. */
const AROUND_M = 1000;

export class DrawingMap {
  #tracks = [];
  #plane = null;
  #isFitted = true;
  /** Called when the line has changed. `isEnd` is false while the pointer draws. */
  onChange = () => {};

  /** @param {Element} hint says how to draw */
  constructor(app, { label, hint, sketch = null }) {
    this.app = app;
    this.drawing = new Drawing(app.texts, { sketch, planeToDrawOn: () => this.#plane, lengthText: () => this.lengthText });
    this.drawing.onChange = isEnd => {
      // Nothing moves below the pointer.
      this.#isFitted &&= this.drawing.isEmpty;
      this.onChange(isEnd);
    };
    this.#plane = sketch?.plane ?? null;
    const { texts } = app;
    this.surface = new MapSurface(texts, app.tileSets, {
      paint: painter => this.#paint(painter),
      paintTop: painter => this.drawing.paint(painter),
      all: () => this.showAll(),
      whole: { icon: "expand", text: texts.get("draw_all") },
      resized: () => this.#fit(),
      moved: () => { this.#isFitted = false; },
      hold: this.drawing.hold,
    });
    const { face } = this.surface;
    face.setAttribute("aria-label", label);
    face.setAttribute("aria-describedby", hint.id);
    this.drawing.attach(this.surface);
    this.element = this.surface.element;
  }

  /** Nothing can be drawn before the first place is known. */
  get isPlaced() {
    return this.#plane !== null;
  }

  /** Makes a place the middle of the map, if nothing else says where that is. */
  place(latitude, longitude) {
    if (this.#plane) return;
    this.#plane = new Plane(latitude, longitude);
    this.#fit();
    this.surface.invalidate();
  }

  /** Shows a past ride. @param {object} document what the recorder answers to `track` */
  addRide(document) {
    const first = document.pieces[0]?.points[0];
    if (!first) return;
    if (!this.#plane) this.#plane = new Plane(first.latitude_deg, first.longitude_deg);
    this.#tracks.push(Track.from(document, this.#plane));
    if (this.#tracks.length === 1) this.#fit();
    this.surface.invalidate();
  }

  /** The line; null until its first point. */
  get sketch() {
    return this.drawing.sketch;
  }

  undo() {
    this.drawing.undo();
  }

  // MARK: View

  showAll() {
    this.#isFitted = true;
    this.#fit();
    this.surface.invalidate();
  }

  /** The line, else the newest ride, else some room around the place. */
  #fit() {
    const { view } = this.surface;
    if (!this.#isFitted || view.width === 0) return;
    const [track] = this.#tracks;
    const box = this.#boxOfSketch ?? track?.boxOf(track.pieces) ?? { left: -AROUND_M, right: AROUND_M, bottom: -AROUND_M, top: AROUND_M };
    const room = Math.min(ROOM_PX, view.width / 8, view.height / 8);
    view.fit(box, this.surface.roomBesideButtons(room));
  }

  get #boxOfSketch() {
    const places = this.sketch?.places ?? [];
    if (places.length < 2) return null;
    const xs = places.map(({ x }) => x), ys = places.map(({ y }) => y);
    return { left: Math.min(...xs), right: Math.max(...xs), bottom: Math.min(...ys), top: Math.max(...ys) };
  }

  // MARK: Painting

  #paint(painter) {
    this.surface.paintGround(painter, this.#plane ?? undefined);
    for (const track of this.#tracks) painter.track(track, linesOf(track, this.surface.view), true);
    painter.scale(this.app.settings.units, this.#plane ?? undefined);
  }

  /** The length of the line with its unit. */
  get lengthText() {
    const { settings: { units }, point } = this.app;
    return `${format("distance", convert("distance", this.sketch?.length ?? 0, units), { point })} ${unitOf("distance", units)}`;
  }

  close() {
    this.surface.close();
  }
}

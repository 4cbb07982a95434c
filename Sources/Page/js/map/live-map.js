// Maps of the ride that goes on: the widget, and the map in its drawer.

import { format } from "../core/format.js";
import { hasValue } from "../core/items.js";
import { convert, unitOf } from "../core/units.js";
import { make } from "../ui/elements.js";
import { colorOf, openCanvas } from "../ui/plot.js";
import { linesOf } from "./lines.js";
import { Painter } from "./painter.js";
import { readPalette } from "./palette.js";
import { MapSurface } from "./surface.js";
import { MapView } from "./view.js";

/** Metres around the rider, by the size of the widget. */
const AROUND_M = { "1x1": 150, "2x1": 500, "3x1": 500 };
const REDRAW_S = 1;

/** Centers a view on the rider. */
function follow(view, me, around, isCourseUp) {
  if (around !== null) view.metresPerPixel = 2 * around / Math.max(1, Math.min(view.width, view.height));
  view.course = isCourseUp ? me.course ?? 0 : 0;
  view.center(me);
}

function paintTrack(painter, { track }, units) {
  painter.grid();
  painter.track(track, linesOf(track, painter.view));
  painter.scale(units);
}

function isOld(reading) {
  return reading.state !== "live" && reading.state !== "paused";
}

export class MapFigure {
  #view = new MapView();
  #lastDrawn = -Infinity;
  #drawn = "";
  #hasNewSize = false;

  /** @param {string} size of the widget */
  constructor(texts, size) {
    this.texts = texts;
    this.around = AROUND_M[size];
    this.element = make("canvas", "figure map-figure");
    new ResizeObserver(() => { this.#hasNewSize = true; }).observe(this.element);
  }

  /** Redraws what has changed at most once a second, on a dimmed screen every ten seconds. */
  update(context, reading) {
    const { rideTrack, seconds, store } = context;
    rideTrack.load(store, seconds);
    const me = rideTrack.me;
    this.element.hidden = !me;
    if (!me) return;
    const state = isOld(reading) ? "old" : "live";
    const ground = colorOf(this.element, "--bg-primary");
    // That a position is old, another size and other colors are shown earlier.
    const look = [state, ground, rideTrack.isCourseUp].join();
    const isNew = this.#hasNewSize || !this.#drawn.startsWith(look);
    if (seconds - this.#lastDrawn < (isNew ? REDRAW_S : context.watermarkSeconds)) return;
    const drawn = `${look},${rideTrack.fix.t},${rideTrack.track.count}`;
    if (drawn === this.#drawn && !this.#hasNewSize) return;
    const opened = openCanvas(this.element);
    if (!opened) return;
    this.#lastDrawn = seconds;
    this.#drawn = drawn;
    this.#hasNewSize = false;
    this.#paint(opened, context, me, state === "old");
  }

  #paint({ context: canvas, width, height, scale }, { rideTrack, units }, me, isMeOld) {
    const view = this.#view;
    view.width = width / scale;
    view.height = height / scale;
    follow(view, me, this.around, rideTrack.isCourseUp);
    canvas.setTransform(scale, 0, 0, scale, 0, 0);
    const painter = new Painter(canvas, view, readPalette(this.element), getComputedStyle(this.element).fontFamily);
    paintTrack(painter, rideTrack, units);
    painter.me(me, { ...me, isOld: isMeOld });
    painter.north(this.texts.get("map_north"));
    canvas.setTransform(1, 0, 0, 1, 0, 0);
  }

  /** What a screen reader gets in the place of the map. */
  spoken({ rideTrack, units }, reading) {
    return hasValue(reading) ? spokenPlace(this.texts, rideTrack, units) : null;
  }
}

function spokenPlace(texts, { fix, course }, units) {
  if (!fix) return null;
  const accuracy = fix.accuracy_m === undefined ? null
    : `${format("whole", convert("height", fix.accuracy_m, units))} ${texts.get(`spoken_${unitOf("height", units)}`)}`;
  return [
    course === null ? null : texts.get("map_heading", Math.round(course)),
    accuracy === null ? null : texts.get("map_accuracy", accuracy),
  ].filter(Boolean).join(", ");
}

/** The map of the drawer, which can be moved. It follows the rider until then. */
export class DrawerMap {
  #lastDrawn = -Infinity;
  #isFollowing = true;
  #context = null;
  #reading = null;
  #plane = null;

  constructor(texts) {
    this.texts = texts;
    this.surface = new MapSurface(texts, {
      paint: painter => this.#paint(painter),
      paintTop: painter => this.#paintTop(painter),
      all: () => this.reset(),
      whole: { icon: "location-crosshairs", text: texts.get("map_me") },
      resized: () => this.#follow(AROUND_M["3x1"]),
      moved: () => { this.#isFollowing = false; },
      turn: () => this.#turn(),
    });
    this.element = this.surface.element;
  }

  /** Shows where the rider is. */
  reset() {
    this.#isFollowing = true;
    this.#follow(AROUND_M["3x1"]);
    this.surface.invalidate();
  }

  #turn() {
    const { rideTrack } = this.#context;
    rideTrack.isCourseUp = !rideTrack.isCourseUp;
    this.#showCourse();
    this.#follow(null);
    this.surface.invalidate();
  }

  #showCourse() {
    const { isCourseUp } = this.#context.rideTrack;
    this.surface.north.setAttribute("aria-label", this.texts.get(isCourseUp ? "map_course_up" : "map_north_up"));
    if (!isCourseUp) this.surface.view.course = 0;
  }

  #follow(around) {
    const rideTrack = this.#context?.rideTrack;
    const me = rideTrack?.me;
    if (!me || this.surface.view.width === 0) return;
    // After the recorder's answer, places are metres from another origin.
    const isMoved = this.#plane !== rideTrack.track.plane;
    this.#plane = rideTrack.track.plane;
    if (this.#isFollowing || isMoved) follow(this.surface.view, me, around, rideTrack.isCourseUp);
    else if (rideTrack.isCourseUp) this.surface.view.course = me.course ?? 0;
  }

  update(context, reading) {
    this.#context = context;
    this.#reading = reading;
    const { rideTrack, store, seconds } = context;
    rideTrack.load(store, seconds);
    this.element.hidden = !rideTrack.me;
    if (!rideTrack.me || seconds - this.#lastDrawn < REDRAW_S) return;
    this.#lastDrawn = seconds;
    this.#showCourse();
    const place = spokenPlace(this.texts, rideTrack, context.units);
    this.surface.face.setAttribute("aria-label", [this.texts.get("map"), place].filter(Boolean).join(", "));
    this.#follow(null);
    this.surface.invalidate();
  }

  #paint(painter) {
    if (this.#context) paintTrack(painter, this.#context.rideTrack, this.#context.units);
  }

  #paintTop(painter) {
    const me = this.#context?.rideTrack.me;
    if (me) painter.me(me, { ...me, isOld: isOld(this.#reading) });
  }
}

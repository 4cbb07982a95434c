// Maps of the ride that goes on: the widget, and the map in its drawer.

import { format } from "../core/format.js";
import { hasValue } from "../core/items.js";
import { convert, unitOf } from "../core/units.js";
import { make } from "../ui/elements.js";
import { colorOf, openCanvas } from "../ui/plot.js";
import { DrawnRoute } from "./drawn-route.js";
import { linesOf } from "./lines.js";
import { Painter } from "./painter.js";
import { readPalette } from "./palette.js";
import { MapSurface } from "./surface.js";
import { TileGround } from "./tile-ground.js";
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

function paintTrack(painter, { track }, followedRoute, units) {
  const route = followedRoute.on(track.plane);
  if (route) painter.route(route, linesOf(route, painter.view));
  painter.track(track, linesOf(track, painter.view));
  painter.scale(units, track.plane);
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
    this.canvas = make("canvas");
    this.picture = make("span", "map-picture", this.canvas);
    this.element = make("span", "figure map-figure", this.picture);
    new ResizeObserver(() => { this.#hasNewSize = true; }).observe(this.canvas);
  }

  /** Redraws what has changed at most once a second, on a dimmed screen every ten seconds. */
  update(context, reading) {
    const { rideTrack, followedRoute, seconds, store, tileSets } = context;
    rideTrack.load(store, seconds);
    followedRoute.load(store, seconds);
    const me = rideTrack.me;
    this.element.hidden = !me;
    if (!me) return;
    if (!this.tiles) this.#addTiles(tileSets);
    const state = isOld(reading) ? "old" : "live";
    const ground = colorOf(this.element, "--bg-primary");
    // That a position is old, another size and other colors are shown earlier.
    const look = [state, ground, rideTrack.isCourseUp, tileSets?.version].join();
    const isNew = this.#hasNewSize || !this.#drawn.startsWith(look);
    if (seconds - this.#lastDrawn < (isNew ? REDRAW_S : context.watermarkSeconds)) return;
    const drawn = `${look},${rideTrack.fix.t},${rideTrack.track.count},${followedRoute.key}`;
    if (drawn === this.#drawn && !this.#hasNewSize) return;
    const opened = openCanvas(this.canvas);
    if (!opened) return;
    this.#lastDrawn = seconds;
    this.#drawn = drawn;
    this.#hasNewSize = false;
    this.#paint(opened, context, me, state === "old");
  }

  #addTiles(tileSets) {
    this.tiles = new TileGround(tileSets);
    this.picture.prepend(this.tiles.element);
    this.element.append(this.tiles.attribution.element);
  }

  #paint({ context: canvas, width, height, scale }, { rideTrack, followedRoute, units }, me, isMeOld) {
    const view = this.#view;
    view.width = width / scale;
    view.height = height / scale;
    follow(view, me, this.around, rideTrack.isCourseUp);
    canvas.setTransform(scale, 0, 0, scale, 0, 0);
    const painter = new Painter(canvas, view, readPalette(this.element), getComputedStyle(this.element));
    if (!this.tiles.show(painter, rideTrack.track.plane)) painter.grid();
    paintTrack(painter, rideTrack, followedRoute, units);
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

  constructor(texts, tileSets) {
    this.texts = texts;
    this.drawn = new DrawnRoute(texts, () => { this.#isFollowing = false; });
    this.surface = new MapSurface(texts, tileSets, {
      paint: painter => this.#paint(painter),
      paintTop: painter => this.#paintTop(painter),
      all: () => this.reset(),
      whole: { icon: "location-crosshairs", text: texts.get("map_me") },
      resized: () => this.#follow(AROUND_M["3x1"]),
      moved: () => { this.#isFollowing = false; },
      turn: () => this.#turn(),
      hold: this.drawn.drawing.hold,
    });
    this.drawn.drawing.attach(this.surface);
    this.surface.face.setAttribute("aria-describedby", this.drawn.hint.id);
    this.element = make("div", "", this.drawn.hint, this.surface.element, this.drawn.element);
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
    const { rideTrack, followedRoute, store, seconds } = context;
    rideTrack.load(store, seconds);
    followedRoute.load(store, seconds);
    this.element.hidden = !rideTrack.me;
    if (!rideTrack.me) return;
    this.drawn.update(context);
    // The map stays where it is below a finger that draws.
    if (seconds - this.#lastDrawn < REDRAW_S || this.drawn.drawing.isDrawing) return;
    this.#lastDrawn = seconds;
    this.#showCourse();
    const place = spokenPlace(this.texts, rideTrack, context.units);
    this.surface.face.setAttribute("aria-label", [this.texts.get("map"), place].filter(Boolean).join(", "));
    this.#follow(null);
    this.surface.invalidate();
  }

  #paint(painter) {
    if (!this.#context) return;
    const { rideTrack, followedRoute, units } = this.#context;
    this.surface.paintGround(painter, rideTrack.track.plane);
    paintTrack(painter, rideTrack, followedRoute, units);
  }

  #paintTop(painter) {
    const me = this.#context?.rideTrack.me;
    if (me) painter.me(me, { ...me, isOld: isOld(this.#reading) });
    this.drawn.drawing.paint(painter);
  }
}

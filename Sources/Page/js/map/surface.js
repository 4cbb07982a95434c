// The surface of a map that can be moved: tiles if there are any, one canvas for the ground with the
// track and one for what moves on it, with buttons beside them. It paints in animation frames, and only
// what changed.

import { make, makeIcon, makeSVG } from "../ui/elements.js";
import { openCanvas } from "../ui/plot.js";
import { Gestures, ZOOM_STEP } from "./gestures.js";
import { Painter } from "./painter.js";
import { followColors, readPalette } from "./palette.js";
import { TileGround } from "./tile-ground.js";
import { MapView } from "./view.js";

export class MapSurface {
  view = new MapView();
  #stale = new Set();
  #request = null;

  /**
   * @param {object} texts
   * @param {import("./tile-sets.js").TileSets} [tileSets]
   * @param {object} parts
   * @param {(painter: Painter) => void} parts.paint paints the ground and the track
   * @param {(painter: Painter) => void} parts.paintTop paints what moves
   * @param {() => void} parts.all shows everything: the third button
   * @param {{icon: string, text: string}} parts.whole what the third button looks like, and its name
   * @param {() => void} [parts.resized]
   * @param {() => void} [parts.moved] by the rider
   * @param {(x: number, y: number) => void} [parts.pointed] at a pixel
   * @param {object} [parts.hold] what a hold in place does, as `Gestures` has it
   * @param {() => void} [parts.turn] what a tap on the arrow does
   */
  constructor(texts, tileSets, parts) {
    this.parts = parts;
    this.texts = texts;
    this.ground = make("canvas");
    this.top = make("canvas");
    for (const canvas of [this.ground, this.top]) canvas.setAttribute("aria-hidden", "true");
    this.tiles = new TileGround(tileSets);
    this.face = make("div", "map-face", this.tiles.element, this.ground, this.top);
    this.face.tabIndex = 0;
    // The arrow keys move the map instead of the screen reader's cursor.
    this.face.setAttribute("role", "application");
    this.north = this.#makeNorth(parts.turn);
    const zoom = factor => () => {
      this.view.zoom(factor);
      this.#move();
    };
    this.buttons = make("div", "map-buttons",
      this.#makeButton("plus", texts.get("map_in"), zoom(ZOOM_STEP)),
      this.#makeButton("minus", texts.get("map_out"), zoom(1 / ZOOM_STEP)),
      this.#makeButton(parts.whole.icon, parts.whole.text, parts.all));
    this.element = make("div", "map",
      make("div", "map-picture", this.face, this.north, this.buttons), this.tiles.attribution.element);
    this.gestures = new Gestures(this.face, this.view, {
      moved: () => this.#move(), all: parts.all, pointed: (x, y) => parts.pointed?.(x, y), hold: parts.hold,
    });
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.face);
    const stops = [followColors(() => this.invalidate()), tileSets?.follow(() => this.invalidate())];
    this.stopFollowing = () => stops.forEach(stop => stop?.());
  }

  #makeButton(icon, text, act) {
    const button = make("button", "map-button", makeIcon(icon).element);
    button.type = "button";
    button.setAttribute("aria-label", text);
    button.addEventListener("click", act);
    return button;
  }

  /** An arrow that points north. With something to do, it is a button. */
  #makeNorth(turn) {
    this.needle = makeSVG("g", {}, makeSVG("path", { d: "M12 2l6 19-6-5-6 5z" }));
    const arrow = makeSVG("svg", { class: "north", viewBox: "0 0 24 24", "aria-hidden": "true" }, this.needle);
    const letter = make("span", "north-letter", this.texts.get("map_north"));
    letter.setAttribute("aria-hidden", "true");
    const element = make(turn ? "button" : "div", "map-north", arrow, letter);
    if (turn) {
      element.type = "button";
      element.addEventListener("click", turn);
    }
    return element;
  }

  /** Room on each side in which nothing is hidden by a button. */
  roomBesideButtons(room) {
    const { offsetWidth, offsetHeight } = this.buttons;
    const isColumn = offsetHeight > offsetWidth;
    return { left: room, top: room, right: room + (isColumn ? offsetWidth : 0), bottom: room + (isColumn ? 0 : offsetHeight) };
  }

  #move() {
    this.parts.moved?.();
    this.invalidate();
  }

  /** Shows tiles, or paints the plain grid. */
  paintGround(painter, plane) {
    if (!this.tiles.show(painter, plane)) painter.grid();
  }

  /** Paints everything with the next frame, or only what moves. */
  invalidate(canvases = [this.ground, this.top]) {
    for (const canvas of canvases) this.#stale.add(canvas);
    this.#request ??= requestAnimationFrame(() => this.#paint());
  }

  invalidateTop() {
    this.invalidate([this.top]);
  }

  resize() {
    const { clientWidth, clientHeight } = this.face;
    if (clientWidth === this.view.width && clientHeight === this.view.height) return;
    this.view.width = clientWidth;
    this.view.height = clientHeight;
    this.parts.resized?.();
    this.invalidate();
  }

  #paint() {
    this.#request = null;
    const stale = [...this.#stale];
    this.#stale.clear();
    if (this.view.width === 0 || this.view.height === 0) return;
    const palette = readPalette(this.face);
    const style = getComputedStyle(this.face);
    this.needle.setAttribute("transform", `rotate(${-this.view.course} 12 12)`);
    for (const canvas of stale) {
      const opened = openCanvas(canvas);
      if (!opened) continue;
      opened.context.setTransform(opened.scale, 0, 0, opened.scale, 0, 0);
      const painter = new Painter(opened.context, this.view, palette, style);
      if (canvas === this.ground) this.parts.paint(painter);
      else this.parts.paintTop(painter);
      opened.context.setTransform(1, 0, 0, 1, 0, 0);
    }
  }

  close() {
    this.observer.disconnect();
    this.gestures.close();
    this.stopFollowing();
    this.tiles.close();
    if (this.#request !== null) cancelAnimationFrame(this.#request);
    this.#request = null;
  }
}

// The map of a ride that is over: its track on tiles or the plain grid, colored by a value, with a
// legend and a cursor that it shares with the graphs.

import { format } from "../core/format.js";
import { convert, unitOf } from "../core/units.js";
import { make, makeText } from "../ui/elements.js";
import { COLORED_BY, Coloring, STEPS, valuesAlong } from "./coloring.js";
import { linesOf } from "./lines.js";
import { MapSurface } from "./surface.js";
import { Track } from "./track.js";

const ROOM_PX = 28;
/** So near to the track a pointer has to be. */
const NEAR_PX = 24;

export class RideMap {
  #document = null;
  #track = new Track();
  #coloring = null;
  #cursor = null;
  /** The part that is emphasized: its first and last second. */
  #part = null;
  /** Whether the view follows the size, because the rider has not moved it. */
  #isFitted = true;
  /** Called with the second of the ride at which the pointer is. */
  onCursor = () => {};

  /**
   * @param {object} app its texts, settings, decimal point and tile sets
   * @param {{label: string, whole?: string, isRoute?: boolean}} options the name of the map and that of its
   *   third button, and whether it shows a way to follow, which is drawn dashed
   */
  constructor(app, { label, whole = app.texts.get("map_all"), isRoute = false }) {
    this.app = app;
    this.label = label;
    this.isRoute = isRoute;
    const { texts } = app;
    this.surface = new MapSurface(texts, app.tileSets, {
      paint: painter => this.#paint(painter),
      paintTop: painter => this.#paintTop(painter),
      all: () => this.#showAll(),
      whole: { icon: "expand", text: whole },
      resized: () => this.#fit(),
      moved: () => { this.#isFitted = false; },
      pointed: (x, y) => this.#point(x, y),
    });
    this.legend = make("div", "map-legend");
    this.empty = makeText("p", "hint");
    this.empty.text = texts.get("map_empty");
    this.element = make("section", "ride-map", this.surface.element, this.legend, this.empty.element);
    this.element.setAttribute("aria-label", label);
    this.#showParts();
  }

  /**
   * @param {object} options
   * @param {object} options.track as the server has it
   * @param {object} [options.series] as the server has it, with the field of `by`
   * @param {"heart_rate"|"speed"|"power"|"grade"|null} [options.by]
   * @param {number[]} [options.floors] where each zone of the heart rate begins
   */
  show({ track, series = null, by = null, floors }) {
    if (track !== this.#document) {
      this.#document = track;
      this.#track = Track.from(track);
      this.#part = null;
      this.#isFitted = true;
    }
    const item = COLORED_BY[by];
    const values = item ? valuesAlong(this.#track, series, item.field) : [];
    const coloring = new Coloring(values, by === "heart_rate" && floors?.length > 0 ? floors : undefined);
    this.#coloring = coloring.isEmpty ? null : coloring;
    this.#showParts();
    this.#showLegend(by, item);
    this.surface.face.setAttribute("aria-label", `${this.label}: ${this.#sentence}`);
    this.#fit();
    this.surface.invalidate();
  }

  get isEmpty() {
    return this.#track.count === 0;
  }

  #showParts() {
    this.surface.element.hidden = this.isEmpty;
    this.empty.element.hidden = !this.isEmpty;
    this.legend.hidden = this.isEmpty || !this.#coloring;
  }

  /** @param {number|null} seconds of the ride */
  setCursor(seconds) {
    if (seconds === this.#cursor) return;
    this.#cursor = seconds;
    this.surface.invalidateTop();
  }

  /** Emphasizes a part of the ride; without seconds, all of it is shown again. */
  zoomToLap(from, to) {
    this.#part = from === null || to === null ? null : { from, to };
    this.#isFitted = true;
    this.#fit();
    this.surface.invalidate();
  }

  /** The length of a part of the ride, in metres; null if nothing of it is on the map. */
  lengthBetween(from, to) {
    const ranges = this.#track.rangesBetween(from, to);
    return ranges.length === 0 ? null : this.#track.lengthTo(ranges.at(-1)[1]) - this.#track.lengthTo(ranges[0][0]);
  }

  close() {
    this.surface.close();
  }

  // MARK: View

  #showAll() {
    this.zoomToLap(null, null);
  }

  get #partRanges() {
    return this.#part && this.#track.rangesBetween(this.#part.from, this.#part.to);
  }

  #fit() {
    const { view } = this.surface;
    if (!this.#isFitted || view.width === 0) return;
    const box = this.#track.boxOf(this.#partRanges ?? this.#track.pieces) ?? this.#track.boxOf(this.#track.pieces);
    if (!box) return;
    const room = Math.min(ROOM_PX, view.width / 8, view.height / 8);
    view.fit(box, this.surface.roomBesideButtons(room));
  }

  #point(x, y) {
    const { view } = this.surface;
    const place = view.toPlane(x, y);
    const seconds = this.#track.nearest(place.x, place.y, NEAR_PX * view.metresPerPixel);
    if (seconds === null) return;
    this.setCursor(seconds);
    this.onCursor(seconds);
  }

  // MARK: Painting

  #paint(painter) {
    this.surface.paintGround(painter, this.#track.plane);
    const { view } = this.surface;
    const ranges = this.#partRanges;
    if (ranges) painter.track(this.#track, linesOf(this.#track, view), true);
    const lines = linesOf(this.#track, view, { coloring: this.#coloring, ranges });
    if (this.isRoute) painter.route(this.#track, lines);
    else painter.track(this.#track, lines);
    if (this.#track.count > 0) {
      const { texts } = this.app;
      painter.ends(this.#placeOf(0), this.#placeOf(this.#track.count - 1), [texts.get("map_start"), texts.get("map_finish")]);
    }
    painter.scale(this.app.settings.units, this.#track.plane);
  }

  #placeOf(index) {
    return { x: this.#track.xs[index], y: this.#track.ys[index] };
  }

  #paintTop(painter) {
    const place = this.#cursor === null ? null : this.#track.at(this.#cursor);
    if (place) painter.cursor(place);
  }

  // MARK: Words

  #amount({ quantity, form, unit }, value) {
    const { settings, point } = this.app;
    const text = format(form, convert(quantity, value, settings.units), { point });
    return `${text} ${unitOf(quantity, settings.units) ?? unit}`;
  }

  #showLegend(by, item) {
    this.legend.replaceChildren();
    if (!this.#coloring) return;
    const { low, high, floors } = this.#coloring;
    const { texts } = this.app;
    const name = texts.get(by);
    const [lowest, highest] = [low, high].map(value => this.#amount(item, value));
    const steps = Array.from({ length: STEPS }, (_, index) => {
      const step = make("span", "map-step", make("i"), floors ? String(index + 1) : "");
      step.dataset.step = index + 1;
      return step;
    });
    const scale = make("span", "map-scale", make("span", "", lowest), make("span", "map-steps", ...steps), make("span", "", highest));
    scale.setAttribute("role", "img");
    scale.setAttribute("aria-label", texts.get("map_legend", name, lowest, highest));
    this.legend.append(make("span", "caption", name), scale);
  }

  /** "41.2 km, from 48.137 N 11.575 E, highest point 612 m at 22.3 km" */
  get #sentence() {
    const track = this.#track;
    if (track.count === 0) return this.app.texts.get("map_empty");
    const { texts } = this.app;
    const length = place => this.#amount({ quantity: "distance", form: "one" }, track.lengthTo(place));
    const { latitude, longitude } = track.plane;
    const from = `${this.#degrees(latitude, "N", "S")} ${this.#degrees(longitude, "E", "W")}`;
    const sentence = texts.get("map_sentence", length(track.count - 1), from);
    const highest = track.highest;
    if (highest === null) return sentence;
    const height = this.#amount({ quantity: "height", form: "whole" }, track.altitudes[highest]);
    return `${sentence}, ${texts.get("map_highest", height, length(highest))}`;
  }

  #degrees(value, positive, negative) {
    const { texts, point } = this.app;
    return `${format("three", Math.abs(value), { point })} ${texts.get(`map_${value < 0 ? negative : positive}`)}`;
  }
}

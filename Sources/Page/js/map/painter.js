// Paints the parts of a map on a canvas whose unit is a CSS pixel.

import { widthOf } from "./coloring.js";
import { gridStep, scaleBar } from "./scale.js";

const PLAIN_PX = 4, EDGE_PX = 2;
const ROUTE_PX = 6, ROUTE_DASH_PX = [12, 6];
const MARK_PX = 10;
const CROSS_PX = 16;
/** So far a text stands from the finger. */
const LABEL_PX = 40;
const BAR_PX = 96;
const MARGIN_PX = 8;

export class Painter {
  /**
   * @param {CanvasRenderingContext2D} context
   * @param {import("./view.js").MapView} view
   * @param {object} palette of `readPalette`
   * @param {{fontFamily: string, fontWeight: string}} style of the texts
   */
  constructor(context, view, palette, style) {
    this.context = context;
    this.view = view;
    this.palette = palette;
    this.style = style;
    context.lineJoin = "round";
    context.lineCap = "round";
  }

  /** The ground: lines every 100 m, 1 km, 10 km and so on. */
  grid() {
    const { context, view, palette } = this;
    context.fillStyle = palette.ground;
    context.fillRect(0, 0, view.width, view.height);
    const step = gridStep(view.metresPerPixel);
    const { left, right, bottom, top } = view.box();
    context.beginPath();
    for (let x = Math.ceil(left / step) * step; x <= right; x += step) this.#line({ x, y: bottom }, { x, y: top });
    for (let y = Math.ceil(bottom / step) * step; y <= top; y += step) this.#line({ x: left, y }, { x: right, y });
    this.#stroke(palette.line, 1);
  }

  #line(from, to) {
    const { context, view } = this;
    const begin = view.toScreen(from.x, from.y), end = view.toScreen(to.x, to.y);
    // Lines along pixels are sharp.
    const sharp = view.course === 0 ? value => Math.round(value) + .5 : value => value;
    context.moveTo(sharp(begin.x), sharp(begin.y));
    context.lineTo(sharp(end.x), sharp(end.y));
  }

  #stroke(color, width) {
    this.context.strokeStyle = color;
    this.context.lineWidth = width;
    this.context.stroke();
  }

  /** @param {object[]} lines of `linesOf` @param {boolean} isFaint outside the part of interest */
  track(track, lines, isFaint = false) {
    const { palette } = this;
    const widthOfLine = ({ step }) => (step === null ? PLAIN_PX : widthOf(step));
    for (const [width, some] of groups(lines, widthOfLine)) this.#trace(track, some, palette.ground, width + 2 * EDGE_PX);
    if (isFaint) return this.#trace(track, lines, palette.faint, 2);
    for (const [step, some] of groups(lines, line => line.step)) {
      this.#trace(track, some, step === null ? palette.ink : palette.steps[step], widthOfLine({ step }));
    }
  }

  /** The route that is followed, below the track: a dashed line. */
  route(track, lines) {
    const { context, palette } = this;
    this.#trace(track, lines, palette.ground, ROUTE_PX + 2 * EDGE_PX);
    context.save();
    context.lineCap = "butt";
    context.setLineDash(ROUTE_DASH_PX);
    this.#trace(track, lines, palette.route, ROUTE_PX);
    context.restore();
  }

  #trace(track, lines, color, width) {
    const { context, view } = this;
    context.beginPath();
    for (const { places } of lines) {
      places.forEach((place, index) => {
        const { x, y } = view.toScreen(track.xs[place], track.ys[place]);
        if (index === 0) context.moveTo(x, y);
        // A line of one point is a dot.
        if (index > 0 || places.length === 1) context.lineTo(x, y);
      });
    }
    this.#stroke(color, width);
  }

  /** A ring with S at the start, a chequered square with F at the finish. */
  ends(start, finish, [startLetter, finishLetter]) {
    const { view } = this;
    const from = view.toScreen(start.x, start.y), to = view.toScreen(finish.x, finish.y);
    const apart = MARK_PX + 2;
    if (distanceOf(from, to) < 2 * apart) {
      // The ride ended where it began: both marks stand side by side.
      const x = (from.x + to.x) / 2, y = (from.y + to.y) / 2;
      Object.assign(from, { x: x - apart, y });
      Object.assign(to, { x: x + apart, y });
    }
    this.#finish(to, finishLetter);
    this.#start(from, startLetter);
  }

  #start({ x, y }, letter) {
    this.#disc(x, y, MARK_PX + 2, this.palette.ground);
    this.context.beginPath();
    this.context.arc(x, y, MARK_PX - 1.5, 0, 2 * Math.PI);
    this.#stroke(this.palette.start, 3);
    this.#letter(letter, x, y);
  }

  #finish({ x, y }, letter) {
    const { context, palette } = this;
    const cells = 5, size = 2 * MARK_PX / cells;
    const left = x - MARK_PX, top = y - MARK_PX;
    context.fillStyle = palette.ground;
    context.fillRect(left - 2, top - 2, 2 * MARK_PX + 4, 2 * MARK_PX + 4);
    context.fillStyle = palette.ink;
    for (let cell = 0; cell < cells * cells; cell += 2) {
      context.fillRect(left + cell % cells * size, top + Math.floor(cell / cells) * size, size, size);
    }
    context.fillStyle = palette.ground;
    context.fillRect(left + size, top + size, (cells - 2) * size, (cells - 2) * size);
    this.#letter(letter, x, y);
  }

  #letter(letter, x, y) {
    const { context } = this;
    context.font = `bold 12px ${this.style.fontFamily}`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillStyle = this.palette.ink;
    context.fillText(letter, x, y + .5);
  }

  #disc(x, y, radius, color) {
    this.context.beginPath();
    this.context.arc(x, y, radius, 0, 2 * Math.PI);
    this.context.fillStyle = color;
    this.context.fill();
  }

  /** The place of the cursor that the map shares with graphs. */
  cursor({ x, y }) {
    const place = this.view.toScreen(x, y);
    this.#disc(place.x, place.y, 11, this.palette.ground);
    this.#disc(place.x, place.y, 9, this.palette.ink);
    this.#disc(place.x, place.y, 5, this.palette.me);
  }

  /** The middle of the map, where the keyboard draws. */
  cross() {
    const { context, view, palette } = this;
    const x = view.width / 2, y = view.height / 2;
    context.beginPath();
    for (const [dx, dy] of [[1, 0], [0, 1]]) {
      context.moveTo(x - dx * CROSS_PX, y - dy * CROSS_PX);
      context.lineTo(x + dx * CROSS_PX, y + dy * CROSS_PX);
    }
    this.#stroke(palette.ground, 6);
    this.#stroke(palette.ink, 2);
  }

  /** A text above a pixel, where a finger does not hide it, and within the picture. */
  label(text, { x, y }) {
    const { context, view } = this;
    context.font = `bold 20px ${this.style.fontFamily}`;
    context.textAlign = "center";
    context.textBaseline = "alphabetic";
    const half = context.measureText(text).width / 2 + MARGIN_PX;
    const top = y > 2 * LABEL_PX ? y - LABEL_PX : y + LABEL_PX + MARGIN_PX;
    this.#haloed(text, Math.max(half, Math.min(view.width - half, x)), top);
  }

  /** The rider: a triangle along the course, or a disc while it is unknown; hollow when old. */
  me({ x, y }, { course, accuracy, isOld }) {
    const { context, view, palette } = this;
    const place = view.toScreen(x, y);
    const radius = (accuracy ?? 0) / view.metresPerPixel;
    context.beginPath();
    context.arc(place.x, place.y, radius, 0, 2 * Math.PI);
    this.#stroke(palette.accuracy, 2);
    context.save();
    context.translate(place.x, place.y);
    context.beginPath();
    if (course === null) context.arc(0, 0, 9, 0, 2 * Math.PI);
    else {
      context.rotate((course - view.course) * Math.PI / 180);
      context.moveTo(0, -12);
      context.lineTo(9, 11);
      context.lineTo(0, 6);
      context.lineTo(-9, 11);
      context.closePath();
    }
    context.fillStyle = isOld ? palette.ground : palette.me;
    context.fill();
    // A hollow triangle is drawn by its outline, which is seen on any ground.
    this.#stroke(isOld ? palette.ink : palette.edge, 2);
    context.restore();
  }

  /** A small arrow that points north, at the top right. */
  north(letter) {
    const { context, view, palette } = this;
    const radius = 9;
    context.save();
    context.translate(view.width - radius - MARGIN_PX, radius + MARGIN_PX);
    context.rotate(-view.course * Math.PI / 180);
    context.beginPath();
    context.moveTo(0, -radius);
    context.lineTo(radius * .6, radius);
    context.lineTo(0, radius * .5);
    context.lineTo(-radius * .6, radius);
    context.closePath();
    this.#stroke(palette.ground, 4);
    context.fillStyle = palette.ink;
    context.fill();
    context.restore();
    context.font = `${this.style.fontWeight} 12px ${this.style.fontFamily}`;
    context.textAlign = "center";
    context.textBaseline = "top";
    this.#haloed(letter, view.width - radius - MARGIN_PX, 2 * radius + MARGIN_PX + 3);
  }

  /** A bar of a round length at the bottom left, true in the middle of the view. */
  scale(units, plane) {
    const { context, view, palette } = this;
    const metresPerPixel = view.metresPerPixel * (plane?.scaleAt(view.y) ?? 1);
    const { metres, text } = scaleBar(metresPerPixel, Math.min(BAR_PX, view.width / 2), units);
    const width = metres / metresPerPixel;
    const left = MARGIN_PX + .5, bottom = Math.round(view.height) - MARGIN_PX - .5;
    context.beginPath();
    context.moveTo(left, bottom - 5);
    context.lineTo(left, bottom);
    context.lineTo(left + width, bottom);
    context.lineTo(left + width, bottom - 5);
    this.#stroke(palette.ground, 5);
    this.#stroke(palette.ink, 1.5);
    context.font = `${this.style.fontWeight} 14px ${this.style.fontFamily}`;
    context.textAlign = "left";
    context.textBaseline = "alphabetic";
    this.#haloed(text, left + 5, bottom - 5);
  }

  #haloed(text, x, y) {
    const { context, palette } = this;
    context.strokeStyle = palette.ground;
    context.lineWidth = 4;
    context.strokeText(text, x, y);
    context.fillStyle = palette.ink;
    context.fillText(text, x, y);
  }
}

function distanceOf(one, other) {
  return Math.hypot(one.x - other.x, one.y - other.y);
}

/** Lines by their keys, in the order in which the keys come first. */
function groups(lines, keyOf) {
  const found = new Map();
  for (const line of lines) {
    const key = keyOf(line);
    const list = found.get(key);
    if (list) list.push(line);
    else found.set(key, [line]);
  }
  return found;
}

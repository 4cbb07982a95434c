// The line behind a widget: the last values of this ride on one canvas path, redrawn at most once
// a second. Unknown values are gaps.

const POINTS = 240;
const DRAW_S = 1;

export class Watermark {
  #points = [];
  #step = 1;
  #lastDrawn = -Infinity;

  constructor() {
    this.element = document.createElement("canvas");
    this.element.className = "watermark";
    this.element.setAttribute("aria-hidden", "true");
  }

  /** Records a value once a second; null for a gap. Old points are thinned, never dropped. */
  record(value, seconds, interval = DRAW_S) {
    const last = this.#points[this.#points.length - 1];
    if (last && seconds - last.seconds < this.#step) return;
    this.#points.push({ seconds, value });
    if (this.#points.length > POINTS) {
      this.#points = this.#points.filter((_, index) => index % 2 === 0);
      this.#step *= 2;
    }
    if (seconds - this.#lastDrawn < interval) return;
    this.#lastDrawn = seconds;
    this.draw();
  }

  draw() {
    const canvas = this.element;
    const scale = window.devicePixelRatio;
    const width = Math.round(canvas.clientWidth * scale);
    const height = Math.round(canvas.clientHeight * scale);
    if (width === 0 || height === 0) return;
    if (canvas.width !== width) canvas.width = width;
    if (canvas.height !== height) canvas.height = height;
    const context = canvas.getContext("2d");
    context.clearRect(0, 0, width, height);
    const known = this.#points.filter(point => point.value !== null).map(point => point.value);
    if (known.length < 2) return;
    const low = Math.min(...known);
    const span = Math.max(...known) - low || 1;
    const first = this.#points[0].seconds;
    const time = Math.max(1, this.#points[this.#points.length - 1].seconds - first);
    const line = 2 * scale;
    context.beginPath();
    let isDown = false;
    for (const { seconds, value } of this.#points) {
      const x = (seconds - first) / time * width;
      const y = height - line - (value === null ? 0 : (value - low) / span) * (height - 2 * line);
      if (value !== null && isDown) context.lineTo(x, y);
      else if (value !== null) context.moveTo(x, y);
      isDown = value !== null;
    }
    context.lineWidth = line;
    context.lineJoin = "round";
    context.strokeStyle = getComputedStyle(canvas).getPropertyValue("--primary-muted");
    context.stroke();
  }
}

// The graphs of a ride under one another, with one cursor, which the map shares. The cursor follows
// the pointer, and the arrow keys on its slider. The series is asked for once per width.

import { make, makeText } from "../ui/elements.js";
import { followColors } from "../map/palette.js";
import { GRAPHS } from "./numbers.js";
import { makePart, PartStatus } from "./part.js";
import { RideGraph } from "./ride-graph.js";
import { RideSeries } from "./ride-series.js";

/** Widths are rounded up to this, so that a scroll bar does not ask again. */
const WIDTH_STEP = 100;
const MOST_POINTS = 4000;
/** So long the cursor has to rest before its values are spoken. */
const REST_MS = 400;

export class Graphs {
  #points = 0;
  #series = null;
  #restTimer = null;
  #isClosed = false;
  /** Called with each series that arrives. */
  onSeries = () => {};

  constructor(app, amounts, { activity, path, cursor }) {
    this.app = app;
    this.amounts = amounts;
    this.activity = activity;
    this.path = path;
    this.cursor = cursor;
    const { texts } = app;
    this.length = activity.elapsed_time_s ?? 0;
    this.status = new PartStatus(texts, () => this.load());
    this.slider = this.#makeSlider();
    this.place = makeText("output", "cursor-place");
    this.place.element.setAttribute("aria-hidden", "true");
    this.graphs = GRAPHS.map(item => new RideGraph(app, amounts, item));
    this.box = make("div", "ride-graphs", make("div", "cursor-row", this.slider, this.place.element), ...this.graphs.map(graph => graph.element));
    this.box.hidden = true;
    this.element = makePart("graphs", texts.get("graphs"), this.status.element, this.box);
    for (const graph of this.graphs) this.#followPointer(graph);
    cursor.follow(seconds => this.#showCursor(seconds));
    this.observer = new ResizeObserver(() => this.#resize());
    this.endColors = followColors(() => this.#paint());
    this.element.hidden = this.length === 0;
    this.status.loading();
  }

  #makeSlider() {
    const slider = make("input", "slider");
    Object.assign(slider, { type: "range", min: 0, max: Math.max(1, Math.floor(this.length)), step: 1, value: 0, dir: "ltr" });
    slider.setAttribute("aria-label", this.app.texts.get("cursor"));
    slider.setAttribute("aria-valuetext", this.amounts.elapsed(0));
    slider.addEventListener("input", () => this.cursor.set(Number(slider.value)));
    return slider;
  }

  #followPointer(graph) {
    const follow = event => this.cursor.set(graph.secondsAt(event.clientX));
    graph.plot.addEventListener("pointerdown", follow);
    graph.plot.addEventListener("pointermove", follow);
  }

  /** A ride without a recorded second, such as one that was entered by hand, has no graphs. */
  async load() {
    if (this.length === 0) return;
    if (this.#points === 0) this.observer.observe(this.element);
    const points = Math.min(MOST_POINTS, Math.ceil((this.element.clientWidth || WIDTH_STEP) / WIDTH_STEP) * WIDTH_STEP);
    this.#points = points;
    if (this.#series === null) this.status.loading();
    try {
      const series = new RideSeries(await this.#ask(points));
      if (this.#isClosed || points !== this.#points) return;
      series.addGrade();
      this.#series = series;
      this.status.say("");
      this.#show();
      this.onSeries(series);
    } catch (error) {
      if (!this.#isClosed) this.status.refuse(error);
    }
  }

  /** A field that the ride does not have is refused. Then all fields are asked for. */
  async #ask(points) {
    const { server } = this.app;
    const wanted = this.#fields;
    try {
      return await server.get(`${this.path}/series?points=${points}&fields=${wanted.join()}`);
    } catch (error) {
      if (error.status !== 400) throw error;
      return server.get(`${this.path}/series?points=${points}`);
    }
  }

  /** What the summary says that the ride has. */
  get #fields() {
    const { activity } = this;
    const fields = GRAPHS.filter(({ average }) => average !== null && activity[average] !== undefined).map(({ field }) => field);
    if (activity.ascent_m !== undefined) fields.push("altitude_m");
    if (activity.distance_m !== undefined) fields.push("distance_m");
    return fields;
  }

  #show() {
    const hasGraph = GRAPHS.some(({ field }) => this.#series.summary(field) !== null);
    this.box.hidden = !hasGraph;
    if (!hasGraph) this.status.say(this.app.texts.get("no_series"));
    for (const graph of this.graphs) graph.show(this.#series, this.length, this.activity[graph.item.average]);
    this.#showCursor(this.cursor.seconds);
  }

  #resize() {
    if (this.#isClosed) return;
    const width = Math.ceil(this.element.clientWidth / WIDTH_STEP) * WIDTH_STEP;
    if (width > this.#points && this.#points < MOST_POINTS) this.load();
    this.#paint();
  }

  #paint() {
    if (this.#series) for (const graph of this.graphs) graph.paint();
  }

  #showCursor(seconds) {
    for (const graph of this.graphs) graph.setCursor(seconds);
    if (seconds === null) return;
    const whole = Math.round(seconds);
    if (Number(this.slider.value) !== whole) this.slider.value = String(whole);
    this.place.text = this.amounts.elapsed(seconds);
    clearTimeout(this.#restTimer);
    this.#restTimer = setTimeout(() => this.#speak(seconds), REST_MS);
  }

  /** A slider with the focus speaks its own text. For a pointer, the page's announcer speaks. */
  #speak(seconds) {
    const values = this.graphs.filter(graph => !graph.element.hidden)
      .map(graph => `${this.app.texts.get(graph.item.caption)} ${graph.textAt(seconds)}`);
    const text = [this.amounts.elapsed(seconds), ...values].join(", ");
    this.slider.setAttribute("aria-valuetext", text);
    if (document.activeElement !== this.slider) this.app.speak(text, "cursor");
  }

  /** Marks a part of the ride; null, null marks none. */
  mark(from, to) {
    for (const graph of this.graphs) graph.mark(from, to);
  }

  close() {
    this.#isClosed = true;
    clearTimeout(this.#restTimer);
    this.observer.disconnect();
    this.endColors();
  }
}

// The report of one activity: its summary first, then each part as its data arrives. What is missing
// or fails leaves the other parts as they are.

import { makeActs } from "../acts/acts.js";
import { nameOf } from "../core/activities.js";
import { make } from "../ui/elements.js";
import { Amounts } from "./amounts.js";
import { Cursor } from "./cursor.js";
import { Graphs } from "./graphs.js";
import { Happenings } from "./happenings.js";
import { Laps } from "./laps.js";
import { MapPart } from "./map-part.js";
import { PowerCurve } from "./power-curve.js";
import { RideSensors } from "./sensors.js";
import { Segments } from "./segments.js";
import { Summary } from "./summary.js";
import { Zones } from "./zones.js";

export class Report {
  #isClosed = false;
  /** The newest request. Answers to older ones are dropped. */
  #wanted = 0;
  #parts = [];
  #activity = null;
  #acts = null;
  #summary = null;

  /** @param {string} id as the address has it */
  constructor(app, id) {
    this.app = app;
    this.path = `/api/1/activities/${encodeURIComponent(id)}`;
    this.amounts = new Amounts(app);
    this.status = make("p", "sentence");
    this.status.setAttribute("role", "status");
    this.retry = make("button", "line-button plain", app.texts.get("retry"));
    this.retry.type = "button";
    this.retry.hidden = true;
    this.retry.addEventListener("click", () => this.load());
    this.body = make("div", "report-parts");
    // The acts stay while the parts are made again, so that the focus and what was typed stay.
    this.actsPlace = make("div", "report-acts");
    this.element = make("div", "page-body report", this.status, this.retry, this.body, this.actsPlace);
  }

  get title() {
    const { texts } = this.app;
    if (this.#activity === null) return texts.get("report");
    return nameOf(this.#activity, texts);
  }

  async load() {
    const { texts, server } = this.app;
    this.status.textContent = texts.get("loading");
    this.retry.hidden = true;
    this.#wanted += 1;
    const wanted = this.#wanted;
    const isOver = () => this.#isClosed || wanted !== this.#wanted;
    try {
      const activity = await server.get(this.path);
      if (isOver()) return;
      this.status.textContent = "";
      this.#show(activity);
    } catch (error) {
      if (isOver()) return;
      this.status.textContent = this.#sentenceOf(error);
      this.retry.hidden = error.status === 404;
    }
  }

  #sentenceOf({ status, message }) {
    const { texts } = this.app;
    if (status === 404) return texts.get("no_such_ride");
    if (status === 503) return `${texts.get("not_recorded")} ${texts.get("refused", message)}`;
    return texts.get("refused", message);
  }

  async #show(activity) {
    const { app, amounts, path } = this;
    const { texts } = app;
    this.#closeParts();
    this.#activity = activity;
    const cursor = new Cursor();
    cursor.follow(seconds => this.#acts?.showCursor(seconds));
    this.#acts?.showCursor(null);
    const summary = new Summary(app, amounts, activity);
    const map = activity.track ? new MapPart(app, { activity, path, cursor }) : null;
    const graphs = new Graphs(app, amounts, { activity, path, cursor });
    const laps = new Laps(app, amounts, { path });
    const happenings = new Happenings(app, amounts, activity);
    graphs.onSeries = series => {
      summary.showCoverage(field => series.coverage(field));
      map?.showSeries(series);
      happenings.showLosses(series);
    };
    laps.onChoose = lap => {
      const part = lap === null ? [null, null] : [lap.start_s, lap.start_s + (lap.lap_time_s ?? 0)];
      map?.mark(...part);
      graphs.mark(...part);
    };
    const segments = map && new Segments(app, amounts, { activity, cursor, lengthBetween: (from, to) => map.lengthBetween(from, to) });
    if (segments) {
      segments.onMark = (from, to, isChosen) => {
        laps.forgetChoice();
        graphs.mark(from, to);
        if (isChosen) map.mark(from, to);
      };
    }
    this.#parts = [
      summary, map, graphs, laps, segments,
      new Zones(app, {
        name: "zones", title: texts.get("zones"), times: activity.zone_times_s, floors: activity.zone_floors_bpm, unit: "bpm",
      }),
      new Zones(app, { name: "power-zones", title: texts.get("power_zones"), times: activity.power_zone_times_s }),
      new PowerCurve(app, amounts, activity.power_curve),
      happenings,
      new RideSensors(app, activity),
    ].filter(part => part !== null);
    this.#summary = summary;
    this.body.replaceChildren(...this.#parts.map(part => part.element));
    this.#showActs();
    app.draw();
    laps.load();
    // The recorder answers one after the other. The map is seen first, the graphs are below it.
    await map?.load();
    if (!this.#parts.includes(graphs)) return;
    await graphs.load();
    if (this.#parts.includes(segments)) segments?.load();
  }

  #showActs() {
    if (this.#acts) return this.#acts.show(this.#activity);
    this.#acts = makeActs(this.app, this.#activity, { onChange: state => this.#follow(state) });
    this.actsPlace.replaceChildren(this.#acts);
  }

  /** A state that this or another screen made. A cut changes all parts, a name the head only. */
  #follow(state) {
    const known = this.#activity;
    if (state.version === known.version) return;
    const isCut = ["elapsed_time_s", "edited", "deleted", "state"].some(name => state[name] !== known[name]);
    if (isCut) return this.load();
    const { version, name, note, sport, bike, start, utc_offset_s } = state;
    this.#activity = { ...known, version, name, note, sport, bike, start, utc_offset_s };
    this.#summary.showHead(this.#activity);
    this.app.draw();
  }

  /** A record `activity` of the recorder. */
  recordActivity({ change, id, activity }) {
    if (id !== this.#activity?.id) return;
    if (change === "removed" || !activity) this.load();
    else if (activity.version > this.#activity.version) this.#acts.show(activity);
  }

  /** With each frame: the rights of the screen can change. */
  update() {
    this.#acts?.update();
    for (const part of this.#parts) part.update?.();
  }

  #closeParts() {
    for (const part of this.#parts) part.close?.();
    this.#parts = [];
  }

  close() {
    this.#isClosed = true;
    this.#closeParts();
  }
}


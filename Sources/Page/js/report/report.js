// The report of one activity: its summary first, then each part as its data arrives. What is missing
// or fails leaves the other parts as they are.

import { make } from "../ui/elements.js";
import { Amounts } from "./amounts.js";
import { Cursor } from "./cursor.js";
import { Graphs } from "./graphs.js";
import { Happenings } from "./happenings.js";
import { Laps } from "./laps.js";
import { MapPart } from "./map-part.js";
import { PowerCurve } from "./power-curve.js";
import { RideSensors } from "./sensors.js";
import { Summary } from "./summary.js";
import { Zones } from "./zones.js";

export class Report {
  #isClosed = false;
  #parts = [];
  #activity = null;

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
    this.element = make("div", "page-body report", this.status, this.retry, this.body);
  }

  get title() {
    const { texts } = this.app;
    if (this.#activity === null) return texts.get("report");
    return this.#activity.name ?? texts.get(`sport_${this.#activity.sport ?? "cycling"}`);
  }

  async load() {
    const { texts, server } = this.app;
    this.status.textContent = texts.get("loading");
    this.retry.hidden = true;
    try {
      const activity = await server.get(this.path);
      if (this.#isClosed) return;
      this.status.textContent = "";
      this.#show(activity);
    } catch (error) {
      if (this.#isClosed) return;
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

  #show(activity) {
    const { app, amounts, path } = this;
    const { texts } = app;
    this.#closeParts();
    this.#activity = activity;
    const cursor = new Cursor();
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
    this.#parts = [
      summary, map, graphs, laps,
      new Zones(app, {
        name: "zones", title: texts.get("zones"), times: activity.zone_times_s, floors: activity.zone_floors_bpm, unit: "bpm",
      }),
      new Zones(app, { name: "power-zones", title: texts.get("power_zones"), times: activity.power_zone_times_s }),
      new PowerCurve(app, amounts, activity.power_curve),
      happenings,
      new RideSensors(app, activity),
    ].filter(part => part !== null);
    this.body.replaceChildren(...this.#parts.map(part => part.element));
    for (const part of this.#parts) part.load?.();
    app.draw();
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


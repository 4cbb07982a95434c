// What happened: events of the ride, gaps with their reason, and times in which a sensor was lost,
// in their order.

import { lineOf } from "../core/events.js";
import { make } from "../ui/elements.js";
import { GRAPHS } from "./numbers.js";
import { makePart } from "./part.js";

const SHOWN = 20;
/** Shorter losses are a packet that was missed. */
const LOSS_S = 30;
/** These say that another event is over, or belong to the programs. */
const QUIET = new Set(["radar_clear", "radar_close", "clock", "wheel_agrees_again", "wheel_turns_again", "gps_gap_joined"]);
/** What stops with the bike is not lost then. */
const LOSABLE = GRAPHS.filter(({ field }) => field === "bpm" || field === "power_w");

export class Happenings {
  #losses = [];
  #showsAll = false;

  constructor(app, amounts, activity) {
    this.app = app;
    this.amounts = amounts;
    this.activity = activity;
    this.list = make("ol", "happenings");
    this.shortened = make("p", "hint", app.texts.get("shortened"));
    this.shortened.hidden = !activity.shortened;
    this.more = make("button", "line-button plain", app.texts.get("more"));
    this.more.type = "button";
    this.more.addEventListener("click", () => {
      this.#showsAll = true;
      this.#show();
    });
    this.element = makePart("happenings", app.texts.get("happenings"), this.list, this.more, this.shortened);
    this.#show();
  }

  showLosses(series) {
    this.#losses = LOSABLE.flatMap(({ field, caption }) =>
      series.losses(field, LOSS_S).map(({ from, to }) => ({ at: from, to, text: this.app.texts.get("loss_of", this.app.texts.get(caption)) })));
    this.#show();
  }

  #show() {
    const all = [...this.#gaps, ...this.#events, ...this.#losses].sort((a, b) => a.at - b.at);
    const shown = this.#showsAll ? all : all.slice(0, SHOWN);
    this.element.hidden = all.length === 0;
    this.more.hidden = shown.length === all.length;
    this.list.replaceChildren(...shown.map(({ at, to, text }) => make("li", "", make("span", "number-text", this.#time(at, to)), " ", make("span", "", text))));
  }

  #time(at, to) {
    const from = this.amounts.clock(this.activity, at);
    const end = to === undefined ? from : this.amounts.clock(this.activity, to);
    return from === end ? from : `${from}–${end}`;
  }

  get #gaps() {
    const { texts } = this.app;
    return (this.activity.gaps ?? []).map(({ from_s: at, to_s: to, reason }) =>
      ({ at, to, text: texts.get(`gap_${reason ?? "unknown"}`, this.amounts.elapsed(to - at)) }));
  }

  get #events() {
    return (this.activity.events ?? []).filter(({ event }) => !QUIET.has(event))
      .map(event => ({ at: event.at_s, text: this.#textOf(event) }));
  }

  #textOf(event) {
    const { texts, point, settings } = this.app;
    const nameOf = id => nameOfSensor(this.activity, id);
    switch (event.event) {
    case "radar_approach":
      return texts.get(event.level >= 2 ? "fast_car" : "car");
    case "radar_lost":
      return texts.get("radar_lost");
    case "hole":
      return texts.get("event_hole", nameOf(event.sensor), event.lost);
    case "lag":
      return texts.get("event_lag");
    }
    return lineOf(event, { texts, units: settings.units, point, nameOf }) ?? event.event.replaceAll("_", " ");
  }
}

/** The name of a sensor in an activity, or its id. */
export function nameOfSensor({ sensors = [] }, id) {
  return sensors.find(each => each.sensor === id)?.name ?? id ?? "";
}

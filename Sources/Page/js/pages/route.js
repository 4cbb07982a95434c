// One route: /routes/ID. It shows the way on a map with its profile, climbs and cues, and what can be
// done with it.

import { MOST_POINTS, numbersOf, pathOf, sentenceOf, trackOf } from "../core/routes.js";
import { climbsOf } from "../map/climbs.js";
import { RideMap } from "../map/ride-map.js";
import { Amounts } from "../report/amounts.js";
import { Cursor } from "../report/cursor.js";
import { makePart } from "../report/part.js";
import { make } from "../ui/elements.js";
import { makeCell, makeGroup, makeNumberCell, makeRow, makeTable } from "../ui/table.js";
import { RouteActs } from "./routes/acts.js";
import { Following } from "./routes/following.js";
import { Profile } from "./routes/profile.js";

const DISTANCE = { form: "distance", quantity: "distance" };
const HEIGHT = { form: "whole", quantity: "height" };
const GRADE = { form: "one", unit: "%" };

export function open(app, [id]) {
  const page = new RoutePage(app, id);
  page.load();
  return {
    title: () => page.title, parent: "/routes", element: page.element,
    update: context => page.update(context),
    close: () => page.close(),
  };
}

class RoutePage {
  #route = null;
  #isClosed = false;
  #parts = [];
  #chosen = null;

  constructor(app, id) {
    this.app = app;
    this.id = id;
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
    return this.#route?.name ?? this.app.texts.get("route");
  }

  async load() {
    const { texts, server } = this.app;
    this.status.textContent = texts.get("loading");
    this.retry.hidden = true;
    try {
      const document = await server.get(`${pathOf(this.id)}?points=${MOST_POINTS}`);
      if (this.#isClosed) return;
      this.status.textContent = "";
      this.#show(document);
    } catch (error) {
      if (this.#isClosed) return;
      this.status.textContent = sentenceOf(texts, error);
      this.retry.hidden = error.status === 404;
    }
  }

  #show(document) {
    const { app } = this;
    const { texts } = app;
    this.#closeParts();
    this.#route = document.route;
    const cursor = new Cursor();
    const map = new RideMap(app, { label: texts.get("map_of_route"), whole: texts.get("route_whole"), isRoute: true });
    map.show({ track: trackOf(document) });
    map.onCursor = metres => cursor.set(metres);
    cursor.follow(metres => map.setCursor(metres));
    const climbs = climbsOf(document.points);
    const profile = new Profile(app, this.amounts, { points: document.points, climbs, cursor });
    const mark = climb => {
      const part = climb === null ? [null, null] : [climb.startM, climb.endM];
      map.zoomToLap(...part);
      profile.mark(...part);
    };
    this.following = new Following(app, document.route);
    this.acts = new RouteActs(app, document.route, { onChange: route => this.#rename(route) });
    this.#parts = [map, profile, this.following];
    this.body.replaceChildren(
      make("p", "report-facts", numbersOf(app, document.route).join(", ")), this.following.element,
      makePart("map", texts.get("map"), map.element), profile.element,
      this.#makeClimbs(climbs, mark), this.#makeCues(document.cues ?? []), this.acts.element);
    profile.paint();
    app.draw();
  }

  #rename(route) {
    this.#route = route;
    this.app.draw();
  }

  /** A climb that is chosen is marked on the map and on the profile. */
  #makeClimbs(climbs, mark) {
    const { texts } = this.app;
    const titles = ["climb_title", "climb_from", "distance", "elevation", "grade"].map(key => texts.get(key));
    const buttons = climbs.map((climb, index) => {
      const button = make("button", "lap-button", texts.get("climb_number", index + 1));
      button.type = "button";
      button.setAttribute("aria-pressed", "false");
      button.addEventListener("click", () => {
        this.#chosen = this.#chosen === climb ? null : climb;
        for (const [other, each] of buttons.entries()) each.setAttribute("aria-pressed", String(climbs[other] === this.#chosen));
        mark(this.#chosen);
      });
      return button;
    });
    const rows = climbs.map(({ startM, endM, ascentM, gradePct }, index) => makeRow([
      makeCell("th", "rowheader", buttons[index]),
      ...[[DISTANCE, startM], [DISTANCE, endM - startM], [HEIGHT, ascentM], [GRADE, gradePct]]
        .map(([item, value], column) => makeNumberCell(titles[column + 1], this.amounts.text(item, value))),
    ]));
    const table = makeTable("climbs-table");
    const head = makeRow(titles.map(title => makeCell("th", "columnheader", title)));
    table.append(makeGroup("thead", head), makeGroup("tbody", ...rows));
    const part = makePart("climbs", texts.get("climbs"), table);
    part.hidden = climbs.length === 0;
    return part;
  }

  #makeCues(cues) {
    const { texts } = this.app;
    const list = make("ol", "happenings", ...cues.map(cue => make("li", "",
      make("span", "number-text", this.amounts.text(DISTANCE, cue.distance_m)),
      make("span", "", [wordOf(texts, cue.kind), cue.text].filter(Boolean).join(": ")))));
    const part = makePart("cues", texts.get("cues"), list);
    part.hidden = cues.length === 0;
    return part;
  }

  /** With each frame: the rights of the screen can change. */
  update({ store }) {
    this.acts?.update();
    this.following?.update(store.guide);
  }

  #closeParts() {
    for (const part of this.#parts) part.close();
    this.#parts = [];
  }

  close() {
    this.#isClosed = true;
    this.#closeParts();
  }
}

/** A kind that only a file can have is shown as it is there. */
function wordOf(texts, kind) {
  const key = `cue_${kind}`;
  const word = texts.get(key);
  return word === key ? kind.replaceAll("_", " ") : word;
}

// The wall: all bikes of one group or of all, on a stream of its own. It is drawn at most four times a
// second, and once a second if nothing arrives, because ages grow.

import { ServerClock } from "../core/clock.js";
import { Stream } from "../core/stream.js";
import { make, makeText } from "../ui/elements.js";
import { BikeCard, VALUES } from "./bike-card.js";
import { Fleet, obstacleOf, stateOf } from "./fleet.js";

const DRAW_MS = 250;
const TICK_MS = 500;
const ALL_GROUPS = "*";
const KINDS = [...VALUES, "radar"];

export class Wall {
  #cards = new Map();
  #order = "";
  #drawing = null;
  #ticker = null;
  #lastDrawn = -Infinity;
  #context = null;
  #wasCutOff = false;
  #follow = () => this.#followVisibility();

  /** @param {string|undefined} group all if it is missing */
  constructor(app, group) {
    this.app = app;
    this.fleet = new Fleet();
    this.clock = new ServerClock();
    this.sentence = makeText("p", "wall-sentence");
    this.list = make("ul", "wall-bikes");
    this.list.setAttribute("aria-label", app.texts.get("wall"));
    this.element = make("div", "wall", this.sentence.element, this.list);
    const query = `hz=1&kinds=${KINDS.join(",")}&wall=${encodeURIComponent(group ?? ALL_GROUPS)}`;
    this.stream = new Stream({
      open: url => new EventSource(url),
      clock: this.clock,
      url: () => `/events?${query}`,
      handlers: {
        // Each stream begins with everything.
        hello: () => this.fleet.clear(),
        records: (records, _, sentAt) => this.#record(records, sentAt),
      },
    });
    if (!app.isPaired) return;
    this.stream.restart();
    this.#ticker = setInterval(() => this.#tick(), TICK_MS);
    document.addEventListener("visibilitychange", this.#follow);
  }

  /** With each picture of the page, which knows units and language. */
  update(context) {
    this.#context = context;
    this.#draw();
  }

  close() {
    this.stream.stop();
    clearInterval(this.#ticker);
    clearTimeout(this.#drawing);
    document.removeEventListener("visibilitychange", this.#follow);
  }

  #followVisibility() {
    if (document.hidden) {
      this.clock.hide();
      this.stream.stop();
    } else {
      this.clock.show();
      this.stream.restart();
    }
    this.#draw();
  }

  #record(records, sentAt) {
    this.fleet.record(records, sentAt);
    this.#drawing ??= setTimeout(() => {
      this.#drawing = null;
      this.#draw();
    }, DRAW_MS);
  }

  #tick() {
    if (document.hidden) return;
    this.stream.tick();
    const isDue = this.clock.seconds() - this.#lastDrawn >= 1;
    if (isDue || this.stream.isCutOff !== this.#wasCutOff) this.#draw();
  }

  #draw() {
    if (!this.#context || document.hidden) return;
    const isCutOff = this.stream.isCutOff;
    this.#lastDrawn = this.clock.seconds();
    this.#wasCutOff = isCutOff;
    const context = { ...this.#context, fleet: this.fleet, now: this.clock.now, isCutOff };
    const bikes = this.fleet.bikes;
    this.#arrange(bikes);
    for (const bike of bikes) this.#cards.get(bike.key).update(bike, context);
    this.sentence.text = this.#describe(bikes, isCutOff);
    this.element.dataset.state = obstacleOf(this.fleet, isCutOff) ?? "connected";
  }

  /** Elements are only moved when a bike comes or goes. */
  #arrange(bikes) {
    const order = bikes.map(bike => bike.key).join();
    if (order === this.#order) return;
    this.#order = order;
    const known = this.#cards;
    this.#cards = new Map(bikes.map(({ key }) => [key, known.get(key) ?? new BikeCard(this.app.texts)]));
    this.list.replaceChildren(...[...this.#cards.values()].map(card => card.element));
  }

  #describe(bikes, isCutOff) {
    const { texts } = this.app;
    const { bridge, broker } = this.fleet;
    switch (obstacleOf(this.fleet, isCutOff)) {
    case "cut_off": return texts.get("wall_cut_off");
    case "no_bridge": return texts.get("wall_no_bridge", bridge.message ?? "");
    case "no_broker": return texts.get("wall_no_broker", broker.message ?? broker.state);
    }
    if (broker === null) return "";
    if (broker.refused?.length > 0) return texts.get("wall_refused", broker.refused.join(", "));
    if (bikes.length === 0) return texts.get("wall_none");
    const there = bikes.filter(bike => stateOf(this.fleet, bike, isCutOff) === "online").length;
    return texts.get("wall_count", there, bikes.length);
  }
}

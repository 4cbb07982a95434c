// The panels of START, STOP and FINISH: which sport, resume or finish, and the totals of a
// ride that was not recorded.

import { duration, format } from "../core/format.js";
import { convert, unitOf } from "../core/units.js";
import { make, makeIcon } from "./elements.js";
import { Panel } from "./panel.js";

/** With their icons. */
const SPORTS = { cycling: "person-biking", running: "person-running", walking: "person-walking", rowing: "water" };
const PAUSE_CLOSES_MS = 15_000;

function makeChoice(texts, key, icon, className, act) {
  const parts = icon ? [makeIcon(icon).element] : [];
  const button = make("button", className, ...parts, make("span", "", texts.get(key)));
  button.type = "button";
  button.addEventListener("click", act);
  return button;
}

export class SportPanel extends Panel {
  constructor(texts, start) {
    super("sport-panel", texts);
    this.title.text = texts.get("start");
    const buttons = Object.entries(SPORTS).map(([sport, icon]) => makeChoice(texts, `sport_${sport}`, icon, "plain sport", () => {
      this.close();
      start(sport);
    }));
    this.body.append(make("div", "panel-buttons column", ...buttons));
  }
}

export class PausePanel extends Panel {
  #timer = null;

  constructor(texts, act) {
    super("pause-panel", texts);
    this.title.text = texts.get("paused_word");
    const choose = key => () => {
      this.close();
      act(key);
    };
    this.body.append(make("div", "panel-buttons column",
      makeChoice(texts, "resume", "play", "call large", choose("resume")),
      makeChoice(texts, "finish", "check", "plain", choose("finish"))));
  }

  /** Closes by itself: the ride stays paused. */
  open(opener) {
    super.open(opener);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.close(), PAUSE_CLOSES_MS);
  }

  didClose() {
    clearTimeout(this.#timer);
  }
}

export class TotalsPanel extends Panel {
  constructor(texts) {
    super("totals-panel", texts);
    this.title.text = texts.get("totals_title");
    this.list = make("dl", "numbers");
    this.body.append(make("p", "hint", texts.get("not_recorded")), this.list);
  }

  show(ride, { units, point }) {
    const amount = (value, quantity, form) => `${format(form, convert(quantity, value, units), { point })} ${unitOf(quantity, units)}`;
    const totals = [["ride_time", duration(ride.ride_time_s)], ["moving", duration(ride.moving_time_s)],
      ["distance", amount(ride.distance_m, "distance", "distance")]];
    if (ride.ascent_m !== undefined) totals.push(["elevation", amount(ride.ascent_m, "height", "whole")]);
    this.list.replaceChildren(...totals.map(([key, text]) =>
      make("div", "", make("dt", "caption", this.texts.get(key)), make("dd", "number-text", text))));
    this.open(null);
  }
}

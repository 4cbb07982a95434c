// Figures of widgets: a wedge of the slope, zone bars, the radar lane lying on its side, a curve, a
// map, a bar of confidence, batteries, and the buttons of a trainer.

import { batteriesOf } from "../core/derived.js";
import { GuidanceFigure, StartArrow } from "./guidance-figure.js";
import { hasValue, readItem } from "../core/items.js";
import { MapFigure } from "../map/live-map.js";
import { readRadar } from "../core/states.js";
import { Curve } from "./curve.js";
import { make, makeIcon, makeSVG, makeText, setAttribute } from "./elements.js";
import { ZoneBars } from "./zone-bars.js";

const FAR_M = 140;
const STEEPEST_PCT = 20;
const POWER_STEP_W = 10;
const MOST_BATTERIES = { "2x1": 3, "3x1": 6 };

/** @returns {{element: Element, update: (context: object, reading: object) => void, isBeside?: boolean}} */
export function makeFigure(name, texts, entry, size) {
  return FIGURES[name](texts, entry, size);
}

const FIGURES = {
  wedge() {
    const slope = makeSVG("path", { class: "slope" });
    const element = makeSVG("svg", { class: "figure wedge", viewBox: "0 0 48 24", preserveAspectRatio: "none" }, slope);
    return {
      element,
      update(_, reading) {
        element.toggleAttribute("hidden", !hasValue(reading));
        if (!hasValue(reading)) return;
        const share = Math.max(-1, Math.min(1, reading.value / STEEPEST_PCT));
        const rise = Math.abs(share) * 23 + 1;
        setAttribute(slope, "d", share >= 0 ? `M0 24H48V${24 - rise}Z` : `M0 24H48L0 ${24 - rise}Z`);
      },
    };
  },

  zones(texts) {
    const bars = new ZoneBars(texts);
    bars.element.classList.add("figure");
    return { element: bars.element, update: ({ store }) => bars.update(store.newest("zones")) };
  },

  strip() {
    const cars = [];
    const holder = make("span", "cars");
    const element = make("span", "figure strip", holder);
    return {
      element,
      update({ store, now, isCutOff }) {
        const { state, targets } = readRadar(store, now, isCutOff);
        setAttribute(element, "data-state", state);
        while (cars.length < targets.length) {
          const car = make("i");
          cars.push(car);
          holder.append(car);
        }
        cars.forEach((car, index) => {
          const target = targets[index];
          car.hidden = !target;
          if (!target) return;
          setAttribute(car, "data-level", target.level >= 2 ? 2 : 1);
          car.style.left = `${Math.max(0, Math.min(1, target.distance_m / FAR_M)) * 100}%`;
        });
      },
    };
  },

  curve() {
    const curve = new Curve();
    return { element: curve.element, update: context => curve.update(context), isSeen: () => curve.isSeen };
  },

  map(texts, _, size) {
    const map = new MapFigure(texts, size);
    return {
      element: map.element,
      update: (context, reading) => map.update(context, reading),
      spoken: (context, reading) => map.spoken(context, reading),
    };
  },

  cue(texts) {
    return new GuidanceFigure(texts, false);
  },

  cue_and_climb(texts) {
    return new GuidanceFigure(texts, true);
  },

  start(texts) {
    return new StartArrow(texts);
  },

  confidence(texts, entry) {
    const fill = make("span", "fill");
    const caption = makeText("span", "caption");
    caption.text = texts.get("confidence");
    const element = make("span", "figure confidence", caption.element, make("span", "track", fill));
    return {
      element,
      update(context) {
        const reading = readItem(entry.confidence, context);
        element.hidden = !hasValue(reading);
        if (hasValue(reading)) fill.style.width = `${Math.round(reading.value * 100)}%`;
      },
    };
  },

  batteries(_, entry, size) {
    const rows = Array.from({ length: MOST_BATTERIES[size] }, () => {
      const name = makeText("span", "name"), value = makeText("span", "number-text");
      return { name, value, element: make("span", "row", name.element, value.element) };
    });
    const element = make("span", "figure batteries", ...rows.map(row => row.element));
    return {
      element,
      update(context) {
        const batteries = batteriesOf(context).filter(({ reading }) => hasValue(reading));
        rows.forEach((row, index) => {
          const battery = batteries[index];
          row.element.hidden = !battery;
          if (!battery) return;
          row.name.text = battery.name;
          row.value.text = `${Math.round(battery.reading.value)} %`;
          setAttribute(row.element, "data-old", battery.reading.state === "live" ? null : "");
        });
      },
    };
  },

  /** Buttons stand beside the widget's own button, because buttons cannot be within one another. */
  steps(texts) {
    let target = null, command = null;
    const button = (icon, key, step) => {
      const made = make("button", "step", makeIcon(icon).element);
      made.type = "button";
      made.setAttribute("aria-label", texts.get(key, POWER_STEP_W));
      made.addEventListener("click", event => {
        event.stopPropagation();
        if (target !== null) command(Math.max(0, target + step));
      });
      return made;
    };
    const element = make("span", "figure steps", button("minus", "less_power", -POWER_STEP_W), button("plus", "more_power", POWER_STEP_W));
    return {
      element,
      isBeside: true,
      update({ store, commandSensor }) {
        const [id] = store.sensorsOf("trainer");
        target = id ? store.sample(id, "trainer_status")?.target_power_w ?? null : null;
        element.hidden = target === null || !commandSensor;
        command = value => commandSensor(id, "target_power", { value });
      },
    };
  },
};

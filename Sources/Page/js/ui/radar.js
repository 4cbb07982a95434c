// The radar lane and its band. Shows what a live radar said, and never a clear road otherwise.

import { readRadar } from "../core/states.js";
import { make, makeIcon, makeSVG, makeText, setAttribute } from "./elements.js";

const FAR_M = 140;
const BAND_AFTER_CLEAR_S = 1;
const BAND_LOST_S = 5;
const COUNT_FROM = 5;
const CAR_PX = 28;

export class RadarView {
  #cars = [];
  #state = "absent";
  #since = -Infinity;
  #hadCar = false;

  constructor(lane, band, texts) {
    this.lane = lane;
    this.band = band;
    this.texts = texts;
    this.words = makeText("span");
    band.append(this.words.element);
    this.count = makeText("span", "minor");
    this.count.element.id = "cars";
    this.holder = make("div", "road");
    const lost = make("div", "crossed", makeIcon("satellite-dish").element);
    lane.append(this.holder, lost, this.count.element);
  }

  get state() {
    return this.#state;
  }

  /** @param {number} seconds of the page's own clock, for what goes by itself */
  update({ store, now, isCutOff, seconds, radarSide }) {
    const { state, targets } = readRadar(store, now, isCutOff);
    setAttribute(document.documentElement, "data-radar", state === "absent" ? null : radarSide);
    setAttribute(this.lane, "data-state", state);
    if (state !== this.#state) {
      this.#hadCar = this.#state === "car" || this.#state === "fast";
      this.#state = state;
      this.#since = seconds;
    }
    this.#showCars(targets);
    this.#showBand(state, targets, seconds - this.#since);
  }

  #showCars(targets) {
    while (this.#cars.length < targets.length) {
      const car = makeCar();
      this.#cars.push(car);
      this.holder.append(car.element);
    }
    this.#cars.forEach((car, index) => car.show(targets[index]));
    this.count.text = targets.length >= COUNT_FROM ? String(targets.length) : "";
  }

  #showBand(state, targets, age) {
    if (targets.length > 0) {
      const nearest = targets[targets.length - 1];
      const word = this.texts.get(state === "fast" ? "fast_car" : "car").toUpperCase();
      this.words.text = `${word} ${Math.round(nearest.distance_m)} m`;
      setAttribute(this.band, "data-rating", state === "fast" ? "bad" : "okay");
      this.band.hidden = false;
    } else if (state === "lost") {
      this.words.text = this.texts.get("radar_lost").toUpperCase();
      setAttribute(this.band, "data-rating", "lost");
      this.band.hidden = age > BAND_LOST_S;
    } else {
      this.band.hidden = !(state === "clear" && this.#hadCar && age <= BAND_AFTER_CLEAR_S);
    }
  }
}

function makeCar() {
  const slow = makeSVG("rect", { class: "slow", x: 3, y: 5, width: 18, height: 18 });
  const fast = makeSVG("path", { class: "fast", d: "M12 1 23 11v7L12 8 1 18v-7ZM12 12l11 10v5L12 17 1 27v-5Z" });
  const element = make("div", "car", makeSVG("svg", { width: 24, height: CAR_PX, viewBox: "0 0 24 28" }, slow, fast));
  return {
    element,
    show(target) {
      element.hidden = !target;
      if (!target) return;
      const isFast = target.level >= 2;
      slow.style.display = isFast ? "none" : "";
      fast.style.display = isFast ? "" : "none";
      // Of the lane, whose foot is that of what is visible: on a phone, the window can be higher.
      const share = Math.max(0, Math.min(1, target.distance_m / FAR_M));
      element.style.top = `calc(${share} * (100% - ${CAR_PX}px))`;
    },
  };
}

// The top bar: icons only, one button that opens the status panel.

import { devicesOf, ratingOf } from "../core/devices.js";
import { isActive } from "../core/ride.js";
import { make, makeIcon, makeText, setAttribute } from "./elements.js";
import { makeRecordMark, makeSoundMark, makeSunMark } from "./marks.js";
import { NumberView } from "./number.js";
import { makeStrength } from "./strength.js";

const LIT = { good: 4, okay: 2, bad: 1, none: 0 };
const FRESH_FIX_S = 10;

export class TopBar {
  constructor(element, texts, open) {
    this.texts = texts;
    this.button = make("button");
    this.button.id = "status";
    this.button.type = "button";
    this.button.addEventListener("click", () => open(this.button));
    this.satellite = makeMark("satellite");
    this.strength = makeStrength();
    const warning = makeIcon("triangle-exclamation").element;
    warning.classList.add("warn");
    this.satellite.append(this.strength.element, warning);
    this.devices = makeMark("bluetooth");
    this.count = makeText("span", "number chip");
    this.devices.append(this.count.element);
    this.record = makeRecordMark();
    this.sun = makeSunMark();
    this.sound = makeSoundMark(texts);
    this.paused = makeText("span");
    this.paused.element.id = "paused";
    this.paused.element.hidden = true;
    this.paused.text = `${texts.get("paused_sign")} ${texts.get("paused_word").toUpperCase()}`;
    this.time = new NumberView();
    this.time.element.id = "time";
    const marks = [this.satellite, this.devices, this.record.element, this.sun.element, this.sound.element];
    for (const mark of marks) mark.setAttribute("aria-hidden", "true");
    this.button.append(...marks, this.paused.element, this.time.element);
    element.append(this.button);
  }

  update({ store, now, isCutOff, date, brightness = 100, isAutoDim = true, sound = "on" }) {
    const quality = fixQuality(store, now);
    this.satellite.hidden = quality === null;
    setAttribute(this.satellite, "data-rating", quality);
    this.strength.show(LIT[quality] ?? 0);

    const devices = devicesOf(store, now);
    const enabled = devices.filter(device => device.state !== "disabled");
    const streaming = enabled.filter(device => device.state === "streaming").length;
    this.count.text = `${streaming}/${enabled.length}`;
    const rating = ratingOf(devices, store.adapter);
    setAttribute(this.devices, "data-rating", rating === "good" ? null : rating);

    const record = recordState(store);
    const active = isActive(store.ride, now);
    this.record.show(record, active && record === "off");
    this.sun.show(brightness, isAutoDim);
    this.sound.show(sound);
    this.paused.element.hidden = !(store.ride?.paused && store.ride.pause === "by_hand");
    this.time.text = `${date.getHours()}:${String(date.getMinutes()).padStart(2, "0")}`;
    const gps = quality === null ? "" : `${this.texts.get("gps")} ${this.texts.get(quality)}, `;
    const kept = active && record === "off" ? `, ${this.texts.get("record_off")}` : "";
    const words = isCutOff ? this.texts.get("cut_off") : `${gps}${this.texts.get("of_devices", streaming, enabled.length)}${kept}`;
    setAttribute(this.button, "aria-label", `${this.texts.get("status")}: ${words}`);
    setAttribute(this.button, "data-cut-off", isCutOff ? "" : null);
  }
}

function makeMark(name) {
  return make("span", "mark", makeIcon(name).element);
}

/** The quality of the fix; null without a receiver. */
export function fixQuality(store, now) {
  const position = store.newest("position");
  if (!position) return null;
  return now !== null && now - position.t < FRESH_FIX_S ? position.quality ?? "none" : "none";
}

/** @returns {"recording"|"ready"|"off"|null} null while the server has not told */
export function recordState(store) {
  const recorder = store.recorder;
  if (!recorder) return null;
  if (!recorder.present || recorder.storage === "failed") return "off";
  return recorder.recording === undefined ? "ready" : "recording";
}

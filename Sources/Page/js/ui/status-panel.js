// The status panel: position, devices with the worst first, brightness, sound, and the buttons of
// the ride on screens without a bottom bar.

import { devicesOf } from "../core/devices.js";
import { fixed } from "../core/format.js";
import { modeOf } from "../core/ride.js";
import { shortAge } from "../core/states.js";
import { convert, unitOf } from "../core/units.js";
import { makeStartButton, makeStopButton } from "./bottom-bar.js";
import { DeviceRow } from "./device-row.js";
import { make, makeIcon, makeText, setAttribute } from "./elements.js";
import { Panel } from "./panel.js";
import { fixQuality, recordState } from "./top-bar.js";

const DIM_STEPS = { min: 5, max: 100, step: 5 };
const VOLUME_STEPS = { min: 0, max: 100, step: 5 };

export class StatusPanel extends Panel {
  #rows = new Map();
  #lines = [];

  /** @param {object} settings get and set @param {object} sounds the player @param {(action: string) => void} act */
  constructor(texts, locale, settings, sounds, act) {
    super("status-panel", texts);
    this.locale = locale;
    this.settings = settings;
    this.sounds = sounds;
    this.act = act;
    this.title.text = texts.get("status");
    this.position = makeText("p", "fact-line");
    this.record = makeText("p", "fact-line");
    this.adapter = makeText("p", "fact-line warning");
    this.list = make("ul", "devices");
    this.notes = make("ul", "facts");
    this.ride = make("div", "panel-buttons");
    this.brightness = this.#makeSlider("brightness", DIM_STEPS);
    this.volume = this.#makeSlider("volume", VOLUME_STEPS);
    this.autoDim = this.#makeSwitch("auto_dim", () => settings.get("auto_dim"), on => settings.set("auto_dim", on));
    this.silence = this.#makeSwitch("silence", () => sounds.isSilent, on => act(on ? "silence" : "unsilence"));
    const test = this.#makeButton("volume-high", "sound_test", () => sounds.test("radar_car"));
    this.body.append(
      this.ride, this.position.element, this.record.element, this.adapter.element, this.list, this.notes,
      make("section", "setting", this.brightness.element, this.autoDim.element),
      make("section", "setting", this.volume.element, make("div", "panel-buttons", test), this.silence.element));
  }

  /** A line about something that happened and needs no answer at once. */
  addLine(text) {
    this.#lines = [text, ...this.#lines.filter(line => line !== text)].slice(0, 4);
    this.notes.replaceChildren(...this.#lines.map(line => make("li", "", line)));
  }

  #makeSlider(key, { min, max, step }) {
    const word = makeText("span");
    word.text = this.texts.get(key);
    const value = makeText("output", "number-text");
    const input = make("input");
    Object.assign(input, { type: "range", min, max, step });
    input.addEventListener("input", () => { value.text = `${input.value} %`; });
    input.addEventListener("change", () => this.settings.set(key, Number(input.value)));
    const element = make("label", "level-row", word.element, input, value.element);
    return {
      element,
      update: () => {
        if (document.activeElement === input) return;
        const level = this.settings.get(key);
        if (input.value !== String(level)) input.value = level;
        value.text = `${level} %`;
      },
    };
  }

  #makeSwitch(key, isOn, set) {
    const word = makeText("span");
    word.text = this.texts.get(key);
    const button = make("button", "toggle", word.element, make("span", "toggle-knob"));
    button.type = "button";
    button.setAttribute("role", "switch");
    button.addEventListener("click", () => {
      set(!isOn());
      button.setAttribute("aria-checked", String(isOn()));
    });
    return { element: button, update: () => setAttribute(button, "aria-checked", String(isOn())) };
  }

  #makeButton(icon, key, act, className = "plain") {
    const button = make("button", className, makeIcon(icon).element, make("span", "", this.texts.get(key)));
    button.type = "button";
    button.addEventListener("click", act);
    return button;
  }

  update(context) {
    if (!this.isOpen) return;
    const { store, now } = context;
    this.position.text = this.#positionLine(context);
    const record = recordState(store);
    this.record.text = record === null ? "" : this.#recordLine(record, store);
    this.record.element.hidden = record === null;
    const warning = this.#warningOf(store);
    this.adapter.text = warning ?? "";
    this.adapter.element.hidden = warning === null;
    this.#showDevices(devicesOf(store, now));
    for (const part of [this.brightness, this.volume, this.autoDim, this.silence]) part.update();
    this.#showRide(modeOf(store.ride, now));
  }

  /** Why no sensor can send anything. */
  #warningOf({ isWithoutDaemon, daemon, adapter }) {
    if (isWithoutDaemon) return [this.texts.get("no_daemon"), daemon.message].filter(Boolean).join(": ");
    const isGone = adapter !== null && adapter.state !== "on";
    return isGone ? this.texts.get(`reason_adapter_${adapter.state}`) : null;
  }

  #positionLine({ store, now, point, units }) {
    const quality = fixQuality(store, now);
    if (quality === null) return this.texts.get("gps_absent");
    const position = store.newest("position");
    const parts = [`${this.texts.get("gps")} ${this.texts.get(quality)}`];
    if (position.satellites !== undefined) parts.push(this.texts.get("satellites", position.satellites));
    if (position.accuracy_m !== undefined) {
      parts.push(`± ${fixed(convert("height", position.accuracy_m, units), 0, point)} ${unitOf("height", units)}`);
    }
    const age = now === null ? 0 : now - position.t;
    if (age > 3) parts.push(this.texts.get("seconds_old", shortAge(age)));
    return parts.join(" · ");
  }

  #recordLine(record, store) {
    const reason = store.recorder.message ? `: ${store.recorder.message}` : "";
    return this.texts.get(`record_${record}`) + (record === "off" ? reason : "");
  }

  #showDevices(devices) {
    for (const device of devices) {
      if (!this.#rows.has(device.id)) this.#rows.set(device.id, new DeviceRow(this.texts, this.locale));
      this.#rows.get(device.id).update(device);
    }
    const order = devices.map(device => device.id).join();
    if (order === this.order) return;
    this.order = order;
    this.list.replaceChildren(...devices.map(device => this.#rows.get(device.id).element));
  }

  /** On a small screen these stand in for the bottom bar; FINISH is here for all while paused. */
  #showRide(mode) {
    if (mode === this.mode) return;
    this.mode = mode;
    const button = (icon, key, className) => this.#makeButton(icon, key, () => this.act(key), className);
    const small = (icon, key, className = "") => button(icon, key, `only-small ${className}`);
    const held = made => {
      made.classList.add("only-small");
      return made;
    };
    const buttons = {
      idle: [held(makeStartButton(this.texts, this.act))],
      riding: [small("flag", "lap_button", "call"), held(makeStopButton(this.texts, this.act))],
      paused: [button("play", "resume", "call"), button("check", "finish", "plain")],
    }[mode];
    this.ride.replaceChildren(...buttons);
  }
}

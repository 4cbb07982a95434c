// One widget: made once from the catalogue, then its text nodes follow the store.

import { CATALOGUE, secondsOf } from "../core/catalogue.js";
import { format } from "../core/format.js";
import { sizeOf } from "../core/layout.js";
import { read, shortAge } from "../core/states.js";
import { convert, unitOf } from "../core/units.js";
import { make, makeIcon, makeText, setAttribute } from "./elements.js";
import { NumberView } from "./number.js";
import { Watermark } from "./watermark.js";

const LABEL_S = 5;
const HAS_VALUE = new Set(["live", "stale", "paused"]);
const WORDS = new Set(["searching", "unknown", "not_yet", "error"]);

export class WidgetView {
  #lastLabel = -Infinity;

  constructor(widget, texts) {
    this.widget = widget;
    this.texts = texts;
    this.size = sizeOf(widget);
    this.entry = CATALOGUE[widget.id];
    this.primary = this.entry?.choices?.[widget.of] ?? this.entry?.primary;
    this.element = make("li", "widget");
    this.element.dataset.size = this.size;
    this.element.dataset.id = widget.id;
    this.#build();
  }

  #build() {
    this.caption = makeText("span", "caption");
    this.note = makeText("span", "minor");
    this.number = new NumberView();
    this.unit = makeText("span", "unit");
    this.zone = makeText("span", "zone");
    this.zone.element.hidden = true;
    const isWide = this.size === "3x1";
    if (isWide && this.entry?.watermark) {
      this.watermark = new Watermark();
      this.element.dataset.watermark = "";
      this.element.append(this.watermark.element);
    }
    if (this.primary?.long) this.element.dataset.long = "";
    const primary = make("span", "primary", this.number.element, this.unit.element, this.zone.element);
    const alarm = makeIcon("triangle-exclamation").element;
    alarm.classList.add("alarm");
    const head = make("span", "head", this.caption.element, this.note.element, alarm);
    this.face = make("button", "face", head, primary);
    this.face.type = "button";
    for (const part of this.face.children) part.setAttribute("aria-hidden", "true");
    this.seconds = this.entry ? secondsOf(this.entry, this.size).map(item => this.#buildSecond(item)) : [];
    if (this.seconds.length > 0) {
      const box = make("span", "seconds", ...this.seconds.map(second => second.element));
      box.setAttribute("aria-hidden", "true");
      this.face.append(box);
    }
    this.element.append(this.face);
  }

  #buildSecond(item) {
    const caption = makeText("span", "caption");
    caption.text = this.texts.get(item.caption);
    const number = new NumberView();
    return { item, number, element: make("span", "second", caption.element, number.element) };
  }

  /** @param {object} context store, now, units, point, isCutOff, date */
  update(context) {
    if (!this.entry) return this.#showUnsupported();
    if (this.entry.clock) return this.#showClock(context);
    const readValue = (item, sensor) => read(context.store, item, sensor, context.now, context.isCutOff);
    const reading = readValue(this.primary, this.widget.sensor);
    const isShort = this.size === "1x1";
    this.#setCaption(context);
    this.#show(reading, this.#textOf(this.primary, reading, context, isShort), context);
    for (const { item, number, element } of this.seconds) {
      const second = readValue(item, this.widget.sensor);
      number.text = this.#textOf(item, second, context, item.isShort);
      const isLive = second.state === "live" || second.state === "paused";
      setAttribute(element, "data-old", isLive ? null : "");
    }
    if (this.entry.zone) this.#showZone(readValue(this.entry.zone));
    this.watermark?.record(reading.state === "live" ? reading.value : null, context.now ?? 0);
  }

  #setCaption(context) {
    const count = this.entry.number && context.store.ride?.[this.entry.number];
    const choice = this.entry.choices && this.widget.of ? ` ${this.widget.of.replace("s", " s")}` : "";
    this.caption.text = this.texts.get(this.widget.id) + (count ? ` ${count}` : choice);
  }

  #textOf(item, reading, context, isShort) {
    if (!HAS_VALUE.has(reading.state)) return null;
    const value = convert(item.quantity, reading.value * (item.factor ?? 1), context.units);
    return format(item.form, value, { point: context.point, isShort });
  }

  #show(reading, text, context) {
    this.number.text = text;
    const isEmpty = text === null;
    setAttribute(this.element, "data-state", reading.state);
    setAttribute(this.element, "data-empty", isEmpty ? "" : null);
    const unit = unitOf(this.primary.quantity, context.units) ?? this.primary.unit ?? "";
    this.unit.text = isEmpty && WORDS.has(reading.state) && this.size === "1x1" ? "" : unit;
    this.note.text = this.#noteOf(reading);
    this.#setLabel(reading, text, unit, context.now);
  }

  #noteOf(reading) {
    switch (reading.state) {
    case "stale": return shortAge(reading.age);
    case "lost": return reading.age === undefined ? "" : shortAge(reading.age);
    case "paused": return this.texts.get("paused_sign");
    default: return "";
    }
  }

  /** The word of a missing value stands where its unit would. */
  #wordOf(reading) {
    switch (reading.state) {
    case "lost": return this.texts.get("lost");
    case "error": return this.texts.get(reading.reason === "bond_lost" ? "pair_again" : "error");
    case "searching": case "unknown": return this.texts.get(reading.state);
    case "not_yet": return this.texts.get(reading.word);
    default: return "";
    }
  }

  #setLabel(reading, text, unit, now) {
    const word = this.#wordOf(reading);
    this.#showWord(word);
    const isNews = this.lastState !== reading.state;
    if (!isNews && now !== null && now - this.#lastLabel < LABEL_S) return;
    this.lastState = reading.state;
    this.#lastLabel = now ?? 0;
    const age = reading.state === "stale" ? `, ${this.texts.get("seconds_old", shortAge(reading.age))}` : "";
    const value = text === null ? word : `${text} ${unit}`.trim();
    setAttribute(this.face, "aria-label", `${this.texts.get(this.widget.id)}, ${value}${age}`);
  }

  #showWord(word) {
    if (word) this.unit.text = word;
    this.unit.element.className = word ? "caption word" : "unit";
  }

  #showZone(reading) {
    const zone = HAS_VALUE.has(reading.state) ? Math.min(5, reading.value) : null;
    this.zone.element.hidden = zone === null || this.element.dataset.empty !== undefined;
    if (zone === null) return;
    this.zone.text = String(reading.value);
    setAttribute(this.zone.element, "data-zone", zone);
  }

  #showClock({ date }) {
    this.caption.text = this.texts.get("clock");
    const text = `${date.getHours()}:${String(date.getMinutes()).padStart(2, "0")}`;
    this.number.text = text;
    setAttribute(this.element, "data-state", "live");
    setAttribute(this.face, "aria-label", `${this.texts.get("clock")}, ${text}`);
  }

  #showUnsupported() {
    this.caption.text = this.widget.id;
    this.number.text = null;
    setAttribute(this.element, "data-empty", "");
    this.note.text = "";
    setAttribute(this.face, "aria-label", `${this.widget.id}, ${this.texts.get("newer")}`);
  }
}

// One widget: made once from the catalogue, then its text nodes follow the store.

import { CATALOGUE, headOf, secondsOf } from "../core/catalogue.js";
import { hasValue, readItem, textOf } from "../core/items.js";
import { sizeOf } from "../core/layout.js";
import { shortAge } from "../core/states.js";
import { unitOf } from "../core/units.js";
import { zoneName } from "../core/zones.js";
import { make, makeIcon, makeText, setAttribute } from "./elements.js";
import { makeFigure } from "./figures.js";
import { NumberView } from "./number.js";
import { makeTrend } from "./trend.js";
import { Watermark } from "./watermark.js";

const LABEL_S = 5;
const WORDS = new Set(["searching", "unknown", "not_yet", "error", "clear"]);

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
    this.name = makeText("span", "name");
    this.unit = makeText("span", "unit");
    this.zone = makeText("span", "zone");
    this.zone.element.hidden = true;
    this.#buildWatermark();
    if (this.primary?.long) this.element.dataset.long = "";
    const primary = make("span", "primary", this.number.element, this.name.element, this.unit.element, this.zone.element);
    if (this.entry?.icon) primary.append(makeIcon(this.entry.icon).element);
    const alarm = makeIcon("triangle-exclamation").element;
    alarm.classList.add("alarm");
    const head = make("span", "head", this.caption.element, this.note.element, alarm);
    this.#buildHead(head);
    this.face = make("button", "face", head, primary);
    this.face.type = "button";
    this.#buildSeconds();
    for (const part of this.face.children) part.setAttribute("aria-hidden", "true");
    this.element.append(this.face);
    this.#buildFigure();
  }

  #buildWatermark() {
    if (this.size !== "3x1" || !this.entry?.watermark) return;
    this.watermark = new Watermark({ fill: this.entry.watermark.fill });
    this.element.dataset.watermark = "";
    this.element.append(this.watermark.element);
  }

  #buildHead(head) {
    const items = this.entry ? headOf(this.entry, this.size) : [];
    this.headItems = items.map(item => {
      const text = makeText("span", "minor");
      head.append(text.element);
      return { item, text };
    });
    if (this.size === "3x1" && this.entry?.hasSource) {
      this.source = makeIcon("satellite");
      this.source.element.classList.add("source");
      head.append(this.source.element);
    }
  }

  #buildSeconds() {
    this.seconds = this.entry ? secondsOf(this.entry, this.size).map(item => this.#buildSecond(item)) : [];
    if (this.seconds.length === 0) return;
    this.face.append(make("span", "seconds", ...this.seconds.map(second => second.element)));
  }

  #buildSecond(item) {
    const caption = makeText("span", "caption");
    caption.text = this.texts.get(item.caption);
    const trend = makeTrend();
    trend.show(null);
    const number = item.isName ? makeText("span", "name") : new NumberView();
    const element = make("span", "second", make("span", "above", caption.element, trend.element), number.element);
    element.toggleAttribute("data-small", item.isSmall === true);
    return { item, number, trend, element };
  }

  #buildFigure() {
    const name = this.entry?.figures?.[this.size];
    if (!name) return;
    this.figure = makeFigure(name, this.texts, this.entry, this.size);
    this.element.dataset.figure = name;
    (this.figure.isBeside ? this.element : this.face).append(this.figure.element);
    if (!this.figure.isBeside) this.figure.element.setAttribute("aria-hidden", "true");
  }

  /** Whether a curve, which costs the sensor's battery, is on the screen. */
  get isCurveSeen() {
    return this.figure?.isSeen?.() ?? false;
  }

  /** @param {object} context what the page draws from */
  update(context) {
    if (!this.entry) return this.#showUnsupported();
    const reading = readItem(this.primary, context, this.widget.sensor);
    this.#setCaption(context, reading);
    const text = textOf(this.primary, reading, context, this.size === "1x1");
    const unit = this.#show(reading, text, context);
    for (const second of this.seconds) this.#showSecond(second, context);
    for (const { item, text } of this.headItems) this.#showHead(item, text, context);
    if (this.entry.zone) this.#showZone(readItem(this.entry.zone, context));
    // It names the zone, so the zone comes first.
    this.#setLabel(reading, text, unit, context);
    if (this.entry.isZoneFill) setAttribute(this.element, "data-zone", hasValue(reading) ? Math.min(5, reading.value) : null);
    this.figure?.update(context, reading);
    this.#showWatermark(context);
    if (this.source) this.#showSource(context);
  }

  #showSecond({ item, number, trend, element }, context) {
    const reading = readItem(item, context, this.widget.sensor);
    number.text = textOf(item, reading, context, item.isShort) ?? (item.isName ? "–" : null);
    trend.show(reading.trend ?? (item.trend && hasValue(reading) ? context.store.newest(item.kind)?.[item.trend] : null));
    const isLive = reading.state === "live" || reading.state === "paused";
    setAttribute(element, "data-old", isLive ? null : "");
  }

  #showHead(item, text, context) {
    const shown = textOf(item, readItem(item, context, this.widget.sensor), context, item.isShort);
    const unit = item.hasUnit ? ` ${unitOf(item.quantity, context.units)}` : "";
    text.text = shown === null ? "" : `${this.texts.get(item.caption).toUpperCase()} ${shown}${unit}`;
  }

  #showWatermark(context) {
    if (!this.watermark || !context.series) return;
    const { line, max, hasAverage, isByZone, lastMetres } = this.entry.watermark;
    const points = lastMetres ? lastOf(context, line, lastMetres) : context.series.line(line).ride;
    const highest = max ? readItem(max, context) : null;
    this.watermark.update(points, context.seconds, context.watermarkSeconds, {
      max: highest && hasValue(highest) ? highest.value : undefined,
      averages: hasAverage ? runningMean(points) : undefined,
      zoneOf: isByZone ? value => context.zones.zoneOf(Math.round(value)) : undefined,
    });
  }

  #showSource({ store }) {
    const source = store.newest(this.primary.kind)?.source;
    this.source.element.toggleAttribute("hidden", source === undefined);
    this.source.name = source === "gps" ? "satellite" : "circle-dot";
  }

  #setCaption({ store }, reading) {
    const count = this.entry.number && store.ride?.[this.entry.number];
    const choice = this.entry.choices && this.widget.of ? this.widget.of.replace("s", " s") : null;
    const label = this.#labelOf(reading);
    const isNamed = this.entry.labelInCaption === "name" && label;
    this.caption.text = isNamed ? label : [this.texts.get(this.widget.id), count || choice || label].filter(Boolean).join(" ");
  }

  #labelOf({ label }) {
    const kind = this.entry.labelInCaption;
    if (!kind || !label) return null;
    // Larger widgets list the names.
    if (kind === "name") return this.size === "1x1" ? label : null;
    if (kind === "state_word") return label.toLocaleLowerCase(this.texts.language);
    if (kind === "wheel_of") return this.texts.get(`wheel_${label}_short`);
    return label;
  }

  /** Shows value, state and unit. @returns {string} the unit, also when a word stands in its place */
  #show(reading, text, context) {
    if (this.primary.isName) this.name.text = text ?? "";
    this.number.text = this.primary.isName && text !== null ? "" : text;
    const isEmpty = text === null;
    setAttribute(this.element, "data-state", reading.state);
    setAttribute(this.element, "data-empty", isEmpty ? "" : null);
    const unit = reading.unit ?? unitOf(this.primary.quantity, context.units) ?? this.primary.unit ?? "";
    this.zoneName = this.primary.isZone && !isEmpty ? zoneName(this.texts, context.store.newest("zones"), reading.value) : null;
    const word = this.#wordOf(reading);
    const isWithoutUnit = isEmpty && WORDS.has(reading.state) && this.size === "1x1";
    // Once: a text that is set and set back needs a layout.
    this.unit.text = word || (isWithoutUnit ? "" : this.zoneName ?? unit);
    setAttribute(this.unit.element, "class", word ? "caption word" : "unit");
    this.note.text = this.#noteOf(reading);
    return unit;
  }

  #noteOf(reading) {
    switch (reading.state) {
    case "stale": return shortAge(reading.age);
    case "paused": return this.texts.get("paused_sign");
    default: return "";
    }
  }

  /** The word of a missing value stands where its unit would. */
  #wordOf(reading) {
    if (this.primary.form === "none") return "";
    switch (reading.state) {
    case "lost": return [this.texts.get("lost"), reading.age === undefined ? "" : shortAge(reading.age)].join(" ").trim();
    case "error": return this.texts.get(reading.reason === "bond_lost" ? "pair_again" : "error");
    case "searching": case "unknown": case "clear": return this.texts.get(reading.state);
    case "not_yet": return this.texts.get(reading.word ?? "wait");
    default: return "";
    }
  }

  #setLabel(reading, text, unit, context) {
    const { now } = context;
    const isNews = this.lastState !== reading.state;
    if (!isNews && now !== null && now - this.#lastLabel < LABEL_S) return;
    this.lastState = reading.state;
    this.#lastLabel = now ?? 0;
    const age = reading.state === "stale" ? `, ${this.texts.get("seconds_old", this.#spokenAge(reading.age))}` : "";
    const number = text === null ? this.#wordOf(reading) : `${text} ${this.zoneName ?? this.#spokenUnit(unit)}`.trim();
    const sentence = this.figure?.spoken?.(context, reading);
    const value = sentence ?? number;
    // The sentence of a figure has it.
    const isNamed = this.entry.labelInCaption === "state_word" && !sentence && hasValue(reading);
    const name = [this.texts.get(this.widget.id), isNamed && this.#labelOf(reading)].filter(Boolean).join(" ");
    const zone = this.zone.element.hidden ? "" : `, ${this.texts.get("zone")} ${this.zone.element.textContent}`;
    setAttribute(this.face, "aria-label", `${name}, ${value}${zone}${this.#spokenTrend()}${age}`);
  }

  #spokenAge(seconds) {
    const [count, unit] = shortAge(seconds).split(" ");
    return this.texts.get(`spoken_age_${unit}`, count);
  }

  /** The arrow beside an average. */
  #spokenTrend() {
    const trend = this.seconds.find(({ item }) => item.trend)?.trend.shown;
    return trend ? `, ${this.texts.get(`spoken_trend_${trend}`)}` : "";
  }

  #spokenUnit(unit) {
    return unit === "" ? "" : this.texts.get(`spoken_${unit}`);
  }

  #showZone(reading) {
    const zone = hasValue(reading) ? Math.min(5, reading.value) : null;
    this.zone.element.hidden = zone === null || this.element.dataset.empty !== undefined;
    if (zone === null) return;
    this.zone.text = String(reading.value);
    setAttribute(this.zone.element, "data-zone", zone);
  }

  #showUnsupported() {
    this.caption.text = this.widget.id;
    this.number.text = null;
    setAttribute(this.element, "data-empty", "");
    setAttribute(this.element, "data-state", "newer");
    this.note.text = "";
    this.unit.text = this.texts.get("newer");
    this.unit.element.className = "caption word";
    setAttribute(this.face, "aria-label", `${this.widget.id}, ${this.texts.get("newer")}`);
  }
}

/** The points of the last metres of the ride. */
function lastOf({ series, store }, line, metres) {
  const distance = store.ride?.distance_m;
  const reached = series.line("distance_m").ride.filter(point => point.value !== null);
  if (distance === undefined || reached.length === 0) return series.line(line).ride;
  const start = reached.find(point => point.value >= distance - metres);
  return series.line(line).since(start?.t ?? -Infinity);
}

function runningMean(points) {
  let sum = 0, count = 0;
  return points.map(({ t, value }) => {
    if (value === null) return { t, value };
    sum += value;
    count += 1;
    return { t, value: sum / count };
  });
}

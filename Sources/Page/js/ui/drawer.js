// The drawer of a widget: its value and state in words, map, averages, graph, zones, and where the value
// comes from. Why a number is missing, it says in a sentence.

import { CATALOGUE } from "../core/catalogue.js";
import { batteriesOf, tiresOf } from "../core/derived.js";
import { detailsOf, lineItem } from "../core/details.js";
import { devicesOf, reasonOf } from "../core/devices.js";
import { nameOfGuided, nextAdvice } from "../core/guidance.js";
import { hasValue, readItem, textOf } from "../core/items.js";
import { isMoving, MOVING_MPS } from "../core/motion.js";
import { readRadar, shortAge } from "../core/states.js";
import { convert, unitOf } from "../core/units.js";
import { DrawerMap } from "../map/live-map.js";
import { zoneName } from "../core/zones.js";
import { spokenAdvice } from "./cue-band.js";
import { DeviceRow } from "./device-row.js";
import { make, makeIcon, makeText, setAttribute } from "./elements.js";
import { Graph } from "./graph.js";
import { NumberView } from "./number.js";
import { Panel } from "./panel.js";
import { ZoneBars } from "./zone-bars.js";

const CLOSES_S = 30;

export class Drawer extends Panel {
  #touched = -Infinity;
  #rows = new Map();

  /** @param {(path: string) => void} go to another page */
  constructor(texts, locale, go, tileSets) {
    super("drawer", texts);
    this.go = go;
    this.tileSets = tileSets;
    this.locale = locale;
    this.number = new NumberView();
    this.unit = makeText("span", "unit");
    this.word = makeText("span", "state");
    this.zone = makeText("span", "zone-name");
    const value = make("p", "value", this.number.element, this.unit.element, this.zone.element, this.word.element);
    this.add = make("button", "", makeIcon("plus").element, make("span", "", texts.get("add_device")));
    this.add.type = "button";
    this.add.addEventListener("click", () => this.#leave("/settings/add"));
    this.leave = make("button", "", texts.get("route_leave"));
    this.leave.type = "button";
    this.leave.hidden = true;
    this.leave.addEventListener("click", () => {
      // It goes with the route.
      this.title.element.focus({ preventScroll: true });
      this.leaveRoute?.();
    });
    this.sentence = makeText("p", "hint");
    this.numbers = make("dl", "numbers");
    this.graph = new Graph(texts);
    this.bars = new ZoneBars(texts);
    this.list = make("ul", "facts");
    this.sources = make("ul", "devices");
    this.body.append(value, this.sentence.element, make("div", "panel-buttons", this.add, this.leave), this.numbers, this.graph.element, this.bars.element, this.list, this.sources);
    this.element.addEventListener("pointerdown", () => { this.#touched = Infinity; });
  }

  #leave(path) {
    this.close();
    this.go(path);
  }

  get widget() {
    return this.isOpen ? this.shown : null;
  }

  show(widget, opener) {
    this.shown = widget;
    this.entry = CATALOGUE[widget.id];
    this.primary = this.entry?.choices?.[widget.of] ?? this.entry?.primary;
    this.details = detailsOf(widget.id);
    this.title.text = this.texts.get(widget.id);
    this.items = this.details.numbers.map(item => this.#buildNumber(item));
    this.numbers.replaceChildren(...this.items.map(({ element }) => element));
    this.numbers.hidden = this.items.length === 0;
    this.graph.element.hidden = !this.details.line;
    this.graph.reset();
    this.#showMap();
    this.#touched = Infinity;
    this.open(opener);
  }

  /** The map is made when it is wanted for the first time. */
  #showMap() {
    if (this.details.map && !this.map) {
      this.map = new DrawerMap(this.texts, this.tileSets);
      this.numbers.before(this.map.element);
    }
    if (!this.map) return;
    this.map.element.hidden = true;
    this.map.reset();
  }

  #buildNumber(item) {
    const caption = makeText("dt", "caption");
    caption.text = this.texts.get(item.caption);
    const number = new NumberView();
    number.element.removeAttribute("aria-hidden");
    return { item, number, element: make("div", "", caption.element, make("dd", "", number.element)) };
  }

  update(context) {
    if (!this.isOpen) return;
    this.#closeWhileMoving(context);
    const reading = this.primary ? readItem(this.primary, context, this.shown.sensor) : { state: "live" };
    this.#showValue(reading, context);
    for (const { item, number, element } of this.items) {
      const text = textOf(item, readItem(item, context, this.shown.sensor), context, item.isShort);
      number.text = text;
      element.hidden = text === null;
    }
    if (this.details.line) this.graph.update(context, lineItem(this.shown.id), context.series.line(this.details.line));
    if (this.details.map) this.map.update(context, reading);
    this.bars.update(this.details.zones ? context.store.newest(this.details.zones) : null);
    this.#showFacts(context);
    this.#showSources(reading, context);
  }

  /** While moving, the drawer closes 30 s after the last touch. */
  #closeWhileMoving({ store, seconds }) {
    if (this.#touched === Infinity) this.#touched = seconds;
    const isRiding = (store.newest("speed")?.speed_mps ?? 0) >= MOVING_MPS && !store.ride?.paused;
    if (isRiding && seconds - this.#touched >= CLOSES_S) this.close();
  }

  #showValue(reading, context) {
    const text = this.primary ? textOf(this.primary, reading, context) : null;
    this.number.text = text;
    this.number.element.removeAttribute("aria-hidden");
    this.number.element.hidden = this.primary?.form === "place" && hasValue(reading);
    this.number.element.parentElement.hidden = !this.primary;
    this.unit.text = text === null ? "" : reading.unit ?? unitOf(this.primary.quantity, context.units) ?? this.primary.unit ?? "";
    // What the number is, where that changes: to the start, ahead, behind.
    const isNamed = this.entry?.labelInCaption === "state_word" && hasValue(reading);
    this.zone.text = isNamed ? reading.label ?? "" : this.#zoneOf(reading, context);
    const state = reading.state === "live" || reading.state === "paused" ? reading.state : null;
    const age = reading.state === "stale" ? this.texts.get("seconds_old", shortAge(reading.age)) : "";
    this.word.text = state ? this.texts.get(`state_${state}`) : age;
    setAttribute(this.element, "data-state", reading.state);
    this.sentence.text = this.#sentenceOf(reading, context);
    this.sentence.element.hidden = hasValue(reading);
    const mayLeave = !isMoving(context.store, context.now, context.isCutOff);
    this.add.hidden = reading.state !== "unknown" || !mayLeave;
    this.mayLeave = mayLeave;
    this.leaveRoute = context.leaveRoute;
    this.leave.hidden = this.shown.id !== "route" || !context.leaveRoute || !context.store.guide?.status?.following;
  }

  /** The zone of a heart rate. */
  #zoneOf(reading, { store }) {
    const sample = store.newest("zones");
    if (!hasValue(reading) || !sample) return "";
    if (this.primary?.isZone) return zoneName(this.texts, sample, reading.value) ?? "";
    if (!this.entry?.zone || sample.zone === undefined) return "";
    return [this.texts.get("zone"), sample.zone, zoneName(this.texts, sample, sample.zone)].filter(Boolean).join(" ");
  }

  #sentenceOf(reading, context) {
    if (hasValue(reading)) return "";
    if (reading.state === "not_yet") return this.texts.get(`why_${reading.word ?? "wait"}`);
    if (reading.state === "unknown") return this.texts.get("why_unknown");
    const device = devicesOf(context.store, context.now).find(({ id }) => id === reading.sensor);
    if (!device) return this.texts.get("why_lost");
    return `${device.name}: ${this.texts.get(...reasonOf(device, this.locale))}`;
  }

  #showFacts(context) {
    const lines = this.#linesOf(context);
    const texts = lines.map(line => line.filter(Boolean).join("  "));
    if (texts.join("\n") === this.factText) return;
    this.factText = texts.join("\n");
    this.list.hidden = texts.length === 0;
    this.list.replaceChildren(...texts.map(text => make("li", "", text)));
  }

  #linesOf(context) {
    if (this.details.isGuided) return this.#guideLines(context);
    if (this.details.radar) return this.#radarLines(context);
    if (this.details.tires) return tiresOf(context).map(tire => this.#tireLine(tire, context));
    if (!this.details.batteries) return [];
    return batteriesOf(context).map(({ name, reading }) => [name, hasValue(reading) ? `${Math.round(reading.value)} %` : "–"]);
  }

  /** What is followed or ridden, and the next cue or the way back. */
  #guideLines(context) {
    const advice = this.shown.id === "route" ? nextAdvice(context) : null;
    const lines = [nameOfGuided(context, this.shown.id), advice && spokenAdvice(advice, this.texts, context)];
    return lines.filter(Boolean).map(line => [line]);
  }

  #tireLine({ name, wheel, pressure, temperature, target, isLeaking }, context) {
    const text = (quantity, form, reading) => {
      const shown = textOf({ quantity, form }, reading, context);
      return shown === null ? "–" : `${shown} ${unitOf(quantity, context.units)}`;
    };
    return [
      wheel ? this.texts.get(`wheel_${wheel}`) : name, text("pressure", "two", pressure),
      hasValue(temperature) ? text("temperature", "whole", temperature) : "",
      target ? `${this.texts.get("target")} ${text("pressure", "two", { state: "live", value: target })}` : "",
      isLeaking ? this.texts.get("leaking") : "",
    ];
  }

  #radarLines({ store, now, isCutOff, units }) {
    const { state, targets } = readRadar(store, now, isCutOff);
    if (targets.length === 0) return [[this.texts.get(`radar_${state}`)]];
    const unit = unitOf("speed", units);
    return [...targets].reverse().map(target => [
      this.texts.get(target.level >= 2 ? "fast_car" : "car"), `${Math.round(target.distance_m)} m`,
      target.approach_speed_mps === undefined ? "" : `+${Math.round(convert("speed", target.approach_speed_mps, units))} ${unit}`,
    ]);
  }

  /** The sensor that is used first, then the others of its kind. */
  #showSources(reading, { store, now }) {
    const kinds = new Set([this.primary?.kind, this.details.lineOf && CATALOGUE[this.details.lineOf].primary.kind]);
    const used = store.newest(this.primary?.kind ?? "", this.shown.sensor)?.source ?? reading.sensor;
    const devices = devicesOf(store, now)
      .filter(device => device.id === used || device.kinds.some(kind => kinds.has(kind)))
      .sort((a, b) => Number(b.id === used) - Number(a.id === used));
    for (const device of devices) {
      if (!this.#rows.has(device.id)) this.#rows.set(device.id, this.#makeRow(device.id));
    }
    const rows = devices.map(device => this.#rows.get(device.id));
    devices.forEach((device, index) => rows[index].update(device, this.#roleOf(device, used), this.mayLeave));
    const order = devices.map(device => device.id).join();
    if (order !== this.order) this.sources.replaceChildren(...rows.map(row => row.element));
    this.order = order;
    this.sources.hidden = rows.length === 0;
  }

  #makeRow(id) {
    return new DeviceRow(this.texts, this.locale, () => this.#leave(`/settings/devices/${encodeURIComponent(id)}`));
  }

  #roleOf(device, used) {
    if (device.id !== used) return "";
    return device.priority ? this.texts.get("source_priority", device.priority) : this.texts.get("source_used");
  }
}

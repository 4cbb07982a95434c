// The page: one store, one stream, one ticker. A frame draws everything once; between frames the
// ticker draws once a second, so that ages grow while nothing arrives.

import { ServerClock } from "./core/clock.js";
import { kindsOf } from "./core/catalogue.js";
import { decimalPoint } from "./core/format.js";
import { firstLayout, parseLayout, screenClass } from "./core/layout.js";
import { Store } from "./core/store.js";
import { Stream } from "./core/stream.js";
import { Texts } from "./i18n/text.js";
import { BottomBar, TopBar } from "./ui/bars.js";
import { RadarView } from "./ui/radar.js";
import { WidgetView } from "./ui/widget.js";

const TICK_MS = 500;
const RATE_HZ = 4;

class Page {
  #views = [];
  #isOwnLayout = false;
  #pairedKinds = "";
  #lastDrawn = -Infinity;
  #announced = null;

  constructor() {
    this.settings = { units: {}, radar_side: "left", ...readQuery() };
    const language = this.settings.language ?? navigator.language;
    this.texts = new Texts(language);
    document.documentElement.lang = this.texts.language;
    this.point = decimalPoint(language);
    this.store = new Store();
    this.clock = new ServerClock();
    this.list = document.getElementById("widgets");
    this.alert = document.getElementById("alert");
    this.notice = document.getElementById("notice");
    this.top = new TopBar(document.getElementById("top"), this.texts);
    this.bottom = new BottomBar(document.getElementById("bottom"), this.texts, action => this.#act(action));
    this.radar = new RadarView(document.getElementById("lane"), document.getElementById("band"), this.texts);
    this.stream = new Stream({
      open: url => new EventSource(url),
      clock: this.clock,
      url: () => `/events?hz=${RATE_HZ}&kinds=${kindsOf(this.layout).join(",")}`,
      handlers: {
        hello: (hello, isNewInstance) => this.#greet(isNewInstance),
        records: (records, isLate) => this.#record(records, isLate),
      },
    });
  }

  async start() {
    this.#show(firstLayout(this.screen));
    await this.#loadLayout();
    this.stream.restart();
    setInterval(() => this.#tick(), TICK_MS);
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) this.stream.stop();
      else this.stream.restart();
    });
    window.addEventListener("online", () => this.stream.restart());
  }

  get screen() {
    return this.settings.layout ?? screenClass(window.innerWidth, window.innerHeight);
  }

  async #loadLayout() {
    try {
      const response = await fetch(`/api/1/layouts/${encodeURIComponent(this.screen)}`);
      const layout = response.ok ? parseLayout(await response.json()) : null;
      this.#isOwnLayout = layout !== null;
      if (layout) this.#show(layout);
    } catch {
      // Without a server the first layout stays, and the notice says that the connection is lost.
    }
  }

  #show(layout) {
    this.layout = layout;
    this.#views = layout.widgets.map(widget => new WidgetView(widget, this.texts));
    this.list.replaceChildren(...this.#views.map(view => view.element));
    this.#draw();
  }

  #greet(isNewInstance) {
    if (isNewInstance) this.store.clear();
  }

  #record(records, isLate) {
    this.store.record(records, !isLate);
    if (!this.#isOwnLayout) this.#followPaired();
    this.#draw();
  }

  /** Until the rider edits it, the layout has what is paired. */
  #followPaired() {
    const hasKind = kind => this.store.sensorsOf(kind).length > 0;
    const paired = ["heart_rate", "power"].filter(hasKind).join();
    if (paired === this.#pairedKinds) return;
    this.#pairedKinds = paired;
    this.#show(firstLayout(this.screen, hasKind));
    this.stream.restart();
  }

  #tick() {
    if (document.hidden) return;
    this.stream.tick();
    if (this.clock.seconds() - this.#lastDrawn >= 1) this.#draw();
  }

  #draw() {
    const context = {
      store: this.store, now: this.clock.now, isCutOff: this.stream?.isCutOff ?? false,
      seconds: this.clock.seconds(), date: new Date(), point: this.point,
      units: this.settings.units, radarSide: this.settings.radar_side,
    };
    this.#lastDrawn = context.seconds;
    this.radar.update(context);
    for (const view of this.#views) view.update(context);
    this.top.update(context);
    this.bottom.update(context);
    this.#announce(context.isCutOff);
    this.notice.hidden = !context.isCutOff;
    if (context.isCutOff) {
      this.notice.textContent = `${this.texts.get("cut_off").toUpperCase()} ${Math.floor(this.stream.silence)} s`;
    }
  }

  /** Speaks what a rider has to know, once: the texts on the screen change with each sample. */
  #announce(isCutOff) {
    const ofRadar = { fast: "fast_car", lost: "radar_lost" }[this.radar.state] ?? null;
    const key = isCutOff ? "cut_off" : ofRadar;
    if (key === this.#announced) return;
    this.#announced = key;
    this.alert.textContent = key ? this.texts.get(key) : "";
  }

  #act(action) {
    const ride = { start: "new", stop: "pause", resume: "resume", lap_button: "lap" }[action];
    if (!ride) return;
    fetch("/api/1/ride", {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Cyclometer": "1" },
      body: JSON.stringify({ action: ride }),
    }).catch(() => {});
  }
}

/** The address may choose the layout, language, text size and scheme of this screen. */
function readQuery() {
  const query = new URLSearchParams(location.search);
  if (query.has("text")) document.documentElement.dataset.text = query.get("text");
  const media = { light: "not all", dark: "all" }[query.get("scheme")];
  if (media) document.getElementById("dark").media = media;
  const chosen = {};
  for (const name of ["layout", "language"]) if (query.has(name)) chosen[name] = query.get(name);
  return chosen;
}

new Page().start();

// The page: one store, one stream, one ticker. A frame draws everything once; between frames the
// ticker draws once a second, so that ages grow while nothing arrives.

import { LATE_FRAME_S, ServerClock } from "./core/clock.js";
import { kindsOf } from "./core/catalogue.js";
import { Daemon } from "./core/daemon.js";
import { kindsOfDetails } from "./core/details.js";
import { decimalPoint } from "./core/format.js";
import { firstLayout, parseLayout, screenClass } from "./core/layout.js";
import { isMoving } from "./core/motion.js";
import { changeRelease, keepFiles } from "./core/offline.js";
import { Router } from "./core/router.js";
import { Server } from "./core/server.js";
import { Settings } from "./core/settings.js";
import { Snapshot } from "./core/snapshot.js";
import { Store } from "./core/store.js";
import { Stream } from "./core/stream.js";
import { Editor } from "./edit/editor.js";
import { Texts } from "./i18n/text.js";
import { TileSets } from "./map/tile-sets.js";
import { Pages } from "./pages/pages.js";
import { Riding } from "./riding.js";
import { Message } from "./ui/message.js";
import { RadarView } from "./ui/radar.js";
import { WidgetView } from "./ui/widget.js";
import { followWidth } from "./ui/width.js";

const TICK_MS = 500;
/** So long the first picture waits for the settings. */
const SETTINGS_MS = 1000;

class Page {
  #views = [];
  /** The newest request of the layout until it is answered, or null. Answers to older ones are dropped. */
  #layoutRequest = null;
  #preview = [];
  #pairedKinds = "";
  /** Whether the server has another release than the files of this page. */
  #isOutdated = false;
  #lastDrawn = -Infinity;
  #isDrawnCutOff = false;

  /** @param {boolean} isPaired whether the server knows this screen */
  constructor({ server, settings, isPaired }) {
    this.server = server;
    this.settings = settings;
    this.isPaired = isPaired;
    /** Whether the rider made the layout, which then follows no more what is paired. */
    this.isOwnLayout = false;
    this.layoutTag = null;
    const chosen = settings.get("language");
    const language = chosen === "system" ? navigator.language : chosen;
    this.texts = new Texts(language);
    document.documentElement.lang = this.texts.language;
    document.querySelector("#dashboard h1").textContent = this.texts.get("dashboard");
    server.noAnswer = this.texts.get("cut_off");
    server.onUnknown = () => this.#leaveUnpaired();
    this.language = language;
    this.point = decimalPoint(language);
    this.rights = [];
    this.release = null;
    this.serverRelease = null;
    this.store = new Store();
    this.clock = new ServerClock();
    this.dashboard = document.getElementById("dashboard");
    this.list = document.getElementById("widgets");
    this.notice = document.getElementById("notice");
    this.radar = new RadarView(document.getElementById("lane"), document.getElementById("band"), this.texts);
    this.message = new Message(document.getElementById("message"), text => this.speak(text));
    this.tileSets = new TileSets(path => server.get(path));
    this.router = new Router(place => this.#turnTo(place));
    this.pages = new Pages(document.getElementById("page"), this);
    this.stream = new Stream({
      open: url => this.#open(url),
      clock: this.clock,
      url: last => this.#url(last),
      handlers: {
        hello: (hello, isNewInstance) => this.#greet(hello, isNewInstance),
        records: (records, isLate) => this.#record(records, isLate),
        task: record => this.pages.recordTask(record),
      },
    });
    this.daemon = new Daemon(server, this.stream);
    this.editor = new Editor(this);
    this.riding = new Riding(this, path => this.router.go(path));
    this.snapshot = new Snapshot({
      fetch: (...request) => window.fetch(...request),
      isLate: now => this.clock.record(now) > LATE_FRAME_S,
      record: (records, isLate) => this.#receive(records, isLate),
      seed: series => this.riding.seed(series),
    });
  }

  async start() {
    this.settings.onChange = key => this.#applySettings(key);
    this.#applySettings();
    this.show(firstLayout(this.screen));
    if (!this.isPaired) history.replaceState(null, "", `/pair${location.hash}`);
    this.router.start();
    if (!this.isPaired) return;
    await this.#loadLayout();
    this.stream.restart();
    setInterval(() => this.#tick(), TICK_MS);
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) {
        this.clock.hide();
        if (!this.pages.worksHidden) this.stream.stop();
        this.draw();
      } else {
        this.clock.show();
        this.draw();
        this.stream.restart();
      }
    });
    window.addEventListener("online", () => this.stream.restart());
    keepFiles();
  }

  /** The widgets as they are drawn. */
  get views() {
    return this.#views;
  }

  get screen() {
    return this.settings.screen;
  }

  /** Speaks a text by the screen reader, once it is silent. */
  speak(text, topic) {
    this.riding.announcer.say(text, topic);
  }

  #turnTo(place) {
    this.dashboard.hidden = place.page !== "dashboard";
    this.pages.element.hidden = place.page === "dashboard";
    this.pages.show(place);
    this.draw();
  }

  #applySettings(key) {
    // Texts are made once with the page: another language needs another page.
    if (key === "language") return location.reload();
    applyLook(this.settings);
    this.draw();
  }

  /** A stream that the server refuses may mean that this screen is not paired any more. */
  #open(url) {
    const source = new EventSource(url);
    source.addEventListener("error", () => {
      if (source.readyState === EventSource.CLOSED) this.server.get("/api/1/settings/rider").catch(() => {});
    });
    return source;
  }

  /** The server goes on with what the last stream had asked of the daemon, such as a pairing. */
  #url(last) {
    const widgets = [...this.layout.widgets, ...this.#preview];
    const kinds = kindsOf({ widgets }, kindsOfDetails).join(",");
    return `/events?hz=${this.riding.rate}&kinds=${kinds}${last === null ? "" : `&continues=${last}`}`;
  }

  #leaveUnpaired() {
    if (this.isPaired) location.replace("/pair");
  }

  /** Whether a layout is on its way, which would replace one that is being edited. */
  get isLoadingLayout() {
    return this.#layoutRequest !== null;
  }

  get layoutPath() {
    return `/api/1/layouts/${encodeURIComponent(this.screen)}`;
  }

  /** The widgets of which more values are wanted than those of the layout. */
  setPreview(widgets) {
    this.#preview = widgets;
    this.stream.restart();
  }

  async #loadLayout() {
    const request = this.server.load(this.layoutPath);
    this.#layoutRequest = request;
    try {
      const { json, tag } = await request;
      if (request !== this.#layoutRequest) return;
      this.layoutTag = tag;
      const layout = json && parseLayout(json);
      this.isOwnLayout = layout !== null;
      if (layout) this.show(layout);
    } catch {
      // Without a server the first layout stays, and the notice says that the connection is lost.
    } finally {
      if (request === this.#layoutRequest) this.#layoutRequest = null;
    }
  }

  /** A widget that stays keeps its view, and with it its line. */
  show(layout) {
    const known = new Map(this.#views.map(view => [view.widget, view]));
    this.layout = layout;
    this.#views = layout.widgets.map(widget => known.get(widget) ?? new WidgetView(widget, this.texts));
    this.list.replaceChildren(...this.#views.map(view => view.element));
    this.draw();
  }

  #greet(hello, isNewInstance) {
    this.rights = hello.rights ?? [];
    const release = hello.release ?? null;
    if (this.release !== null && release !== null && release !== this.release) this.#isOutdated = true;
    this.release ??= release;
    this.serverRelease = release;
    if (isNewInstance) {
      this.store.clear();
      this.riding.clear();
      this.tileSets.refresh();
    } else this.tileSets.retryTiles();
    this.snapshot.load();
  }

  #record(records, isLate) {
    this.snapshot.keep(records, isLate);
    this.#receive(records, isLate);
  }

  #receive(records, isLate) {
    this.riding.record(this.store.record(records, !isLate));
    for (const record of records) {
      if (record.class === "document") {
        this.#follow(record);
        this.pages.recordDocument(record);
      }
      if (record.class === "activity") this.pages.recordActivity(record);
    }
    // The layout follows when it is seen: until then, no other stream is needed.
    const isFree = this.router.place.page === "dashboard" && !this.editor.isEditing;
    if (!this.isOwnLayout && isFree) this.#followPaired();
    this.draw();
  }

  /** Another screen saved a layout or settings, or maps were added or removed. */
  #follow({ document, tag }) {
    const [kind, name] = document.split("/");
    if (kind === "maps") this.tileSets.refresh(tag);
    else if (kind === "settings") this.settings.follow(name, tag).catch(() => {});
    else if (name === this.screen && tag !== this.layoutTag && !this.editor.isEditing) this.#loadLayout();
  }

  /** Until the rider edits it, the layout has what is paired. */
  #followPaired() {
    const hasKind = kind => this.store.sensorsOf(kind).length > 0;
    const paired = ["heart_rate", "power"].filter(hasKind).join();
    if (paired === this.#pairedKinds) return;
    this.#pairedKinds = paired;
    this.show(firstLayout(this.screen, hasKind));
    this.stream.restart();
  }

  #tick() {
    if (!document.hidden || this.pages.worksHidden) this.stream.tick();
    if (document.hidden) return;
    this.#leaveRelease();
    const seconds = this.clock.seconds();
    const isDue = seconds - this.#lastDrawn >= 1 && !this.riding.mayRest(seconds);
    // That the connection is lost, or back, is shown at once.
    if (isDue || this.stream.isCutOff !== this.#isDrawnCutOff) this.draw();
  }

  /** The page changes to the server's release when that disturbs no ride: at a stop, on the dashboard. */
  #leaveRelease() {
    if (!this.#isOutdated || this.editor.isEditing || this.pages.isOpen) return;
    if (this.stream.isCutOff || isMoving(this.store, this.clock.now)) return;
    this.#isOutdated = false;
    changeRelease();
  }

  /** Draws everything once. */
  draw() {
    if (!this.layout || !this.riding) return;
    const context = this.riding.decorate({
      store: this.store, now: this.clock.now, isCutOff: this.stream?.isCutOff ?? false,
      isWithoutDaemon: this.store.isWithoutDaemon,
      seconds: this.clock.seconds(), date: new Date(), point: this.point,
      units: this.settings.units, radarSide: this.settings.get("radar_side"), page: this.router.place.page,
      locale: this.language, texts: this.texts,
    });
    this.#lastDrawn = context.seconds;
    this.#isDrawnCutOff = context.isCutOff;
    this.radar.update(context);
    for (const view of this.#views) view.update(context);
    this.riding.update(context, this.radar.state);
    this.pages.update(context);
    this.editor.update(context);
    // A wall needs no daemon of its own computer.
    const lacksDaemon = context.isWithoutDaemon && context.page !== "wall";
    this.notice.hidden = !context.isCutOff && !lacksDaemon;
    if (context.isCutOff) {
      this.notice.textContent = `${this.texts.get("cut_off").toUpperCase()} ${Math.floor(this.stream.silence)} s`;
    } else if (lacksDaemon) {
      this.notice.textContent = this.texts.get("no_daemon").toUpperCase();
    }
  }
}

/** Says that more contrast is wanted, which is all that a browser tells about bold text. */
const contrast = matchMedia("(prefers-contrast: more)");

function applyLook(settings) {
  const isBold = { on: true, off: false }[settings.get("bold_text")] ?? contrast.matches;
  document.documentElement.toggleAttribute("data-bold", isBold);
  document.documentElement.dataset.text = settings.get("text_size");
  const media = { light: "not all", dark: "all" }[settings.get("scheme")];
  document.getElementById("dark").media = media ?? "(prefers-color-scheme: dark)";
}

/** What the address sets for this screen: the layout, language, size and weight of texts, and scheme. */
function readQuery() {
  const query = new URLSearchParams(location.search);
  const chosen = {
    language: query.get("language"), text_size: query.get("text"), bold_text: query.get("bold"), scheme: query.get("scheme"),
  };
  const fixed = Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== null));
  return { layout: query.get("layout"), fixed };
}

/** Reads the settings and makes the page. A server that does not answer leaves the first settings. */
async function main() {
  followWidth();
  const { layout, fixed } = readQuery();
  let isPaired = true;
  const server = new Server({ onUnknown: () => { isPaired = false; } });
  const settings = new Settings(server, layout ?? screenClass(window.innerWidth, window.innerHeight), fixed);
  applyLook(settings);
  contrast.addEventListener("change", () => applyLook(settings));
  const limit = new Promise(resolve => setTimeout(resolve, SETTINGS_MS));
  await Promise.race([settings.load().catch(() => {}), limit]);
  new Page({ server, settings, isPaired }).start();
}

main();

// What surrounds the widgets during a ride: drawer and status panel, the buttons of the ride, sounds
// and bands of events, the light of the screen, keys, and what is spoken.

import { CATALOGUE } from "./core/catalogue.js";
import { Dimmer } from "./core/dimmer.js";
import { ECGControl } from "./core/ecg.js";
import { effectOf, EventFilter, lineOf } from "./core/events.js";
import { duration, format } from "./core/format.js";
import { adviceOf, AdviceWatch, liveRoute } from "./core/guidance.js";
import { hasValue, readItem, textOf } from "./core/items.js";
import { isActive, LastLap } from "./core/ride.js";
import { RideSeries } from "./core/series.js";
import { FollowedRoute } from "./map/followed-route.js";
import { RideTrack } from "./map/ride-track.js";
import { convert, unitOf } from "./core/units.js";
import { SensorWatch } from "./core/watch.js";
import { ZoneBounds } from "./core/zones.js";
import { Announcer } from "./ui/announcer.js";
import { BottomBar } from "./ui/bottom-bar.js";
import { CueBand, spokenAdvice } from "./ui/cue-band.js";
import { Drawer } from "./ui/drawer.js";
import { EventBand } from "./ui/event-band.js";
import { tapWithGloves } from "./ui/gloves.js";
import { Keys } from "./ui/keys.js";
import { PausePanel, SportPanel, TotalsPanel } from "./ui/ride-panels.js";
import { ScreenLight } from "./ui/screen-light.js";
import { SoundPlayer } from "./ui/sound-player.js";
import { Speaker } from "./ui/speaker.js";
import { StatusPanel } from "./ui/status-panel.js";
import { TopBar, recordState } from "./ui/top-bar.js";

const LAP_AGAIN_S = 2;
/** The lap of a tap comes back with a record after a while. */
const OWN_LAP_S = 5;
const OLD_EVENT_S = 10;
const MOVING_MPS = 1.4;
const SPORT_KEY = "cyclometer.sport";
const SILENT_KEY = "cyclometer.silent";
const SPOKEN = ["speed", "distance", "heart_rate", "power"];

export class Riding {
  #events = new EventFilter();
  #watch = new SensorWatch();
  #advice = new AdviceWatch();
  #lastLapTap = -Infinity;
  #lastDrawn = -Infinity;
  #rate = null;
  #silenceOf = null;

  /**
   * @param {object} page its store, clock, texts, settings, server and stream
   * @param {(path: string) => void} go to another page
   */
  constructor(page, go) {
    this.page = page;
    this.go = go;
    const { texts, store, clock, server, settings } = page;
    this.series = new RideSeries();
    this.rideTrack = new RideTrack(path => server.get(path));
    this.followedRoute = new FollowedRoute(path => server.get(path));
    this.zones = new ZoneBounds();
    this.lastLap = new LastLap();
    this.ecg = new ECGControl((sensor, name) => page.daemon.ask("command", { sensor, name }));
    this.dimmer = new Dimmer(clock.seconds());
    this.sounds = new SoundPlayer({
      volume: () => settings.get("volume"),
      isOn: group => this.#isGroupOn(group),
      seconds: () => clock.seconds(),
    });
    const act = action => this.act(action);
    this.band = new EventBand(texts);
    this.cueBand = new CueBand(texts);
    this.light = new ScreenLight(texts, server, event => this.#touch(event));
    this.drawer = new Drawer(texts, page.language, go, page.tileSets);
    this.status = new StatusPanel(texts, page.language, settings, this.sounds, act);
    this.sports = new SportPanel(texts, sport => this.#start(sport));
    this.pause = new PausePanel(texts, act);
    this.totals = new TotalsPanel(texts);
    this.panels = [this.drawer, this.status, this.sports, this.pause, this.totals];
    this.top = new TopBar(document.getElementById("top"), texts, opener => this.#toggleStatus(opener));
    this.bottom = new BottomBar(document.getElementById("bottom"), texts, act);
    this.announcer = new Announcer(document.getElementById("alert"), document.getElementById("spoken"), texts);
    this.speaker = new Speaker(window.speechSynthesis, page.language);
    document.body.append(
      ...this.panels.map(panel => panel.element), this.band.element, this.cueBand.element, this.light.rest, this.light.overlay);
    this.dashboard = document.getElementById("dashboard");
    this.keys = new Keys(this.dashboard, {
      lap: () => this.act("lap_button"),
      stop: () => this.act(isActive(store.ride, clock.now) ? "stop" : "start"),
      dim: () => {
        this.dimmer.dimByHand();
        page.draw();
      },
      silence: () => this.act(this.sounds.isSilent ? "unsilence" : "silence"),
      close: () => this.closePanels(),
    }, () => !this.dashboard.hidden && document.documentElement.dataset.editing === undefined);
    document.addEventListener("visibilitychange", () => this.light.forgetLock());
    // Where a panel is open, a touch above it closes it.
    this.dashboard.addEventListener("click", event => this.#tap(event));
    tapWithGloves(document);
    this.sounds.start();
  }

  /** Frames per second that the stream should have. */
  get rate() {
    return this.dimmer.rate;
  }

  /** Whether nothing has to be drawn at the moment: a screen that is asleep changes every 10 s. */
  mayRest(seconds) {
    return seconds - this.#lastDrawn < this.dimmer.drawSeconds;
  }

  seed(series) {
    this.series.seed(series);
  }

  clear() {
    this.series.clear();
    this.rideTrack.clear();
    this.zones.clear();
  }

  // MARK: Records

  record(events) {
    const { store, clock } = this.page;
    this.series.record(store);
    this.rideTrack.record(store);
    if (this.lastLap.record(store.ride)) this.#tellLap();
    const zone = store.newest("zones")?.zone;
    const heart = store.sample("ride", "heart_rate")?.bpm;
    if (zone !== undefined && heart !== undefined) this.zones.record(heart, zone);
    for (const event of events) {
      const isOld = event.t !== undefined && clock.now !== null && clock.now - event.t > OLD_EVENT_S;
      if (!isOld && this.#events.isNew(event)) this.#handle(event);
    }
  }

  #handle(event) {
    const effect = effectOf(event);
    if (!effect) return;
    const { texts, store, settings } = this.page;
    if (effect.sound && this.#isWanted(event) && this.#isGroupOn(groupOf(event.event))) {
      this.sounds.play(effect.sound, groupOf(event.event));
      this.#vibrate(effect.vibration);
    }
    const text = lineOf(event, {
      texts, units: settings.get("units"), point: this.page.point, nameOf: id => store.sensor(id)?.name ?? id,
    });
    if (text && !event.event.startsWith("radar_")) {
      if (effect.isLine) this.status.addLine(text);
      if (!effect.isLine || effect.isBand) this.band.add({ text, ...effect });
      if (effect.isUrgent) this.dimmer.warn(this.page.clock.seconds());
    }
  }

  /** With "First car", only a car on an empty road has a sound; a faster one always has. */
  #isWanted(event) {
    const isLaterCar = event.event === "radar_approach" && event.cars > 1 && !(event.level >= 2);
    return !(isLaterCar && this.page.settings.get("sound_cars") === "first");
  }

  #isGroupOn(group) {
    const { settings } = this.page;
    if (group === "radar") return settings.get("sound_cars") !== "off";
    if (group === "clear") return settings.get("sound_clear");
    return !settings.get("do_not_disturb") && settings.get(`sound_${group}`) !== false;
  }

  #vibrate(pattern) {
    if (pattern && navigator.vibrate && navigator.userActivation?.hasBeenActive) navigator.vibrate(pattern);
  }

  // MARK: Drawing

  /** What views need beside the store. */
  decorate(context) {
    const { settings } = this.page;
    return {
      ...context, series: this.series, rideTrack: this.rideTrack, followedRoute: this.followedRoute, tileSets: this.page.tileSets,
      zones: this.zones, lastLap: this.lastLap,
      watermarkSeconds: this.dimmer.watermarkSeconds, isBright: this.dimmer.state === "bright",
      commandSensor: this.page.rights.includes("manage") ? (...command) => this.#command(...command) : null,
      followDrawn: this.page.rights.includes("ride") ? degrees => this.#followDrawn(degrees) : null,
      leaveRoute: this.page.rights.includes("ride") ? () => this.#leaveRoute() : null,
      brightness: settings.get("brightness"), isAutoDim: settings.get("auto_dim"), sound: this.sounds.state,
    };
  }

  /** @param {object} context decorated @param {string} radar the state of the lane */
  update(context, radar) {
    const { store, now, seconds } = context;
    this.#lastDrawn = seconds;
    const ride = store.ride;
    this.#readSilence(ride);
    this.dimmer.update({ seconds, radar, ride, now, isAutomatic: context.isAutoDim });
    this.light.update(context, this.dimmer, context.brightness);
    this.light.keepAwake(isActive(ride, now));
    this.top.update(context);
    this.bottom.update(context);
    this.drawer.update(context);
    this.status.update(context);
    const isMoving = !ride?.paused && (store.newest("speed")?.speed_mps ?? 0) >= MOVING_MPS;
    this.#showBands(context, isMoving);
    for (const change of this.#watch.update(context)) this.#tellSensor(change);
    this.announcer.update(context, radar);
    this.speaker.update(this.page.settings.get("speak"), ride, () => this.#summary(context));
    this.#runECG(context);
    this.#changeRate(radar);
  }

  /**
   * One band at a time: the radar's, one of an urgent event, that of a cue, one of another event, and
   * the way back to the route, which can last for long.
   */
  #showBands(context, isMoving) {
    const advice = adviceOf(context);
    this.#tellAdvice(this.#advice.update(advice, liveRoute(context)), advice, context);
    const isRadarBandShown = !document.getElementById("band").hidden;
    const isCueFirst = advice?.kind === "cue" && this.cueBand.hasAdvice(advice) && !this.band.isUrgent;
    this.band.update({ seconds: context.seconds, isMoving, isCovered: isRadarBandShown || isCueFirst });
    this.cueBand.update(advice, isRadarBandShown || this.band.isShown, context);
  }

  #tellAdvice(news, advice, context) {
    if (news === null) return;
    const { texts } = this.page;
    if (news === "back") return this.announcer.say(texts.get("route_back"), "route");
    this.cueBand.open();
    this.#notify();
    this.announcer.say(spokenAdvice(advice, texts, context), "route");
  }

  /** Only a screen that may manage gives commands to sensors. */
  #runECG(context) {
    const isSeen = this.page.rights.includes("manage") && !this.dashboard.hidden && !document.hidden && context.isBright;
    this.ecg.update(context, isSeen && this.page.views.some(view => view.isCurveSeen));
  }

  /** Another rate is another stream. The one that works is kept for cars. */
  #changeRate(radar) {
    const isBusy = radar === "car" || radar === "fast";
    if (this.#rate === null) this.#rate = this.rate;
    if (this.rate === this.#rate || isBusy || document.hidden) return;
    this.#rate = this.rate;
    this.page.stream.restart();
  }

  #tellSensor({ id, isBack, isLoud }) {
    const { texts } = this.page;
    this.announcer.say(texts.get(isBack ? "sensor_back" : "sensor_lost", texts.get(id)));
    if (isLoud) this.#notify();
  }

  #notify() {
    if (!this.#isGroupOn("sensors")) return;
    this.sounds.play("notice", "sensors");
    this.#vibrate([100]);
  }

  #summary(context) {
    const { texts } = this.page;
    return SPOKEN.map(id => {
      const item = CATALOGUE[id].primary;
      const reading = readItem(item, context);
      if (!hasValue(reading) || reading.state === "stale") return null;
      const unit = unitOf(item.quantity, context.units) ?? item.unit ?? "";
      return `${texts.get(id)} ${textOf(item, reading, context)} ${texts.get(`spoken_${unit}`)}`;
    }).filter(text => text !== null).join(". ");
  }

  // MARK: Touches

  #touch(event) {
    const seconds = this.page.clock.seconds();
    const wasDark = this.dimmer.touch(seconds);
    if (event.isTrusted) this.sounds.unlock();
    if (wasDark) this.page.draw();
    return wasDark;
  }

  #tap(event) {
    if (document.documentElement.dataset.editing !== undefined) return;
    const widget = event.target.closest?.(".widget");
    const index = widget ? [...widget.parentElement.children].indexOf(widget) : -1;
    const chosen = this.page.layout.widgets[index];
    this.closePanels();
    if (chosen && CATALOGUE[chosen.id]) {
      this.drawer.show(chosen, widget.querySelector(".face"));
      this.page.draw();
    }
  }

  #toggleStatus(opener) {
    const wasOpen = this.status.isOpen;
    this.closePanels();
    if (wasOpen) return;
    this.status.open(opener);
    this.page.draw();
  }

  closePanels() {
    for (const panel of this.panels) panel.close();
  }

  // MARK: The ride

  act(action) {
    switch (action) {
    case "dashboard": return this.go("/");
    case "coach": case "rides": case "settings": return this.go(`/${action}`);
    case "start": return this.#start();
    case "sports": return this.#openOnly(this.sports);
    case "lap_button": return this.#lap();
    case "stop": return this.#stop();
    case "resume": return this.#ask("resume");
    case "finish": return this.#finish();
    case "silence": case "unsilence": return this.#setSilent(action === "silence");
    }
  }

  #openOnly(panel) {
    this.closePanels();
    panel.open(null);
  }

  async #ask(action, more = {}) {
    try {
      await this.page.server.post("/api/1/ride", { action, ...more });
      return true;
    } catch (error) {
      this.#tellRefusal(error);
      return false;
    }
  }

  async #command(sensor, name, params) {
    try {
      await this.page.daemon.ask("command", { sensor, name, params });
    } catch (error) {
      this.#tellRefusal(error);
    }
  }

  /** Saves a line that was drawn, and follows it. @returns {Promise<boolean>} whether it was saved */
  async #followDrawn(degrees) {
    const { server, texts, language } = this.page;
    const date = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }).format(new Date());
    const name = texts.get("drawn_route", date);
    let isSaved = false;
    try {
      const { id } = await server.post("/api/1/routes", { name, ...degrees });
      isSaved = true;
      await server.post("/api/1/guide", { method: "follow", params: { route: id } });
      this.band.add({ text: texts.get("drawn_followed", name), rating: "good", isUrgent: true });
    } catch (error) {
      if (isSaved) this.band.add({ text: texts.get("drawn_not_followed", name, error.message), rating: "bad", isUrgent: true });
      else this.#tellRefusal(error);
    }
    this.page.draw();
    return isSaved;
  }

  async #leaveRoute() {
    try {
      await this.page.server.post("/api/1/guide", { method: "leave" });
    } catch (error) {
      this.#tellRefusal(error);
    }
  }

  #tellRefusal(error) {
    this.band.add({ text: `${this.page.texts.get("not_done")}: ${error.message}`, rating: "bad", isUrgent: true });
    this.page.draw();
  }

  #start(sport = remembered(SPORT_KEY) ?? "cycling") {
    fillScreen();
    remember(SPORT_KEY, sport);
    return this.#ask("new", { sport });
  }

  #lap() {
    const { store, clock } = this.page;
    const ride = store.ride;
    const seconds = clock.seconds();
    if (!isActive(ride, clock.now) || seconds - this.#lastLapTap < LAP_AGAIN_S) return;
    this.#lastLapTap = seconds;
    const elapsed = (ride.lap_time_s ?? 0) + Math.max(0, ride.paused ? 0 : clock.now - ride.t);
    this.#answerLap(ride.lap, elapsed, ride.lap_distance_m ?? 0, { isUrgent: true });
    this.#ask("lap");
    this.page.draw();
  }

  /** A lap that ended by its distance, or on another screen. */
  #tellLap() {
    if (this.page.clock.seconds() - this.#lastLapTap < OWN_LAP_S) return;
    this.#answerLap(this.lastLap.number, this.lastLap.seconds, this.lastLap.metres);
  }

  #answerLap(number, seconds, metres, { isUrgent = false } = {}) {
    const { texts, settings, point } = this.page;
    const units = settings.get("units");
    const distance = format("distance", convert("distance", metres, units), { point });
    const text = `${texts.get("lap").toUpperCase()} ${number}  ${duration(seconds)}  ${distance} ${unitOf("distance", units)}`;
    this.bottom.answer(text);
    // The small screen has no bar.
    if (!this.bottom.element.offsetParent) this.band.add({ text, rating: "good", isUrgent });
    this.announcer.say(text);
    this.sounds.play("lap", "lap");
    this.#vibrate([60]);
  }

  #stop() {
    this.#ask("pause");
    this.#openOnly(this.pause);
  }

  async #finish() {
    const { store, settings, point } = this.page;
    const ride = store.ride;
    const isKept = recordState(store) !== "off";
    if (!await this.#ask("end")) return;
    this.closePanels();
    if (isKept || !ride) this.go("/rides");
    else this.totals.show(ride, { units: settings.get("units"), point });
  }

  // MARK: Silence for this ride

  #setSilent(isSilent) {
    this.sounds.isSilent = isSilent;
    remember(SILENT_KEY, isSilent ? this.page.store.ride?.ride_id ?? "none" : null);
    this.page.draw();
  }

  /** A silence holds for one ride. One that was chosen before the ride belongs to the next ride. */
  #readSilence(ride) {
    const id = ride?.ride_id ?? "none";
    const before = this.#silenceOf;
    if (id === before) return;
    this.#silenceOf = id;
    if (before === "none" && this.sounds.isSilent) remember(SILENT_KEY, id);
    else this.sounds.isSilent = remembered(SILENT_KEY) === id;
  }
}

/** Without the bars of a browser, where the page is not installed. It needs a touch, as START is. */
function fillScreen() {
  const root = document.documentElement;
  const fill = root.requestFullscreen ?? root.webkitRequestFullscreen;
  if (!fill || document.fullscreenElement || !matchMedia("(display-mode: browser)").matches) return;
  fill.call(root)?.catch(() => {});
}

function groupOf(event) {
  if (event === "radar_clear") return "clear";
  if (event.startsWith("radar_")) return "radar";
  return event.startsWith("tire_") || event.startsWith("storage_") ? "tires" : "sensors";
}

function remembered(key) {
  try {
    return window.localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

function remember(key, value) {
  try {
    if (value === null) window.localStorage.removeItem(key);
    else window.localStorage.setItem(key, value);
  } catch {
    // Without storage the page forgets it at the next load.
  }
}

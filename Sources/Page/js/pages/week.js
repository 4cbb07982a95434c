// Statistics: totals by week, month and year, fitness and fatigue, records and streaks.

import { SPORTS, sportName } from "../core/activities.js";
import { today } from "../core/periods.js";
import { firstDayOfWeek } from "../core/weeks.js";
import { make, makeLink } from "../ui/elements.js";
import { Fitness } from "./week/fitness.js";
import { Records } from "./week/records.js";
import { Totals } from "./week/totals.js";

/** The recorder often changes several activities at once. */
const CHANGES_MS = 1000;

export function open(app) {
  const statistics = new Statistics(app);
  statistics.load();
  return {
    parent: "/rides", title: app.texts.get("statistics"), element: statistics.element,
    update: context => statistics.update(context),
    recordActivity: record => statistics.recordActivity(record),
    close: () => statistics.close(),
  };
}

class Statistics {
  #timer = null;
  #loads = 0;
  #hasChanged = false;
  #day = today();
  #isAway = false;
  #filter = { sport: "", by: "week", measure: "distance", ...history.state?.statistics };
  #firstDay = null;
  /** The first day of the week that follows from a choice of the settings. */
  #firstDays = { chosen: null, day: null };

  constructor(app) {
    const { texts } = app;
    this.app = app;
    this.sport = make("select", "field");
    this.sport.setAttribute("aria-label", texts.get("sport"));
    this.sport.append(new Option(texts.get("all_sports"), ""));
    this.#offer([...SPORTS, ...(this.#filter.sport ? [this.#filter.sport] : [])]);
    this.sport.value = this.#filter.sport;
    this.sport.addEventListener("change", () => {
      this.#choose({ sport: this.sport.value });
      this.load();
    });
    this.add = makeLink(app.router, "/rides/add", texts.get("rides_add"));
    this.add.classList.add("line-button");
    const asked = () => ({ ...this.#filter, firstDay: this.#firstDay });
    this.totals = new Totals(app, asked, choice => this.#choose(choice));
    this.fitness = new Fitness(app);
    this.records = new Records(app, asked, sports => this.#offer(sports));
    this.parts = [this.totals, this.fitness, this.records];
    for (const part of this.parts) part.loading.onEnd = () => this.#hideNothing();
    const tools = make("div", "statistics-tools", this.sport, this.add);
    this.element = make("div", "page-body report statistics", tools, ...this.parts.map(part => part.element));
    this.#showRight();
  }

  async load() {
    this.#firstDay = this.#chosenFirstDay;
    this.#loads += 1;
    await Promise.all(this.parts.map(part => part.load()));
    this.#loads -= 1;
    this.#loadChanges();
  }

  /** Every frame asks for it, and browsers take long to find it. */
  get #chosenFirstDay() {
    const chosen = this.app.settings.get("week_start");
    if (chosen !== this.#firstDays.chosen) this.#firstDays = { chosen, day: firstDayOfWeek(chosen, this.app.language) };
    return this.#firstDays.day;
  }

  /** With each frame. What changed on another day or while this screen was away was not reported to it, and another screen
   *  can choose another first day of the week. */
  update({ isCutOff }) {
    this.#showRight();
    const wasAway = this.#isAway;
    this.#isAway = document.hidden || isCutOff;
    const isBack = wasAway && !this.#isAway;
    if (!isBack && this.#day === today() && this.#firstDay === this.#chosenFirstDay) return;
    this.#day = today();
    this.#hasChanged = true;
    this.#loadChanges();
  }

  /** Entering an activity by hand needs a right, which can change. */
  #showRight() {
    this.add.hidden = !this.app.rights.includes("ride");
  }

  /** Without a logbook or an activity, one sentence is enough. */
  #hideNothing() {
    for (const part of [this.fitness, this.records]) part.element.hidden = this.totals.loading.hasNothing && part.loading.hasNothing;
  }

  /** Numbers of an activity that is being recorded are not final. */
  recordActivity({ activity }) {
    if (activity?.state === "recording") return;
    this.#hasChanged = true;
    this.#loadChanges();
  }

  /** A slow logbook has answered before it is asked again. */
  #loadChanges() {
    if (!this.#hasChanged || this.#loads > 0 || this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#hasChanged = false;
      this.load();
    }, CHANGES_MS);
  }

  /** Adds sports that only files have. */
  #offer(sports) {
    const known = new Set([...this.sport.options].map(option => option.value));
    for (const sport of sports) if (!known.has(sport)) this.sport.append(new Option(sportName(this.app.texts, sport), sport));
  }

  /** Back from a ride shows what was chosen. */
  #choose(choice) {
    Object.assign(this.#filter, choice);
    history.replaceState({ ...history.state, statistics: { ...this.#filter } }, "", location.href);
  }

  close() {
    this.#hasChanged = false;
    clearTimeout(this.#timer);
    for (const part of this.parts) part.close();
  }
}

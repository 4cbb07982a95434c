// The page of the coach: the target of the cadence, the actual one, and the beat.

import { fixed } from "../core/format.js";
import { shortAge } from "../core/states.js";
import { convert, revert, unitOf } from "../core/units.js";
import { make, makeIcon, makeText, setAttribute } from "../ui/elements.js";
import { Form } from "../ui/form.js";
import { BEAT_SOUNDS } from "./beat-sounds.js";
import { runningCadence } from "./cadence.js";
import { BeatPlayer } from "./beat-player.js";
import { Choices } from "./choices.js";
import { Height } from "./height.js";
import { CoachNumbers } from "./numbers.js";
import { readCadence, SpeedFollower } from "./readings.js";
import { makeStepper } from "./stepper.js";

/** Of the speed by hand, in the unit that the rider reads. */
const SPEED_STEPS = 2;

export class Coach {
  #context = null;
  #isClosed = false;
  /** What the last announcement was about. */
  #spoken = "";
  /** What the speed is and where it is from, of the last update. */
  #speed = { state: "none", speed: null };
  /** The control of each choice that has one. */
  #controls = {};

  constructor(app) {
    this.app = app;
    this.choices = new Choices(app);
    this.height = new Height(app, this.choices);
    this.follower = new SpeedFollower();
    this.player = new BeatPlayer();
    this.player.onChange = () => this.#apply();
    this.numbers = new CoachNumbers(app.texts);
    this.word = makeText("span");
    this.icon = makeIcon("play");
    this.button = make("button", "line-button call coach-play", this.icon.element, this.word.element);
    this.button.type = "button";
    this.button.addEventListener("click", () => this.#switch());
    this.note = makeText("p", "sentence");
    this.#makeLines();
    this.element = make("div", "page-body coach", this.numbers.element, this.button, this.note.element, ...this.sections);
    this.onVisibility = () => this.#followVisibility();
    document.addEventListener("visibilitychange", this.onVisibility);
    // The layout of the dashboard may have no widget that needs these.
    app.setPreview([{ id: "cadence" }, { id: "position" }]);
    this.height.load().then(() => this.#apply());
    this.#apply();
  }

  /** With each frame. */
  update(context) {
    this.#context = context;
    this.#apply();
  }

  close() {
    this.#isClosed = true;
    document.removeEventListener("visibilitychange", this.onVisibility);
    this.player.close();
    this.choices.close();
    this.app.setPreview([]);
  }

  /** Whether values are needed while the page is hidden. */
  get worksHidden() {
    return this.player.isPlaying && this.#isFollowing;
  }

  get #isRunning() {
    return this.choices.get("sport") === "running";
  }

  get #isFollowing() {
    return this.#isRunning && this.choices.get("source") === "follow";
  }

  // Lines

  #makeLines() {
    const { app: { texts }, choices } = this;
    const word = key => texts.get(key);
    const form = new Form(this.app);
    const choose = (key, read = value => value) => value => this.#choose(key, read(value));
    const choice = (label, key, options, read, hint) => {
      const line = form.choice(word(label), choices.get(key), options, choose(key, read), hint, false);
      this.#controls[key] = line.querySelector("select");
      return line;
    };
    const stepper = (label, step, hint) => {
      const made = makeStepper(this.app, word(label), step);
      const line = form.labelled(word(label), made.element, hint);
      // The name of the group is the label, without those of its buttons.
      made.element.setAttribute("aria-labelledby", line.querySelector("label").id);
      return Object.assign(made, { line });
    };
    this.speed = stepper("speed", direction => this.#stepSpeed(direction));
    this.followed = form.fact(word("speed"), "");
    this.preference = stepper("coach_preference", direction => this.#step("preference", direction), word("coach_preference_hint"));
    this.rpm = stepper("target", direction => this.#step("target_rpm", direction));
    this.heightLine = this.height.makeLine(form, () => this.#apply());
    this.noHeight = form.text(word("coach_no_height"));
    this.source = choice("coach_source", "source", [["hand", word("coach_by_hand")], ["follow", word("coach_follow")]]);
    this.every = choice("coach_every", "every", [[1, word("coach_every_step")], [2, word("coach_other_step")]], Number);
    const vibration = form.toggle(word("coach_vibration"), choices.get("vibrates"), choose("vibrates"), word("coach_vibration_hint"), false);
    this.guided = form.toggle(word("coach_guided"), choices.isGuided === true, isOn => choices.guide(isOn), word("coach_guided_hint"), false);
    this.#controls.guided = this.guided.querySelector("[role=switch]");
    vibration.hidden = !navigator.vibrate;
    this.#controls.vibrates = vibration.querySelector("[role=switch]");
    this.sections = [
      form.section(word("target"),
        choice("sport", "sport", [["running", word("sport_running")], ["cycling", word("sport_cycling")]]),
        this.source, this.speed.line, this.followed, this.preference.line, this.heightLine, this.noHeight, this.rpm.line, this.guided),
      form.section(word("coach_beat"), this.every,
        choice("coach_sound", "sound", BEAT_SOUNDS.map(name => [name, word(`coach_${name}`)]), undefined, word("coach_hidden_hint")),
        vibration),
    ];
  }

  #choose(key, value) {
    this.choices.set(key, value);
    this.#apply();
  }

  #step(key, direction) {
    const value = this.choices.get(key) + direction;
    if (this.choices.allows(key, value)) this.#choose(key, value);
  }

  /** To the next half of a unit, such as 0.5 km/h. A speed that was chosen in another unit may lie between two. */
  #stepSpeed(direction) {
    const { units } = this.app.settings;
    const shown = Number((convert("speed", this.choices.get("speed_mps"), units) * SPEED_STEPS).toPrecision(9));
    const next = direction > 0 ? Math.floor(shown) + 1 : Math.ceil(shown) - 1;
    const speed = revert("speed", next / SPEED_STEPS, units);
    if (this.choices.allows("speed_mps", speed)) this.#choose("speed_mps", speed);
  }

  // The beat

  #switch() {
    if (this.player.isPlaying) this.player.pause();
    else if (this.#target !== null) this.player.play(Math.round(this.#target)).then(() => this.#apply());
    this.#apply();
  }

  #followVisibility() {
    if (document.hidden) this.player.hide();
    else this.player.show().then(() => this.#apply());
  }

  /** Per minute; null if it is unknown. */
  get #target() {
    const { choices } = this;
    if (!this.#isRunning) return choices.get("target_rpm");
    return this.#speed.speed === null ? null : runningCadence(this.#speed.speed, this.height.value, choices.get("preference"));
  }

  /** Computes and shows everything, after a choice and with each frame. An answer may come after the page was left. */
  #apply() {
    if (this.#isClosed) return;
    const { choices, player } = this;
    if (!this.#isFollowing) this.#speed = { state: "hand", speed: choices.get("speed_mps") };
    else if (this.#context) this.#speed = this.follower.read(this.#context);
    else this.#speed = { state: "none", speed: null };
    const target = this.#target;
    player.vibrates = choices.get("vibrates");
    player.set({
      sound: choices.get("sound"), every: this.#isRunning ? choices.get("every") : 1, volume: this.app.settings.get("volume") / 100,
    });
    // Without a target, a beat that plays goes on as it is.
    if (target !== null) player.setCadence(Math.round(target));
    this.#show(target);
  }

  #show(target) {
    const { app: { texts, point }, choices, player } = this;
    const actual = this.#context ? readCadence(this.#context, choices.get("sport"), target) : { state: "not_yet", word: "wait" };
    this.numbers.update(target, actual, point, this.#isRunning ? "/min" : "rpm");
    this.word.text = texts.get(player.isPlaying ? "coach_pause" : "coach_play");
    this.icon.name = player.isPlaying ? "pause" : "play";
    this.button.disabled = target === null && !player.isPlaying;
    this.#showChoices();
    this.#showLines();
    const remarks = this.#remarks();
    this.note.text = remarks.map(({ sentence }) => sentence).join(" ");
    this.#announce(remarks);
  }

  /** An age that grows is not announced again. */
  #announce(remarks) {
    const about = remarks.map(remark => remark.about).join();
    if (!this.#context || about === this.#spoken) return;
    this.#spoken = about;
    if (about !== "") this.app.speak(remarks.map(({ sentence }) => sentence).join(" "), "coach");
  }

  /** Settings may arrive after the page was opened, and another screen may change them. A control in use stays. */
  #showChoices() {
    for (const [key, control] of Object.entries(this.#controls)) {
      const value = String(key === "guided" ? this.choices.isGuided === true : this.choices.get(key));
      if (control === document.activeElement) continue;
      if (control.tagName !== "SELECT") setAttribute(control, "aria-checked", value);
      else if (control.value !== value) control.value = value;
    }
    this.height.show();
  }

  #showLines() {
    const { app: { texts, point, settings }, choices } = this;
    const speed = value => `${fixed(convert("speed", value, settings.units), 1, point)} ${unitOf("speed", settings.units)}`;
    const isRunning = this.#isRunning;
    this.source.hidden = this.preference.line.hidden = this.heightLine.hidden = this.every.hidden = !isRunning;
    this.guided.hidden = choices.isGuided === null || !this.app.rights.includes("ride");
    this.speed.line.hidden = !isRunning || this.#isFollowing;
    this.followed.hidden = !this.#isFollowing;
    this.rpm.line.hidden = isRunning;
    this.noHeight.hidden = !isRunning || this.height.value !== null;
    this.speed.text = speed(choices.get("speed_mps"));
    const preference = choices.get("preference");
    this.preference.text = `${preference > 0 ? "+" : ""}${fixed(preference, 0, point)} /min`;
    this.rpm.text = `${fixed(choices.get("target_rpm"), 0, point)} rpm`;
    if (!this.#isFollowing) return;
    const { state, measured, age } = this.#speed;
    const shown = measured === undefined ? "–" : speed(measured);
    this.followed.show(state === "stale" ? `${shown}, ${texts.get("seconds_old", shortAge(age))}` : shown);
  }

  /** What is not as the rider expects, or where the speed is from: sentences, and what each is about. */
  #remarks() {
    const { app: { texts, settings, store }, player } = this;
    const { state, age, sensor } = this.#speed;
    const name = store.sensor(sensor)?.name ?? texts.get("gps");
    const ofSpeed = {
      live: () => texts.get("coach_followed", name),
      standing: () => texts.get("coach_standing"),
      stale: () => texts.get("coach_stale", shortAge(age)),
      lost: () => texts.get("coach_lost"),
      none: () => texts.get("coach_no_speed"),
    }[state];
    const isKept = player.isPlaying && ["standing", "stale", "lost", "none"].includes(state);
    return [
      player.problem && { about: player.problem, sentence: texts.get(`coach_${player.problem}`) },
      player.isPlaying && settings.get("volume") === 0 && { about: "silent", sentence: texts.get("coach_silent") },
      this.#isFollowing && { about: `${state} ${sensor}`, sentence: ofSpeed() },
      this.#isFollowing && isKept && { about: "kept", sentence: texts.get("coach_kept", player.cadence) },
    ].filter(Boolean);
  }
}

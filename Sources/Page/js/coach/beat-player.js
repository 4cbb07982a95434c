// Plays the beat, if the browser lets it. What the browser did while the page was hidden is compared
// with the clock when the page is seen again.

import { Metronome } from "./metronome.js";

const STARTS_WITHIN_MS = 500;
/** After a pause the context works on until the last beat has sounded. */
const RESTS_AFTER_MS = 500;
const VIBRATION_MS = 25;
/** The clocks of sound and page differ by less over a hidden hour. */
const STOPPED_S = 1;
/** A beat that goes on for so long needs no word about its stop any more. */
const PROBLEM_MS = 10_000;

export class BeatPlayer {
  #context = null;
  #metronome = null;
  #rest = null;
  #forget = null;
  #hidden = null;
  #isResuming = false;
  #values = { sound: "click", every: 1, volume: 1 };
  #vibrates = false;
  #problem = null;
  /** Called when the browser stopped the beat, and when a problem is over. */
  onChange = () => {};
  /** In whole beats per minute, also after a pause. */
  cadence = null;

  get isPlaying() {
    return this.#metronome?.isOn ?? false;
  }

  /** @returns {null|"blocked"|"stopped"} why the beat did not start or did not go on */
  get problem() {
    return this.#problem;
  }

  async play(cadence) {
    this.#setProblem(null);
    this.cadence = cadence;
    clearTimeout(this.#rest);
    if (!await this.#resume()) {
      this.#setProblem("blocked");
      return;
    }
    this.#metronome.start(this.cadence);
  }

  pause() {
    this.#metronome?.stop();
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => this.#context?.suspend().catch(() => {}), RESTS_AFTER_MS);
  }

  /** @param {{sound: string, every: number, volume: number}} values */
  set(values) {
    for (const [key, value] of Object.entries(values)) {
      if (this.#values[key] === value) continue;
      this.#values[key] = value;
      if (this.#metronome) this.#metronome[key] = value;
    }
  }

  /** Also of the beats that are queued already. */
  set vibrates(vibrates) {
    if (vibrates === this.#vibrates) return;
    this.#vibrates = vibrates;
    if (this.#metronome) this.#metronome.sound = this.#values.sound;
  }

  setCadence(cadence) {
    if (cadence === this.cadence) return;
    this.cadence = cadence;
    if (this.isPlaying) this.#metronome.cadence = cadence;
  }

  hide() {
    if (!this.isPlaying || this.#hidden) return;
    this.#hidden = { audio: this.#context.currentTime, wall: Date.now() };
    this.#metronome.missed = 0;
    this.#metronome.isHidden = true;
    this.#metronome.fill();
  }

  /** Goes on if the browser lets it, and knows afterwards whether the beat had stopped. */
  async show() {
    const hidden = this.#hidden;
    this.#hidden = null;
    if (!hidden || !this.isPlaying) return;
    this.#metronome.isHidden = false;
    const lag = (Date.now() - hidden.wall) / 1000 - (this.#context.currentTime - hidden.audio);
    const hasStopped = lag > STOPPED_S || this.#metronome.missed > 0;
    if (!await this.#resume()) this.pause();
    this.#setProblem(hasStopped || !this.isPlaying ? "stopped" : null);
  }

  close() {
    this.#metronome?.stop();
    clearTimeout(this.#rest);
    clearTimeout(this.#forget);
    const context = this.#context;
    this.#context = this.#metronome = null;
    if (context) setTimeout(() => context.close().catch(() => {}), RESTS_AFTER_MS);
  }

  /** @returns {Promise<boolean>} whether the browser plays */
  async #resume() {
    try {
      if (!this.#context) this.#open();
    } catch {
      return false;
    }
    const context = this.#context;
    const limit = new Promise(resolve => setTimeout(resolve, STARTS_WITHIN_MS));
    this.#isResuming = true;
    // Also a context that runs: it may be about to rest.
    await Promise.race([context.resume().catch(() => {}), limit]);
    this.#isResuming = false;
    return context === this.#context && context.state === "running";
  }

  /** Throws in a browser without sound, or with too many contexts. */
  #open() {
    const context = new AudioContext({ latencyHint: "interactive" });
    context.onstatechange = () => this.#followState();
    this.#metronome = new Metronome(context, seconds => this.#vibrateIn(seconds));
    Object.assign(this.#metronome, this.#values);
    this.#context = context;
  }

  /** A call or another program may stop the sound of a visible page. That of a hidden one is judged when it is seen again. */
  #followState() {
    if (!this.isPlaying || this.#hidden || this.#isResuming || this.#context.state === "running") return;
    this.pause();
    this.#setProblem("stopped");
    this.onChange();
  }

  #setProblem(problem) {
    this.#problem = problem;
    clearTimeout(this.#forget);
    if (problem === null || !this.isPlaying) return;
    this.#forget = setTimeout(() => {
      this.#problem = null;
      this.onChange();
    }, PROBLEM_MS);
  }

  #vibrateIn(seconds) {
    if (!this.#vibrates || !navigator.vibrate) return undefined;
    const timer = setTimeout(() => navigator.vibrate(VIBRATION_MS), seconds * 1000);
    return () => clearTimeout(timer);
  }
}

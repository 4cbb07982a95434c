// Puts beats on an audio context ahead of time, each at its own sample. Timers have no part in it:
// the end of each beat queues the next ones, and a hidden page still gets that event.

import { makeBeat } from "./beat-sounds.js";
import { Pulse } from "./pulse.js";

/** A change counts this much later, so that the beats before it are certainly on their way. */
const LEAD_S = .1;
/** A page that is busy for so long still loses no beat. */
const AHEAD_S = 2;
/** The events of a hidden page may come late. */
const AHEAD_HIDDEN_S = 10;
/** However slow the beat is, one is queued when another ends. */
const FEWEST_QUEUED = 2;
const FADE_S = .02;

export class Metronome {
  #context;
  #output;
  #beats = new Map();
  #sound = "click";
  #every = 1;
  #pulse = null;
  #queue = [];
  #next = 0;
  #onQueue;
  /** Beats that had passed before they could be queued. */
  missed = 0;
  isHidden = false;

  /**
   * @param {BaseAudioContext} context
   * @param {(seconds: number) => (() => void)|undefined} onQueue gets in how many seconds a beat comes, and
   *   returns what takes that back
   */
  constructor(context, onQueue = () => undefined) {
    this.#context = context;
    this.#onQueue = onQueue;
    this.#output = context.createGain();
    this.#output.connect(context.destination);
  }

  get isOn() {
    return this.#pulse !== null;
  }

  /** @param {number} cadence steps per minute */
  start(cadence) {
    this.stop();
    this.missed = 0;
    this.#next = 0;
    this.#pulse = new Pulse(this.#context.currentTime + LEAD_S, cadence / 60);
    this.fill();
  }

  /** A beat that has begun sounds to its end. */
  stop() {
    this.#pulse = null;
    this.#cancelFrom(this.#context.currentTime);
    this.#queue = [];
  }

  set cadence(cadence) {
    this.#change(at => this.#pulse.change(at, cadence / 60));
  }

  set sound(name) {
    this.#sound = name;
    this.#change(() => {});
  }

  /** 1: every step sounds. 2: every other one. */
  set every(steps) {
    this.#every = steps;
    this.#change(() => {});
  }

  /** @param {number} volume 0 to 1 */
  set volume(volume) {
    this.#output.gain.setTargetAtTime(volume, this.#context.currentTime, FADE_S);
  }

  /** Queues what is due. */
  fill() {
    if (!this.#pulse) return;
    const now = this.#context.currentTime;
    const until = now + (this.isHidden ? AHEAD_HIDDEN_S : AHEAD_S);
    this.#queue = this.#queue.filter(({ time }) => time >= now);
    while (this.#queue.length < FEWEST_QUEUED || this.#pulse.timeOf(this.#next) < until) {
      const time = this.#pulse.timeOf(this.#next);
      if (time < now) this.missed += 1;
      else if (this.#next % this.#every === 0) this.#play(time);
      this.#next += 1;
    }
  }

  #change(apply) {
    if (!this.#pulse) return;
    const at = this.#context.currentTime + LEAD_S;
    this.#cancelFrom(at);
    while (this.#next > 0 && this.#pulse.timeOf(this.#next - 1) >= at) this.#next -= 1;
    apply(at);
    this.fill();
  }

  /** Takes back what has not begun at a time. */
  #cancelFrom(at) {
    for (const { time, source, takeBack } of this.#queue) {
      if (time < at) continue;
      source.onended = null;
      source.stop();
      source.disconnect();
      takeBack?.();
    }
    this.#queue = this.#queue.filter(({ time }) => time < at);
  }

  #play(time) {
    const { sampleRate, currentTime } = this.#context;
    if (!this.#beats.has(this.#sound)) this.#beats.set(this.#sound, makeBeat(this.#context, this.#sound));
    const source = this.#context.createBufferSource();
    source.buffer = this.#beats.get(this.#sound);
    source.connect(this.#output);
    source.onended = () => this.fill();
    source.start(Math.round(time * sampleRate) / sampleRate);
    this.#queue.push({ time, source, takeBack: this.#onQueue(time - currentTime) });
  }
}

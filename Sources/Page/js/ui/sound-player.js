// Plays sounds, if the browser lets it. Until the first touch a browser may refuse: that is a state
// that the top bar shows. The context rests between sounds, because a running one costs battery.

import { schedule, SoundOrder } from "../core/sounds.js";

const LEAD_S = .01;
const REST_AFTER_MS = 10_000;
const STARTS_WITHIN_MS = 500;

export class SoundPlayer {
  #context = null;
  #output = null;
  #order = new SoundOrder();
  #current = null;
  #rest = null;
  #isAllowed = false;
  #isRefused = false;
  /** For this ride, by the rider. */
  isSilent = false;

  /** @param {{volume: () => number, isOn: (group: string) => boolean, seconds: () => number}} settings */
  constructor(settings) {
    this.settings = settings;
  }

  /** Tries whether sound is allowed without a touch. */
  async start() {
    const Context = window.AudioContext;
    if (!Context) return;
    this.#context = new Context();
    this.#output = this.#context.createDynamicsCompressor();
    this.#output.connect(this.#context.destination);
    await this.unlock();
  }

  /** Any touch may be the one that lets the browser play. */
  async unlock() {
    if (!this.#context || this.#isAllowed) return;
    this.#context.resume().catch(() => {});
    await new Promise(resolve => setTimeout(resolve, STARTS_WITHIN_MS));
    this.#isRefused = this.#context.state !== "running";
    if (this.#isRefused) return;
    this.#isAllowed = true;
    this.#restLater();
  }

  /** @returns {"on"|"off"|"blocked"} */
  get state() {
    if (this.isSilent || this.settings.volume() === 0 || !window.AudioContext) return "off";
    return this.#isRefused ? "blocked" : "on";
  }

  play(name, group) {
    if (!this.#isAllowed || this.state !== "on" || !this.settings.isOn(group)) return;
    if (this.#order.request(name, this.settings.seconds()) === "start") this.#begin(name);
  }

  /** Plays although the group is off: the rider asked for it. */
  test(name) {
    if (!this.#context) return;
    this.#order = new SoundOrder();
    this.#order.request(name, this.settings.seconds());
    this.#begin(name);
  }

  async #begin(name) {
    this.#current?.stop();
    clearTimeout(this.#rest);
    const context = this.#context;
    if (context.state !== "running") await context.resume().catch(() => {});
    this.#current = schedule(context, this.#output, name, this.settings.volume() / 100, context.currentTime + LEAD_S);
    const left = (this.#order.end - this.settings.seconds()) * 1000;
    setTimeout(() => this.#playWaiting(), Math.max(0, left) + 1);
  }

  #playWaiting() {
    const name = this.#order.next(this.settings.seconds());
    if (name) this.#begin(name);
    else this.#restLater();
  }

  #restLater() {
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => this.#context.suspend().catch(() => {}), REST_AFTER_MS);
  }
}

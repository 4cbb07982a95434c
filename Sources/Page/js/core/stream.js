// The stream of the server: opens it, watches it, opens it again, for ever. Knows no DOM: the
// source of events and the clock are passed in.

import { LATE_FRAME_S } from "./clock.js";

export const SILENCE_S = 2.5;
const RETRY_S = 1;

export class Stream {
  #source = null;
  #lastMessage;
  #lastAttempt = -Infinity;
  #instance = null;
  #waiting = [];
  #lastID = null;
  /** What the server calls this stream; null until it is open. */
  id = null;

  /**
   * @param {object} parts
   * @param {(url: string) => EventSource} parts.open
   * @param {import("./clock.js").ServerClock} parts.clock
   * @param {object} parts.handlers `hello(hello, isNewInstance)`, `records(records, isLate, sentAt)`, `task(record)`
   * @param {(last: string|null) => string} parts.url asked at each attempt, for the rate and the kinds may
   *   change. The stream goes on with the tasks of the last one.
   */
  constructor({ open, clock, handlers, url }) {
    this.open = open;
    this.clock = clock;
    this.handlers = handlers;
    this.url = url;
    this.#lastMessage = clock.seconds();
  }

  get silence() {
    return this.clock.seconds() - this.#lastMessage;
  }

  get isCutOff() {
    return this.silence > SILENCE_S;
  }

  /** Opens a stream, or another in place of the one there is. */
  restart() {
    this.stop();
    this.#lastAttempt = this.clock.seconds();
    const source = this.open(this.url(this.#lastID));
    this.#source = source;
    const listen = (name, handle) => source.addEventListener(name, message => {
      if (source !== this.#source) return;
      const data = parse(message.data);
      if (data) handle(data);
    });
    listen("hello", hello => this.#recordHello(hello));
    listen("frame", frame => this.#recordFrame(frame));
    listen("urgent", frame => this.#recordFrame(frame));
    listen("task", ({ records = [] }) => records.forEach(record => this.handlers.task?.(record)));
    listen("beat", beat => this.#recordTime(beat.now));
  }

  /** @returns {Promise<string>} the id, once the stream is open */
  whenOpen() {
    return this.id === null ? new Promise(resolve => this.#waiting.push(resolve)) : Promise.resolve(this.id);
  }

  stop() {
    this.#source?.close();
    this.#source = null;
    this.id = null;
  }

  /** Called by the page's ticker. A silent stream is replaced at once, then every second. */
  tick() {
    if (this.isCutOff && this.clock.seconds() - this.#lastAttempt >= RETRY_S) this.restart();
  }

  #recordHello(hello) {
    const isNewInstance = this.#instance !== hello.instance;
    if (isNewInstance) this.clock.reset();
    this.#instance = hello.instance;
    this.id = this.#lastID = hello.stream;
    for (const resolve of this.#waiting.splice(0)) resolve(this.id);
    this.#recordTime(hello.now);
    this.handlers.hello(hello, isNewInstance);
  }

  #recordFrame(frame) {
    const isLate = this.#recordTime(frame.now) > LATE_FRAME_S;
    this.handlers.records(frame.records ?? [], isLate, frame.now);
  }

  #recordTime(now) {
    this.#lastMessage = this.clock.seconds();
    return this.clock.record(now);
  }
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

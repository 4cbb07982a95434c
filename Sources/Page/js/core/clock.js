// The server's clock, computed from the `now` of each message and the page's own monotonic clock.
// Ages of values are differences on this clock, so they grow while no message arrives.

/** A frame that is later than this shows the past: its values are not used. */
export const LATE_FRAME_S = 2;

/** Quartz clocks differ by less than this. Without it, a page that is open for hours would find every frame late. */
const DRIFT = 2e-4;
/** The clock of a device that slept longer than this has stood still meanwhile. */
const SLEPT_S = 1;

export class ServerClock {
  #offset = null;
  #recorded = 0;
  #slept = 0;
  #hidden = null;
  #isUncertain = false;

  /**
   * @param {() => number} seconds a monotonic clock of this page
   * @param {() => number} wallSeconds a clock that goes on while the device sleeps
   */
  constructor(seconds = () => performance.now() / 1000, wallSeconds = () => Date.now() / 1000) {
    this.seconds = () => seconds() + this.#slept;
    this.wallSeconds = wallSeconds;
  }

  get isSet() {
    return this.#offset !== null;
  }

  /** Forgets the server, because another instance has another clock. */
  reset() {
    this.#offset = null;
  }

  /** The page is hidden: the device may sleep from now on. */
  hide() {
    this.#hidden = { seconds: this.seconds(), wall: this.wallSeconds() };
  }

  /** The page is visible again. Its values are as old as they would be if its clock had gone on. */
  show() {
    if (!this.#hidden) return;
    const { seconds, wall } = this.#hidden;
    this.#hidden = null;
    const slept = this.wallSeconds() - wall - (this.seconds() - seconds);
    if (slept < SLEPT_S) return;
    this.#slept += slept;
    this.#isUncertain = true;
  }

  get now() {
    return this.#offset === null ? null : this.seconds() + this.#offset;
  }

  /**
   * Records a message's time. The largest difference is that of the message with the least delay.
   * @returns {number} by how much this message is later than the fastest one, in seconds
   */
  record(now) {
    const seconds = this.seconds();
    const offset = now - seconds;
    if (this.#offset !== null) this.#offset -= (seconds - this.#recorded) * DRIFT;
    if (this.#offset === null || this.#isUncertain || offset > this.#offset) this.#offset = offset;
    this.#recorded = seconds;
    this.#isUncertain = false;
    return this.#offset - offset;
  }
}

// The server's clock, computed from the `now` of each message and the page's own monotonic clock.
// Ages of values are differences on this clock, so they grow while no message arrives.

/** A frame that is later than this shows the past: its values are not used. */
export const LATE_FRAME_S = 2;

export class ServerClock {
  #offset = null;

  /** @param {() => number} seconds a monotonic clock of this page */
  constructor(seconds = () => performance.now() / 1000) {
    this.seconds = seconds;
  }

  get isSet() {
    return this.#offset !== null;
  }

  /** Forgets the server, because another instance has another clock. */
  reset() {
    this.#offset = null;
  }

  get now() {
    return this.#offset === null ? null : this.seconds() + this.#offset;
  }

  /**
   * Records a message's time. The largest difference is that of the message with the least delay.
   * @returns {number} by how much this message is later than the fastest one, in seconds
   */
  record(now) {
    const offset = now - this.seconds();
    if (this.#offset === null || offset > this.#offset) this.#offset = offset;
    return this.#offset - offset;
  }
}

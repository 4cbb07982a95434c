// Steps as a function of time. The rate changes at a moment; the part of a step that has passed by
// then stays passed, so a change moves no step back and leaves none out.

export class Pulse {
  #from;
  #count = 0;
  #rate;

  /** @param {number} from the time of step 0, in seconds @param {number} rate steps per second */
  constructor(from, rate) {
    this.#from = from;
    this.#rate = rate;
  }

  /** @param {number} at not before the last change */
  change(at, rate) {
    this.#count += Math.max(0, at - this.#from) * this.#rate;
    this.#from = Math.max(at, this.#from);
    this.#rate = rate;
  }

  /** The time of a step that comes after the last change. */
  timeOf(step) {
    return this.#from + (step - this.#count) / this.#rate;
  }
}

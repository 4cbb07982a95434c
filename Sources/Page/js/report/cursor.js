// The cursor that the map and the graphs share: a second of the ride, or null. Each follower is
// called once a frame at most.

export class Cursor {
  #followers = [];
  #isScheduled = false;
  seconds = null;

  /** @param {(seconds: number|null) => void} follower */
  follow(follower) {
    this.#followers.push(follower);
  }

  set(seconds) {
    if (seconds === this.seconds) return;
    this.seconds = seconds;
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    requestAnimationFrame(() => {
      this.#isScheduled = false;
      for (const follower of this.#followers) follower(this.seconds);
    });
  }
}

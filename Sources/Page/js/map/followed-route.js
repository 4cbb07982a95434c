// The line of the route that the guide follows, for maps. It is loaded when a map is seen, once for
// each route.

import { Track } from "./track.js";

/** A recorder that does not answer is asked again after so long. */
const RETRY_S = 30;
/** No map draws more. */
const POINTS = 4000;

export class FollowedRoute {
  #id = null;
  #isLoading = false;
  #retry = -Infinity;
  #document = null;
  #plane = null;
  #track = null;

  /** @param {(path: string) => Promise<object>} get asks the server */
  constructor(get) {
    this.get = get;
  }

  /** Called by maps that are seen. */
  async load(store, seconds) {
    const id = store.guide?.present ? store.guide.status?.following?.route ?? null : this.#id;
    if (id !== this.#id) this.#forget(id);
    if (id === null || this.#document || this.#isLoading || seconds < this.#retry) return;
    this.#isLoading = true;
    try {
      const document = await this.get(`/api/1/routes/${id}?points=${POINTS}`);
      if (id === this.#id) this.#document = document;
    } catch {
      // The next route does not wait for it.
      if (id === this.#id) this.#retry = seconds + RETRY_S;
    } finally {
      this.#isLoading = false;
    }
  }

  #forget(id) {
    this.#id = id;
    this.#document = null;
    this.#track = null;
    this.#retry = -Infinity;
  }

  /** The line on the plane of a track; null until it is loaded. */
  on(plane) {
    if (!this.#document) return null;
    if (this.#track && this.#plane === plane) return this.#track;
    const track = new Track();
    track.plane = plane;
    for (const point of this.#document.points ?? []) track.add(point);
    this.#plane = plane;
    this.#track = track;
    return track;
  }

  /** Tells one line from another. */
  get key() {
    return this.#document ? this.#id : null;
  }
}

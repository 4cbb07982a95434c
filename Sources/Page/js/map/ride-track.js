// The track of the ride that goes on: the positions that this page receives, and before them those
// that the recorder has. After a reload or a gap, the recorder knows more than the page.

import { Plane } from "./plane.js";
import { Track } from "./track.js";

/** A longer time without positions is a gap. */
const GAP_S = 10;
/** The recorder is a few seconds behind: over this distance its track and that of the page are joined. */
const JOIN_M = 250;
/** The recorder is at most this far behind. */
const OVERLAP_S = 30;
/** A recorder that does not answer is asked again after so long. */
const RETRY_S = 30;
const POINTS = 4000;
const COURSE_UP_KEY = "cyclometer.course_up";

export class RideTrack {
  track = new Track();
  /** The newest position, also without a ride, and the last known course. */
  fix = null;
  course = null;
  #ride = null;
  /** The positions that the page received, until the recorder's are joined to the last of them. */
  #own = [];
  #isBroken = true;
  #isMissing = true;
  #isLoading = false;
  #retry = -Infinity;

  /** @param {(path: string) => Promise<object>} get asks the server */
  constructor(get) {
    this.get = get;
  }

  clear() {
    this.track = new Track();
    this.fix = null;
    this.#ride = null;
    this.#own = [];
    this.#isBroken = true;
    this.#isMissing = true;
  }

  /** Adds the newest position of the store. */
  record(store) {
    const ride = store.ride;
    if (ride?.ride_id !== this.#ride?.ride_id) this.clear();
    this.#ride = ride ?? null;
    const sample = store.newest("position");
    if (sample?.latitude_deg === undefined || sample.t <= this.fix?.t) return;
    if (this.fix && sample.t - this.fix.t > GAP_S) this.#begin();
    this.fix = sample;
    this.course = sample.course_deg ?? this.course;
    const isOver = !ride || ride.ended || (ride.paused && ride.pause === "by_hand");
    if (isOver) this.#isBroken = true;
    else this.#add({ ...sample, at_s: sample.t });
  }

  /** The page missed positions that the recorder may have. */
  #begin() {
    this.#own = [];
    this.#isBroken = true;
    this.#isMissing = true;
  }

  #add(point) {
    this.track.add(point, this.#isBroken);
    this.#own.push({ point, isStart: this.#isBroken });
    this.#isBroken = false;
  }

  /** Asks the recorder for what is missing. Called by maps that are seen. */
  async load(store, seconds) {
    const id = store.recorder?.present ? store.recorder.recording : undefined;
    if (!this.#isMissing || this.#isLoading || id === undefined || !this.fix || seconds < this.#retry) return;
    const ride = this.#ride?.ride_id;
    this.#isLoading = true;
    try {
      const document = await this.get(`/api/1/activities/${id}/track?points=${POINTS}`);
      if (ride === this.#ride?.ride_id) this.#join(Track.from(document));
    } catch {
      // Until then, the map shows what the page has.
      this.#retry = seconds + RETRY_S;
    } finally {
      this.#isLoading = false;
    }
  }

  #join(track) {
    this.#own = this.#own.filter(({ point }) => point.at_s > this.fix.t - OVERLAP_S);
    this.#own.forEach(({ point, isStart }, index) => {
      track.add(point, index === 0 ? !isNear(track, point) : isStart);
    });
    this.track = track;
    this.#isMissing = false;
  }

  /** The newest position on the plane of the track, or null. */
  get me() {
    if (!this.fix) return null;
    this.track.plane ??= new Plane(this.fix.latitude_deg, this.fix.longitude_deg);
    const place = this.track.plane.place(this.fix.latitude_deg, this.fix.longitude_deg);
    return { ...place, course: this.course, accuracy: this.fix.accuracy_m };
  }

  /** Whether maps have the direction of travel at their top. This screen remembers it. */
  get isCourseUp() {
    try {
      return window.localStorage.getItem(COURSE_UP_KEY) !== null;
    } catch {
      return false;
    }
  }

  set isCourseUp(isCourseUp) {
    try {
      if (isCourseUp) window.localStorage.setItem(COURSE_UP_KEY, "");
      else window.localStorage.removeItem(COURSE_UP_KEY);
    } catch {
      // Without storage, north stays up.
    }
  }
}

function isNear(track, point) {
  if (track.count === 0) return false;
  const { x, y } = track.plane.place(point.latitude_deg, point.longitude_deg);
  return Math.hypot(x - track.xs[track.count - 1], y - track.ys[track.count - 1]) < JOIN_M;
}

// The ride as buttons and brightness see it.

const STANDING_S = 300;

/** Whether a ride is active: moving, paused by hand, or standing by itself for less than five minutes. */
export function isActive(ride, now) {
  if (!ride || ride.ended) return false;
  if (!ride.paused) return true;
  if (ride.pause === "by_hand") return true;
  return now !== null && ride.paused_since_t !== undefined && now - ride.paused_since_t < STANDING_S;
}

/** @returns {"idle"|"riding"|"paused"} */
export function modeOf(ride, now) {
  if (!isActive(ride, now)) return "idle";
  return ride.paused && ride.pause === "by_hand" ? "paused" : "riding";
}

/** Remembers the lap before the current one, for the widget and the answer to LAP. */
export class LastLap {
  #ride = null;
  number = null;
  seconds = null;
  metres = null;

  /** Returns whether a lap has just ended. */
  record(ride) {
    if (!ride) return false;
    const before = this.#ride;
    this.#ride = ride;
    if (!before || before.ride_id !== ride.ride_id) {
      this.number = null;
      this.seconds = null;
      this.metres = null;
    } else if (ride.lap === before.lap + 1) {
      this.number = before.lap;
      this.seconds = before.lap_time_s + Math.max(0, ride.t - before.t - (ride.lap_time_s ?? 0));
      this.metres = Math.max(0, ride.distance_m - (ride.lap_distance_m ?? 0) - before.distance_m + (before.lap_distance_m ?? 0));
      return true;
    }
    return false;
  }
}

// The bounds of the heart-rate zones as far as this ride has shown them: each pair of a heart rate
// and its zone narrows them. A rate between two known zones has none.

export class ZoneBounds {
  #lowest = new Map();
  #highest = new Map();

  record(bpm, zone) {
    if (this.#isContradicted(bpm, zone)) this.clear();
    this.#lowest.set(zone, Math.min(bpm, this.#lowest.get(zone) ?? Infinity));
    this.#highest.set(zone, Math.max(bpm, this.#highest.get(zone) ?? -Infinity));
  }

  /** The rider has set other zones. */
  #isContradicted(bpm, zone) {
    const known = this.zoneOf(bpm);
    return known !== null && known !== zone;
  }

  zoneOf(bpm) {
    for (const [zone, lowest] of this.#lowest) {
      if (bpm >= lowest && bpm <= this.#highest.get(zone)) return zone;
    }
    return null;
  }

  clear() {
    this.#lowest.clear();
    this.#highest.clear();
  }
}

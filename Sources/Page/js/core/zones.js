// The bounds of the heart-rate zones as far as this ride has shown them: each pair of a heart rate
// and its zone narrows them. A rate between two known zones has none.

const NAMED = 5;

/** What a heart-rate zone is called; null unless there are the usual five. */
export function zoneName(texts, sample, zone) {
  const isUsual = sample?.zone_times_s?.length === NAMED && zone >= 1 && zone <= NAMED;
  return isUsual ? texts.get(`zone_${zone}`) : null;
}

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

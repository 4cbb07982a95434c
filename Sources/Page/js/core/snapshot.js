// What is known when a page connects: the stream itself has only news. Frames that arrive while the
// snapshot is on its way are applied again after it, because they are newer.

const LONGEST_WAIT_MS = 3000;
const MOST_FRAMES = 64;

export class Snapshot {
  #frames = null;
  #attempt = 0;

  /**
   * @param {object} parts
   * @param {(url: string, options: object) => Promise<Response>} parts.fetch
   * @param {(now: number) => boolean} parts.isLate
   * @param {(records: object[], isLate: boolean) => void} parts.record
   * @param {(series: object) => void} parts.seed
   */
  constructor(parts) {
    this.parts = parts;
  }

  /** Returns whether it arrived. */
  async load() {
    const attempt = this.#attempt += 1;
    this.#frames = [];
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), LONGEST_WAIT_MS);
    let snapshot = null;
    try {
      const response = await this.parts.fetch("/api/1/now", { signal: abort.signal, cache: "no-store" });
      if (response.ok) snapshot = await response.json();
    } catch {
      // The stream goes on, and the next greeting asks again.
    }
    clearTimeout(timer);
    if (attempt !== this.#attempt) return false;
    const frames = this.#frames;
    this.#frames = null;
    if (!snapshot) return false;
    this.parts.seed(snapshot.series ?? {});
    this.parts.record(snapshot.records ?? [], this.parts.isLate(snapshot.now));
    for (const [records, isLate] of frames) this.parts.record(records, isLate);
    return true;
  }

  /** Frames pass here on their way to the store. */
  keep(records, isLate) {
    if (this.#frames && this.#frames.length < MOST_FRAMES) this.#frames.push([records, isLate]);
  }
}

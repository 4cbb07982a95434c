// The tile sets that the server has, and Leaflet, which arranges their tiles. Both are asked for when
// the first map is shown, and Leaflet only if there is a tile set.

const LEAFLET = "/leaflet/leaflet.esm.min.js";
const LEAFLET_STYLE = "/leaflet/leaflet.css";
/** A server that does not answer is asked again after so long, while a map is shown. */
const RETRY_MS = 30000;
const NOT_FOUND = 404;

export class TileSets {
  /** Leaflet's module, from the first set on. */
  leaflet = null;
  /** Changes with the sets, and when tiles that failed are worth another attempt. */
  version = 0;
  #sets = [];
  #isKnown = false;
  #isLoading = false;
  #retry = -Infinity;
  #timer = null;
  #attempts = 0;
  #followers = new Set();
  #tag = null;

  /** @param {(path: string) => Promise<object>} get asks the server */
  constructor(get) {
    this.get = get;
  }

  /** Calls `change` with each new version. @returns {() => void} ends it */
  follow(change) {
    this.#followers.add(change);
    return () => this.#followers.delete(change);
  }

  /**
   * Asks for the sets again, unless no map was shown yet.
   * @param {string} [tag] of their newest version; nothing is asked if it is known
   */
  refresh(tag = null) {
    const isKnown = tag !== null && tag === this.#tag;
    this.#tag = tag;
    if (isKnown || !this.#isKnown) return;
    this.#isKnown = false;
    this.#retry = -Infinity;
    this.#load();
  }

  async #load() {
    if (this.#isKnown || this.#isLoading || performance.now() < this.#retry) return;
    this.#isLoading = true;
    this.#isKnown = true;
    try {
      const { maps } = await this.get("/api/1/maps");
      if (maps.length > 0 && !this.leaflet) this.leaflet = await loadLeaflet(this.#attempts++);
      this.#sets = this.leaflet ? maps : [];
      this.retryTiles();
    } catch {
      // Maps stay as they are until then.
      this.#isKnown = false;
      this.#retry = performance.now() + RETRY_MS;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#loadForFollowers(), RETRY_MS);
    }
    this.#isLoading = false;
    // They changed while they were asked for.
    this.#load();
  }

  /** A map that is not moved asks for nothing by itself. */
  #loadForFollowers() {
    if (this.#followers.size === 0) return;
    this.#retry = -Infinity;
    this.#load();
  }

  /** Has maps paint again, and ask for tiles that failed. */
  retryTiles() {
    this.version += 1;
    for (const change of this.#followers) change();
  }

  /** The set that shows a place at a zoom level best, or null. */
  at({ latitude, longitude }, zoom) {
    this.#load();
    const fitting = this.#sets.filter(set => zoom >= set.min_zoom - 1 && covers(set.bounds, latitude, longitude));
    return fitting.reduce((best, set) => (best && best.max_zoom >= set.max_zoom ? best : set), null);
  }
}

/**
 * From release 1.8 on, Leaflet parses this text when it is loaded, to find out what the browser can do.
 * The page's policy refuses everything else that is parsed.
 */
function allowProbe() {
  if (!window.trustedTypes || window.trustedTypes.defaultPolicy) return;
  window.trustedTypes.createPolicy("default", { createHTML: text => (text === "<svg/>" ? text : null) });
}

/**
 * Null where it is not installed. Browsers may remember that a module could not be loaded, so each
 * attempt has another address.
 */
async function loadLeaflet(attempt) {
  allowProbe();
  const sheet = document.createElement("link");
  Object.assign(sheet, { rel: "stylesheet", href: LEAFLET_STYLE });
  const isStyled = new Promise((resolve, reject) => {
    sheet.addEventListener("load", resolve);
    sheet.addEventListener("error", reject);
  });
  // Ours come after it.
  document.head.prepend(sheet);
  try {
    const [leaflet] = await Promise.all([import(attempt === 0 ? LEAFLET : `${LEAFLET}?attempt=${attempt}`), isStyled]);
    return leaflet;
  } catch (error) {
    sheet.remove();
    const { status } = await fetch(LEAFLET);
    if (status !== NOT_FOUND) throw error;
    return null;
  }
}

/** Bounds whose west is east of their east go across the date line. */
function covers(bounds, latitude, longitude) {
  if (!bounds) return true;
  const [west, south, east, north] = bounds;
  const eastOf = degrees => ((degrees - west) % 360 + 360) % 360;
  return latitude >= south && latitude <= north && (east - west >= 360 || eastOf(longitude) <= eastOf(east));
}

// The ground of a map from tiles, where a tile set covers it. Leaflet arranges the tiles, and does
// nothing else: the view, the track and everything on it are ours. Below the tiles is the grid, which
// shows where one is missing.

import { make, makeText } from "../ui/elements.js";
import { openCanvas } from "../ui/plot.js";
import { Painter } from "./painter.js";

const TILE_PX = 256;
/** The size of Leaflet's map changes in steps, so that zooming rarely changes it. */
const SIZE_STEP_PX = 64;
/** Beyond the last zoom level, tiles are enlarged. */
const CLOSEST_ZOOM = 24;
/** Everything that Leaflet would do by itself. */
const QUIET = Object.fromEntries([
  "attributionControl", "boxZoom", "doubleClickZoom", "dragging", "fadeAnimation", "keyboard", "markerZoomAnimation",
  "scrollWheelZoom", "tap", "touchZoom", "trackResize", "zoomAnimation", "zoomControl",
].map(option => [option, false]));

export class TileGround {
  #map = null;
  #layer = null;
  #set = null;
  #size = "";
  #version = 0;
  /** The images of tiles that the server did not send. */
  #failed = new Set();

  /** @param {import("./tile-sets.js").TileSets} [tileSets] omitted: only the grid */
  constructor(tileSets) {
    this.tileSets = tileSets;
    this.grid = make("canvas");
    this.holder = make("div", "map-leaflet");
    this.element = make("div", "map-tiles", this.grid, this.holder);
    this.element.setAttribute("aria-hidden", "true");
    this.element.hidden = true;
    this.attribution = makeText("span", "map-attribution");
    this.attribution.element.hidden = true;
  }

  /**
   * Shows what of a tile set is in the view, with the grid below.
   * @param {Painter} painter of the canvas above
   * @param {import("./plane.js").Plane} [plane]
   * @returns {boolean} false without tiles there
   */
  show(painter, plane) {
    const { view } = painter;
    const set = plane ? this.#find(view, plane) : null;
    if (set !== this.#set) this.#change(set);
    if (!set) return false;
    this.#retryFailed();
    this.#move(view, plane);
    const opened = openCanvas(this.grid);
    if (!opened) return false;
    opened.context.setTransform(opened.scale, 0, 0, opened.scale, 0, 0);
    new Painter(opened.context, view, painter.palette, painter.style).grid();
    opened.context.setTransform(1, 0, 0, 1, 0, 0);
    return true;
  }

  #find(view, plane) {
    return this.tileSets?.at(plane.locate(view.x, view.y), Math.round(zoomOf(view, plane))) ?? null;
  }

  #change(set) {
    this.#set = set;
    this.#layer?.remove();
    this.#layer = null;
    this.#failed.clear();
    this.element.hidden = !set;
    this.attribution.text = set?.attribution ?? set?.title ?? "";
    this.attribution.element.hidden = !(set?.attribution ?? set?.title);
  }

  /** Asks again for what failed, when the server is there again. */
  #retryFailed() {
    if (this.#version === this.tileSets.version) return;
    this.#version = this.tileSets.version;
    for (const image of this.#failed) {
      if (image.isConnected) image.src = image.src;
      else this.#failed.delete(image);
    }
  }

  /** Leaflet's map has whole zoom levels. It is scaled and turned as one picture. */
  #move(view, plane) {
    const { leaflet } = this.tileSets;
    const exact = zoomOf(view, plane);
    const zoom = Math.min(CLOSEST_ZOOM, Math.round(exact));
    const scale = 2 ** (exact - zoom);
    this.#fit(view, scale);
    const { latitude, longitude } = plane.locate(view.x, view.y);
    this.#map ??= leaflet.map(this.holder, { ...QUIET, maxZoom: CLOSEST_ZOOM });
    this.#map.setView([latitude, longitude], zoom, { animate: false });
    this.#layer ??= makeLayer(leaflet, this.#set, this.#failed).addTo(this.#map);
  }

  #fit(view, scale) {
    const { style } = this.holder;
    const diagonal = Math.hypot(view.width, view.height);
    const [width, height] = (view.course === 0 ? [view.width, view.height] : [diagonal, diagonal])
      .map(length => Math.ceil(length / scale / SIZE_STEP_PX) * SIZE_STEP_PX);
    style.left = `${(view.width - width) / 2}px`;
    style.top = `${(view.height - height) / 2}px`;
    style.transform = `rotate(${-view.course}deg) scale(${scale})`;
    const size = `${width} ${height}`;
    if (size === this.#size) return;
    this.#size = size;
    style.width = `${width}px`;
    style.height = `${height}px`;
    this.#map?.invalidateSize({ animate: false, pan: false });
  }

  close() {
    this.#map?.remove();
    this.#map = null;
    this.#layer = null;
  }
}

/** The exact zoom level, at which the world is 256 * 2^zoom pixels wide. */
function zoomOf(view, plane) {
  return Math.log2(plane.worldWidth / view.metresPerPixel / TILE_PX);
}

/** Leaflet's own layer of images empties them with an address that the page's policy forbids. */
function makeLayer(leaflet, set, failed) {
  const Layer = leaflet.GridLayer.extend({
    createTile({ x, y, z }, done) {
      const image = make("img");
      image.alt = "";
      image.addEventListener("load", () => {
        failed.delete(image);
        done(null, image);
      });
      // Leaflet leaves it invisible.
      image.addEventListener("error", event => {
        failed.add(image);
        done(event, image);
      });
      // Tiles may be kept for an hour. Those of another file under the same name have other addresses.
      image.src = `/tiles/${set.name}/${z}/${x}/${y}?revision=${set.revision}`;
      return image;
    },
  });
  const [west, south, east, north] = set.bounds ?? [-180, -90, 180, 90];
  const isWhole = !set.bounds || west > east;
  return new Layer({
    minNativeZoom: set.min_zoom, maxNativeZoom: set.max_zoom, minZoom: set.min_zoom - 1, maxZoom: CLOSEST_ZOOM,
    bounds: isWhole ? undefined : [[south, west], [north, east]],
  });
}

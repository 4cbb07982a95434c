"""Map tiles below the track: of a ride, on the widget and in its drawer; and the grid where there are none."""

import functools
import math
import struct
import unittest
import zlib

from axe_playwright_python.sync_playwright import Axe

from browser import SIZES, BrowserCase
from player import Player
import scenes
from test_colors import tokens
from test_map import ORIGIN, point, track

RED, BLUE = (200, 60, 60), (60, 60, 200)
ALPS = {"name": "alps", "bytes": 4096, "revision": "1f-6a2b-0", "format": "png", "min_zoom": 10, "max_zoom": 16,
        "title": "Alps", "attribution": "© OpenStreetMap contributors", "bounds": [11, 48, 12, 49]}
# 3 km to the east, from a place inside of a tile.
RIDE = track([point(second, 10 * second, 0) for second in range(301)])


def refuse(status, route):
    """Answers a request of the page in place of the server."""
    route.fulfill(status=status)


def image(color):
    """A PNG of one color, as large as a tile."""
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
    rows = (b"\0" + bytes(color) * 256) * 256
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 256, 256, 8, 2, 0, 0, 0)) \
        + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


IMAGES = {color: image(color) for color in (RED, BLUE)}


def checkered(_zoom, column, row):
    """Tiles that differ from their neighbours."""
    return IMAGES[(RED, BLUE)[(column + row) % 2]]


def tile_of(zoom, latitude=ORIGIN[0], longitude=ORIGIN[1]):
    """Column and row of a place, with the part within the tile: the formula of OpenStreetMap."""
    count, angle = 2 ** zoom, math.radians(latitude)
    return (longitude + 180) / 360 * count, (1 - math.log(math.tan(angle) + 1 / math.cos(angle)) / math.pi) / 2 * count


def corner_of(zoom):
    """Column and row of a tile whose north-west corner is to the south-east of the start, beside the track."""
    column, row = map(math.floor, tile_of(zoom))
    return column + 1, row + 3


def place_of(zoom, column, row):
    """Latitude and longitude of the north-west corner of a tile."""
    count = 2 ** zoom
    return math.degrees(math.atan(math.sinh(math.pi * (1 - 2 * row / count)))), column / count * 360 - 180


class TilesCase(BrowserCase):
    """Pages of a server that has the set ALPS."""

    def serve(self, *sets, layout=None, draw=checkered):
        """A player with these tile sets."""
        self.player = Player(layout)
        self.addCleanup(self.player.close)
        self.player.services.maps = list(sets)
        self.player.services.draw_tile = draw
        return self.player

    def change(self, *sets):
        """Adds or removes sets, as the server tells it."""
        self.player.services.maps = list(sets)
        self.player.send([{"class": "document", "document": "maps", "tag": f'"{len(sets)}"'}])

    @staticmethod
    def settle(page):
        """Waits until all tiles are there and painted."""
        page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        page.wait_for_function("() => [...document.querySelectorAll('img.leaflet-tile')].every(({ complete }) => complete)")
        page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    @staticmethod
    def pixels(page, face, places):
        """What is seen at places of a map, as its pixels: tiles, grid and track together."""
        box = page.locator(face).bounding_box()
        found = []
        for x, y in places:
            clip = {"x": round(box["x"] + x), "y": round(box["y"] + y), "width": 1, "height": 1}
            picture = page.screenshot(clip=clip)
            found.append(first_pixel(picture))
        return found


def first_pixel(picture):
    """The color of the first pixel of a PNG."""
    place, data = 8, b""
    while place < len(picture):
        length, kind = struct.unpack(">I4s", picture[place:place + 8])
        if kind == b"IDAT":
            data += picture[place + 8:place + 8 + length]
        place += 12 + length
    return tuple(zlib.decompress(data)[1:4])


class RideTilesTests(TilesCase):
    """The map of a ride."""

    def show(self, *sets, **options):
        """Opens a page with the map of RIDE, on these sets."""
        layout_options = {name: options.pop(name) for name in ("draw",) if name in options}
        page = self.open(query="rides", player=self.serve(*sets, **layout_options), **options)
        page.wait_for_selector("#page h1")
        page.evaluate("""async ride => {
          const { RideMap } = await import("/js/map/ride-map.js");
          const { TileSets } = await import("/js/map/tile-sets.js");
          const { Texts } = await import("/js/i18n/text.js");
          const get = path => fetch(path).then(answer => answer.json());
          window.sets = new TileSets(get);
          window.map = new RideMap({ texts: new Texts("en"), settings: { units: {} }, point: ".", tileSets: sets }, { label: "Map" });
          const title = document.createElement("h1");
          title.textContent = "Ride";
          title.className = "unseen";
          document.getElementById("page").replaceChildren(title, map.element);
          map.show({ track: ride });
        }""", RIDE)
        if sets:
            page.wait_for_selector(".map-tiles:not([hidden])", state="attached")
        self.settle(page)
        return page

    @staticmethod
    def look(page, zoom, aside=(0, 0), corner=None):
        """Shows a corner of tiles, `aside` of the middle."""
        corner = corner or place_of(round(zoom), *corner_of(round(zoom)))
        page.evaluate("""async ([origin, corner, zoom, aside]) => {
          const { Plane } = await import("/js/map/plane.js");
          const plane = new Plane(...origin), { view } = map.surface;
          view.metresPerPixel = plane.worldWidth / 256 / 2 ** zoom;
          view.center(plane.place(...corner));
          view.pan(...aside);
          map.surface.parts.moved();
          map.surface.invalidate();
        }""", [ORIGIN, corner, zoom, aside])
        TilesCase.settle(page)

    def around(self, page, aside=(0, 0), within=2.5):
        """The colors around a point of the map: north-west, north-east, south-west, south-east."""
        box = page.locator(".map-face").bounding_box()
        x, y = box["width"] / 2 + aside[0], box["height"] / 2 + aside[1]
        return self.pixels(page, ".map-face", [(x + right, y + down) for down in (-within, within) for right in (-within, within)])

    @staticmethod
    def colors(zoom):
        """Those of the tiles around the corner of `look`."""
        column, row = corner_of(zoom)
        return [(RED, BLUE)[(column + right + row + down) % 2] for down in (-1, 0) for right in (-1, 0)]

    def test_tiles_lie_exactly_below_the_track(self):
        page = self.show(ALPS)
        asked = self.player.services.tiles
        column, row = map(math.floor, tile_of(asked[0][1]))
        self.assertIn(("alps", asked[0][1], column, row), asked)
        self.assertEqual(len(asked), len(set(asked)))
        for zoom, aside in ((14, (0, 0)), (14.3, (40, -30)), (13.6, (-50, 20))):
            with self.subTest(zoom=zoom):
                self.look(page, zoom, aside)
                self.assertEqual(self.around(page, aside), self.colors(round(zoom)))
                self.assertTrue(any(tile[1] == round(zoom) for tile in asked))
        # Far from the place of the plane too, where the scale of the ground is another one.
        corner = place_of(14, 8720, 5632)
        self.look(page, 14, (30, 30), corner)
        self.assertEqual(self.around(page, (30, 30)), [(RED, BLUE)[each] for each in (0, 1, 1, 0)])
        # The track is painted on the tiles.
        page.evaluate("map.zoomToLap(null, null)")
        self.settle(page)
        middle = page.evaluate("""() => { const { x, y } = map.surface.view.toScreen(1500, 0); return [x, y]; }""")
        self.assertEqual(self.pixels(page, ".map-face", [middle]), [(0, 0, 0)])

    def test_the_first_and_the_last_zoom_level(self):
        page = self.show({**ALPS, "min_zoom": 12, "max_zoom": 14})
        asked = self.player.services.tiles
        corner = place_of(14, *corner_of(14))
        self.look(page, 16, (20, 20), corner)
        self.assertEqual(self.around(page, (20, 20)), self.colors(14))
        self.assertEqual(max(tile[1] for tile in asked), 14)
        asked.clear()
        self.look(page, 11, corner=corner)
        self.assertEqual({tile[1] for tile in asked}, {12})
        asked.clear()
        # Farther away, there would be too many tiles.
        self.look(page, 9, corner=corner)
        self.assertEqual(asked, [])
        self.assertFalse(page.is_visible(".map-attribution"))

    def test_a_tile_that_is_missing_or_refused_is_the_grid(self):
        ground = tuple(bytes.fromhex(tokens("tokens")["bg-primary"][1:]))
        column, row = corner_of(14)
        broken = {(column - 1, row - 1): 404, (column, row - 1): 500, (column - 1, row): b"no image"}
        page = self.show(ALPS, draw=lambda zoom, x, y: broken.get((x, y)) or checkered(zoom, x, y))
        self.look(page, 14)
        self.assertEqual(self.around(page), [ground, ground, ground, self.colors(14)[3]])
        self.assertEqual(page.text_content(".map-attribution"), ALPS["attribution"])

    def test_tiles_that_failed_are_asked_for_again(self):
        page = self.show(ALPS, draw=lambda *tile: 503)
        self.assertEqual(page.locator("img.leaflet-tile-loaded").count(), 0)
        self.assertIn(f"?revision={ALPS['revision']}", page.get_attribute("img.leaflet-tile >> nth=0", "src"))
        self.player.services.draw_tile = checkered
        page.evaluate("sets.retryTiles()")
        page.wait_for_selector("img.leaflet-tile-loaded", state="attached")
        self.settle(page)
        self.assertEqual(page.locator("img.leaflet-tile:not(.leaflet-tile-loaded)").count(), 0)

    def test_leaflet_is_asked_for_again_unless_it_is_not_installed(self):
        for status, is_loaded in ((503, True), (404, False)):
            page = self.open(player=self.serve(ALPS), fake_time=True)
            page.route("**/leaflet/*.js*", functools.partial(refuse, status))
            page.evaluate("""async () => {
              const { TileSets } = await import("/js/map/tile-sets.js");
              window.asked = 0;
              window.sets = new TileSets(path => { asked += 1; return fetch(path).then(answer => answer.json()); });
              sets.follow(() => {});
              sets.at({ latitude: 48, longitude: 11.5 }, 14);
            }""")
            page.wait_for_timeout(500)
            self.assertTrue(page.evaluate("sets.leaflet === null"))
            page.unroute("**/leaflet/*.js*")
            page.clock.run_for(31_000)
            for _ in range(50 if is_loaded else 5):
                if page.evaluate("sets.leaflet !== null"):
                    break
                page.wait_for_timeout(100)
            self.assertEqual(page.evaluate("[sets.leaflet !== null, asked]"), [is_loaded, 2 if is_loaded else 1])

    def test_without_tile_sets_nothing_of_leaflet_is_loaded(self):
        page = self.show()
        self.assertEqual(self.player.services.tiles, [])
        self.assertEqual(page.evaluate("performance.getEntriesByType('resource').filter(({ name }) => name.includes('/leaflet/')).length"), 0)
        self.assertEqual(page.evaluate("document.querySelectorAll('.leaflet-container, .map-tiles:not([hidden])').length"), 0)
        self.assertFalse(page.is_visible(".map-attribution"))

    def test_sets_that_come_and_go_while_a_map_is_shown(self):
        page = self.show()
        self.player.services.maps = [ALPS]
        page.evaluate('sets.refresh(\'"1"\')')
        page.wait_for_selector(".map-tiles:not([hidden])", state="attached")
        self.settle(page)
        self.assertEqual(page.text_content(".map-attribution"), ALPS["attribution"])
        self.look(page, 14)
        self.assertEqual(self.around(page), self.colors(14))
        self.player.services.maps = []
        page.evaluate('sets.refresh(\'"2"\')')
        page.wait_for_selector(".map-tiles", state="hidden")
        self.settle(page)
        self.assertFalse(page.is_visible(".map-attribution"))
        ground = tuple(bytes.fromhex(tokens("tokens")["bg-primary"][1:]))
        self.assertEqual(self.around(page), [ground] * 4)
        # A version that is known is not asked for.
        self.player.services.maps = [ALPS]
        page.evaluate('sets.refresh(\'"2"\')')
        self.settle(page)
        self.assertFalse(page.is_visible(".map-attribution"))

    def test_the_best_set_of_several(self):
        found = self.open().evaluate("""async () => {
          const { TileSets } = await import("/js/map/tile-sets.js");
          const maps = [
            { name: "world", min_zoom: 0, max_zoom: 6 }, { name: "alps", min_zoom: 8, max_zoom: 16, bounds: [11, 47, 12, 49] },
            { name: "fiji", min_zoom: 5, max_zoom: 12, bounds: [177, -20, -178, -15] },
          ];
          const sets = new TileSets(async () => ({ maps }));
          sets.leaflet = {};
          sets.at({ latitude: 0, longitude: 0 }, 0);
          await new Promise(done => sets.follow(done));
          const name = (latitude, longitude, zoom) => sets.at({ latitude, longitude }, zoom)?.name ?? null;
          return [name(48, 11.5, 14), name(48, 11.5, 7), name(48, 11.5, 6), name(48, 13, 14), name(-17, 178, 10), name(-17, 181, 10),
                  name(-17, -179, 10), name(-17, -177, 10), name(-17, 176, 10), name(-21, 178, 10)];
        }""")
        self.assertEqual(found, ["alps", "alps", "world", "world", "fiji", "fiji", "fiji", "world", "world", "world"])

    def test_a_server_that_does_not_answer_is_asked_again(self):
        found = self.open(fake_time=True).evaluate("""async () => {
          const { TileSets } = await import("/js/map/tile-sets.js");
          let count = 0, now = 0;
          performance.now = () => now;
          const sets = new TileSets(async () => { count += 1; throw new Error("no answer"); });
          const counts = [];
          for (now of [0, 1000, 29000, 30001, 31000]) {
            sets.at({ latitude: 0, longitude: 0 }, 0);
            await null; await null; await null;
            counts.push(count);
          }
          return counts;
        }""")
        self.assertEqual(found, [1, 1, 1, 2, 2])

    def test_script_in_texts_is_text(self):
        attribution = "<img src=x onerror=alert(1)> & © OpenStreetMap"
        page = self.show({**ALPS, "attribution": attribution})
        self.assertEqual(page.text_content(".map-attribution"), attribution)
        self.assertEqual(page.locator(".map-attribution *").count(), 0)

    def test_the_page_parses_nothing_but_what_leaflet_tries(self):
        page = self.show(ALPS)
        found = page.evaluate("""() => ["<svg/>", "<svg></svg>", "<b>text</b>"].map(text => {
          const element = document.createElement("div");
          try { element.innerHTML = text; } catch { return "refused"; }
          return element.firstChild.nodeName;
        })""")
        self.assertEqual(found, ["svg", "refused", "refused"])
        # The browser reports both.
        self.assertEqual(len(self.errors), 2)
        self.errors.clear()

    def test_dark_and_forced_colors(self):
        page = self.show(ALPS, scheme="dark")
        self.look(page, 14)
        for color, tile in zip(self.around(page), self.colors(14)):
            # Dark, with the hue as it was.
            self.assertLess(sum(color), 600)
            self.assertEqual(color.index(max(color)), tile.index(max(tile)))
        page = self.show(ALPS, forced_colors="active")
        self.look(page, 14)
        self.assertEqual(len(set(self.around(page))), 1)

    def test_every_size_and_axe(self):
        for size in SIZES:
            with self.subTest(size=size):
                page = self.show(ALPS, size=size)
                if size == SIZES[0]:
                    self.assertEqual([found["id"] for found in Axe().run(page).response["violations"]], [])
                box = page.locator(".map-attribution").bounding_box()
                self.assertLessEqual(box["x"] + box["width"], size[0])
                self.assertGreaterEqual(page.locator(".map-face").bounding_box()["height"], 120)


class LiveTilesTests(TilesCase):
    """The widget and its drawer."""

    def ride(self, *sets, course=90, **options):
        """Opens the dashboard with a map, and plays a position."""
        self.serve(*sets, layout={"version": 1, "widgets": [{"id": "map", "size": "2x1"}]})
        page = self.open(player=self.player, **options)
        page.wait_for_selector('[data-id="map"]')
        self.move(course)
        page.wait_for_selector(".map-figure:not([hidden])")
        return page

    def move(self, course=90):
        """Plays the position ORIGIN."""
        now = self.player.now
        place = {name: value for name, value in point(0, 0, 0).items() if name != "at_s"}
        fix = scenes.sample("position", now, "gps", quality="good", accuracy_m=5, course_deg=course, **place)
        self.player.send([scenes.state("gps"), fix])

    def wait_for_tiles(self, page, among):
        """A widget is drawn once a second."""
        for _ in range(30):
            self.move()
            page.wait_for_timeout(100)
            if page.locator(f"{among} img.leaflet-tile-loaded").count() > 0:
                return

    def test_the_widget_follows_what_the_server_has(self):
        page = self.ride(ALPS)
        self.wait_for_tiles(page, ".map-figure")
        self.assertEqual(page.text_content(".map-figure .map-attribution"), ALPS["attribution"])
        asked = self.player.services.tiles
        self.assertIn(tuple(map(math.floor, tile_of(asked[0][1]))), [tile[2:] for tile in asked])
        count = len(asked)
        self.wait_for_tiles(page, ".map-figure")
        self.assertEqual(len(asked), count, "a tile is asked for once")
        self.change()
        page.wait_for_function("() => document.querySelectorAll('.map-figure img').length === 0", timeout=5000)
        self.assertFalse(page.is_visible(".map-figure .map-attribution"))
        self.change(ALPS)
        self.wait_for_tiles(page, ".map-figure")
        self.assertTrue(page.is_visible(".map-figure .map-attribution"))

    def test_tiles_turn_with_the_drawer(self):
        page = self.ride(ALPS)
        page.click('[data-id="map"] .face')
        page.wait_for_selector("#drawer[open] .map-face")
        self.wait_for_tiles(page, "#drawer")
        page.click("#drawer .map-north")
        self.move()
        self.settle(page)
        self.assertIn("rotate(-90deg)", page.get_attribute("#drawer .map-leaflet", "style"))
        # The whole face has tiles, its corners too.
        box = page.locator("#drawer .map-face").bounding_box()
        seen = self.pixels(page, "#drawer .map-face", [(3, 40), (box["width"] - 3, box["height"] - 200), (3, box["height"] - 40)])
        for color in seen:
            self.assertIn(color, (RED, BLUE))
        self.assertEqual(Axe().run(page).response["violations"], [])

    def test_without_a_server_the_grid_is_shown(self):
        page = self.ride(ALPS, keeps_files=True)
        self.wait_for_tiles(page, ".map-figure")
        page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        page.wait_for_function("() => navigator.serviceWorker.controller !== null")
        kept = page.evaluate("""async () => (await Promise.all((await caches.keys()).map(async name => (await caches.open(name)).keys())))
          .flat().map(({ url }) => new URL(url).pathname).filter(path => path.startsWith("/tiles/") || path.startsWith("/api/"))""")
        self.assertEqual(kept, [])
        self.player.close()
        page.reload()
        page.wait_for_selector("#notice:not([hidden])", timeout=5000)
        self.assertEqual(page.locator("img.leaflet-tile").count(), 0)


class SettingsTests(TilesCase):
    """The list of maps."""

    def test_the_section_lists_maps_and_says_how_to_add_one(self):
        attribution = "<b>bold</b> © OpenStreetMap contributors, with a name that is longer than the screen is wide"
        self.serve(ALPS, {**ALPS, "name": "world", "title": "World", "bytes": 5 << 20, "max_zoom": 10, "attribution": attribution})
        page = self.open(query="settings/maps", player=self.player, language="de", size=(320, 240))
        page.wait_for_selector(".fact")
        self.assertEqual(page.locator("#page h2").all_text_contents(), ["Alps", "World"])
        self.assertEqual(page.locator(".fact .value").all_text_contents(),
                         ["alps", "0,0 MiB", "10–16", ALPS["attribution"], "world", "5,0 MiB", "10", attribution])
        self.assertIn("cyclo map add DATEI", page.text_content("#page"))
        self.assertEqual(Axe().run(page).response["violations"], [])
        self.assertLessEqual(page.evaluate("document.querySelector('#page').scrollWidth"), 320)
        # A map that is removed goes from the page, too.
        self.change()
        page.wait_for_selector(".later .sentence:has-text('Gitter')")


if __name__ == "__main__":
    unittest.main()

"""The map: its modules without DOM, the map of a ride on canvases, the widget and its drawer."""

import math
import unittest

from axe_playwright_python.sync_playwright import Axe

from browser import FULL, BrowserCase
from player import Player
import scenes
from test_colors import tokens

ORIGIN = (48.137, 11.575)
METRE = 1 / (6371008.8 * math.pi / 180)


def point(second, east, north, **more):
    """A point of a track, so many metres from the origin."""
    return {"at_s": second, "latitude_deg": ORIGIN[0] + north * METRE,
            "longitude_deg": ORIGIN[1] + east * METRE / math.cos(math.radians(ORIGIN[0])), **more}


def track(*pieces):
    """What the recorder answers to `track`."""
    return {"id": 1, "pieces": [{"points": list(piece)} for piece in pieces]}


def series(field, values, step=1):
    """What the recorder answers to `series`, in one piece."""
    return {"id": 1, "step_s": step, "pieces": [{"start_s": 0, "fields": [
        {"field": field, "min": values, "mean": values, "max": values}]}]}


# 1000 m to the east in 100 s, with 500 m and 50 s of it missing.
STRAIGHT = track([point(second, 10 * second, 0, distance_m=10 * second, altitude_m=500 + second) for second in range(101)])
BROKEN = track([point(second, 10 * second, 0) for second in range(26)], [point(second, 10 * second, 0) for second in range(75, 101)])
# From the west to the east, then to the north: start and finish are apart.
CORNER = track([point(second, 10 * min(second, 100), 10 * max(0, second - 100)) for second in range(201)])


class ModuleTests(BrowserCase):
    """Each test imports modules in the browser and compares what they return."""

    def run_module(self, body):
        """Runs a function body in which `load(name)` imports a module of the map."""
        return self.open().evaluate("async () => { const load = name => import(`/js/map/${name}.js`);" + body + "}")

    def test_plane_has_metres_east_and_north(self):
        found = self.run_module("""const { Plane } = await load("plane");
          const plane = new Plane(60, 179.999), other = new Plane(-33.5, 18.4);
          return [plane.place(60.001, 179.999), plane.place(60, -179.999), other.place(-33.6, 18.4)];""")
        self.assertEqual([[round(place["x"], 1), round(place["y"], 1)] for place in found],
                         [[0, 111.2], [111.2, 0], [0, -11125.9]])

    def test_plane_is_the_projection_of_web_maps(self):
        latitude, longitude, scale, width, pole = self.run_module("""const { Plane } = await load("plane");
          const plane = new Plane(-33.5, 179.999), there = plane.place(-33.6, -179.9);
          const { latitude, longitude } = plane.locate(there.x, there.y);
          return [latitude, longitude, plane.scaleAt(there.y), plane.worldWidth, new Plane(90, 0).place(90, 0).y];""")
        self.assertAlmostEqual(latitude, -33.6, places=9)
        self.assertAlmostEqual(longitude, 180.1, places=9)
        self.assertAlmostEqual(scale, math.cos(math.radians(33.6)) / math.cos(math.radians(33.5)), places=9)
        self.assertAlmostEqual(width, 2 * math.pi * 6371008.8 * math.cos(math.radians(33.5)), delta=1)
        self.assertEqual(pole, 0)

    def test_points_on_a_line_are_left_out(self):
        found = self.run_module("""const { simplify } = await load("simplify");
          const xs = [0, 1, 2, 3, 4, 4, 4], ys = [0, .4, 0, -.4, 0, 1, 2];
          return [simplify(xs, ys, 0, 6, .5), simplify(xs, ys, 0, 6, .1), simplify(xs, ys, 2, 2, .5), simplify(xs, ys, 0, 3, 9)];""")
        self.assertEqual(found, [[0, 4, 6], [0, 1, 3, 4, 6], [2], [0, 3]])

    def test_the_line_stays_within_half_a_pixel(self):
        found = self.run_module("""const { simplify } = await load("simplify");
          const count = 21600;
          const xs = Array.from({ length: count }, (_, i) => 3000 * Math.sin(i / 700) + 40 * Math.sin(i / 9));
          const ys = Array.from({ length: count }, (_, i) => 2000 * Math.cos(i / 500) + 30 * Math.cos(i / 7));
          const kept = simplify(xs, ys, 0, count - 1, 5);
          let farthest = 0;
          for (let part = 1; part < kept.length; part += 1) {
            const [a, b] = [kept[part - 1], kept[part]];
            const dx = xs[b] - xs[a], dy = ys[b] - ys[a], length = Math.hypot(dx, dy);
            for (let i = a; i <= b; i += 1) {
              const along = Math.max(0, Math.min(length, ((xs[i] - xs[a]) * dx + (ys[i] - ys[a]) * dy) / length));
              farthest = Math.max(farthest, Math.hypot(xs[i] - xs[a] - along * dx / length, ys[i] - ys[a] - along * dy / length));
            }
          }
          return [farthest <= 5, kept.length < count / 2, kept[0], kept[kept.length - 1]];""")
        self.assertEqual(found, [True, True, 0, 21599])

    def test_at_most_4000_points_are_drawn(self):
        found = self.run_module("""const { Track } = await load("track");
          const { MapView } = await load("view");
          const { Coloring } = await load("coloring");
          const { linesOf } = await load("lines");
          const track = new Track();
          let state = 1;
          const random = () => (state = state * 16807 % 2147483647) / 2147483647;
          for (let i = 0; i < 21600; i += 1) {
            track.add({ latitude_deg: 48 + random() / 100, longitude_deg: 11 + random() / 100, at_s: i }, i % 700 === 0);
          }
          const view = new MapView();
          view.width = view.height = 2000;
          view.fit(track.boxOf(track.pieces), { left: 0, right: 0, top: 0, bottom: 0 });
          const coloring = new Coloring(Float64Array.from({ length: 21600 }, random));
          const count = lines => lines.reduce((sum, { places }) => sum + places.length, 0);
          return [count(linesOf(track, view)), count(linesOf(track, view, { coloring }))];""")
        for count in found:
            self.assertLessEqual(count, 4000)
            self.assertGreater(count, 1000)

    def test_more_pieces_than_can_be_drawn(self):
        found = self.run_module("""const { Track } = await load("track");
          const { MapView } = await load("view");
          const { linesOf } = await load("lines");
          const track = new Track();
          for (let i = 0; i < 9000; i += 1) track.add({ latitude_deg: 48 + i / 1e6, longitude_deg: 11, at_s: i }, i % 2 === 0);
          const view = new MapView();
          view.width = view.height = 500;
          view.fit(track.boxOf(track.pieces), { left: 0, right: 0, top: 0, bottom: 0 });
          return linesOf(track, view).reduce((sum, { places }) => sum + places.length, 0);""")
        self.assertLessEqual(found, 4000)

    def test_view_moves_and_turns(self):
        found = self.run_module("""const { MapView } = await load("view");
          const view = new MapView();
          Object.assign(view, { width: 200, height: 100 });
          const round = ({ x, y }) => [Math.round(x * 10) / 10, Math.round(y * 10) / 10];
          view.fit({ left: 0, right: 900, bottom: 0, top: 100 }, { left: 10, right: 10, top: 30, bottom: 10 });
          const found = [view.metresPerPixel, round(view.toScreen(0, 0)), round(view.toScreen(900, 100))];
          view.pan(10, -5);
          found.push(round(view.toScreen(0, 0)));
          const before = view.toPlane(30, 40);
          view.zoom(2, 30, 40);
          found.push(view.metresPerPixel, round(view.toScreen(before.x, before.y)));
          view.center({ x: 0, y: 0 });
          view.course = 90;
          found.push(round(view.toScreen(100, 0)), round(view.toScreen(0, 100)), round(view.toPlane(100, 10)));
          view.zoom(1e9);
          found.push(view.metresPerPixel);
          view.zoom(1e-9);
          found.push(view.metresPerPixel);
          return found;""")
        self.assertEqual(found, [5, [10, 70], [190, 50], [20, 65], 2.5, [30, 40], [100, 10], [60, 50], [100, 0], .1, 20000])

    def test_view_of_a_box_across_the_course(self):
        found = self.run_module("""const { MapView } = await load("view");
          const view = new MapView();
          Object.assign(view, { width: 100, height: 400, course: 90 });
          view.fit({ left: 0, right: 1600, bottom: 0, top: 100 }, { left: 0, right: 0, top: 0, bottom: 0 });
          return view.metresPerPixel;""")
        self.assertEqual(found, 4)

    def test_grid_and_scale_bar_have_round_lengths(self):
        found = self.run_module("""const { gridStep, scaleBar } = await load("scale");
          const imperial = { system: "imperial" };
          return [[.5, 4, 5, 40, 300, 5000].map(gridStep),
            [[.1, {}], [1, {}], [5, {}], [12, {}], [5000, {}], [1, imperial], [30, imperial]]
              .map(([size, units]) => scaleBar(size, 100, units)).map(({ metres, text }) => [Math.round(metres), text])];""")
        self.assertEqual(found[0], [100, 100, 1000, 1000, 10000, 1000000])
        self.assertEqual(found[1], [[10, "10 m"], [100, "100 m"], [500, "500 m"], [1000, "1 km"], [500000, "500 km"],
                                    [61, "200 ft"], [1609, "1 mi"]])

    def test_values_become_steps(self):
        found = self.run_module("""const { Coloring, widthOf } = await load("coloring");
          const equal = new Coloring([100, 149, 150, 200, NaN, 199.9]);
          const zones = new Coloring([50, 150, 190], [100, 120, 140, 160, 180]);
          const same = new Coloring([7, 7]), none = new Coloring([NaN]);
          return [[100, 119, 120, 199, 200, NaN].map(value => equal.stepOf(value)), [equal.low, equal.high],
            [50, 100, 119.9, 120, 150, 179, 250].map(value => zones.stepOf(value)), same.stepOf(7), none.isEmpty,
            [0, 1, 2, 3, 4, 5].map(widthOf)];""")
        self.assertEqual(found, [[1, 1, 2, 5, 5, 0], [100, 200], [1, 1, 1, 2, 3, 4, 5], 1, True, [2, 3, 4, 5, 6, 7]])

    def test_values_are_found_by_the_second(self):
        page = self.open()
        found = page.evaluate("""async track => {
          const { Track } = await import("/js/map/track.js");
          const { valuesAlong } = await import("/js/map/coloring.js");
          const series = { step_s: 10, pieces: [
            { start_s: 0, fields: [{ field: "power_w", mean: [9] }, { field: "bpm", mean: [100, null] }] },
            { start_s: 80, fields: [{ field: "bpm", mean: [150, 160] }] }] };
          const values = valuesAlong(Track.from(track), series, "bpm");
          return [0, 9, 10, 25, 79, 80, 95, 100].map(index => Number.isNaN(values[index]) ? null : values[index]);
        }""", STRAIGHT)
        self.assertEqual(found, [100, 100, None, None, None, 150, 160, None])

    def test_the_track_knows_where_the_rider_was(self):
        found = self.open().evaluate("""async track => {
          const { Track } = await import("/js/map/track.js");
          const known = Track.from(track);
          const x = place => place && Math.round(place.x);
          return [x(known.at(0)), x(known.at(12.5)), x(known.at(50)), x(known.at(100)), x(known.at(101)), x(known.at(-1)),
            Math.round(known.nearest(123, 8, 10) * 10) / 10, known.nearest(123, 12, 10), known.nearest(500, 0, 100),
            known.rangesBetween(10, 80), known.rangesBetween(30, 60), known.rangesBetween(0, 1000),
            known.rangesIn({ left: 95, right: 104, bottom: -1, top: 1 }), Math.round(known.lengthTo(51))];
        }""", BROKEN)
        self.assertEqual(found[:6], [0, 125, None, 1000, None, None])
        self.assertEqual(found[6:9], [12.3, None, None])
        self.assertEqual(found[9:], [[[10, 25], [26, 31]], [], [[0, 25], [26, 51]], [[9, 11]], 500])


class RideMapTests(BrowserCase):
    """The map of a ride."""

    def show(self, track=None, by=None, series=None, floors=None, size=(360, 780), language="en", units=None, **options):
        """Opens a page with a map of this track."""
        page = self.open(size, query="rides", language=language, **options)
        page.wait_for_selector("#page h1")
        page.evaluate("""async ([track, by, series, floors, language, units]) => {
          const { RideMap } = await import("/js/map/ride-map.js");
          const { Texts } = await import("/js/i18n/text.js");
          const app = { texts: new Texts(language), settings: { units: units ?? {} }, point: language === "de" ? "," : "." };
          window.map = new RideMap(app, { label: "Map" });
          document.getElementById("page").replaceChildren(map.element);
          map.show({ track, by, series, floors: floors ?? undefined });
        }""", [track or STRAIGHT, by, series, floors, language, units])
        self.settle(page)
        return page

    @staticmethod
    def settle(page):
        """Waits until everything is painted."""
        page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    @staticmethod
    def pixel(page, east, north, canvas="ground", beside=0):
        """The color at a place in metres from the origin, `beside` pixels below it."""
        red, green, blue, alpha = page.evaluate("""([x, y, canvas, beside]) => {
          const place = map.surface.view.toScreen(x, y), scale = devicePixelRatio;
          const context = map.surface[canvas].getContext("2d");
          return [...context.getImageData(Math.floor(place.x * scale), Math.floor((place.y + beside) * scale), 1, 1).data];
        }""", [east, north, canvas, beside])
        return f"#{red:02x}{green:02x}{blue:02x}" if alpha == 255 else None

    def test_the_track_is_a_line_of_4_px_with_an_edge(self):
        for scheme, sheets in (("light", ["tokens"]), ("dark", ["tokens", "dark"])):
            with self.subTest(scheme):
                page = self.show(scheme=scheme)
                colors = tokens(*sheets)
                for east in (200, 500, 800):
                    self.assertEqual(self.pixel(page, east, 0), colors["text-primary"])
                    self.assertEqual(self.pixel(page, east, 0, beside=3), colors["bg-primary"])
                    self.assertEqual(self.pixel(page, east, 0, beside=-3), colors["bg-primary"])

    def test_colors_and_widths_follow_the_value(self):
        heart = [60 + second for second in range(101)]
        page = self.show(by="heart_rate", series=series("bpm", heart), floors=[60, 80, 100, 120, 140])
        colors = tokens("tokens")
        for zone in range(1, 6):
            with self.subTest(zone=zone):
                middle = 200 * zone - (130 if zone == 1 else 70 if zone == 5 else 100)
                half = (2 + zone) // 2
                self.assertEqual(self.pixel(page, middle, 0), colors[f"hr-zone-{zone}"])
                self.assertEqual(self.pixel(page, middle, 0, beside=half + 1.5), colors["bg-primary"])
        self.assertEqual(page.inner_text(".map-legend .map-steps").split(), list("12345"))
        self.assertEqual(page.get_attribute(".map-scale", "aria-label"), "Heart rate: lowest 60 bpm, highest 160 bpm")
        thicknesses = page.eval_on_selector_all(".map-step i", "all => all.map(each => each.offsetHeight)")
        self.assertEqual(thicknesses, [3, 4, 5, 6, 7])

    def test_continuous_values_have_five_steps(self):
        for by, field, values, legend in (
                ("speed", "speed_mps", [5 + second / 20 for second in range(101)], "Speed: lowest 18.0 km/h, highest 36.0 km/h"),
                ("power", "power_w", [2 * second for second in range(101)], "Power: lowest 0 w, highest 200 w"),
                ("grade", "grade_pct", [second / 10 - 5 for second in range(101)], "Grade: lowest -5.0 %, highest +5.0 %")):
            with self.subTest(by):
                page = self.show(by=by, series=series(field, values))
                self.assertEqual(page.get_attribute(".map-scale", "aria-label"), legend)
                for step, east in enumerate((130, 300, 500, 700, 870), 1):
                    self.assertEqual(self.pixel(page, east, 0), tokens("tokens")[f"hr-zone-{step}"])

    def test_a_part_without_a_value_is_thin_and_gray(self):
        values = [None if 30 <= second < 70 else second for second in range(101)]
        page = self.show(by="power", series=series("power_w", values))
        self.assertEqual(self.pixel(page, 500, 0), tokens("tokens")["text-secondary"])
        self.assertEqual(self.pixel(page, 500, 0, beside=2), tokens("tokens")["bg-primary"])

    def test_without_values_there_is_no_legend(self):
        page = self.show(by="power", series=series("bpm", [1] * 101))
        self.assertFalse(page.is_visible(".map-legend"))
        self.assertEqual(self.pixel(page, 500, 0), tokens("tokens")["text-primary"])

    def test_a_gap_stays_empty(self):
        page = self.show(BROKEN)
        colors = tokens("tokens")
        self.assertEqual(self.pixel(page, 220, 0), colors["text-primary"])
        self.assertEqual(self.pixel(page, 780, 0), colors["text-primary"])
        seen = {self.pixel(page, east, 0) for east in range(275, 730, 5)}
        self.assertLessEqual(seen, {colors["bg-primary"], colors["border-subtle"]})

    def test_start_and_finish(self):
        page = self.show(CORNER)
        colors = tokens("tokens")
        self.assertEqual(self.pixel(page, 0, 0, beside=8), colors["rating-good"])
        at_finish = page.evaluate("""() => {
          const { x, y } = map.surface.view.toScreen(1000, 1000);
          const { data } = map.surface.ground.getContext("2d").getImageData(Math.round(x) - 10, Math.round(y) - 10, 20, 20);
          return [0, 4, 8, 12, 16].map(cell => data[4 * (20 + 2 + cell)]);
        }""")
        self.assertEqual(at_finish, [0, 255, 0, 255, 0])

    def test_the_cursor_moves_without_painting_the_track(self):
        page = self.show()
        page.evaluate("""() => { window.count = 0; const paint = map.surface.parts.paint;
          map.surface.parts.paint = painter => { count += 1; paint(painter); }; }""")
        page.evaluate("map.setCursor(50)")
        self.settle(page)
        self.assertEqual(self.pixel(page, 500, 0, "top"), tokens("tokens")["primary"])
        page.evaluate("map.setCursor(70)")
        self.settle(page)
        self.assertIsNone(self.pixel(page, 500, 0, "top"))
        self.assertEqual(self.pixel(page, 700, 0, "top"), tokens("tokens")["primary"])
        page.evaluate("map.setCursor(null)")
        self.settle(page)
        self.assertIsNone(self.pixel(page, 700, 0, "top"))
        self.assertEqual(page.evaluate("count"), 0)

    def test_in_a_gap_there_is_no_cursor(self):
        page = self.show(BROKEN)
        page.evaluate("map.setCursor(50)")
        self.settle(page)
        self.assertFalse(page.evaluate("""() => { const { width, height } = map.surface.top;
          return map.surface.top.getContext("2d").getImageData(0, 0, width, height).data.some(value => value > 0); }"""))

    def test_the_pointer_tells_the_second(self):
        page = self.show()
        page.evaluate("() => { window.told = []; map.onCursor = second => told.push(second); }")
        box = page.locator(".map-face").bounding_box()
        x, y = page.evaluate("() => Object.values(map.surface.view.toScreen(400, 0))")
        page.mouse.move(box["x"] + x, box["y"] + y + 100)
        self.assertEqual(page.evaluate("told"), [])
        page.mouse.move(box["x"] + x, box["y"] + y + 9)
        told = page.evaluate("told")
        self.assertEqual(len(told), 1)
        self.assertAlmostEqual(told[0], 40, delta=1)
        self.settle(page)
        self.assertEqual(self.pixel(page, 10 * told[0], 0, "top"), tokens("tokens")["primary"])

    def test_drag_wheel_buttons_and_keys_move_the_view(self):
        page = self.show()
        box = page.locator(".map-face").bounding_box()
        read = "() => [map.surface.view.x, map.surface.view.y, map.surface.view.metresPerPixel]"
        x, y, size = page.evaluate(read)
        page.mouse.move(box["x"] + 100, box["y"] + 100)
        page.mouse.down()
        page.mouse.move(box["x"] + 150, box["y"] + 130, steps=5)
        page.mouse.up()
        moved = page.evaluate(read)
        self.assertAlmostEqual(moved[0], x - 50 * size, places=6)
        self.assertAlmostEqual(moved[1], y + 30 * size, places=6)
        page.mouse.wheel(0, -400)
        self.assertAlmostEqual(page.evaluate(read)[2], size / 2)
        page.click(".map-button >> nth=2")
        self.assertEqual(page.evaluate(read), [x, y, size])
        page.click(".map-button >> nth=0")
        self.assertAlmostEqual(page.evaluate(read)[2], size / 1.5)
        page.click(".map-button >> nth=1")
        page.focus(".map-face")
        page.keyboard.press("ArrowRight")
        self.assertAlmostEqual(page.evaluate(read)[0], x + 48 * size, places=6)
        page.keyboard.press("ArrowUp")
        self.assertAlmostEqual(page.evaluate(read)[1], y + 48 * size, places=6)
        page.keyboard.press("+")
        self.assertAlmostEqual(page.evaluate(read)[2], size / 1.5)
        page.keyboard.press("-")
        self.assertAlmostEqual(page.evaluate(read)[2], size)
        page.keyboard.press("Home")
        self.assertEqual(page.evaluate(read), [x, y, size])

    def test_two_fingers_zoom_around_their_middle(self):
        page = self.show(touch=True)
        read = "() => [map.surface.view.metresPerPixel, map.surface.view.toPlane(150, 100)]"
        size, middle = page.evaluate(read)
        box = page.locator(".map-face").bounding_box()
        session = page.context.new_cdp_session(page)

        def touch(kind, *xs):
            session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [
                {"x": box["x"] + x, "y": box["y"] + 100, "id": place} for place, x in enumerate(xs)]})
        touch("touchStart", 120, 180)
        for out in range(5, 35, 5):
            touch("touchMove", 120 - out, 180 + out)
        touch("touchEnd")
        zoomed, after = page.evaluate(read)
        self.assertAlmostEqual(zoomed / size, 60 / 120, delta=.08)
        self.assertAlmostEqual(after["x"], middle["x"], delta=8 * size)
        # The page did not scroll or zoom.
        self.assertEqual(page.evaluate("[visualViewport.scale, document.getElementById('page').scrollTop]"), [1, 0])

    def test_a_part_is_emphasized(self):
        page = self.show()
        page.evaluate("map.zoomToLap(40, 60)")
        self.settle(page)
        colors = tokens("tokens")
        self.assertEqual(self.pixel(page, 500, 0), colors["text-primary"])
        self.assertEqual(self.pixel(page, 395, 0), colors["border-strong"])
        ends = page.evaluate("[400, 600].map(x => map.surface.view.toScreen(x, 0).x)")
        self.assertAlmostEqual(ends[0], 28, delta=1)
        self.assertAlmostEqual(ends[1], page.evaluate("map.surface.view.width") - 28 - 48, delta=1)
        page.evaluate("map.zoomToLap(null, null)")
        self.settle(page)
        self.assertEqual(self.pixel(page, 350, 0), colors["text-primary"])

    def test_another_value_keeps_the_view(self):
        page = self.show()
        found = page.evaluate("""([track, series]) => {
          map.show({ track });
          map.surface.view.zoom(3);
          map.surface.parts.moved();
          const before = map.surface.view.metresPerPixel;
          map.show({ track, series, by: "power" });
          return [before, map.surface.view.metresPerPixel];
        }""", [STRAIGHT, series("power_w", list(range(101)))])
        self.assertEqual(found[0], found[1])

    def test_the_text_alternative(self):
        page = self.show()
        self.assertEqual(page.get_attribute(".map-face", "aria-label"),
                         "Map: 1.0 km, from 48.137 N 11.575 E, highest point 600 m at 1.0 km")
        page = self.show(BROKEN, language="de")
        self.assertEqual(page.get_attribute(".map-face", "aria-label"), "Map: 0,5 km, ab 48,137 N 11,575 O")
        page = self.show(units={"system": "imperial"})
        self.assertEqual(page.get_attribute(".map-face", "aria-label"),
                         "Map: 0.6 mi, from 48.137 N 11.575 E, highest point 1969 ft at 0.6 mi")

    def test_a_ride_without_positions(self):
        page = self.show(track())
        self.assertFalse(page.is_visible(".map"))
        self.assertEqual(page.inner_text(".ride-map"), "No positions were recorded.")

    def test_a_ride_on_one_spot(self):
        page = self.show(track([point(0, 0, 0)]))
        self.assertTrue(page.is_visible(".map"))
        self.assertEqual(page.evaluate("map.surface.view.metresPerPixel"), .5)

    def test_pixels_of_a_fine_screen(self):
        page = self.show(device_scale_factor=2)
        width, css = page.evaluate("[map.surface.ground.width, map.surface.ground.clientWidth]")
        self.assertEqual(width, 2 * css)
        self.assertEqual(self.pixel(page, 500, 0), tokens("tokens")["text-primary"])

    def test_another_scheme_is_painted_at_once(self):
        page = self.show()
        page.emulate_media(color_scheme="dark")
        self.settle(page)
        self.assertEqual(self.pixel(page, 500, 0), tokens("tokens", "dark")["text-primary"])

    def test_forced_colors(self):
        page = self.show(by="power", series=series("power_w", list(range(101))), forced_colors="active")
        ink, ground = self.pixel(page, 870, 0), self.pixel(page, 870, 0, beside=8)
        self.assertNotEqual(ink, ground)
        # Widths tell apart what colors would.
        self.assertEqual(self.pixel(page, 870, 0, beside=2), ink)
        self.assertEqual(self.pixel(page, 130, 0, beside=2), ground)

    def test_every_size_and_axe(self):
        heart = series("bpm", [60 + second for second in range(101)])
        page = self.show(by="heart_rate", series=heart, floors=[60, 80, 100, 120, 140])
        for size, scheme in self.looks(page):
            with self.subTest(size=size, scheme=scheme):
                violations = Axe().run(page, context=".ride-map").response["violations"]
                self.assertEqual([(found["id"], found["nodes"][0]["html"]) for found in violations], [])
                for button in page.locator(".map-button").all():
                    box = button.bounding_box()
                    self.assertGreaterEqual(min(box["width"], box["height"]), 48)
                self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), size[0])

    def test_six_hours_take_no_long_task(self):
        page = self.open(query="rides")
        page.wait_for_selector("#page h1")
        longest = page.evaluate("""async () => {
          const { RideMap } = await import("/js/map/ride-map.js");
          const { Texts } = await import("/js/i18n/text.js");
          const count = 21600, points = [], means = [];
          for (let i = 0; i < count; i += 1) {
            points.push({ at_s: i, latitude_deg: 48 + .2 * Math.sin(i / 3000) + .002 * Math.sin(i / 40),
              longitude_deg: 11 + .3 * Math.cos(i / 2500) + .002 * Math.cos(i / 30), altitude_m: 500 + i % 100 });
            means.push(140 + 30 * Math.sin(i / 100) + 5 * Math.sin(i));
          }
          const track = { pieces: [{ points }] };
          const series = { step_s: 1, pieces: [{ start_s: 0, fields: [{ field: "bpm", mean: means }] }] };
          const map = new RideMap({ texts: new Texts("en"), settings: { units: {} }, point: "." }, { label: "Map" });
          document.getElementById("page").replaceChildren(map.element);
          let longest = 0;
          new PerformanceObserver(list => {
            for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
          }).observe({ type: "longtask" });
          const frame = () => new Promise(done => requestAnimationFrame(() => setTimeout(done)));
          await frame();
          map.show({ track, series, by: "heart_rate" });
          await frame();
          for (let step = 0; step < 60; step += 1) {
            map.setCursor(step * 350);
            if (step % 3 === 0) map.surface.view.zoom(step < 30 ? 1.2 : 1 / 1.2);
            if (step % 3 === 0) map.surface.invalidate();
            await frame();
          }
          await new Promise(done => setTimeout(done, 100));
          return longest;
        }""")
        print(f"figure: longest task of a map of 21,600 points {longest:.0f} ms")
        if FULL:
            self.assertLessEqual(longest, 100)


class LiveMapTests(BrowserCase):
    """The widget and the map in its drawer."""

    def ride(self, sizes=("1x1",), recorded=None, **options):
        """Opens the dashboard with maps of these sizes; `recorded` is the track that the recorder has."""
        self.player = Player({"version": 1, "widgets": [{"id": "map", "size": size} for size in sizes]})
        self.addCleanup(self.player.close)
        if recorded:
            self.player.services.logbook.tracks[7] = recorded
            self.player.snapshot.append({"class": "recorder", "present": True, "recording": 7, "storage": "ok"})
        page = self.open(player=self.player, **options)
        page.wait_for_selector('[data-id="map"]')
        return page

    def move(self, east, north=0, age=0, ride="r1", **more):
        """Plays one position."""
        now = self.player.now
        place = {name: value for name, value in point(0, east, north).items() if name != "at_s"}
        fix = scenes.sample("position", now - age, "gps", quality="good", **{"accuracy_m": 25, "course_deg": 90, **place, **more})
        self.player.send([scenes.state("gps"), scenes.sample("ride", now, ride_id=ride, paused=False, ride_time_s=100,
                                                             distance_m=1000, lap=1), fix])

    def travel(self, page, *places, **more):
        """Plays positions so that each of them is a frame of its own, and waits until the last is painted."""
        for east in places:
            self.move(east, **more)
            page.wait_for_function("""east => {
              const figure = document.querySelector(".map-figure");
              return figure && !figure.hidden && document.querySelector('[data-id="map"]').dataset.state;
            }""", arg=east)
            page.wait_for_timeout(60)
        # It is drawn at most once a second.
        page.wait_for_timeout(1100)
        self.move(places[-1], **more)
        page.wait_for_timeout(300)

    @staticmethod
    def pixel(page, right, down, index=0):
        """The color so many pixels from the middle of a map."""
        red, green, blue, _ = page.evaluate("""([right, down, index]) => {
          const canvas = document.querySelectorAll(".map-figure > .map-picture > canvas")[index];
          const x = Math.floor(canvas.width / 2 + right), y = Math.floor(canvas.height / 2 + down);
          return [...canvas.getContext("2d").getImageData(x, y, 1, 1).data];
        }""", [right, down, index])
        return f"#{red:02x}{green:02x}{blue:02x}"

    def metres_per_pixel(self, page, index=0, around=150):
        """How much a pixel of a widget's map is."""
        return page.evaluate("""([index, around]) => {
          const { clientWidth, clientHeight } = document.querySelectorAll(".map-figure")[index];
          return 2 * around / Math.min(clientWidth, clientHeight);
        }""", [index, around])

    def test_the_widget_shows_rider_track_and_accuracy(self):
        for scheme, sheets in (("light", ["tokens"]), ("dark", ["tokens", "dark"])):
            with self.subTest(scheme):
                page = self.ride(["1x1", "2x1", "3x1"], scheme=scheme)
                self.travel(page, 0, 30, 60, 90, 120)
                colors = tokens(*sheets)
                for index, around in enumerate((150, 500, 500)):
                    size = self.metres_per_pixel(page, index, around)
                    self.assertEqual(self.pixel(page, 4, 0, index), colors["primary"])
                    self.assertEqual(self.pixel(page, -100 / size, 0, index), colors["text-primary"])
                self.assertEqual(self.pixel(page, 0, -25 / self.metres_per_pixel(page)), colors["primary-dark"])
                self.assertEqual(page.get_attribute('[data-id="map"] .face', "aria-label"),
                                 "Map, heading 90 degrees, accurate to 25 metres")

    def test_an_old_position_is_hollow_and_has_its_age(self):
        page = self.ride()
        self.travel(page, 0, age=20)
        self.assertEqual(self.pixel(page, 4, 0), tokens("tokens")["bg-primary"])
        self.assertRegex(page.inner_text('[data-id="map"] .head'), r"^2\d s$")

    def test_without_a_position_the_widget_says_why(self):
        page = self.ride()
        self.player.send([scenes.sensor("gps", "Receiver", ["position"], state="searching"), scenes.state("gps", "searching")])
        page.wait_for_selector('[data-id="map"][data-state="searching"]')
        self.assertFalse(page.is_visible(".map-figure"))
        self.assertEqual(page.inner_text('[data-id="map"] .primary').split(), ["–", "SEARCHING"])

    def test_after_a_reload_the_recorder_has_the_track(self):
        recorded = track([point(second, second - 200, 0) for second in range(0, 80)], [point(second, second - 200, 0) for second in range(120, 198)])
        page = self.ride(recorded=recorded)
        self.travel(page, 0, 10)
        colors = tokens("tokens")
        size = self.metres_per_pixel(page)
        asked = [path for _, path, *_ in self.player.services.logbook.requests]
        self.assertEqual(asked, ["activities/7/track"])
        # The rider is at 10 m. The recorder's track has a gap from 90 m to 130 m before that.
        self.assertEqual(self.pixel(page, -135 / size, 0), colors["text-primary"])
        self.assertIn(self.pixel(page, -110 / size, 0), (colors["bg-primary"], colors["border-subtle"]))
        self.assertEqual(self.pixel(page, -60 / size, 0), colors["text-primary"])

    def test_the_track_of_the_page(self):
        found = self.open().evaluate("""async recorded => {
          const { RideTrack } = await import("/js/map/ride-track.js");
          const answers = [recorded, recorded];
          let refused = 0;
          const known = new RideTrack(async () => { if (!answers.length) { refused += 1; throw new Error(); } return answers.pop(); });
          const store = { recorder: { present: true, recording: 7 }, ride: { ride_id: "a" }, newest: () => store.fix };
          const move = (t, east, ride = {}) => {
            store.ride = { ...store.ride, ...ride };
            store.fix = { t, latitude_deg: 48.137, longitude_deg: 11.575 + east / 74420, course_deg: 10 };
            known.record(store);
          };
          const found = [];
          const tell = () => found.push([known.track.count, known.track.starts.length]);
          move(100, 0); move(101, 1); move(101, 1); move(102, 2);
          tell();
          await known.load(store, 0);
          tell();
          await known.load(store, 1);
          tell();
          move(103, 3, { paused: true, pause: "by_hand" }); move(104, 4, { paused: true, pause: "standing" });
          tell();
          move(130, 500, { paused: false }); move(131, 501);
          tell();
          await known.load(store, 2);
          tell();
          move(200, 0);
          await known.load(store, 3);
          await known.load(store, 4);
          await known.load(store, 40);
          tell();
          move(201, 0, { ride_id: "b" });
          tell();
          return [found, refused, known.course];
        }""", track([point(0, -30, 0), point(10, -20, 0), point(20, -10, 0)]))
        self.assertEqual(found, [[[3, 1], [6, 1], [6, 1], [7, 2], [9, 3], [5, 2], [6, 3], [1, 1]], 2, 10])

    def test_the_widget_is_drawn_once_a_second_and_rarely_when_dimmed(self):
        counts = self.ride().evaluate("""async () => {
          const { MapFigure } = await import("/js/map/live-map.js");
          const { RideTrack } = await import("/js/map/ride-track.js");
          const { Texts } = await import("/js/i18n/text.js");
          const { FollowedRoute } = await import("/js/map/followed-route.js");
          const rideTrack = new RideTrack(), followedRoute = new FollowedRoute();
          const figure = new MapFigure(new Texts("en"), "1x1");
          document.querySelector(".face").append(figure.element);
          let count = 0;
          const { prototype } = CanvasRenderingContext2D;
          const clear = prototype.clearRect;
          prototype.clearRect = function (...box) { if (this.canvas === figure.canvas) count += 1; clear.apply(this, box); };
          await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
          const store = { ride: { ride_id: "a" }, guide: null, newest: () => store.fix };
          const ride = (from, to, watermarkSeconds, moves = true, state = "live") => {
            count = 0;
            for (let seconds = from; seconds < to; seconds += .25) {
              store.fix = { t: moves ? seconds : from, latitude_deg: 48 + seconds / 1e5, longitude_deg: 11 };
              rideTrack.record(store);
              figure.update({ rideTrack, followedRoute, store, seconds, watermarkSeconds, units: {} }, { state });
            }
            return count;
          };
          const counts = [ride(100, 110, 1), ride(110, 140, 10), ride(140, 150, 1, false), ride(151, 155, 10, false, "stale")];
          prototype.clearRect = clear;
          return counts;
        }""")
        self.assertEqual(counts[0], 10)
        self.assertIn(counts[1], (2, 3))
        self.assertLessEqual(counts[2], 2)
        self.assertEqual(counts[3], 1)

    def open_drawer(self, **options):
        """Opens the drawer of the map."""
        page = self.ride(**options)
        self.travel(page, 0, 30, 60)
        page.click('[data-id="map"] .face')
        page.wait_for_selector("#drawer[open] .map-face")
        self.move(60)
        page.wait_for_timeout(200)
        return page

    def read(self, page, right=0, down=0):
        """Colors of the drawer's map, so many pixels from its middle: of what moves, and of the ground."""
        return page.evaluate("""([right, down]) => [...document.querySelectorAll("#drawer .map-face > canvas")].map(canvas => {
          const x = Math.floor(canvas.width / 2 + right), y = Math.floor(canvas.height / 2 + down);
          return [...canvas.getContext("2d").getImageData(x, y, 1, 1).data];
        }).map(([red, green, blue, alpha]) => alpha < 255 ? null : "#" + [red, green, blue].map(part => part.toString(16).padStart(2, "0")).join(""))
          .reverse()""", [right, down])

    def test_the_drawer_follows_until_it_is_moved(self):
        page = self.open_drawer()
        colors = tokens("tokens")
        self.assertEqual(self.read(page, 4, 0)[0], colors["primary"])
        self.assertIn("ACCURACY", page.inner_text("#drawer"))
        self.assertEqual(page.get_attribute("#drawer .map-face", "aria-label"), "Map, heading 90 degrees, accurate to 25 metres")
        box = page.locator("#drawer .map-face").bounding_box()
        middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.mouse.move(*middle)
        page.mouse.down()
        page.mouse.move(middle[0] - 60, middle[1] + 20, steps=4)
        page.mouse.up()
        page.wait_for_timeout(100)
        self.assertEqual(self.read(page, -56, 20)[0], colors["primary"])
        self.travel(page, 62)
        self.assertNotEqual(self.read(page, 4, 0)[0], colors["primary"])
        page.click("#drawer .map-button >> nth=2")
        page.wait_for_timeout(100)
        self.assertEqual(self.read(page, 4, 0)[0], colors["primary"])

    def draw_line(self, page, right=80):
        """Draws a line to the right of the middle after a hold."""
        box = page.locator("#drawer .map-face").bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        page.wait_for_timeout(650)
        page.mouse.move(x + right, y, steps=8)
        page.mouse.up()

    def stand(self, page):
        """The bike stands, and the page knows it."""
        self.player.send([scenes.sample("speed", self.player.now, speed_mps=0, source="wheel")])
        page.wait_for_timeout(300)

    def test_a_line_drawn_on_the_drawer_becomes_the_route(self):
        page = self.open_drawer()
        self.player.send([scenes.sample("speed", self.player.now, speed_mps=8, source="wheel")])
        page.wait_for_timeout(300)
        # Not while riding.
        self.draw_line(page)
        self.assertTrue(page.is_hidden(".drawn-route"))
        self.stand(page)
        self.draw_line(page)
        self.assertRegex(page.text_content(".drawn-length"), r"^Length \d+0 m$")
        page.click("text=Forget the line")
        self.assertTrue(page.is_hidden(".drawn-route"))
        self.stand(page)
        self.draw_line(page)
        logbook = self.player.services.logbook
        logbook.refusals["routes"] = "the storage is full"
        page.click("text=Make it the route")
        page.wait_for_selector("#event-band:has-text('the storage is full')")
        self.assertTrue(page.is_visible(".drawn-route"))
        logbook.refusals.clear()
        page.click("text=Make it the route")
        page.wait_for_selector(".drawn-route", state="hidden")
        route = logbook.routes[0]["route"]
        self.assertEqual(page.evaluate("document.activeElement.className"), "map-face")
        self.assertTrue(route["name"].startswith("Drawn on "))
        self.assertEqual([params for method, params, _ in self.player.services.requests if method == "follow"], [{"route": route["id"]}])

    def test_the_arrow_turns_the_map_into_the_direction_of_travel(self):
        page = self.open_drawer()
        ink = tokens("tokens")["text-primary"]
        self.assertEqual(self.read(page, -14, 0)[1], ink)
        self.assertNotEqual(self.read(page, 0, 14)[1], ink)
        self.assertEqual(page.get_attribute("#drawer .map-north", "aria-label"), "North is up")
        page.click("#drawer .map-north")
        page.wait_for_timeout(100)
        # Heading east, the track came from the west, which is down now.
        self.assertEqual(self.read(page, 0, 14)[1], ink)
        self.assertNotEqual(self.read(page, -14, 0)[1], ink)
        self.assertEqual(page.get_attribute("#drawer .map-north", "aria-label"), "The direction of travel is up")
        page.reload()
        page.wait_for_selector('[data-id="map"][data-state="live"]')
        self.travel(page, 60, 150)
        self.assertEqual(self.pixel(page, 0, 22), ink)

    def test_the_widget_does_not_take_gestures(self):
        page = self.ride(["3x1"] * 8)
        self.travel(page, 0)
        box = page.locator('[data-id="map"]').first.bounding_box()
        page.mouse.move(box["x"] + 100, box["y"] + 50)
        page.mouse.wheel(0, 200)
        page.wait_for_function("() => document.querySelector('#dashboard').scrollTop > 100")

    def test_every_size_and_axe(self):
        page = self.open_drawer(sizes=["1x1", "2x1"])
        for size, scheme in self.looks(page):
            with self.subTest(size=size, scheme=scheme):
                self.move(60)
                violations = Axe().run(page).response["violations"]
                self.assertEqual([(found["id"], found["nodes"][0]["html"]) for found in violations], [])
                for button in page.locator("#drawer :is(.map-button, .map-north)").all():
                    box = button.bounding_box()
                    self.assertGreaterEqual(min(box["width"], box["height"]), 48)


if __name__ == "__main__":
    unittest.main()

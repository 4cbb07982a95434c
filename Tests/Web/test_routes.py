"""Routes: their list, the page of one with profile, climbs and acts, and drawing one by hand."""

import copy
import math
import unittest

from axe_playwright_python.sync_playwright import Axe

from browser import SIZES, BrowserCase
from logbook import Answer
from player import Player
import scenes
from test_access import SIDEWAYS, TARGETS
from test_rides import RIDES, TRACK

METRE = 1 / (6371008.8 * math.pi / 180)


def make_route(number, name, heights, step=100):
    """A route to the north with a height each so many metres."""
    points = [{"distance_m": float(step * index), "latitude_deg": 47 + step * index * METRE, "longitude_deg": 7.5,
               **({} if height is None else {"altitude_m": float(height)})} for index, height in enumerate(heights)]
    route = {"id": number, "name": name, "distance_m": points[-1]["distance_m"], "points": len(points), "cues": 0}
    if heights[0] is not None:
        route["ascent_m"] = float(sum(max(0, high - low) for low, high in zip(heights, heights[1:])))
    return {"route": route, "points": points}


# 2 km level, 3 km that rise by 60 m each, 2 km down.
HILL = make_route(3, "Over the hill", [400] * 20 + [400 + 6 * index for index in range(31)] + [580 - 9 * index for index in range(1, 21)])
FLAT = make_route(2, "Along the river", [300] * 41)
BARE = make_route(1, "Without heights", [None] * 11)
CUES = [{"distance_m": 500, "kind": "left", "text": "Mill Lane"}, {"distance_m": 4900, "kind": "summit"}, {"distance_m": 5000, "kind": "boat_ramp"}]


class RoutesCase(BrowserCase):
    """Each test has a player, its routes and a page."""

    def visit(self, path="routes", routes=(HILL, FLAT, BARE), rides=RIDES, rights=("view", "ride", "manage"), guide=True, **options):
        """Opens a page of the routes."""
        self.player = Player()
        self.addCleanup(self.player.close)
        self.player.rights = list(rights)
        self.services = self.player.services
        self.logbook = self.services.logbook
        self.logbook.routes = copy.deepcopy(list(routes))
        self.logbook.activities = copy.deepcopy(list(rides))
        self.logbook.tracks = {12: TRACK}
        if not guide:
            self.services.guide = None
        return self.open(query=path, player=self.player, **options)

    def asked(self, method, path):
        """The bodies of the requests of this method and path."""
        return [body for each, where, _, body in self.logbook.requests if (each, where) == (method, path)]

    def wait_until(self, page, holds):
        """Waits until something has happened on the side of the server."""
        for _ in range(100):
            if holds():
                return
            page.wait_for_timeout(50)
        self.fail("it did not happen within 5 s")


class ListTests(RoutesCase):
    """The list."""

    def test_routes_with_numbers_and_pictures(self):
        page = self.visit()
        page.wait_for_selector(".thumbnail path >> nth=2", state="attached")
        self.assertEqual(page.locator(".ride-name").all_text_contents(), ["Over the hill", "Along the river", "Without heights"])
        self.assertEqual(page.locator(".ride-numbers").all_text_contents(), ["7.00 km↑ 180 m", "4.00 km↑ 0 m", "1.00 km"])
        # A picture is loaded with few points.
        points = [query.get("points") for method, path, query, _ in self.logbook.requests if method == "GET" and path == "routes/3"]
        self.assertEqual(points, ["64"])
        page.click("text=Along the river")
        page.wait_for_url("**/routes/2")
        page.wait_for_selector("h1:text-is('Along the river')")

    def test_rides_lead_here_and_back(self):
        page = self.visit("rides")
        page.click("nav.ride-links >> text=Routes")
        page.wait_for_selector("h1:text-is('Routes')")
        page.click(".back")
        page.wait_for_selector("h1:text-is('Rides')")

    def test_search_more_and_rights(self):
        routes = [make_route(number, f"Way {number}", [None, None]) for number in range(60, 0, -1)]
        page = self.visit(routes=routes, rights=("view",))
        page.wait_for_selector("text='Way 11'")
        self.assertTrue(page.is_hidden("text=Draw a route"))
        self.assertTrue(page.is_hidden("text=Import"))
        page.click(".page-body > .line-button")
        page.wait_for_selector("text='Way 1'")
        page.fill("input[type=search]", "way 33")
        page.wait_for_function("() => document.querySelectorAll('.ride').length === 1")
        page.click("text='Way 33'")
        page.wait_for_url("**/routes/33")
        page.go_back()
        page.wait_for_function("() => document.querySelectorAll('.ride').length === 1")
        self.assertEqual(page.input_value("input[type=search]"), "way 33")
        page.fill("input[type=search]", "nothing")
        page.wait_for_selector("text=Nothing was found.")

    def test_empty_broken_and_without_a_recorder(self):
        page = self.visit(routes=())
        page.wait_for_selector("text=No routes yet. Import a file, or draw one.")
        self.logbook.refusals["routes"] = "the storage failed"
        page.reload()
        page.wait_for_selector("text=the storage failed")
        self.logbook.refusals.clear()
        self.logbook.is_present = False
        page.click("text=Try again")
        page.wait_for_selector("text=Install or start cyclometer-recorder.")

    def test_import_is_of_routes(self):
        page = self.visit("routes/import")
        self.logbook.imports = {"a.gpx": {"routes": [3]}}
        with page.expect_file_chooser() as chooser:
            page.click("text=Choose files")
        chooser.value.set_files([{"name": "a.gpx", "mimeType": "application/gpx+xml", "buffer": b"<gpx/>"}])
        page.click("text=Open the route")
        page.wait_for_url("**/routes/3")
        self.assertEqual([query["as"] for _, path, query, _ in self.logbook.requests if path == "import"], ["route"])


class RouteTests(RoutesCase):
    """The page of one route."""

    def test_map_profile_and_climbs(self):
        page = self.visit("routes/3", routes=[{**HILL, "cues": CUES}])
        page.wait_for_selector(".climbs-table")
        self.assertEqual(page.text_content(".report-facts"), "7.00 km, ↑ 180 m")
        self.assertIn("Map of the route: 7.0 km", page.get_attribute(".map-face", "aria-label"))
        # Its ends are rounded where altitudes are smoothed.
        begin, length, ascent, grade = [float(text.split()[0]) for text in page.locator(".climbs-table td .number-text").all_text_contents()]
        self.assertAlmostEqual(begin, 2, delta=.05)
        self.assertAlmostEqual(length, 3, delta=.1)
        self.assertAlmostEqual(ascent, 180, delta=6)
        self.assertAlmostEqual(grade, 6, delta=.2)
        self.assertEqual(page.locator(".report-cues li").all_text_contents(),
                         ["0.50 kmLeft: Mill Lane", "4.90 kmSummit", "5.00 kmboat ramp"])
        self.assertEqual(page.text_content(".report-profile .graph-stats"), "Lowest 400 m, highest 580 m")
        # The slider moves the cursor of the profile and of the map.
        page.locator(".report-profile .slider").fill("250")
        page.wait_for_function("() => document.querySelector('.cursor-place').textContent === '3.50 km'")
        self.assertEqual(page.get_attribute(".report-profile .slider", "aria-valuetext"), "3.50 km, 490 m")
        before = page.evaluate("document.querySelector('.map-face > canvas').toDataURL()")
        page.click("text=Climb 1")
        self.assertEqual(page.get_attribute(".climbs-table button", "aria-pressed"), "true")
        self.assertTrue(page.is_visible(".report-profile .graph-lap"))
        page.wait_for_function("before => document.querySelector('.map-face > canvas').toDataURL() !== before", arg=before)

    def test_the_route_is_dashed_in_its_color(self):
        page = self.visit("routes/3")
        page.wait_for_selector(".map-face")
        page.wait_for_timeout(300)
        found = page.evaluate("""() => {
          const canvas = document.querySelector(".map-face > canvas"), context = canvas.getContext("2d");
          const x = canvas.width / 2 - (document.querySelector(".map-buttons").offsetWidth > 60 ? 0 : 24);
          const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
          const rows = [];
          for (let y = 0; y < canvas.height; y += 1) {
            let isRoute = false;
            for (let column = 0; column < canvas.width; column += 1) {
              const at = 4 * (y * canvas.width + column);
              if (data[at] === 0x15 && data[at + 1] === 0x65 && data[at + 2] === 0xc0) isRoute = true;
            }
            rows.push(isRoute);
          }
          return rows.filter((each, index) => each !== rows[index - 1]).length;
        }""")
        self.assertGreater(found, 20, "runs of rows with and without the color of the route")

    def test_without_altitudes(self):
        page = self.visit("routes/1")
        page.wait_for_selector("text=This route has no altitudes.")
        self.assertTrue(page.is_hidden(".report-climbs"))
        self.assertEqual(page.locator(".report-profile canvas").count(), 0)

    def test_follow_and_leave(self):
        page = self.visit("routes/3")
        page.click("button:text-is('Follow')")
        page.wait_for_selector("text=You follow this route.")
        self.assertEqual(self.services.guide["following"]["route"], 3)
        # The button that takes its place has the focus.
        self.assertEqual(page.evaluate("document.activeElement.textContent"), "Leave")
        page.keyboard.press("Enter")
        page.wait_for_selector("button:text-is('Follow')")
        self.assertEqual(page.evaluate("document.activeElement.textContent"), "Follow")
        self.assertNotIn("following", self.services.guide)
        self.services.guide["following"] = {"route": 2, "name": "Along the river"}
        page.reload()
        page.wait_for_selector("text=You follow another route: Along the river")

    def test_what_others_follow_is_shown(self):
        page = self.visit("routes/3")
        page.wait_for_selector("button:text-is('Follow')")
        self.player.send([{"class": "guide", "present": True, "status": {"connected": True, "following": {"route": 3}}}])
        page.wait_for_selector("button:text-is('Leave')")
        self.player.send([{"class": "guide", "present": False, "message": "the guide closed the connection"}])
        page.wait_for_selector("text=Routes can be followed when cyclometer-guide runs.")
        self.assertEqual(page.locator(".follow-buttons button").count(), 0)

    def test_without_a_guide_or_the_right(self):
        page = self.visit("routes/3", guide=False)
        page.wait_for_selector("text=Routes can be followed when cyclometer-guide runs.")
        self.assertEqual(page.locator(".follow-buttons button").count(), 0)
        page = self.visit("routes/3", rights=("view",))
        page.wait_for_selector(".climbs-table")
        self.assertEqual(page.locator(".follow-buttons button, .danger, .acts input").count(), 0)
        self.assertEqual(page.locator(".act-buttons a").count(), 3)

    def test_another_name(self):
        page = self.visit("routes/3")
        name = page.get_by_label("Name", exact=True)
        name.fill("")
        name.blur()
        page.wait_for_selector("text=A route needs a name.")
        name.fill("Home")
        name.blur()
        page.wait_for_selector("h1:text-is('Home')")
        self.assertEqual(self.asked("PATCH", "routes/3"), [{"name": "Home"}])

    def test_delete_and_undo(self):
        page = self.visit("routes/3", fake_time=True)
        self._delete(page)
        page.click("#message button")
        page.wait_for_url("**/routes/3")
        page.clock.run_for(11_000)
        self.assertEqual(len(self.logbook.routes), 3)
        self._delete(page)
        page.clock.run_for(11_000)
        self.wait_until(page, lambda: len(self.logbook.routes) == 2)
        # A page that is closed does not wait.
        page.click("text=Along the river")
        self._delete(page)
        page.goto("about:blank")
        self.wait_until(page, lambda: len(self.logbook.routes) == 1)

    def test_what_waits_to_be_deleted_is_not_listed_and_a_failure_moves_nobody(self):
        page = self.visit("routes/3", fake_time=True)
        self._delete(page)
        page.wait_for_selector("text=Along the river")
        self.assertEqual(page.locator(".ride-name").all_text_contents(), ["Along the river", "Without heights"])
        page.click("text=Along the river")
        page.wait_for_selector("h1:text-is('Along the river')")
        self.logbook.refusals["routes"] = "the storage is full"
        page.clock.run_for(11_000)
        page.wait_for_selector("#message:has-text('the storage is full')")
        self.assertTrue(page.url.endswith("/routes/2"))
        self.logbook.refusals.clear()
        page.click(".back")
        page.wait_for_selector("text=Over the hill")

    def _delete(self, page):
        page.wait_for_selector(".danger")
        page.locator(".danger").focus()
        page.keyboard.down(" ")
        page.clock.run_for(1100)
        page.keyboard.up(" ")
        page.wait_for_url("**/routes")

    def test_no_such_route(self):
        page = self.visit("routes/99")
        page.wait_for_selector("text=No route has this number.")


class DrawingTests(RoutesCase):
    """Drawing by hand."""

    def open_map(self, **options):
        """The page with the newest ride on its map, and the middle of the map on the screen."""
        page = self.visit("routes/draw", **options)
        page.wait_for_selector("text=Gray lines are past rides.")
        page.wait_for_timeout(200)
        box = page.locator(".map-face").bounding_box()
        return page, box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def length(self, page):
        """The length that is shown, in km; None if nothing is drawn."""
        text = page.text_content(".draw-length")
        return float(text.split()[1]) if text.startswith("Length") else None

    def draw(self, page, x, y, width):
        """A line to the right with the mouse, after a hold."""
        page.mouse.move(x, y)
        page.mouse.down()
        page.wait_for_timeout(650)
        page.mouse.move(x + width, y, steps=10)
        during = self.length(page)
        page.mouse.up()
        return during

    def test_the_mouse_draws_after_a_hold(self):
        page, x, y = self.open_map()
        self.assertIsNone(self.length(page))
        # Without a hold the map moves.
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 30, y, steps=5)
        page.wait_for_timeout(600)
        page.mouse.up()
        self.assertIsNone(self.length(page))
        during = self.draw(page, x - 60, y, 100)
        first = self.length(page)
        self.assertAlmostEqual(during, first, places=1)
        self.assertGreater(first, .1)
        # The next piece begins elsewhere: the way between counts.
        self.draw(page, x + 40, y + 50, -100)
        self.assertGreater(self.length(page), 2.2 * first)
        page.click("button:text-is('Undo')")
        self.assertEqual(self.length(page), first)
        self.save(page, first)

    def save(self, page, length):
        """Saves without a name, then with one, and compares what the server got."""
        page.click("text=Save the route")
        page.wait_for_selector(".error:text-is('A route needs a name.')")
        page.get_by_label("Name", exact=True).fill("To the lake")
        page.click("text=Save the route")
        page.wait_for_selector("h1:text-is('To the lake')")
        body, = self.asked("POST", "routes")
        self.assertEqual(len(body["latitude_deg"]), len(body["longitude_deg"]))
        self.assertLess(max(body["latitude_deg"]) - min(body["latitude_deg"]), .0005)
        east = (body["longitude_deg"][-1] - body["longitude_deg"][0]) / METRE * math.cos(math.radians(body["latitude_deg"][0]))
        self.assertAlmostEqual(east / 1000, length, delta=.02)
        # The next route begins with nothing.
        page.click(".back")
        page.click("text=Draw a route")
        page.wait_for_selector("text=Nothing is drawn yet.")

    def test_a_hand_that_trembles_draws_and_opens_no_menu(self):
        page, x, y = self.open_map()
        page.mouse.move(x - 40, y)
        page.mouse.down()
        for step in range(12):
            page.mouse.move(x - 40 + step % 2 * 4, y + step % 3 * 2)
            page.wait_for_timeout(10)
        page.wait_for_timeout(650)
        page.mouse.move(x + 60, y, steps=5)
        page.mouse.up()
        self.assertGreater(self.length(page), .1)
        self.assertFalse(page.evaluate("""document.querySelector(".map-face")
          .dispatchEvent(new MouseEvent("contextmenu", { bubbles: true, cancelable: true }))"""))

    def test_a_ride_that_cannot_be_read_keeps_no_other_away(self):
        rides = [{**RIDES[0], "id": number, "track": True} for number in (14, 13, 12)]
        page = self.visit()
        self.logbook.activities = rides
        self.logbook.tracks = {14: Answer(404, "there is no such activity"), 13: Answer(500, "the file is damaged"), 12: TRACK}
        page.goto(self.player.url + "routes/draw")
        page.wait_for_selector("text=Gray lines are past rides.")
        # Without any, the reason stays.
        self.logbook.tracks[14] = Answer(503, "the recorder did not answer")
        page.reload()
        page.wait_for_selector("text=the recorder did not answer")
        self.player.send([scenes.sample("position", self.player.now, "gps", latitude_deg=47.0, longitude_deg=7.5, fix="3d")])
        page.wait_for_timeout(400)
        self.assertTrue(page.is_visible("text=the recorder did not answer"))

    def test_a_finger_draws_after_half_a_second(self):
        page, x, y = self.open_map(touch=True)
        session = page.context.new_cdp_session(page)

        def touch(kind, *places):
            session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [
                {"x": left, "y": top, "id": number} for number, (left, top) in enumerate(places)]})

        touch("touchStart", (x, y))
        # Far less than half a second, for the next touch may come late on a machine that is busy.
        page.wait_for_timeout(150)
        touch("touchMove", (x + 4, y))
        touch("touchEnd")
        self.assertIsNone(self.length(page))
        touch("touchStart", (x - 50, y))
        page.wait_for_timeout(650)
        for step in range(1, 11):
            touch("touchMove", (x - 50 + 10 * step, y))
        page.wait_for_function("() => document.querySelector('.draw-length').textContent.startsWith('Length')")
        # Touches come with the frames of the page.
        page.wait_for_timeout(150)
        one = self.length(page)
        # A second finger ends the line: both move the map.
        touch("touchMove", (x + 50, y))
        touch("touchStart", (x + 50, y), (x, y + 50))
        touch("touchMove", (x + 100, y), (x, y + 100))
        touch("touchEnd")
        page.wait_for_timeout(100)
        self.assertEqual(self.length(page), one)
        self.assertGreater(one, .1)

    def test_the_keyboard_draws(self):
        page, _, _ = self.open_map()
        page.focus(".map-face")
        self.assertIn("With the keyboard", page.evaluate("document.getElementById(document.activeElement.getAttribute('aria-describedby')).textContent"))
        # A key that stays down sets one point.
        for _ in range(3):
            page.keyboard.down("Enter")
        page.keyboard.up("Enter")
        page.keyboard.press("Backspace")
        self.assertIsNone(self.length(page))
        page.keyboard.press("Enter")
        self.assertEqual(self.length(page), 0)
        for _ in range(3):
            page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        length = self.length(page)
        self.assertGreater(length, .1)
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        self.assertGreater(self.length(page), length)
        page.keyboard.press("Backspace")
        self.assertEqual(self.length(page), length)
        # The line is still there after a look at another page.
        page.click(".back")
        page.wait_for_selector(".draw-length", state="detached")
        page.click("text=Draw a route")
        page.wait_for_selector(".draw-length")
        self.assertEqual(self.length(page), length)

    def test_the_position_is_a_place_to_draw(self):
        page = self.visit("routes/draw", rides=())
        page.wait_for_selector("text=Wait for a position")
        page.focus(".map-face")
        page.keyboard.press("Enter")
        self.assertIsNone(self.length(page))
        self.player.send([scenes.sample("position", self.player.now, "gps", latitude_deg=47.0, longitude_deg=7.5, fix="3d")])
        page.wait_for_function("() => !document.body.textContent.includes('Wait for a position')")
        page.keyboard.press("Enter")
        page.keyboard.press("ArrowUp")
        page.keyboard.press("Enter")
        self.assertGreater(self.length(page), 0)

    def test_a_refusal_keeps_the_line(self):
        page, x, y = self.open_map()
        self.draw(page, x - 60, y, 100)
        length = self.length(page)
        self.logbook.refusals["routes"] = "the storage is full"
        page.get_by_label("Name", exact=True).fill("x")
        page.click("text=Save the route")
        page.wait_for_selector(".error:has-text('the storage is full')")
        self.assertEqual(self.length(page), length)
        self.assertEqual(page.evaluate("document.activeElement.textContent"), "Save the route")

    def test_a_long_line_is_simplified(self):
        found = self.open().evaluate("""async () => {
          const { Plane } = await import("/js/map/plane.js"), { Sketch } = await import("/js/map/sketch.js");
          const sketch = new Sketch(new Plane(47, 7.5));
          sketch.begin({ x: 0, y: 0 });
          for (let i = 1; i < 20000; i += 1) sketch.add({ x: 5 * i, y: 300 * Math.sin(i / 40) });
          sketch.end(.1);
          const jagged = new Sketch(new Plane(47, 7.5));
          jagged.begin({ x: 0, y: 0 });
          for (let i = 1; i < 3000; i += 1) jagged.add({ x: 100 * i, y: i % 2 * 1000 });
          jagged.end(.1);
          return [sketch.places.length, sketch.degrees.latitude_deg.length, sketch.degrees.longitude_deg.length, jagged.degrees];
        }""")
        self.assertGreater(found[0], 1000)
        self.assertLessEqual(found[1], 1000)
        self.assertGreater(found[1], 100)
        self.assertEqual(found[2:], [found[1], None])


class EverybodyTests(RoutesCase):
    """Each page at every size, in both schemes and languages, and with text of twice the size."""

    PAGES = {"routes": ".ride", "routes/3": ".climbs-table", "routes/draw": ".map-face"}

    def check(self, page, path):
        """Axe, targets, and nothing wider than its place."""
        found = Axe().run(page).response["violations"]
        self.assertEqual([f'{each["id"]}: {each["nodes"][0]["html"]}' for each in found], [], path)
        self.assertEqual(page.evaluate(TARGETS), [], path)
        self.assertEqual(page.evaluate(SIDEWAYS), [], path)

    def test_every_page(self):
        for size, scheme, language in zip(SIZES, ("light", "dark", "light", "dark"), ("en", "de", "de", "en")):
            page = self.visit(routes=[{**HILL, "cues": CUES}, FLAT], size=size, scheme=scheme, language=language)
            for path, selector in self.PAGES.items():
                page.goto(self.player.url + path)
                page.wait_for_selector(selector)
                page.wait_for_timeout(150)
                with self.subTest(path=path, size=size):
                    self.check(page, path)
            self.leave(page)

    def test_twice_the_size_and_forced_colors(self):
        page = self.visit(routes=[{**HILL, "cues": CUES}, FLAT], size=(180, 390), forced_colors="active")
        for path, selector in self.PAGES.items():
            page.goto(self.player.url + path)
            page.wait_for_selector(selector)
            page.wait_for_timeout(150)
            self.assertEqual(page.evaluate(SIDEWAYS), [], path)


if __name__ == "__main__":
    unittest.main()

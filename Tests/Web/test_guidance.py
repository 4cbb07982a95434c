"""What the guide says on the dashboard: the widgets of the route and the coach, and the band of cues."""

from axe_playwright_python.sync_playwright import Axe

from browser import SIZES, BrowserCase
from player import Player
import scenes
from test_map import ORIGIN, point, tokens

LAYOUT = {"version": 1, "widgets": [
    {"id": "route", "size": "3x1"}, {"id": "route", "size": "2x1"}, {"id": "route", "size": "1x1"}, {"id": "coach", "size": "2x1"},
    {"id": "coach", "size": "1x1"}, {"id": "segment", "size": "3x1"}, {"id": "segment", "size": "1x1"}, {"id": "map", "size": "3x1"}, {"id": "speed", "size": "1x1"}]}
NEAR = {"cue": "sharp_right", "cue_text": "Mill Street", "cue_distance_m": 118}


class GuidanceCase(BrowserCase):
    """A page with widgets of the guide in the middle of a ride."""

    def start(self, *records, size=(360, 780), layout=LAYOUT, **options):
        """Opens the page. Each of the records is made with the time of the player."""
        self.player = Player(layout)
        self.addCleanup(self.player.close)
        self.player.snapshot += scenes.riding(self.player.now, ride_id="r1") + [self.position()]
        self.page = self.open(size, player=self.player, **options)
        self.page.wait_for_selector('[data-id="route"]')
        self.play(*records)
        return self.page

    def position(self, **more):
        """The position of the rider."""
        return scenes.sample("position", self.player.now, "gps", latitude_deg=ORIGIN[0], longitude_deg=ORIGIN[1], accuracy_m=3,
                             quality="good", **more)

    def play(self, *records):
        """Plays records; those that are functions get the time."""
        now = self.player.now
        self.player.send([record(now) if callable(record) else record for record in records])

    def route(self, size, part=".primary"):
        """The text of a part of the widget."""
        return self.page.inner_text(f'[data-id="route"][data-size="{size}"] {part}')

    def wait(self, text, selector="#cue-band"):
        """Waits until an element shows a text."""
        self.page.wait_for_function("([selector, text]) => document.querySelector(selector)?.checkVisibility() "
                                    "&& document.querySelector(selector).textContent.includes(text)", arg=[selector, text])


class WidgetTests(GuidanceCase):
    def wait_for_label(self, text, *records, widget='[data-id="route"][data-size="2x1"]'):
        """Waits until a screen reader gets a text, with new values all the time: labels change every 5 s."""
        face = self.page.locator(f"{widget} .face")
        for _ in range(60):
            if face.get_attribute("aria-label") == text:
                return
            self.play(*records)
            self.page.wait_for_timeout(250)
        self.assertEqual(face.get_attribute("aria-label"), text)

    def test_route_shows_the_way_to_go_the_cue_and_the_climb(self):
        def on_climb(now):
            return scenes.on_route(now, **scenes.CLIMB)

        self.start(scenes.guide(), on_climb)
        self.wait("12.4", '[data-id="route"][data-size="1x1"] .primary')
        self.play(on_climb)
        self.assertEqual(self.route("2x1", ".guidance").strip(), "1.3 km")
        large = self.route("3x1", ".guidance")
        self.assertIn("Mill Street", large)
        self.assertIn("6.2 % · ↑ 38 m · To top 600 m", large)
        done = float(self.page.get_attribute('[data-size="3x1"] .climb .done', "width"))
        self.assertAlmostEqual(done, 75, delta=.1)
        arrow = self.page.get_attribute('[data-id="route"][data-size="2x1"] .cue-arrow path', "transform")
        self.assertIn("matrix(-1", arrow)
        self.wait_for_label("Route, 12.4 kilometres, Left, Mill Street in 1.3 km", on_climb)

    def test_away_from_the_route_the_arrow_points_to_it(self):
        self.start(scenes.guide())
        self.play(self.position(course_deg=30), scenes.off_route)
        self.wait("off route", '[data-id="route"][data-size="2x1"] .caption')
        self.assertIn("50 m", self.route("2x1", ".guidance"))
        arrow = self.page.get_attribute('[data-id="route"][data-size="2x1"] .cue-arrow path', "transform")
        self.assertEqual(arrow, "rotate(90 24 24)")

    def test_without_a_direction_there_is_no_arrow(self):
        self.start(scenes.guide(), scenes.off_route)
        self.wait("50 m")
        self.assertFalse(self.page.is_visible("#cue-band .cue-arrow"))

    def test_states_of_the_guide(self):
        word = '[data-id="route"][data-size="2x1"] .word'
        self.start()
        # Before the first record, nothing is known of a guide.
        self.wait("Wait", word)
        self.play({"class": "guide", "present": False, "message": "no guide listens"})
        self.wait("No guide", word)
        self.play(scenes.guide(following=None))
        self.wait("No route", word)
        self.play(scenes.guide(following={"route": 4}))
        self.wait("Wait", word)
        self.page.click('[data-id="route"][data-size="2x1"] .face')
        self.wait("The guide does not have this yet.", "#drawer")
        self.page.keyboard.press("Escape")
        # A sample of the route before is none of this one.
        self.play(scenes.guide(), lambda now: scenes.on_route(now, route=3))
        self.wait("Wait", word)
        self.play(scenes.on_route)
        self.wait("12.4", '[data-id="route"][data-size="2x1"] .primary')
        self.play(scenes.guide(following=None))
        self.wait("No route", word)

    def test_old_is_not_live_and_a_guide_that_is_gone_is_lost(self):
        self.start(scenes.guide(), lambda now: scenes.on_route(now, **NEAR))
        self.wait("120 m")
        self.play({"class": "guide", "present": False, "message": "the guide closed the connection"})
        self.page.wait_for_selector('[data-id="route"][data-size="2x1"][data-state="stale"]')
        self.assertFalse(self.page.is_visible("#cue-band"))
        self.player.skip(61)
        self.play(scenes.state("strap"))
        self.wait("No guide", '[data-id="route"][data-size="2x1"] .word')
        self.play(scenes.guide(), scenes.on_route)
        self.player.skip(6)
        self.play(scenes.state("strap"))
        self.page.wait_for_selector('[data-id="route"][data-size="2x1"][data-state="stale"]')

    def test_coach_shows_target_actual_and_difference(self):
        self.start(scenes.guide(coach={"sport": "cycling", "target_rpm": 90, "preference_per_min": 0}), scenes.coach)
        self.wait("90", '[data-id="coach"][data-size="1x1"] .primary')
        self.assertEqual(self.page.inner_text('[data-id="coach"][data-size="2x1"] .seconds').split(), ["ACTUAL", "84", "DIFFERENCE", "-6"])
        self.play(scenes.guide())
        self.wait("Off", '[data-id="coach"][data-size="1x1"] .word')

    def test_segment_shows_the_lead_and_what_becomes_of_it(self):
        small = '[data-id="segment"][data-size="1x1"]'
        self.start(scenes.guide(), scenes.on_segment)
        self.wait("-0:04", f"{small} .primary")
        self.assertEqual(self.page.inner_text(f"{small} .caption").lower(), "segment behind")
        self.assertEqual(self.page.get_attribute(f"{small} .face", "aria-label"), "Segment behind, -0:04")
        self.assertEqual(self.page.inner_text('[data-id="segment"][data-size="3x1"] .seconds').split(),
                         ["TIME", "1:22", "BEST", "-0:04", "LAST", "+0:14"])
        self.play(scenes.near_segment)
        self.wait("120", f"{small} .primary")
        self.page.click(f"{small} .face")
        self.assertEqual(self.page.inner_text("#drawer .value").split()[:4], ["120", "m", "To", "start"])
        self.page.keyboard.press("Escape")
        self.play(lambda now: scenes.on_segment(now, ahead_of_best_s=-.5))
        self.wait("-0:01", f"{small} .primary")
        self.assertEqual(self.page.inner_text(f"{small} .caption").lower(), "segment behind")
        self.play(lambda now: scenes.on_segment(now, ahead_of_best_s=-.4))
        self.wait("+0:00", f"{small} .primary")
        self.assertEqual(self.page.inner_text(f"{small} .caption").lower(), "segment ahead")
        self.play(lambda now: scenes.on_segment(now, state="left"))
        self.wait("Left", f"{small} .word")
        self.page.click(f"{small} .face")
        self.wait("You left the segment before its end.", "#drawer")
        self.page.keyboard.press("Escape")
        self.play(lambda now: scenes.on_segment(now, state="finished", time_s=301))
        self.wait("-0:04", f"{small} .primary")
        self.player.skip(6)
        self.play(scenes.state("strap"))
        self.wait("No segment", f"{small} .word")

    def test_an_arrow_points_to_the_start_of_a_segment(self):
        arrows = ".start-arrow:not([hidden]) path"
        self.start(scenes.guide(), scenes.near_segment)
        self.wait("120", '[data-id="segment"][data-size="1x1"] .primary')
        # Without a direction of travel, there is none.
        self.assertEqual(self.page.locator(arrows).count(), 0)
        self.play(self.position(course_deg=30), scenes.near_segment)
        self.page.wait_for_selector(f'[data-size="3x1"] {arrows}')
        self.assertEqual(self.page.locator(arrows).evaluate_all("all => all.map(each => each.getAttribute('transform'))"), ["rotate(270 24 24)"] * 2)
        self.wait_for_label("Segment, To start 120 metres, to the left", lambda _: self.position(course_deg=30), scenes.near_segment,
                            widget='[data-id="segment"][data-size="3x1"]')
        self.play(scenes.on_segment)
        self.page.wait_for_selector(arrows, state="hidden")

    def test_drawer_of_the_route_has_the_climb_and_leaves_it(self):
        self.start(scenes.guide(), lambda now: scenes.on_route(now, **scenes.CLIMB))
        self.page.click('[data-id="route"][data-size="1x1"] .face')
        self.wait("Mill loop", "#drawer")
        text = self.page.inner_text("#drawer").upper()
        for part in ("12.4", "LEFT, MILL STREET IN 1.3 KM", "DONE\n9.00", "GRADE\n6.2", "TO CLIMB\n38", "TO TOP\n0.60"):
            self.assertIn(part, text)
        self.page.click("#drawer button:text-is('Leave')")
        self.page.wait_for_timeout(300)
        self.assertEqual([method for method, _, _ in self.player.services.requests if method == "leave"], ["leave"])
        self.play(scenes.guide(following=None))
        self.wait("You do not follow a route.", "#drawer")
        self.assertTrue(self.page.is_hidden("#drawer button:text-is('Leave')"))

    def test_drawer_of_the_segment_has_best_and_last(self):
        self.start(scenes.guide(), scenes.on_segment)
        self.page.click('[data-id="segment"][data-size="1x1"] .face')
        self.wait("Hill", "#drawer .facts")
        text = self.page.inner_text("#drawer").upper()
        for part in ("-0:04", "BEHIND", "TIME\n1:22", "BEST TIME\n4:59", "LAST TIME\n5:10", "AHEAD OF LAST\n+0:14"):
            self.assertIn(part, text)

    def test_a_cue_without_an_arrow_has_words(self):
        self.start(scenes.guide(), lambda now: scenes.on_route(now, cue="summit", cue_text=None))
        self.wait("Summit", '[data-id="route"][data-size="2x1"] .guidance')
        self.play(lambda now: scenes.on_route(now))
        self.page.wait_for_function("""() => document.querySelector('[data-id="route"][data-size="2x1"] .cue-words').textContent === ''""")

    def test_map_shows_the_route_below_the_track(self):
        layout = {"version": 1, "widgets": [{"id": "map", "size": "3x1"}, {"id": "route", "size": "1x1"}]}
        self.start(layout=layout)
        # To the east and back, 40 m to the north of the rider.
        points = [{key: value for key, value in point(0, east, 40).items() if key != "at_s"} for east in (-400, 400)]
        self.player.services.logbook.routes = [{"route": {"id": 4, "name": "Mill loop"}, "points": points, "cues": []}]
        self.play(scenes.guide(), scenes.on_route, self.position())
        blue = tokens("light", "tokens")["info"]
        self.page.wait_for_function("""color => {
          const canvas = document.querySelector(".map-picture > canvas:last-child"), { width, height } = canvas;
          const pixels = canvas.getContext("2d").getImageData(0, 0, width, height).data;
          const [r, g, b] = [1, 3, 5].map(at => parseInt(color.slice(at, at + 2), 16));
          let count = 0;
          for (let at = 0; at < pixels.length; at += 4) if (pixels[at] === r && pixels[at + 1] === g && pixels[at + 2] === b) count += 1;
          return count > 200;
        }""", arg=blue)
        paths = [path for _, path, _, _ in self.player.services.logbook.requests if path.startswith("routes/")]
        self.assertEqual(paths, ["routes/4"])


class BandTests(GuidanceCase):
    def test_a_cue_within_300_m_is_shown_on_every_page_until_it_is_passed(self):
        self.start(scenes.guide(), lambda now: scenes.on_route(now, cue_distance_m=301))
        self.page.wait_for_timeout(300)
        self.assertFalse(self.page.is_visible("#cue-band"))
        self.play(lambda now: scenes.on_route(now, **NEAR))
        self.wait("120 mMill Street")
        self.assertEqual(round(self.page.locator("#cue-band").bounding_box()["height"]), 96)
        self.page.evaluate("history.pushState(null, '', '/settings'); dispatchEvent(new PopStateEvent('popstate'))")
        self.page.wait_for_selector("#page:not([hidden])")
        self.play(lambda now: scenes.on_route(now, cue_distance_m=60))
        self.wait("60 m")
        self.play(lambda now: scenes.on_route(now, distance_m=9130, cue_distance_m=900))
        self.page.wait_for_selector("#cue-band", state="hidden")

    def test_a_shut_band_stays_shut_until_the_next_cue(self):
        self.start(scenes.guide(), lambda now: scenes.on_route(now, **NEAR))
        self.wait("120 m")
        self.page.click("#cue-band .shut")
        self.play(lambda now: scenes.on_route(now, distance_m=9048, cue="sharp_right", cue_text="Mill Street", cue_distance_m=70))
        self.page.wait_for_timeout(400)
        self.assertFalse(self.page.is_visible("#cue-band"))
        self.play(lambda now: scenes.on_route(now, distance_m=9130, cue="left", cue_text="Church Lane", cue_distance_m=200))
        self.wait("200 mChurch Lane")

    def test_a_band_that_is_shut_gives_the_focus_back(self):
        self.start(scenes.guide(), lambda now: scenes.on_route(now, **NEAR))
        self.wait("120 m")
        self.page.focus('[data-id="speed"] .face')
        self.page.focus("#cue-band .shut")
        self.page.keyboard.press("Enter")
        self.assertFalse(self.page.is_visible("#cue-band"))
        self.assertEqual(self.page.evaluate("document.activeElement.closest('.widget')?.dataset.id"), "speed")

    def test_off_route_is_shown_until_the_rider_is_back(self):
        self.start(scenes.guide(), scenes.on_route)
        self.play(scenes.off_route)
        self.wait("50 mOff route")
        self.page.wait_for_function("document.getElementById('spoken').textContent.includes('Off route, 50 m away')")
        self.play(lambda now: scenes.on_route(now, state="reversed"))
        self.wait("Wrong way")
        # It does not wait for the pause after the text before.
        self.page.wait_for_function("document.getElementById('spoken').textContent === 'Wrong way'", timeout=3000)
        self.play(scenes.on_route)
        self.page.wait_for_selector("#cue-band", state="hidden")

    def test_a_car_displaces_the_band(self):
        self.start(scenes.guide(), lambda now: scenes.on_route(now, **NEAR))
        self.wait("120 m")
        self.player.send([scenes.state("radar"), scenes.sample("radar", self.player.now, "radar", clear=False, targets=scenes.FAST_CAR)],
                         event="urgent")
        self.page.wait_for_selector("#band:not([hidden])")
        self.page.wait_for_selector("#cue-band", state="hidden")
        self.assertTrue(self.page.evaluate("""() => { const { x, y } = document.getElementById("band").getBoundingClientRect();
          return document.elementFromPoint(x + 40, y + 20).closest("#band") !== null; }"""))

    def test_an_urgent_event_goes_first_and_others_wait(self):
        self.start(scenes.guide(), lambda now: scenes.on_route(now, **NEAR))
        self.wait("120 m")
        self.player.send([{"class": "event", "event": "bike_changed", "name": "Gravel", "t": self.player.now}], event="urgent")
        self.player.send([{"class": "event", "event": "wheel_measured", "circumference_mm": 2096, "t": self.player.now}], event="urgent")
        self.page.wait_for_timeout(400)
        self.assertFalse(self.page.is_visible("#event-band"))
        self.player.send([{"class": "event", "event": "storage_failed", "message": "card full", "t": self.player.now}], event="urgent")
        self.wait("card full", "#event-band")
        self.assertFalse(self.page.is_visible("#cue-band"))


    def test_off_route_does_not_hold_back_events(self):
        self.start(scenes.guide(), scenes.on_route)
        self.play(scenes.off_route)
        self.wait("Off route")
        self.player.send([{"class": "event", "event": "wheel_measured", "circumference_mm": 2096, "t": self.player.now}], event="urgent")
        self.wait("2,096", "#event-band")
        self.assertFalse(self.page.is_visible("#cue-band"))
        self.page.click("#event-band .shut")
        self.play(scenes.off_route)
        self.wait("Off route")

    def test_an_answer_to_the_rider_does_not_wait_for_a_cue(self):
        self.start(scenes.guide(), lambda now: scenes.on_route(now, **NEAR))
        self.wait("120 m")
        # The bike moves.
        self.page.focus('[data-id="speed"] .face')
        self.page.keyboard.press("e")
        self.wait("Stop to edit", "#event-band")


class CoachPageTests(GuidanceCase):
    """The page of the coach, whose target is that of the guide."""

    def visit(self, rights=("view", "ride", "manage"), saved=None, **coach):
        """Opens the page with a guide."""
        self.player = Player()
        self.addCleanup(self.player.close)
        self.player.rights = list(rights)
        self.player.services.guide = {"connected": True, "coach": {"sport": "cycling", "target_rpm": 84, "preference_per_min": 0, **coach}}
        if saved:
            self.player.services.store("settings/rider", {"version": 1, "coach": saved})
        self.player.snapshot += [scenes.guide(coach=dict(self.player.services.guide["coach"]))]
        self.page = self.open(query="coach", player=self.player)
        self.page.wait_for_selector(".coach-play")
        return self.page

    def asked(self):
        """What the guide was asked, once it was."""
        self.page.wait_for_timeout(1300)
        return [params for method, params, _ in self.player.services.requests if method == "coach"]

    def test_target_is_that_of_the_guide_and_a_change_is_its_change(self):
        page = self.visit()
        self.wait("84 rpm", ".coach")
        page.click('[aria-label="Target: more"]')
        self.assertEqual(self.asked(), [{"target_rpm": 85}])
        self.assertEqual(self.player.services.document("settings/rider")["coach"]["target_rpm"], 85)
        self.play(scenes.guide(coach={"sport": "cycling", "target_rpm": 78, "preference_per_min": 0}))
        self.wait("78 rpm", ".coach")

    def test_the_guide_coaches_when_it_is_switched_on(self):
        # What the rider chose counts, and not what the guide begins with.
        page = self.visit(sport="off", saved={"target_rpm": 78, "preference": 4})
        switch = page.get_by_role("switch", name="Coach on all displays")
        self.assertEqual(switch.get_attribute("aria-checked"), "false")
        switch.click()
        self.assertEqual(self.asked(), [{"sport": "running", "target_rpm": 78, "preference_per_min": 4}])
        page.wait_for_selector('[role=switch][aria-checked="true"]')
        switch.click()
        self.assertEqual(self.asked()[1:], [{"sport": "off"}])

    def test_without_a_guide_or_the_right_the_page_keeps_its_own(self):
        page = self.visit(rights=["view"])
        self.wait("84 rpm", ".coach")
        self.assertFalse(page.get_by_role("switch", name="Coach on all displays").is_visible())
        page.click('[aria-label="Target: more"]')
        self.wait("85 rpm", ".coach")
        self.assertEqual(self.asked(), [])
        self.play({"class": "guide", "present": False, "message": "no guide listens"})
        self.wait("Beat on", ".coach")

    def test_a_refusal_of_the_guide_is_shown(self):
        page = self.visit()
        self.player.services.refusals["coach"] = "the guide cannot save this"
        self.wait("84 rpm", ".coach")
        page.click('[aria-label="Target: more"]')
        self.wait("the guide cannot save this", "#message")


class LookTests(GuidanceCase):
    """Texts fit, and axe finds nothing, in every size, scheme and language."""

    def test_sizes_and_languages(self):
        for index, size in enumerate(SIZES):
            scheme, language = (("light", "en"), ("dark", "de"))[index % 2]
            with self.subTest(size=size, scheme=scheme):
                page = self.start(scenes.guide(coach={"sport": "cycling", "target_rpm": 90, "preference_per_min": 0}),
                                  lambda now: scenes.on_route(now, **NEAR, **scenes.CLIMB), scenes.coach,
                                  size=size, scheme=scheme, language=language)
                self.wait("120 m")
                violations = Axe().run(page).response["violations"]
                self.assertEqual([each["id"] for each in violations], [])
                self.assertEqual(page.evaluate(CUT), [])
                self.leave(page)

    def test_text_of_twice_the_size_keeps_the_numbers_of_the_climb(self):
        page = self.start(scenes.guide(), lambda now: scenes.on_route(now, **scenes.CLIMB), size=(180, 390))
        self.wait("To top 600 m", '[data-id="route"][data-size="3x1"] .guidance .minor')
        self.assertEqual(page.evaluate(CUT), [])

    def test_forced_colors(self):
        page = self.start(scenes.guide(), lambda now: scenes.on_route(now, **NEAR, **scenes.CLIMB), forced_colors="active")
        self.wait("120 m")
        self.assertEqual(page.evaluate("getComputedStyle(document.getElementById('cue-band')).borderTopWidth"), "1px")


# The texts of the guide that are cut or outside of their widget.
CUT = """() => [...document.querySelectorAll(".guidance .number-text, .guidance .minor, #cue-band .distance, [data-id=coach] .number")]
  .filter(text => text.textContent !== "" && text.checkVisibility())
  .filter(text => { const box = text.getBoundingClientRect(), outer = text.closest(".widget, #cue-band").getBoundingClientRect();
    return text.scrollWidth > text.clientWidth + 1 && getComputedStyle(text).display !== "inline"
      || box.left < outer.left - .5 || box.right > outer.right + .5 || box.bottom > outer.bottom + .5 || box.top < outer.top - .5; })
  .map(text => text.textContent)"""

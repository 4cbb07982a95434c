"""The report of a ride: its numbers, map, graphs, laps, states, and what a screen reader gets."""

import os
import pathlib
import unittest

from axe_playwright_python.sync_playwright import Axe

from browser import BrowserCase
from player import Player
from reports import long_ride, recorded_ride
from services import Answer
from test_access import SIDEWAYS, TARGETS

GOLDEN = pathlib.Path(__file__).parent / "golden"


class ReportTests(BrowserCase):
    """Each test opens /rides/12, which is the ride of `visit`."""

    def visit(self, report=None, path="rides/12", ready=".report-numbers", query="", **options):
        """Opens the report, and waits until its first numbers are there."""
        self.player = Player()
        self.addCleanup(self.player.close)
        self.player.services.reports["12"] = recorded_ride() if report is None else report
        page = self.open(query=path + query, player=self.player, **options)
        page.wait_for_selector(ready)
        return page

    def numbers(self, page):
        """The grid of the summary, by caption."""
        pairs = page.evaluate("""[...document.querySelectorAll(".report-numbers > div")].map(each =>
          [each.querySelector("dt").textContent, [...each.querySelectorAll("dd > :not([hidden])")].map(part => part.textContent).join(" ")])""")
        return dict(pairs)

    def sentence(self, page):
        """The line of the page's state."""
        return page.text_content(".report > .sentence")

    # Summary

    def test_the_list_leads_to_the_report(self):
        self.player = Player()
        self.addCleanup(self.player.close)
        report = recorded_ride()
        self.player.services.reports["12"] = report
        self.player.services.logbook.activities = [report["show"]]
        page = self.open(query="rides", player=self.player)
        page.click(".ride-name a")
        page.wait_for_selector(".report-numbers")
        self.assertEqual(page.evaluate("location.pathname"), "/rides/12")
        self.assertEqual(page.text_content("#page h1"), "Long ride")
        self.assertEqual(page.title(), "Long ride – Cyclometer")
        page.click(".back")
        page.wait_for_selector(".ride")

    def test_every_number_has_its_unit(self):
        page = self.visit()
        numbers = self.numbers(page)
        self.assertEqual(numbers["Distance"], "50.63 km")
        self.assertEqual(numbers["Moving"], "2:06:38")
        self.assertEqual(numbers["Total time"], "2:21:38")
        self.assertEqual(numbers["Avg speed"], "24.0 km/h")
        self.assertEqual(numbers["Ascent"], "1061 m")
        self.assertEqual(numbers["Work"], "1292 kJ")
        self.assertEqual(numbers["Energy"], "1310 kcal")
        self.assertEqual(numbers["Cars passed"], "3")
        self.assertIn("Saturday, November 14, 2026 at 8:19", page.text_content(".report-date").replace("\u202f", " "))
        self.assertEqual(page.text_content(".report-facts"), "Ride · with Gravel")
        self.assertEqual(page.text_content(".report-note"), "Coffee at the mill")

    def test_units_and_digits_of_the_rider(self):
        self.player = Player()
        self.addCleanup(self.player.close)
        self.player.services.store("settings/rider", {"version": 1, "units": {"system": "imperial"}})
        self.player.services.reports["12"] = recorded_ride()
        page = self.open(query="rides/12", player=self.player, language="de")
        page.wait_for_selector(".report-numbers")
        numbers = self.numbers(page)
        self.assertEqual(numbers["Strecke"], "31,46 mi")
        self.assertEqual(numbers["Anstieg"], "3480 ft")

    def test_a_ride_that_is_broken_shows_what_is_known(self):
        page = self.visit({"show": {"id": 12, "version": 1, "state": "interrupted"},
                           "laps": Answer(503, "the storage failed")})
        page.wait_for_selector("text=That did not work: the storage failed")
        self.assertEqual(page.text_content(".report-date"), "Date unknown")
        self.assertEqual(page.text_content(".report-facts"), "Ride · recording was interrupted")
        self.assertEqual(self.numbers(page), {})

    def test_a_ride_that_is_recorded_now_or_was_deleted_says_so(self):
        report = long_ride(state="recording", deleted="2026-11-20T10:00:00.000Z")
        page = self.visit(report)
        self.assertEqual(page.text_content(".report-facts"),
                         "Ride · is being recorded: numbers so far · deleted on November 20, 2026")

    # States

    def test_no_such_ride(self):
        page = self.visit(path="rides/99", ready="text=There is no ride with this number.")
        self.assertFalse(page.is_visible(".report > button"))

    def test_no_recorder_and_then_one(self):
        page = self.visit({"show": Answer(503, "no recorder answers")}, ready="text=Rides are not recorded.")
        self.player.services.reports["12"] = recorded_ride()
        page.click("text=Try again")
        page.wait_for_selector(".report-numbers")
        self.assertEqual(self.sentence(page), "")

    def test_a_refusal_in_the_words_of_the_server(self):
        self.visit({"show": Answer(403, "this screen may only view")}, ready="text=That did not work: this screen may only view")

    # Laps

    def test_laps_as_a_table(self):
        page = self.visit(size=(800, 480))
        page.wait_for_selector(".lap-button")
        rows = page.get_by_role("row")
        self.assertEqual(rows.count(), 7)
        self.assertEqual(page.get_by_role("columnheader").all_text_contents(), ["Lap", "Time", "Distance"])
        self.assertEqual(rows.nth(1).get_by_role("cell").locator(".number-text").all_text_contents(), ["25:24", "10.01 km"])

    def test_a_lap_is_chosen_and_let_go(self):
        page = self.visit()
        page.click("text=Lap 2")
        self.assertEqual(page.locator('.lap-button[aria-pressed="true"]').all_text_contents(), ["Lap 2"])
        page.click("text=Lap 2")
        self.assertEqual(page.locator('.lap-button[aria-pressed="true"]').count(), 0)

    def test_more_laps_are_asked_for_with_the_last_number(self):
        report = recorded_ride()
        report["laps"]["more"] = True
        page = self.visit(report)
        with page.expect_request("**/api/1/activities/12/laps?after=6"):
            page.click(".report-laps > button")

    def test_an_only_lap_is_no_table(self):
        report = recorded_ride()
        report["laps"] = {"laps": report["laps"]["laps"][:1]}
        # The laps are asked for before the graphs.
        page = self.visit(report, ready=".ride-graph:visible")
        self.assertFalse(page.is_visible(".report-laps"))

    # Map

    def test_the_map_is_colored_by_heart_rate_unless_another_is_chosen(self):
        page = self.visit(ready=".color-choice label")
        page.wait_for_selector(".map-legend:visible")
        self.assertEqual(page.locator(".color-choice label").all_text_contents(), ["Heart rate", "Speed", "Power", "Grade"])
        self.assertEqual(page.locator(".color-choice :checked").get_attribute("value"), "heart_rate")
        before = page.text_content(".map-legend")
        page.get_by_role("radio", name="Power").check()
        self.assertNotEqual(page.text_content(".map-legend"), before)
        self.assertIn("w", page.text_content(".map-legend"))

    def test_a_ride_without_heart_rate_is_colored_by_speed(self):
        report = long_ride(bpm_avg=None)
        for piece in report["series"]["pieces"]:
            piece["fields"] = [each for each in piece["fields"] if each["field"] != "bpm"]
        page = self.visit(report, ready=".color-choice label")
        self.assertEqual(page.locator(".color-choice :checked").get_attribute("value"), "speed")

    def test_a_ride_without_track_or_series_says_so(self):
        report = long_ride()
        report["track"] = {"id": 12, "pieces": []}
        report["series"] = {"id": 12, "step_s": 1, "pieces": []}
        page = self.visit(report, ready="text=No positions were recorded.")
        page.wait_for_selector("text=Nothing was measured that could be drawn.")
        self.assertFalse(page.is_visible(".ride-map canvas"))
        self.assertFalse(page.is_visible(".color-choice"))
        page = self.visit(long_ride(track=False))
        page.wait_for_selector(".ride-graph:visible")
        self.assertEqual(page.locator(".report-map").count(), 0)

    def test_a_part_that_fails_leaves_the_others(self):
        report = recorded_ride()
        track = report["track"]
        report["track"] = Answer(503, "the recorder did not answer in time")
        page = self.visit(report, ready=".ride-graph:visible")
        page.wait_for_selector("text=That did not work: the recorder did not answer in time")
        report["track"] = track
        page.click(".report-map .part-status button")
        page.wait_for_selector(".ride-map:visible")

    # Graphs

    def test_graphs_have_minimum_mean_and_maximum(self):
        page = self.visit(ready=".ride-graph:visible")
        self.assertEqual(page.locator(".ride-graph:visible .caption").all_text_contents(),
                         ["Speed", "Heart rate", "Power", "Cadence", "Elevation"])
        stats = page.locator(".graph-stats").all_text_contents()
        self.assertRegex(stats[0], r"^min \d+\.\d · avg 24\.0 · max 68\.3 km/h$")
        self.assertRegex(stats[1], r"^min \d+ · avg 138 · max 171 bpm$")

    def test_the_cursor_by_keyboard(self):
        page = self.visit(ready=".ride-graph:visible")
        slider = page.get_by_role("slider", name="Place in the ride")
        slider.focus()
        for _ in range(3):
            page.keyboard.press("ArrowRight")
        page.wait_for_selector(".graph-cursor:visible")
        self.assertEqual(page.text_content(".cursor-place"), "0:03")
        page.wait_for_function("() => document.querySelector('.cursor-row .slider').getAttribute('aria-valuetext').startsWith('0:03, Speed')")
        text = slider.get_attribute("aria-valuetext")
        self.assertRegex(text, r"^0:03, Speed [\d.]+ km/h, Heart rate \d+ bpm, Power \d+ w, Cadence \d+ rpm, Elevation \d+ m$")
        page.keyboard.press("End")
        page.wait_for_function("() => document.querySelector('.cursor-place').textContent === '2:21:38'")

    def test_the_cursor_by_pointer_is_the_same_in_all_graphs_and_spoken_on_stop(self):
        page = self.visit(ready=".ride-graph:visible")
        plot = page.locator(".graph-plot").nth(2)
        plot.scroll_into_view_if_needed()
        box = plot.bounding_box()
        page.mouse.move(box["x"] + box["width"] / 3, box["y"] + 40)
        page.mouse.move(box["x"] + box["width"] / 4, box["y"] + 40)
        page.wait_for_selector(".graph-cursor:visible")
        places = page.evaluate("[...document.querySelectorAll('.graph-cursor')].map(line => Math.round(line.getBoundingClientRect().x))")
        self.assertEqual(len(set(places)), 1)
        self.assertAlmostEqual(places[0], box["x"] + box["width"] / 4, delta=2)
        values = page.locator(".graph-value").all_text_contents()
        self.assertRegex(values[0], r"^[\d.]+ km/h$")
        page.wait_for_function("() => document.getElementById('spoken').textContent.includes('Power')")

    def test_the_map_moves_the_cursor_and_the_cursor_the_map(self):
        page = self.visit(ready=".ride-graph:visible")
        page.wait_for_selector(".map-legend:visible")
        page.locator(".map-face").scroll_into_view_if_needed()
        face = page.locator(".map-face").bounding_box()
        found = None
        for share in (.2, .3, .4, .5, .6, .7, .8):
            page.mouse.move(face["x"] + face["width"] * share, face["y"] + face["height"] / 2)
            page.wait_for_timeout(50)
            if page.is_visible(".graph-cursor >> nth=0"):
                found = page.text_content(".cursor-place")
                break
        self.assertIsNotNone(found)

    def test_a_gap_stays_empty(self):
        page = self.visit(ready=".ride-graph:visible")
        # The share of columns of the graph with ink of the line, before, in and after the stop.
        ink = page.evaluate("""times => {
          const canvas = document.querySelector(".graph-plot canvas"), scale = devicePixelRatio;
          const context = canvas.getContext("2d"), width = canvas.width - 48 * scale;
          const hasInk = seconds => {
            const x = Math.round(40 * scale + seconds / 8498 * width);
            const { data } = context.getImageData(x, 0, 1, canvas.height - 22 * scale);
            for (let at = 0; at < data.length; at += 4) if (data[at + 3] > 128 && data[at] + data[at + 1] + data[at + 2] < 240) return true;
            return false;
          };
          return times.map(hasInk);
        }""", [1000, 3000, 3900, 4200, 4500, 6000, 8000])
        self.assertEqual(ink, [True, True, False, False, False, True, True])

    def test_the_cursor_in_a_gap_has_no_values(self):
        page = self.visit(ready=".ride-graph:visible")
        page.evaluate("""() => { const slider = document.querySelector(".cursor-row .slider");
          slider.value = 4200; slider.dispatchEvent(new Event("input")); }""")
        page.wait_for_function("() => document.querySelector('.graph-value').textContent === '–'")

    def test_a_number_from_a_part_of_the_ride_says_so(self):
        page = self.visit(ready=".ride-graph:visible")
        numbers = self.numbers(page)
        self.assertEqual(numbers["Avg HR"], "138 bpm measured for 2:00:21 of 2:07:36")
        self.assertEqual(numbers["Avg power"], "170 w")

    def test_a_chosen_lap_is_marked_on_the_graphs(self):
        page = self.visit(ready=".ride-graph:visible")
        page.click("text=Lap 2")
        boxes = page.evaluate("[...document.querySelectorAll('.graph-lap')].map(box => [box.offsetLeft, box.offsetWidth])")
        width = page.evaluate("document.querySelector('.graph-plot canvas').clientWidth") - 48
        self.assertAlmostEqual(boxes[0][0], 40 + 1524 / 8498 * width, delta=2)
        self.assertAlmostEqual(boxes[0][1], 1134 / 8498 * width, delta=2)
        page.click("text=Lap 2")
        self.assertFalse(page.is_visible(".graph-lap >> nth=0"))

    def test_the_series_is_asked_for_once_per_width(self):
        page = self.visit(ready=".ride-graph:visible")
        asked = []
        page.on("request", lambda request: asked.append(request.url) if "/series" in request.url else None)
        page.set_viewport_size({"width": 340, "height": 700})
        page.wait_for_function("() => document.querySelector('.graph-plot canvas').width < 360")
        self.wait_for_frames(page)
        self.assertEqual(asked, [])
        with page.expect_response("**/series?*"):
            page.set_viewport_size({"width": 780, "height": 700})
            page.wait_for_function("() => document.querySelector('.graph-plot canvas').width > 600")
        self.wait_for_frames(page)
        self.assertEqual(len(asked), 1)
        self.assertIn("points=700&fields=speed_mps,bpm,power_w,cadence_rpm,altitude_m,distance_m", asked[0])

    def test_text_of_twice_the_size_and_forced_colors_lose_nothing(self):
        page = self.visit(ready=".ride-graph:visible", size=(180, 390), language="de", forced_colors="active")
        page.wait_for_selector(".map-legend:visible")
        self.assertEqual(page.evaluate(SIDEWAYS), [])
        self.assertEqual(page.evaluate(TARGETS), [])
        self.assertEqual([each["id"] for each in Axe().run(page).response["violations"]], [])
        # The colors of the track are those of the system.
        self.assertEqual(page.evaluate("getComputedStyle(document.querySelector('.map-step i')).backgroundColor"),
                         page.evaluate("getComputedStyle(document.body).color"))

    def test_graphs_follow_the_scheme_and_paper(self):
        page = self.visit(ready=".ride-graph:visible")
        darkest = """() => { const canvas = document.querySelector(".graph-plot canvas");
          const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
          let low = 765; for (let at = 0; at < data.length; at += 4) if (data[at + 3] > 250) low = Math.min(low, data[at] + data[at + 1] + data[at + 2]);
          return low; }"""
        self.assertLess(page.evaluate(darkest), 30)
        page.emulate_media(color_scheme="dark")
        page.wait_for_function(f"() => ({darkest})() > 30")

    # Zones, events, sensors

    def test_zones_power_curve_events_and_sensors(self):
        page = self.visit(ready=".ride-graph:visible")
        self.assertEqual(page.locator(".report-zones li").all_text_contents(),
                         ["192–110 bpm15:00", "2111–129 bpm40:00", "3130–147 bpm45:00", "4148–166 bpm21:40", "5≥ 167 bpm4:58"])
        self.assertEqual(page.locator(".report-power-zones li").count(), 6)
        self.assertIn("0:01277 w", page.locator(".report-curve dl > div").all_text_contents())
        lines = [line.replace("\u202f", " ") for line in page.locator(".happenings li").all_text_contents()]
        self.assertEqual(lines, [
            "8:29 AM Fast car", "8:42 AM–8:50 AM Heart rate: no values", "8:49 AM Polar H10: battery 9 %",
            "9:21 AM–9:36 AM Paused for 15:00", "9:49 AM Front tire 3.1 bar, low", "9:59 AM Polar H10: 3 samples are missing"])
        self.assertEqual(page.locator(".report-sensors .line").all_text_contents(),
                         ["Polar H10Heart rate, Batteriesbattery 9 %", "VariaRadar", "tiretire pressurebattery 80 %"])

    def test_a_ride_by_hand_has_its_numbers_only(self):
        page = self.visit({"show": {"id": 12, "version": 1, "state": "complete", "source": "hand", "sport": "swimming",
                                    "start": "2026-05-03T07:30:00.000Z", "distance_m": 1500}, "laps": {"laps": []}})
        page.wait_for_timeout(200)
        self.assertEqual(page.text_content(".report-facts"), "Swim · entered by hand")
        self.assertEqual(page.locator(".report-parts > section:visible").count(), 1)

    # Paper

    def test_paper_has_the_report_and_nothing_that_is_pressed(self):
        page = self.visit(ready=".ride-graph:visible", scheme="dark")
        page.emulate_media(media="print", color_scheme="light")
        self.assertFalse(page.is_visible("#bottom"))
        self.assertFalse(page.is_visible(".cursor-row"))
        self.assertTrue(page.is_visible(".report-numbers"))
        pages = page.pdf(format="A4")
        self.assertGreater(pages.count(b"/Type /Page\n") + pages.count(b"/Type /Page>"), 1)

    # Access

    def test_access_on_every_screen(self):
        for language, text in (("en", 100), ("de", 130)):
            page = self.visit(language=language, query=f"?language={language}&text={text}", ready=".map-legend:visible")
            page.wait_for_selector(".ride-graph:visible")
            for size, scheme in self.looks(page):
                with self.subTest(size=size, scheme=scheme):
                    found = [f"{each['id']}: {node['html'][:160]}" for each in Axe().run(page).response["violations"]
                             for node in each["nodes"]]
                    self.assertEqual(found, [])
                    self.assertEqual(page.evaluate(TARGETS), [])
                    self.assertEqual(page.evaluate(SIDEWAYS), [])

    def test_what_a_screen_reader_gets(self):
        page = self.visit(ready=".ride-graph:visible")
        page.wait_for_selector(".map-legend:visible")
        page.wait_for_selector(".lap-button")
        page.wait_for_selector("text=No segments yet.")
        found = page.locator("#page").aria_snapshot() + "\n"
        file = GOLDEN / "report.yml"
        if os.environ.get("ACCEPT"):
            file.write_text(found)
        self.assertEqual(found, file.read_text())


if __name__ == "__main__":
    unittest.main()

"""Segments on the report of a ride: marking one, all efforts, another name, and deleting with undo."""

import unittest

from axe_playwright_python.sync_playwright import Axe

from browser import SIZES, BrowserCase
from logbook import Answer
from player import Player
from reports import recorded_ride
from test_access import SIDEWAYS, TARGETS

HILL = {"id": 4, "name": "Mill hill", "distance_m": 1500, "efforts": 3, "best_time_s": 240.4}
PROPOSALS = [{"activity": 12, "from_s": 300, "to_s": 480.5, "distance_m": 1204.2, "times": 5}, {"activity": 12, "from_s": 1500, "to_s": 1600.5, "distance_m": 610, "times": 3}]
NEW = {"id": 3, "name": "Never ridden", "distance_m": 800, "efforts": 0}
EFFORTS = [
    {"segment": 4, "activity": 15, "start_s": 60, "start": "2026-11-20T09:00:00.000Z", "time_s": 262.2, "speed_avg_mps": 5.72, "bpm_avg": 150},
    {"segment": 4, "activity": 12, "start_s": 900, "start": "2026-11-14T23:00:00.000Z", "utc_offset_s": 7200, "time_s": 251.7, "speed_avg_mps": 5.96, "power_avg_w": 240},
    {"segment": 4, "activity": 9, "start_s": 30, "time_s": 240.4, "speed_avg_mps": 6.24},
]


class SegmentTests(BrowserCase):
    """Each test opens the report of the ride 12, in a logbook with two segments."""

    def visit(self, segments=(HILL, NEW), rights=("view", "ride", "manage"), **options):
        """Opens the report and waits for its segments."""
        self.player = Player()
        self.addCleanup(self.player.close)
        self.player.rights = list(rights)
        self.logbook = self.player.services.logbook
        self.player.services.reports["12"] = recorded_ride()
        self.logbook.segments = [dict(each) for each in segments]
        self.logbook.efforts = {4: EFFORTS, 3: []}
        page = self.open(query="rides/12", player=self.player, **options)
        page.wait_for_selector(".segment-here:not(:empty)" if segments else "text=No segments yet.", state="attached")
        return page

    def asked(self):
        """The paths and queries of what was read of segments."""
        return [(path, query) for method, path, query, _ in self.logbook.requests if method == "GET" and path.startswith("segments")]

    def wait_until(self, page, holds):
        """Waits until something has happened on the side of the server."""
        for _ in range(100):
            if holds():
                return
            page.wait_for_timeout(50)
        self.fail("it did not happen within 5 s")

    def test_all_efforts_with_best_and_last(self):
        page = self.visit()
        self.assertEqual(page.locator(".segment-button").all_text_contents(),
                         ["Mill hill1.50 km, best 4:00, ridden 3 timesThis ride: 4:11", "Never ridden0.80 km, not ridden yet"])
        self.assertTrue(page.is_hidden(".efforts-table >> nth=0"))
        # One request for all of them, and one for what is opened.
        self.assertEqual(self.asked(), [("segments", {"limit": "200", "activity": "12"})])
        page.click(".segment-button >> nth=0")
        page.wait_for_selector(".effort-words >> nth=2")
        self.assertEqual(self.asked()[1:], [("segments/4", {"limit": "200"})])
        self.assertEqual(page.get_attribute(".segment-button", "aria-expanded"), "true")
        self.assertEqual(page.locator(".effort-words").all_text_contents(), ["last", "this ride", "best"])
        self.assertEqual([page.locator(f".efforts-table tbody tr:nth-child({row}) .number-text").all_text_contents() for row in (1, 2, 3)],
                         [["4:22", "20.6 km/h", "–", "150 bpm"], ["4:11", "21.5 km/h", "240 w", "–"], ["4:00", "22.5 km/h", "–", "–"]])
        # Each ride is dated by its own zone, and by UTC if the zone is unknown.
        dates = page.locator(".effort-ride").all_text_contents()
        self.assertRegex(dates[0], "Fri, Nov 20, 9:00\\sAM")
        self.assertRegex(dates[1], "Sun, Nov 15, 1:00\\sAM")
        # The others lead to their rides.
        self.assertEqual(page.locator("a.effort-ride").evaluate_all("links => links.map(link => link.getAttribute('href'))"), ["/rides/15", "/rides/9"])

    def test_a_part_becomes_a_segment_by_keyboard(self):
        page = self.visit(segments=())
        begin, end = page.get_by_label("Begins at", exact=True), page.get_by_label("Ends at", exact=True)
        begin.focus()
        for _ in range(3):
            page.keyboard.press("PageUp")
        self.assertTrue(page.is_visible(".graph-lap >> nth=0"))
        end.focus()
        page.keyboard.press("Home")
        # The ends never pass each other.
        self.assertEqual((begin.input_value(), end.input_value()), ("0", "1"))
        begin.fill("600")
        end.fill("900")
        self.assertEqual(end.get_attribute("aria-valuetext"), "15:00")
        part = page.text_content(".segment-part").split()
        self.assertEqual(part[1:], ["km", "in", "5:00"])
        self.assertTrue(1 < float(part[0]) < 4, part)
        page.click("text=Save the segment")
        page.wait_for_selector(".error:text-is('A segment needs a name.')")
        page.get_by_label("Name of the segment", exact=True).fill("Wall")
        page.click("text=Save the segment")
        page.wait_for_selector(".segment-name:text-is('Wall')")
        body, = [body for method, path, _, body in self.logbook.requests if (method, path) == ("POST", "segments")]
        self.assertEqual(body, {"activity": 12, "name": "Wall", "from_s": 600, "to_s": 900})

    def test_the_rider_takes_what_is_proposed(self):
        page = self.visit(segments=())
        self.propose(page)
        self.assertEqual(page.locator(".segment-proposal .label").all_text_contents(),
                         ["1.20 km from 5:00 to 8:00, ridden 5 times", "0.61 km from 25:00 to 26:40, ridden 3 times"])
        page.click(".segment-proposal button >> nth=1")
        begin, end = page.get_by_label("Begins at", exact=True), page.get_by_label("Ends at", exact=True)
        self.assertEqual((begin.input_value(), end.input_value()), ("1500", "1601"))
        # What is left is its name.
        page.keyboard.type("Bridge")
        page.click("text=Save the segment")
        page.wait_for_selector(".segment-name:text-is('Bridge')")
        self.assertEqual(page.locator(".segment-proposal").count(), 0)

    def test_nothing_is_proposed(self):
        page = self.visit(segments=())
        self.player.services.reports["12"]["proposals"] = {"proposals": []}
        page.click("text=Find parts that you ride often")
        page.wait_for_selector("text=No part of 500 m or more")
        self.player.services.reports["12"]["proposals"] = Answer(503, "the recorder did not answer in time")
        page.click("text=Find parts that you ride often")
        page.wait_for_selector("text=the recorder did not answer in time")

    def propose(self, page):
        self.player.services.reports["12"]["proposals"] = {"proposals": PROPOSALS}
        page.locator(".segment-proposals > button").click()
        page.wait_for_selector(".segment-proposal")

    def test_saving_keeps_lines_open_and_a_mark_replaces_a_lap(self):
        page = self.visit()
        page.click(".segment-button >> nth=0")
        page.click(".lap-button >> nth=0")
        page.get_by_label("Ends at", exact=True).fill("900")
        self.assertEqual(page.locator(".lap-button[aria-pressed=true]").count(), 0)
        page.get_by_label("Name of the segment", exact=True).fill("Wall")
        page.click("text=Save the segment")
        page.wait_for_selector(".segment-name:text-is('Wall')")
        page.wait_for_selector(".effort-words >> nth=2")
        self.assertEqual(page.locator(".segment-button").evaluate_all("buttons => buttons.map(button => button.getAttribute('aria-expanded'))"),
                         ["false", "true", "false"])

    def test_efforts_that_cannot_be_read_are_asked_for_again(self):
        page = self.visit()
        self.logbook.refusals["efforts"] = "the storage failed"
        page.click(".segment-button >> nth=0")
        page.wait_for_selector(".segment-inner .hint:has-text('the storage failed')")
        self.logbook.refusals.clear()
        page.click(".segment-button >> nth=0")
        page.click(".segment-button >> nth=0")
        page.wait_for_selector(".effort-words >> nth=2")
        self.assertTrue(page.is_hidden(".segment-inner .hint >> nth=0"))

    def test_an_unknown_length_is_left_out(self):
        page = self.visit(segments=())
        self.player.services.reports["12"]["track"] = Answer(503, "the recorder did not answer in time")
        page.reload()
        page.wait_for_selector("text=No segments yet.")
        page.get_by_label("Ends at", exact=True).fill("900")
        self.assertEqual(page.text_content(".segment-part"), "15:00")

    def test_the_cursor_gives_an_end(self):
        page = self.visit(segments=())
        self.assertTrue(page.is_hidden(".segment-slider .line-button >> nth=0"))
        page.locator(".cursor-row .slider").fill("1200")
        page.click(".segment-slider .line-button >> nth=0")
        self.assertEqual(page.get_by_label("Begins at", exact=True).input_value(), "1200")

    def test_a_refusal_is_shown(self):
        page = self.visit(segments=())
        self.logbook.refusals["segments"] = "a segment needs positions of 100 m to 50 km"
        page.get_by_label("Name of the segment", exact=True).fill("Wall")
        page.click("text=Save the segment")
        page.wait_for_selector(".segment-marker .error:has-text('100 m to 50 km')")
        page.reload()
        page.wait_for_selector(".report-segments .part-status:has-text('100 m to 50 km')")
        self.logbook.refusals.clear()
        page.click(".report-segments .part-status button")
        page.wait_for_selector("text=No segments yet.")

    def test_another_name_and_deleting_with_undo(self):
        page = self.visit()
        page.click(".segment-button >> nth=0")
        name = page.locator(".segment-acts input >> nth=0")
        name.fill("Home hill")
        name.blur()
        page.wait_for_selector(".segment-name:text-is('Home hill')")
        self.assertEqual(self.logbook.segments[0]["name"], "Home hill")
        self.delete(page)
        page.click("#message button")
        self.assertTrue(page.is_visible(".segment >> nth=0"))
        self.delete(page)
        page.goto("about:blank")
        self.wait_until(page, lambda: len(self.logbook.segments) == 1)

    def test_deleting_that_waits_or_fails(self):
        page = self.visit(fake_time=True)
        page.click(".segment-button >> nth=0")
        page.locator(".segment-acts .danger >> nth=0").focus()
        page.keyboard.down(" ")
        page.clock.run_for(1100)
        page.keyboard.up(" ")
        page.wait_for_selector(".segment >> nth=0", state="hidden")
        # The list is loaded again.
        page.get_by_label("Name of the segment", exact=True).fill("Wall")
        page.click("text=Save the segment")
        page.wait_for_selector(".segment-name:text-is('Wall')")
        self.assertTrue(page.is_hidden(".segment-name:text-is('Mill hill')"))
        self.logbook.refusals["segments"] = "the storage is full"
        page.clock.run_for(11_000)
        page.wait_for_selector("#message:has-text('the storage is full')")
        page.wait_for_selector(".segment-name:text-is('Mill hill')")
        self.assertEqual(len(self.logbook.segments), 3)

    def delete(self, page):
        """Holds the button of the first segment."""
        page.locator(".segment-acts .danger >> nth=0").focus()
        page.keyboard.down(" ")
        page.wait_for_selector("#message button")
        page.keyboard.up(" ")
        self.assertTrue(page.is_hidden(".segment >> nth=0"))
        self.assertEqual(len(self.logbook.segments), 2)

    def test_a_screen_that_may_only_look(self):
        page = self.visit(rights=("view",))
        page.click(".segment-button >> nth=0")
        self.assertTrue(page.is_hidden(".segment-marker"))
        self.assertEqual(page.locator(".segment-acts > *").count(), 0)

    def test_everybody(self):
        for size, scheme, language in zip(SIZES, ("light", "dark", "light", "dark"), ("de", "en", "en", "de")):
            page = self.visit(size=size, scheme=scheme, language=language)
            page.click(".segment-button >> nth=0")
            page.locator(".cursor-row .slider").fill("1200")
            self.propose(page)
            with self.subTest(size=size):
                found = Axe().run(page, context=".report-segments").response["violations"]
                self.assertEqual([f'{each["id"]}: {each["nodes"][0]["html"]}' for each in found], [])
                self.assertEqual(page.evaluate(TARGETS), [])
                self.assertEqual(page.evaluate(SIDEWAYS), [])
            self.leave(page)
        page = self.visit(size=(180, 390), forced_colors="active")
        page.click(".segment-button >> nth=0")
        self.assertEqual(page.evaluate(SIDEWAYS.replace("#page", ".report-segments")), [])


if __name__ == "__main__":
    unittest.main()

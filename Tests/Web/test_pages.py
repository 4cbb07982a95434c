"""Paths and pages: Back and reload, the rides, letting a screen in."""

import unittest

from browser import BrowserCase
from player import Player
import scenes

RIDES = [
    {"id": 12, "version": 1, "state": "complete", "sport": "cycling", "name": "Round the lake",
     "start": "2026-05-03T22:30:00.000Z", "utc_offset_s": 7200, "moving_time_s": 7800, "distance_m": 61200,
     "ascent_m": 640, "track": True},
    {"id": 11, "version": 1, "state": "interrupted", "sport": "cycling", "start": "2026-05-03T07:30:00.000Z",
     "utc_offset_s": 7200, "moving_time_s": 3600, "distance_m": 20000, "ascent_m": 100},
    {"id": 10, "version": 1, "state": "complete", "sport": "running", "moving_time_s": 1800},
]


class PagesTests(BrowserCase):
    """Each test has a player and a page."""

    def visit(self, path="", rides=RIDES, **options):
        """Opens a path of the page."""
        self.player = Player()
        self.addCleanup(self.player.close)
        self.player.services.activities = rides
        return self.open(query=path, player=self.player, **options)

    def path(self, page):
        """The path in the address bar."""
        return page.evaluate("location.pathname")

    def test_back_and_reload(self):
        page = self.visit()
        page.click("#bottom button:nth-child(3)")
        page.click("text=General")
        page.wait_for_selector("h1:text-is('General')")
        self.assertEqual(self.path(page), "/settings/general")
        page.reload()
        page.wait_for_selector("h1:text-is('General')")
        page.go_back()
        page.wait_for_selector("h1:text-is('Settings')")
        self.assertFalse(page.is_visible("#dashboard"))
        page.go_back()
        page.wait_for_selector("#dashboard", state="visible")
        self.assertEqual(self.path(page), "/")
        page.go_forward()
        page.wait_for_selector("h1:text-is('Settings')")

    def test_the_back_button_of_a_page_opened_by_its_address_leads_to_its_parent(self):
        page = self.visit("settings/general")
        page.click(".back")
        page.wait_for_selector("h1:text-is('Settings')")
        page.click(".back")
        page.wait_for_selector("#dashboard", state="visible")
        self.assertEqual(self.path(page), "/")

    def test_a_car_is_shown_on_every_page(self):
        for path in ("rides", "settings", "settings/general"):
            with self.subTest(path):
                page = self.visit(path)
                page.wait_for_selector("h1:visible")
                self.player.send(scenes.riding(self.player.now, radar=scenes.FAST_CAR))
                page.wait_for_selector('#lane[data-state="fast"]')
                self.assertEqual(page.text_content("#band"), "FAST CAR 62 m")
                lane = page.evaluate("""() => {
                  const { left, width } = document.getElementById("lane").getBoundingClientRect();
                  return document.elementFromPoint(left + width / 2, 300).closest("#lane") !== null; }""")
                self.assertTrue(lane)

    def test_the_focus_is_on_the_heading_of_a_new_page(self):
        page = self.visit()
        page.click("#bottom button:nth-child(2)")
        page.wait_for_selector("h1:text-is('Rides')")
        self.assertEqual(page.evaluate("document.activeElement.textContent"), "Rides")
        self.assertEqual(page.title(), "Rides – Cyclometer")

    # Rides

    def test_rides_by_week(self):
        page = self.visit("rides")
        page.wait_for_selector(".ride")
        weeks = [text.strip() for text in page.locator(".week-title").all_text_contents()]
        self.assertEqual(weeks, ["Week of May 3, 2026", "Date unknown"])
        self.assertEqual(page.locator(".ride-name").all_text_contents(), ["Round the lake", "Ride", "Run"])
        self.assertIn("Mon, May 4, 12:30", page.text_content(".ride-date").replace("\u202f", " "))
        self.assertEqual(page.text_content(".week-total"), "81.20 km   3:10   ↑ 740 m")

    def test_the_bars_of_the_days_have_words(self):
        page = self.visit("rides")
        page.wait_for_selector(".days")
        self.assertEqual(page.locator(".days").count(), 1)
        words = page.get_attribute(".days", "aria-label")
        self.assertTrue(words.startswith("Distance per day: Sun 20.00 km, Mon 61.20 km, Tue 0.00 km"), words)
        heights = page.evaluate("[...document.querySelectorAll('.days rect')].map(bar => Math.round(bar.getAttribute('height')))")
        self.assertEqual(heights, [12, 36, 2, 2, 2, 2, 2])

    def test_weeks_begin_on_monday_in_german(self):
        page = self.visit("rides", language="de")
        page.wait_for_selector(".ride")
        weeks = page.locator(".week-title").all_text_contents()
        self.assertEqual(weeks, ["Woche ab 4. Mai 2026", "Woche ab 27. April 2026", "Datum unbekannt"])
        self.assertEqual(page.text_content(".week-total"), "61,20 km   2:10   ↑ 640 m")

    def test_files_of_a_ride(self):
        page = self.visit("rides")
        page.wait_for_selector(".ride")
        links = page.evaluate("[...document.querySelectorAll('.ride:first-child .file')].slice(0, 4).map(a => a.getAttribute('href'))")
        self.assertEqual(links, [f"/api/1/activities/12/export?format={name}" for name in ("fit", "gpx", "tcx", "csv")])

    def test_more_rides_are_asked_for_with_the_last_id(self):
        page = self.visit("rides")
        self.player.services.has_more = True
        page.reload()
        page.wait_for_selector(".ride")
        with page.expect_request("**/api/1/activities?*before=10*"):
            page.click("text=More")

    def test_no_rides_and_no_recorder(self):
        page = self.visit("rides", rides=[])
        page.wait_for_selector("text=No rides yet.")
        self.player.services.has_recorder = False
        page.reload()
        page.wait_for_selector("text=Rides are not recorded.")

    # Letting a screen in

    def test_an_unknown_screen_sees_only_the_pairing_page(self):
        page = self.unknown("settings/general")
        page.wait_for_selector("h1:text-is('Connect this screen')")
        self.assertEqual(self.path(page), "/pair")
        self.assertFalse(page.is_visible("#bottom"))

    def test_the_code_of_the_address_lets_in_and_leaves_the_address(self):
        page = self.unknown("pair#ABCDEF")
        page.wait_for_url(self.player.url)
        page.wait_for_selector("#dashboard", state="visible")
        self.assertEqual(self.player.posts, [("/api/1/pair", {"code": "ABCDEF"})])

    def test_a_code_that_arrives_on_the_open_page_lets_in(self):
        page = self.unknown()
        page.wait_for_selector(".digits")
        page.evaluate("location.hash = 'ABCDEF'")
        page.wait_for_selector("#dashboard", state="visible")
        self.assertEqual(self.player.posts, [("/api/1/pair", {"code": "ABCDEF"})])

    def test_digits_let_in(self):
        page = self.unknown()
        page.fill(".digits", "1111")
        page.click("text='Connect'")
        page.wait_for_selector("text=The code has eight digits.")
        page.fill(".digits", "9999 9999")
        page.click("text='Connect'")
        page.wait_for_selector("text=this code is wrong")
        page.fill(".digits", "1111 2222")
        page.click("text='Connect'")
        page.wait_for_selector("#dashboard", state="visible")

    def test_a_revoked_screen_is_asked_to_connect(self):
        page = self.visit()
        page.wait_for_selector(".widget")
        self.player.services.is_paired = False
        self.player.drop_readers()
        page.wait_for_selector("h1:text-is('Connect this screen')")

    def unknown(self, path=""):
        """Opens a path as a screen without a token."""
        self.player = Player()
        self.addCleanup(self.player.close)
        self.player.services.is_paired = False
        return self.open(query=path, player=self.player)


if __name__ == "__main__":
    unittest.main()

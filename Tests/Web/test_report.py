"""The report of a ride: its numbers, map, graphs, laps, states, and what a screen reader gets."""

import os
import pathlib
import unittest

from axe_playwright_python.sync_playwright import Axe

from browser import SIZES, BrowserCase
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
        page = self.visit(report)
        page.wait_for_timeout(200)
        self.assertFalse(page.is_visible(".report-laps"))

    # Access

    def test_access_on_every_screen(self):
        for size in SIZES:
            for language, scheme, text in (("en", "light", 100), ("de", "dark", 130)):
                with self.subTest(size=size, language=language):
                    page = self.visit(size=size, scheme=scheme, language=language, query=f"?language={language}&text={text}",
                                      ready=".lap-button")
                    found = [f"{each['id']}: {node['html'][:160]}" for each in Axe().run(page).response["violations"]
                             for node in each["nodes"]]
                    self.assertEqual(found, [])
                    self.assertEqual(page.evaluate(TARGETS), [])
                    self.assertEqual(page.evaluate(SIDEWAYS), [])
                    page.context.close()

    def test_what_a_screen_reader_gets(self):
        page = self.visit(ready=".lap-button")
        found = page.locator("#page").aria_snapshot() + "\n"
        file = GOLDEN / "report.yml"
        if os.environ.get("ACCEPT"):
            file.write_text(found)
        self.assertEqual(found, file.read_text())


if __name__ == "__main__":
    unittest.main()

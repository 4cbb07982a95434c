"""The statistics: totals by week, month and year, fitness, records and streaks."""

import datetime
import unittest

from axe_playwright_python.sync_playwright import Axe
from test_access import SIDEWAYS, TARGETS, check_golden
from test_rides import RIDES, RidesCase
import training

HEIGHTS = "[...document.querySelectorAll('.period-space i')].map(bar => Math.round(parseFloat(bar.style.height)))"


class WeekTests(RidesCase):
    """Each test opens the statistics on May 6, 2026, a Wednesday."""

    def statistics(self, path="week", ready=".report-totals", is_empty=False, **options):
        """Opens them, with a year of activities."""
        page = self.visit("pair", fixed_time=training.NOON, **options)
        if not is_empty:
            training.keep(self.logbook)
        page.goto(self.player.url + path)
        page.wait_for_selector(ready)
        return page

    def rows(self, page):
        """The texts of the rows of the table, without titles."""
        return page.evaluate("""() => [...document.querySelectorAll(".totals-table tbody tr")].map(row =>
          [row.cells[0].textContent, ...[...row.querySelectorAll(".number-text")].map(each => each.textContent)].join(" | "))""")

    def asked(self, word):
        """The queries of all requests for this."""
        return [query for _, path, query, _ in self.logbook.requests if path == word]

    # Totals

    def test_totals_of_this_week_bars_and_table(self):
        page = self.statistics()
        page.wait_for_selector(".totals-table tbody tr")
        self.assertEqual(page.locator(".report-totals dd").all_text_contents(), ["4", "61.2 km", "2:30 h", "640 m", "143"])
        self.assertEqual(self.rows(page)[:4], [
            "May 4, 2026 | 4 | 61.2 km | 2:30 h | 640 m | 143", "Apr 27, 2026 | 5 | 66.2 km | 2:40 h | 640 m | 143",
            "Apr 20, 2026 | 6 | 71.2 km | 2:50 h | 640 m | 143", "Apr 6, 2026 | 5 | 81.2 km | 3:10 h | 640 m | 143"])
        heights = page.evaluate(HEIGHTS)
        self.assertEqual((len(heights), heights[-5:]), (12, [89, 0, 78, 73, 67]))
        words = page.get_attribute(".period-bars", "aria-label")
        self.assertTrue(words.startswith("Distance: Feb 16, 2026 81.2 km, "), words)
        self.assertTrue(words.endswith("Apr 13, 2026 0.0 km, Apr 20, 2026 71.2 km, Apr 27, 2026 66.2 km, May 4, 2026 61.2 km"), words)
        self.assertTrue(page.is_visible("text=Without a training load: 6 of 56 activities."))

    def test_month_year_sport_and_measure_are_chosen_and_back_restores_them(self):
        page = self.statistics()
        page.click("button:text-is('Month')")
        page.wait_for_selector("th:text-is('April 2026')")
        page.click(".report-totals button:text-is('Ascent')")
        self.assertEqual(page.text_content(".report-totals .graph-stats"), "highest 640 m")
        page.select_option(".statistics select", "cycling")
        page.wait_for_selector("th:text-is('April 2026')")
        self.assertEqual(self.asked("stats")[-1], {"by": "month", "sport": "cycling"})
        page.locator(".report-records a").first.click()
        page.wait_for_url("**/rides/12")
        page.go_back()
        page.wait_for_selector("th:text-is('April 2026')")
        self.assertEqual(self.asked("stats")[-1], {"by": "month", "sport": "cycling"})
        pressed = page.locator(".report-totals [aria-pressed=true]").all_text_contents()
        self.assertEqual((pressed, page.input_value(".statistics select")), (["Month", "Ascent"], "cycling"))
        page.click("button:text-is('Year')")
        page.wait_for_selector("th:text-is('2025')")

    def test_more_periods_and_a_sport_without_any(self):
        page = self.statistics()
        page.wait_for_selector(".totals-table tbody tr")
        self.assertEqual(len(self.rows(page)), 11)
        page.click("text='More'")
        self.assertEqual(len(self.rows(page)), 23)
        while page.is_visible("text='More'"):
            page.click("text='More'")
        self.assertEqual(len(self.rows(page)), len(training.stats({"by": "week"})["rows"]))
        self.assertEqual(page.locator(".period-bar").count(), 12)
        page.select_option(".statistics select", "swimming")
        page.wait_for_selector("text=Nothing was found.")
        self.assertFalse(page.is_visible(".period-bars"))
        self.assertTrue(page.is_visible(".report-fitness canvas"))

    def test_weeks_at_the_turn_of_years_have_the_numbers_of_iso_8601(self):
        page = self.statistics()
        days = ["2020-12-31", "2021-01-01", "2021-01-03", "2021-01-04", "2024-12-30", "2026-05-06", "2027-01-03"]
        found = page.evaluate("""async days => {
          const { nameOf, periodsUntil, startOf } = await import("/js/core/periods.js");
          const names = days.map(day => nameOf(startOf(Date.parse(day), "week"), "week"));
          return [names, ...["month", "year"].map(by => periodsUntil(Date.parse("2026-01-31"), by, 3).map(({ name }) => name))]; }""", days)
        weeks = [datetime.date.fromisoformat(day).isocalendar() for day in days]
        self.assertEqual(found, [[f"{week.year}-W{week.week:02}" for week in weeks], ["2026-01", "2025-12", "2025-11"], ["2026", "2025", "2024"]])

    # Fitness, records, streaks

    def test_fitness_and_fatigue(self):
        page = self.statistics()
        page.wait_for_selector(".report-fitness canvas")
        self.assertEqual(page.locator(".report-fitness dd").all_text_contents(), ["70", "90", "-5.1"])
        words = page.get_attribute(".report-fitness canvas", "aria-label")
        self.assertEqual(words, "Fitness went from 50 to 70, highest 70. Fatigue went from 46 to 90, highest 90.")
        self.assertTrue(page.is_visible("text=Without a training load: 9 of 52 activities."))
        drawn = """() => { const canvas = document.querySelector(".report-fitness canvas");
          return canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.filter(each => each > 200).length; }"""
        self.assertGreater(page.evaluate(drawn), 500)
        page.click("text=1 year")
        page.wait_for_function("() => document.querySelector('.report-fitness canvas').ariaLabel.includes('highest 70')")
        self.assertEqual([query["from"][:10] for query in self.asked("fitness")], ["2026-02-04", "2025-05-06"])

    def test_records_lead_to_their_rides(self):
        page = self.statistics()
        page.wait_for_selector(".report-records a")
        lines = [" ".join(text.split()) for text in page.locator(".report-records .line").all_inner_texts()]
        self.assertEqual(lines, [
            "Days in a row 3, longest 12 (Mar 1, 2026 – Mar 12, 2026)", "Weeks in a row 20, longest 52 (Apr 28, 2025 – May 3, 2026)",
            "Farthest 61.20 km · May 3, 2026", "Longest 2:30 h · May 3, 2026", "Fastest 32.8 km/h · May 3, 2026",
            "Most ascent 1200 m · May 3, 2026", "Best power, 0:05 812 w · May 3, 2026", "Best power, 20:00 255 w · May 3, 2026",
            "Longest 0:30 h · Date unknown"])
        self.assertIn("inline skating: 1", page.locator(".report-records h3").all_text_contents())
        page.select_option(".statistics select", label="inline skating")
        page.wait_for_function("() => document.querySelectorAll('.report-records a').length === 1")
        page.locator(".report-records a").click()
        page.wait_for_url("**/rides/10")

    # States

    def test_an_empty_logbook_no_recorder_and_a_part_that_fails(self):
        page = self.statistics(is_empty=True, rides=[])
        page.wait_for_selector("text=No rides yet.")
        for part in ("fitness", "records"):
            self.assertFalse(page.is_visible(f".report-{part}"))
        training.keep(self.logbook)
        self.logbook.refusals["fitness"] = "the storage failed"
        # Another screen adds an activity.
        self.report("added", RIDES[0])
        page.wait_for_selector(".report-fitness >> text=the storage failed")
        self.assertTrue(page.is_visible(".period-bars"))
        self.logbook.refusals.clear()
        page.click(".report-fitness >> text=Try again")
        page.wait_for_selector(".report-fitness canvas")
        self.logbook.is_present = False
        page.reload()
        page.wait_for_selector("text=Rides are not recorded.")
        self.assertEqual(page.locator(".report-totals dd:visible").count(), 0)

    def test_a_recorder_without_training_load_shows_the_rest(self):
        page = self.statistics()
        rows = [{key: value for key, value in row.items() if key not in ("training_load", "without_load")} for row in training.stats({"by": "week"})["rows"]]
        self.logbook.statistics["stats"] = lambda _: {"rows": rows}
        page.reload()
        page.wait_for_selector(".totals-table tbody tr")
        self.assertEqual(page.locator(".report-totals dd").all_text_contents(), ["4", "61.2 km", "2:30 h", "640 m"])
        self.assertFalse(page.is_visible(".report-totals button:text-is('Load')"))

    def test_a_swim_is_entered_from_here_by_screens_that_may(self):
        page = self.statistics("rides", ".ride-links")
        page.click(".ride-links >> text=Statistics")
        page.wait_for_selector(".totals-table")
        page.click("text=Add by hand")
        page.wait_for_url("**/rides/add")
        page.get_by_label("Minutes").fill("45")
        page.click("text=Save")
        page.wait_for_url("**/week")
        page = self.statistics(rights=("view",))
        page.wait_for_selector(".totals-table")
        self.assertFalse(page.is_visible("text=Add by hand"))

    # Everybody

    def test_every_screen_language_and_scheme(self):
        for size, scheme, language in (((360, 780), "light", "en"), ((800, 480), "dark", "de"), ((180, 390), "light", "de"), ((320, 240), "dark", "de")):
            with self.subTest(size=size, scheme=scheme):
                page = self.statistics(size=size, scheme=scheme, language=language)
                page.wait_for_selector(".report-records a")
                page.wait_for_timeout(200)
                self.assertEqual(page.evaluate(SIDEWAYS), [])
                self.assertEqual(page.evaluate(TARGETS), [])
                found = [each["id"] for each in Axe().run(page).response["violations"]]
                self.assertEqual(found, [])
                page.context.close()

    def test_what_a_screen_reader_gets(self):
        page = self.statistics()
        page.wait_for_selector(".report-records a")
        page.wait_for_selector(".report-fitness canvas")
        page.wait_for_selector(".totals-table tbody tr")
        check_golden(self, "week", page)

    def test_forced_colors_show_the_bars(self):
        page = self.statistics(forced_colors="active")
        page.wait_for_selector(".period-bars")
        colors = page.evaluate("[getComputedStyle(document.querySelector('.period-bar:last-child i')).backgroundColor, getComputedStyle(document.body).color]")
        self.assertEqual(colors[0], colors[1])


if __name__ == "__main__":
    unittest.main()

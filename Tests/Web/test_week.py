"""The statistics: totals by week, month and year, fitness, records and streaks."""

import datetime
import threading
import unittest

from axe_playwright_python.sync_playwright import Axe
from test_access import SIDEWAYS, TARGETS, check_golden
from test_rides import RIDES, RidesCase
import scenes
import training

# Plays visibility.
VISIBILITY = """
  let isHidden = false;
  Object.defineProperty(document, "hidden", { get: () => isHidden });
  window.hide = hides => {
    isHidden = hides;
    document.dispatchEvent(new Event("visibilitychange"));
  };
"""

HEIGHTS = "[...document.querySelectorAll('.period-space i')].map(bar => Math.round(parseFloat(bar.style.height)))"


class WeekTests(RidesCase):
    """Each test opens the statistics on May 6, 2026, a Wednesday."""

    def statistics(self, path="week", ready=".report-totals", is_empty=False, week_start="monday", **options):
        """Opens them, with a year of activities."""
        page = self.visit("pair", fixed_time=training.NOON, **options)
        self.player.services.store("settings/rider", {"version": 1, "week_start": week_start})
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
        self.assertTrue(page.is_visible("text=Without a training load: 6 of 56 activities. They have no power or heart rate, or the rider's thresholds were not set"))

    def test_month_year_sport_and_measure_are_chosen_and_back_restores_them(self):
        page = self.statistics()
        page.click("button:text-is('Month')")
        page.wait_for_selector("th:text-is('April 2026')")
        page.click(".report-totals button:text-is('Ascent')")
        self.assertEqual(page.text_content(".report-totals .graph-stats"), "highest 640 m")
        with page.expect_response("**/api/1/records?sport=cycling"):
            page.select_option(".statistics select", "cycling")
        self.assertEqual(self.asked("stats")[-1], {"by": "month", "sport": "cycling"})
        page.wait_for_function("() => document.querySelectorAll('.report-records h3').length === 2")
        page.locator(".report-records a").first.click()
        page.wait_for_url("**/rides/12")
        with page.expect_response("**/api/1/stats?*"):
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
            shown = len(self.rows(page))
            page.click("text='More'")
        self.assertEqual(len(self.rows(page)), len(training.stats({"by": "week"})["rows"]))
        # The button is gone. The keyboard goes on at the first row that it brought.
        self.assertEqual(page.evaluate("document.activeElement.textContent"), self.rows(page)[shown].split(" | ")[0])
        self.assertEqual(page.locator(".period-bar").count(), 12)
        page.select_option(".statistics select", "swimming")
        page.wait_for_selector("text=Nothing was found.")
        self.assertFalse(page.is_visible(".period-bars"))
        self.assertTrue(page.is_visible(".report-fitness canvas"))

    def test_weeks_begin_on_the_day_of_the_settings(self):
        page = self.statistics(ready=".totals-table tbody tr", week_start="sunday")
        self.assertEqual(self.rows(page)[0], "May 3, 2026 | 4 | 61.2 km | 2:30 h | 640 m | 143")
        self.assertEqual((self.asked("stats"), self.asked("records")), ([{"by": "week", "week_start": "sunday"}], [{"week_start": "sunday"}]))
        with page.expect_response("**/api/1/stats?by=month"):
            page.click("button:text-is('Month')")

    def test_rows_that_one_answer_has_no_room_for_are_loaded_with_more(self):
        page = self.statistics(is_empty=True)
        pages = {None: ["2026-W19", "2026-W08"], "2026-W08": ["2025-W01"], "2025-W01": ["2020-W53"]}

        def answer(query):
            before = query.get("before_period")
            return {"rows": [{"period": name, "activities": 1, "distance_m": 1000, "moving_time_s": 60} for name in pages[before]],
                    **({"more": True} if before != "2025-W01" else {})}
        self.logbook.statistics = {"stats": answer}
        page.goto(self.player.url + "week")
        page.wait_for_selector(".totals-table tbody tr")
        titles = [["May 4, 2026", "Feb 16, 2026"], ["Dec 30, 2024"], ["Dec 28, 2020"]]
        for shown in (titles[:1], titles[:2], titles):
            wanted = sum(shown, [])
            page.wait_for_function("wanted => document.querySelectorAll('.totals-table tbody tr').length === wanted", arg=len(wanted))
            self.assertEqual([row.split(" | ")[0] for row in self.rows(page)], wanted)
            if shown != titles:
                page.click("text='More'")
        self.assertFalse(page.is_visible("text='More'"))
        self.assertEqual(page.evaluate("document.activeElement.textContent"), "Dec 28, 2020")

    def test_a_record_has_the_date_at_its_activity(self):
        page = self.statistics(is_empty=True)
        late = {"activity": 12, "start": "2026-05-02T22:30:00.000Z", "moving_time_s": 9000}
        self.logbook.statistics = {"records": lambda _: {"sports": [
            {"sport": "cycling", "activities": 2, "longest": {**late, "utc_offset_s": 7200}, "farthest": {**late, "distance_m": 61200}}]}}
        page.goto(self.player.url + "week")
        lines = page.locator(".report-records a")
        lines.first.wait_for()
        self.assertEqual([text.split(" · ")[1] for text in lines.all_text_contents()], ["May 2, 2026", "May 3, 2026"])

    def test_activities_that_are_dated_in_the_future_or_long_ago_are_in_the_table(self):
        for by, future, ago, titles in (("week", "2026-W20", "1999-W52", ("May 11, 2026", "Dec 27, 1999")),
                                        ("month", "2026-07", "1999-12", ("July 2026", "December 1999")), ("year", "2027", "1999", ("2027", "1999"))):
            with self.subTest(by=by):
                page = self.statistics()
                row = {"activities": 1, "distance_m": 1000, "moving_time_s": 60, "ascent_m": 0}
                self.logbook.statistics["stats"] = lambda query: {"rows": [
                    *({**row, "period": name} for name in (future, ago)), *training.stats(query)["rows"]] if query["by"] == by else []}
                page.click(f".report-totals button:text-is('{by.title()}')")
                page.wait_for_selector(f"th:text-is('{titles[0]}')")
                self.assertTrue(self.rows(page)[0].startswith(titles[0]), self.rows(page)[0])
                while page.is_visible("text='More'"):
                    page.click("text='More'")
                self.assertTrue(self.rows(page)[-1].startswith(titles[1]), self.rows(page)[-1])
                self.assertEqual(len(self.rows(page)), len(training.stats({"by": by})["rows"]) + 2)
                # The graph ends with the present period.
                self.assertNotIn(titles[0], page.get_attribute(".period-bars", "aria-label"))
                self.leave(page)

    def test_more_ends_when_older_rows_are_gone(self):
        page = self.statistics(is_empty=True)

        def answer(query):
            if "before_period" in query:
                return {"rows": []}
            return {"rows": [{"period": "2026-W19", "activities": 1, "distance_m": 1000, "moving_time_s": 60}], "more": True}
        self.logbook.statistics = {"stats": answer}
        page.goto(self.player.url + "week")
        page.wait_for_selector(".totals-table tbody tr")
        page.click("text='More'")
        page.wait_for_selector("text='More'", state="hidden")
        self.assertEqual(page.evaluate("document.activeElement.textContent"), "May 4, 2026")

    def test_what_is_shown_stays_until_another_period_has_loaded(self):
        page = self.statistics()
        page.wait_for_selector(".totals-table tbody tr")
        before = self.rows(page)
        may_go = threading.Event()
        self.addCleanup(may_go.set)
        self.logbook.statistics["stats"] = lambda query: may_go.wait(timeout=10) and training.stats(query)
        page.click("button:text-is('Month')")
        # Shows the numbers again, with what has arrived.
        page.click(".report-totals button:text-is('Ascent')")
        self.assertEqual(self.rows(page), before)
        self.assertEqual(page.text_content(".report-totals h3"), "This week")
        self.assertEqual(page.text_content(".report-totals .graph-stats"), "highest 640 m")
        page.click("text='More'")
        self.assertEqual(len(self.rows(page)), 23)
        may_go.set()
        page.wait_for_selector("th:text-is('April 2026')")
        self.assertEqual(page.text_content(".report-totals h3"), "This month")

    def test_weeks_at_the_turn_of_years_have_the_numbers_of_iso_8601(self):
        page = self.statistics()
        days = ["2020-12-31", "2021-01-01", "2021-01-03", "2021-01-04", "2024-12-30", "2026-05-06", "2027-01-03"]
        found = page.evaluate("""async days => {
          const { nameOf, periodsUntil, startOf, startOfNamed } = await import("/js/core/periods.js");
          const starts = days.map(day => startOf(Date.parse(day), "week", 1));
          const names = starts.map(start => nameOf(start, "week"));
          return [names, names.map(name => startOfNamed(name, "week", 1) - starts[names.indexOf(name)]), ...["month", "year"].map(by => periodsUntil(Date.parse("2026-01-31"), by, 3, 1).map(({ name }) => name))]; }""", days)
        weeks = [datetime.date.fromisoformat(day).isocalendar() for day in days]
        sundays = page.evaluate("""async () => {
          const { periodsUntil, startOfNamed } = await import("/js/core/periods.js");
          const weeks = periodsUntil(Date.parse("2021-01-09"), "week", 2, 0);
          return weeks.map(({ name, start }) => [name, new Date(start).toISOString().slice(0, 10), startOfNamed(name, "week", 0) - start]); }""")
        self.assertEqual(sundays, [["2021-W01", "2021-01-03", 0], ["2020-W53", "2020-12-27", 0]])
        self.assertEqual(found, [[f"{week.year}-W{week.week:02}" for week in weeks], [0] * len(days), ["2026-01", "2025-12", "2025-11"], ["2026", "2025", "2024"]])

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
        with page.expect_response("**/api/1/fitness?*"):
            page.click("text=1 year")
        page.wait_for_function("words => document.querySelector('.report-fitness canvas').ariaLabel !== words", arg=words)
        self.assertEqual([query["from"][:10] for query in self.asked("fitness")], ["2026-02-04", "2025-05-06"])

    def test_records_lead_to_their_rides(self):
        page = self.statistics()
        page.wait_for_selector(".report-records a")
        lines = [" ".join(text.split()) for text in page.locator(".report-records .line").all_inner_texts()]
        self.assertEqual(lines, [
            "Days in a row 3, longest 12 (Mar 1, 2026 – Mar 12, 2026)", "Weeks in a row 20, longest 52 (Apr 28, 2025 – May 3, 2026)",
            "Farthest 61.20 km · May 3, 2026", "Longest 2:30 h · May 3, 2026", "Fastest 32.8 km/h · May 3, 2026",
            "Most ascent 1200 m · May 3, 2026", "Best power, 5 s 812 w · May 3, 2026", "Best power, 20 min 255 w · May 3, 2026",
            "Longest 0:30 h · Date unknown"])
        self.assertIn("inline skating: 1 activity", page.locator(".report-records h3").all_text_contents())
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

    def test_totals_that_fail_or_are_empty_leave_the_rest(self):
        page = self.statistics()
        for sentence, refusals, stats in (("the storage failed", {"stats": "the storage failed"}, training.stats),
                                          ("No rides yet.", {}, lambda _: {"rows": []})):
            with self.subTest(sentence):
                self.logbook.refusals, self.logbook.statistics["stats"] = refusals, stats
                page.reload()
                page.wait_for_selector(f".report-totals >> text={sentence}")
                page.wait_for_selector(".report-fitness canvas")
                page.wait_for_selector(".report-records a")

    def test_a_slow_logbook_is_not_asked_again_before_it_answers(self):
        page = self.statistics(fake_time=True)
        page.wait_for_selector(".totals-table tbody tr")
        may_go = threading.Event()
        self.addCleanup(may_go.set)
        self.logbook.statistics["stats"] = lambda query: may_go.wait(timeout=10) and training.stats(query)
        for speed in (5, 6, 7):
            # The speed on the hidden dashboard shows that the record has arrived.
            self.player.send([{"class": "activity", "change": "added", "id": 12, "activity": RIDES[0]},
                              scenes.sample("speed", self.player.now, sensor="ride", speed_mps=speed)])
            page.wait_for_function("speed => document.querySelector('#widgets').textContent.includes(speed)", arg=f"{speed * 3.6:.1f}")
            self.player.skip(1.1)
            page.clock.run_for(1100)
        with page.expect_response("**/api/1/stats?*"):
            may_go.set()
        # The changes from meanwhile are loaded at once, and once.
        with page.expect_response("**/api/1/stats?*"):
            page.clock.run_for(1100)
        page.clock.run_for(1100)
        self.assertEqual(len(self.asked("stats")), 3)

    def test_another_day_and_a_screen_that_is_back_load_again(self):
        page = self.statistics(script=VISIBILITY)
        page.wait_for_selector(".totals-table tbody tr")
        with page.expect_response("**/api/1/stats?*"):
            page.clock.set_fixed_time("2026-05-11T00:10:00")
        page.wait_for_function("() => document.querySelector('.period-bars').ariaLabel.endsWith('May 4, 2026 61.2 km, May 11, 2026 0.0 km')")
        with page.expect_response("**/api/1/stats?*"):
            page.evaluate("hide(true)")
            page.evaluate("hide(false)")
        self.player.hang()
        page.wait_for_selector("#notice", state="visible")
        with page.expect_response("**/api/1/stats?*"):
            self.player.hang(False)

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
                page.wait_for_selector(".report-fitness canvas")
                page.wait_for_selector(".totals-table tbody tr")
                self.assertEqual(page.evaluate(SIDEWAYS), [])
                self.assertEqual(page.evaluate(TARGETS), [])
                found = [each["id"] for each in Axe().run(page).response["violations"]]
                self.assertEqual(found, [])
                self.leave(page)

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

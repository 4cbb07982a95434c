"""The rides: the list by week, search, tracks, what other screens change, and what was deleted."""

import copy
import math
import unittest

from browser import BrowserCase
from player import Player

RIDES = [
    {"id": 12, "version": 1, "state": "complete", "sport": "cycling", "name": "Round the lake",
     "start": "2026-05-03T22:30:00.000Z", "utc_offset_s": 7200, "moving_time_s": 7800, "distance_m": 61200,
     "ascent_m": 640, "track": True},
    {"id": 11, "version": 1, "state": "interrupted", "sport": "cycling", "start": "2026-05-03T07:30:00.000Z",
     "utc_offset_s": 7200, "moving_time_s": 3600, "distance_m": 20000, "ascent_m": 100},
    {"id": 10, "version": 1, "state": "complete", "sport": "running", "moving_time_s": 1800},
]
# A loop, with a gap in it.
LOOP = [{"latitude_deg": 47 + .01 * math.sin(angle / 5), "longitude_deg": 7.5 + .02 * math.cos(angle / 5)} for angle in range(32)]
TRACK = {"id": 12, "pieces": [{"points": LOOP[:20]}, {"points": LOOP[22:]}]}


def make_rides(count):
    """Rides of two a day, the newest first."""
    return [{"id": number, "version": 1, "state": "complete", "sport": "cycling", "name": f"Ride {number}", "track": True,
             "start": scene_time(number), "moving_time_s": 3600, "distance_m": 30000, "ascent_m": 100}
            for number in range(count, 0, -1)]


def scene_time(number):
    """When the ride with this number began."""
    days, half = divmod(number, 2)
    year, day = 2012 + days // 336, days % 336
    return f"{year}-{day // 28 + 1:02}-{day % 28 + 1:02}T{8 + 8 * half:02}:00:00.000Z"


class RidesCase(BrowserCase):
    """Each test has a player, its logbook and a page."""

    def visit(self, path="rides", rides=RIDES, rights=("view", "ride", "manage"), **options):
        """Opens a page of the rides."""
        self.player = Player()
        self.addCleanup(self.player.close)
        self.player.rights = list(rights)
        self.logbook = self.player.services.logbook
        self.logbook.activities = copy.deepcopy(rides)
        self.logbook.tracks = {12: TRACK}
        return self.open(query=path, player=self.player, **options)

    def names(self, page):
        """The names of the rides, as they are listed."""
        return page.locator(".ride-name").all_text_contents()

    def wait_for_names(self, page, names):
        """Waits until exactly these rides are listed."""
        page.wait_for_function("""names => JSON.stringify([...document.querySelectorAll(".ride-name")].map(each => each.textContent))
          === JSON.stringify(names)""", arg=names)

    def report(self, change, activity):
        """A record of the recorder about an activity."""
        record = {"class": "activity", "change": change, "id": activity["id"]}
        self.player.send([record if change == "removed" else {**record, "activity": activity}])


class ListTests(RidesCase):
    """The list by week."""

    def test_rides_by_week(self):
        page = self.visit()
        page.wait_for_selector(".ride")
        weeks = [text.strip() for text in page.locator(".week-title").all_text_contents()]
        self.assertEqual(weeks, ["Week of May 3, 2026", "Date unknown"])
        self.assertEqual(self.names(page), ["Round the lake", "Ride", "Run"])
        self.assertIn("Mon, May 4, 12:30", page.text_content(".ride-date").replace("\u202f", " "))
        self.assertEqual(page.text_content(".week-total"), "81.20 km   3:10   ↑ 740 m")

    def test_the_bars_of_the_days_have_words(self):
        page = self.visit()
        page.wait_for_selector(".days")
        self.assertEqual(page.locator(".days").count(), 1)
        words = page.get_attribute(".days", "aria-label")
        self.assertTrue(words.startswith("Distance per day: Sun 20.00 km, Mon 61.20 km, Tue 0.00 km"), words)
        heights = page.evaluate("[...document.querySelectorAll('.days rect')].map(bar => Math.round(bar.getAttribute('height')))")
        self.assertEqual(heights, [12, 36, 2, 2, 2, 2, 2])

    def test_weeks_begin_on_monday_in_german(self):
        page = self.visit(language="de")
        page.wait_for_selector(".ride")
        weeks = page.locator(".week-title").all_text_contents()
        self.assertEqual(weeks, ["Woche ab 4. Mai 2026", "Woche ab 27. April 2026", "Datum unbekannt"])
        self.assertEqual(page.text_content(".week-total"), "61,20 km   2:10   ↑ 640 m")

    def test_a_ride_opens_from_anywhere_on_its_line(self):
        page = self.visit()
        page.locator(".ride").first.click(position={"x": 300, "y": 60})
        page.wait_for_url("**/rides/12")
        page.go_back()
        page.locator(".ride-link").first.press("Enter")
        page.wait_for_url("**/rides/12")

    def test_no_rides_and_no_recorder(self):
        page = self.visit(rides=[])
        page.wait_for_selector("text=No rides yet.")
        self.logbook.is_present = False
        page.reload()
        page.wait_for_selector("text=Rides are not recorded.")
        self.assertFalse(page.is_visible("text=Try again"))

    def test_a_refusal_is_shown_and_can_be_tried_again(self):
        page = self.visit(rides=[])
        page.wait_for_selector("text=No rides yet.")
        self.logbook.refusals["list"] = "the storage failed"
        page.reload()
        page.wait_for_selector("text=the storage failed")
        self.logbook.refusals.clear()
        self.logbook.activities = copy.deepcopy(RIDES)
        page.click(".page-body > .line-button")
        page.wait_for_selector(".ride")
        self.assertEqual(page.text_content(".page-body > .sentence"), "")

    # More of them

    def test_the_next_rides_come_while_the_list_is_scrolled(self):
        page = self.visit(rides=make_rides(120))
        page.wait_for_selector(".ride")
        # The first 50 fill more than the screen and what is loaded ahead.
        page.wait_for_timeout(300)
        self.assertEqual(page.locator(".ride").count(), 50)
        page.evaluate("document.getElementById('page').scrollTop = 1e6")
        page.wait_for_selector("text='Ride 70'", state="attached")
        page.evaluate("document.getElementById('page').scrollTop = 1e6")
        page.wait_for_selector("text='Ride 1'", state="attached")
        self.assertEqual(self.names(page), [f"Ride {number}" for number in range(120, 0, -1)])
        titles = page.locator(".week-title").all_text_contents()
        self.assertEqual(len(titles), len(set(titles)))
        self.assertTrue(page.is_hidden(".page-body > .line-button"))

    def test_more_rides_by_keyboard(self):
        # Without an observer of the screen, the button is all there is.
        page = self.visit(rides=make_rides(60), script="IntersectionObserver = class { observe() {} unobserve() {} disconnect() {} };")
        page.wait_for_selector(".ride")
        page.locator("text=More").press("Enter")
        page.wait_for_selector("text='Ride 1'", state="attached")

    def test_a_list_of_5000_scrolls_to_its_end_without_growing_slower(self):
        page = self.visit(rides=make_rides(5000))
        page.wait_for_selector(".ride")
        times = page.evaluate("""async () => {
          const scroller = document.getElementById("page");
          const frame = () => new Promise(requestAnimationFrame);
          const times = [];
          for (let count = 50; count < 5000; count += 50) {
            scroller.scrollTop = 1e9;
            while (document.querySelectorAll(".ride").length < count + 50) await frame();
            // What it takes to lay out and style the list after one more ride.
            const begin = performance.now();
            document.querySelector(".weeks").lastElementChild.style.paddingBottom = `${count % 7}px`;
            scroller.scrollTop = 1e9;
            scroller.scrollHeight;
            await frame();
            await frame();
            times.push(performance.now() - begin);
          }
          return times; }""")
        self.assertEqual(page.locator(".ride").count(), 5000)
        page.evaluate("document.getElementById('page').scrollTop = 1e9")
        self.assertTrue(page.is_visible("text='Ride 1'"))
        # The shortest of many: the machine does other things too.
        early, late = min(times[:30]), min(times[-30:])
        print(f"figure: frames of the list: {early:.0f} ms with 1,500 rides, {late:.0f} ms with 5,000")
        self.assertLess(late, 2 * early + 10)

    # Search

    def test_the_search_begins_when_typing_ends(self):
        page = self.visit(fake_time=True)
        page.wait_for_selector(".ride")
        # From here on, time passes only when the test says so.
        page.clock.pause_at(page.evaluate("Date.now() + 5000"))
        page.type(".search", "lak")
        page.clock.run_for(250)
        page.type(".search", "e")
        page.clock.run_for(299)
        self.assertEqual([query.get("text") for _, path, query, _ in self.logbook.requests if path == "activities"], [None])
        page.clock.run_for(1)
        self.wait_for_names(page, ["Round the lake"])
        self.assertEqual([query.get("text") for _, path, query, _ in self.logbook.requests if path == "activities"], [None, "lake"])
        page.fill(".search", "sea")
        page.clock.run_for(300)
        page.wait_for_selector("text=Nothing was found.")

    def test_the_sport_is_chosen_and_back_restores_the_search(self):
        page = self.visit()
        page.wait_for_selector(".ride")
        page.select_option(".ride-filter select", "running")
        self.wait_for_names(page, ["Run"])
        page.click(".ride-link")
        page.wait_for_url("**/rides/10")
        page.go_back()
        self.wait_for_names(page, ["Run"])
        self.assertEqual(page.input_value(".ride-filter select"), "running")

    def test_a_sport_of_a_file_can_be_chosen(self):
        page = self.visit(rides=[{**RIDES[0], "sport": "inline_skating"}])
        page.wait_for_selector(".ride")
        page.select_option(".ride-filter select", label="inline skating")
        self.wait_for_names(page, ["Round the lake"])

    def test_an_answer_to_an_older_search_is_dropped(self):
        page = self.visit()
        page.wait_for_selector(".ride")
        held = []
        page.route("**/api/1/activities?*sport=cycling*", lambda route: held.append(route))
        with page.expect_request("**/api/1/activities?*sport=cycling*"):
            page.select_option(".ride-filter select", "cycling")
        page.select_option(".ride-filter select", "running")
        self.wait_for_names(page, ["Run"])
        with page.expect_response("**/api/1/activities?*sport=cycling*"):
            held[0].continue_()
        self.wait_for_frames(page)
        self.assertEqual(self.names(page), ["Run"])

    # Tracks

    def test_the_track_of_a_ride_is_a_picture(self):
        page = self.visit()
        page.wait_for_selector(".thumbnail path")
        shape = page.get_attribute(".thumbnail path", "d")
        self.assertEqual(shape.count("M"), 2)
        box = page.evaluate("(({ x, y, width, height }) => [x, y, width, height])(document.querySelector('.thumbnail path').getBBox())")
        self.assertGreaterEqual(min(box[0], box[1]), 0)
        self.assertLessEqual(box[0] + box[2], 64)
        self.assertLessEqual(box[1] + box[3], 48)
        self.assertGreater(max(box[2] / 64, box[3] / 48), .8)
        # Others have the icon of their sport.
        icons = page.evaluate("[...document.querySelectorAll('.thumbnail use')].map(use => use.getAttribute('href').split('#')[1])")
        self.assertEqual(icons, ["person-biking", "person-running"])

    def test_tracks_are_loaded_for_what_is_on_the_screen_and_kept(self):
        page = self.visit(rides=[])
        self.logbook.activities = make_rides(50)
        self.logbook.tracks = {each["id"]: {**TRACK, "id": each["id"]} for each in self.logbook.activities}
        page.reload()
        page.wait_for_function("() => document.querySelectorAll('.thumbnail path').length > 2")
        page.wait_for_timeout(500)
        asked = self.tracks_asked()
        self.assertLess(len(asked), 15)
        self.assertEqual(len(set(asked)), len(asked))
        page.click(".ride-link")
        page.wait_for_url("**/rides/50")
        page.go_back()
        page.wait_for_function("() => document.querySelectorAll('.thumbnail path').length > 2")
        self.assertEqual(self.tracks_asked(), asked)

    def test_few_tracks_are_loaded_at_a_time(self):
        page = self.visit(rides=[])
        self.logbook.tracks_may_go.clear()
        self.logbook.activities = make_rides(50)
        page.reload()
        page.wait_for_selector(".ride")
        page.wait_for_timeout(500)
        self.assertEqual(len(self.tracks_asked()), 3)
        self.logbook.tracks_may_go.set()

    def test_tracks_that_wait_are_not_loaded_after_the_list_was_left(self):
        page = self.visit(rides=[])
        self.logbook.tracks_may_go.clear()
        self.logbook.activities = make_rides(50)
        page.reload()
        page.wait_for_selector(".ride")
        page.wait_for_timeout(500)
        page.click(".back")
        page.wait_for_selector(".ride", state="detached")
        self.logbook.tracks_may_go.set()
        page.wait_for_timeout(500)
        self.assertEqual(len(self.tracks_asked()), 3)

    def tracks_asked(self):
        """The paths of all requests for tracks as small pictures. A report asks for more points."""
        return [path for _, path, query, _ in self.logbook.requests if path.endswith("/track") and query["points"] == "64"]

    def test_tracks_in_any_place_fit_into_the_picture(self):
        page = self.visit()
        found = page.evaluate("""async () => {
          const { trackPath } = await import("/js/core/thumbnails.js");
          const path = points => trackPath({ pieces: [{ points: points.map(([latitude_deg, longitude_deg]) => ({ latitude_deg, longitude_deg })) }] }, 64, 48);
          return [path([]), path([[47, 7]]), path([[0, 0], [0, 1]]), path([[0, 179.5], [0, -179.5]]), path([[60, 0], [61, 1]])]; }""")
        self.assertEqual(found, ["", "M32.0 24.0", "M3.0 24.0L61.0 24.0", "M3.0 24.0L61.0 24.0", "M21.7 45.0L42.3 3.0"])

    # What other screens change

    def test_the_list_follows_changes(self):
        page = self.visit(rides=RIDES[:2])
        page.wait_for_selector(".ride")
        self.report("changed", {**RIDES[0], "version": 2, "name": "Lakes", "distance_m": 60000})
        self.wait_for_names(page, ["Lakes", "Ride"])
        self.assertEqual(page.text_content(".week-total"), "80.00 km   3:10   ↑ 740 m")
        self.report("removed", RIDES[1])
        self.wait_for_names(page, ["Lakes"])
        self.report("added", {**RIDES[1], "id": 14, "name": "Earlier", "start": "2026-04-20T07:30:00.000Z"})
        self.wait_for_names(page, ["Lakes", "Earlier"])
        self.report("added", {**RIDES[1], "id": 15, "name": "Between"})
        self.wait_for_names(page, ["Lakes", "Between", "Earlier"])
        self.report("changed", {**RIDES[0], "version": 3, "name": "Lakes", "start": "2026-04-01T07:30:00.000Z"})
        self.wait_for_names(page, ["Between", "Earlier", "Lakes"])
        self.report("removed", {**RIDES[1], "id": 14})
        self.wait_for_names(page, ["Between", "Lakes"])
        self.assertEqual(page.locator(".week").count(), 2)

    def test_changes_follow_the_search(self):
        page = self.visit()
        page.wait_for_selector(".ride")
        page.select_option(".ride-filter select", "running")
        self.wait_for_names(page, ["Run"])
        self.report("added", {**RIDES[1], "id": 14})
        self.report("added", {**RIDES[2], "id": 15, "name": "Track", "start": "2026-05-05T07:30:00.000Z"})
        self.wait_for_names(page, ["Track", "Run"])
        self.report("changed", {**RIDES[2], "sport": "walking"})
        self.wait_for_names(page, ["Track"])

    def test_the_focus_stays_on_a_ride_that_changes(self):
        page = self.visit()
        page.focus(".ride-link")
        self.report("changed", {**RIDES[0], "name": "Lakes"})
        self.wait_for_names(page, ["Lakes", "Ride", "Run"])
        self.assertEqual(page.evaluate("document.activeElement.textContent"), "Lakes")

    # Deleted

    def test_a_deleted_ride_is_restored(self):
        page = self.visit()
        self.logbook.deleted = [{**RIDES[0], "id": 9, "name": "Gone", "deleted": "2026-05-04T08:00:00.000Z"}]
        page.click("text=Deleted")
        page.wait_for_selector("h1:text-is('Deleted')")
        page.wait_for_selector("text=Deleted on May 4")
        self.assertEqual(page.locator(".ride a").count(), 0)
        self.logbook.refusals["restore"] = "it is gone for good"
        page.click("text=Restore")
        page.wait_for_selector("#message:has-text('it is gone for good')")
        self.logbook.refusals.clear()
        page.click("text=Restore")
        page.wait_for_selector("#message:has-text('Gone was restored.')")
        page.wait_for_selector("text=Nothing was deleted.")
        page.click(".back")
        page.wait_for_selector("text='Gone'")

    # Rights

    def test_a_screen_sees_what_it_may_do(self):
        for rights, links in ((["view"], ["Routes", "Statistics", "Coach"]), (["view", "ride"], ["Routes", "Statistics", "Add by hand", "Coach"]),
                              (["view", "ride", "manage"], ["Routes", "Statistics", "Add by hand", "Import", "Deleted", "Coach"])):
            with self.subTest(rights):
                page = self.visit(rights=rights)
                page.wait_for_selector(".ride")
                page.wait_for_timeout(600)
                self.assertEqual([each.text_content() for each in page.locator(".ride-links a").all() if each.is_visible()], links)
                self.leave(page)


if __name__ == "__main__":
    unittest.main()

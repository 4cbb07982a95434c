"""The acts on one ride, on its report: names, cuts, files, deleting."""

import unittest

from reports import recorded_ride
from test_rides import RIDES, RidesCase

LONG = {**RIDES[0], "elapsed_time_s": 8000.4}
OTHER = {**RIDES[1], "state": "complete"}


class ActsTests(RidesCase):
    """Each test opens the report of a ride."""

    def report_of(self, ride=LONG, others=(OTHER,), **options):
        """Opens the report of a ride, with its acts."""
        page = self.visit(f"rides/{ride['id']}", rides=[ride, *others], **options)
        page.wait_for_selector(".acts > *")
        return page

    def field(self, page, label):
        """The field of a line."""
        return page.locator(":is(#page, .question)").get_by_label(label, exact=True)

    def type(self, page, label, text):
        """Writes into a field and leaves it."""
        self.field(page, label).fill(text)
        self.field(page, label).blur()

    def ride(self):
        """The ride as the logbook has it."""
        return self.logbook.find(LONG["id"])

    # Name, note, sport and bike

    def test_name_note_sport_and_bike_are_saved(self):
        page = self.report_of()
        self.type(page, "Name", "Lakes")
        page.wait_for_selector(".said:has-text('Saved')")
        self.type(page, "Note", "Wind from the west.\nTwo stops.")
        self.field(page, "Sport").select_option("running")
        page.wait_for_selector("option:has-text('Gravel')", state="attached")
        self.field(page, "Bike").select_option("Gravel")
        page.wait_for_function("() => document.querySelectorAll('.said:not(:empty)').length >= 2")
        self.wait_for_ride(page, name="Lakes", note="Wind from the west.\nTwo stops.", sport="running", bike="Gravel", version=5)
        page.wait_for_selector("h1:text-is('Lakes')")

    def test_changes_of_one_screen_wait_for_each_other(self):
        page = self.report_of()
        version = self.ride()["version"]
        page.wait_for_selector("option:has-text('Gravel')", state="attached")
        # All four at once, as fast as a script can be.
        page.evaluate("""() => {
          const fields = [["Name", "Lakes"], ["Note", "Two stops."], ["Sport", "running"], ["Bike", "Gravel"]];
          for (const [label, value] of fields) {
            const field = [...document.querySelectorAll(".acts label")].find(each => each.textContent === label).control;
            field.value = value;
            field.dispatchEvent(new Event("change"));
          }
        }""")
        self.wait_for_ride(page, name="Lakes", note="Two stops.", sport="running", bike="Gravel", version=version + 4)
        page.wait_for_selector("h1:text-is('Lakes')")
        shown = [self.field(page, label).input_value() for label in ("Name", "Note", "Sport", "Bike")]
        self.assertEqual(shown, ["Lakes", "Two stops.", "running", "Gravel"])
        self.assertEqual(page.locator(".question").count(), 0)

    def wait_for_ride(self, page, **members):
        """Waits until the logbook has these members."""
        for _ in range(100):
            found = self.ride()
            if all(found.get(name) == value for name, value in members.items()):
                return
            page.wait_for_timeout(50)
        self.assertEqual({name: found.get(name) for name in members}, members)

    def test_a_refused_name_stays_with_the_reason(self):
        page = self.report_of()
        self.logbook.refusals["edit"] = "name is a string of at most 255 bytes"
        self.type(page, "Name", "Lakes")
        page.wait_for_selector(".acts .error:has-text('name is a string of at most 255 bytes')")
        self.assertEqual(self.field(page, "Name").input_value(), "Lakes")

    def test_a_change_on_another_screen_keeps_what_was_typed(self):
        page = self.report_of()
        self.change_elsewhere(name="Elsewhere", note="Theirs")
        self.type(page, "Name", "Mine")
        page.wait_for_selector(".question:has-text('It is now: Elsewhere')")
        self.assertEqual(self.field(page, "Name").input_value(), "Mine")
        self.assertEqual(self.field(page, "Note").input_value(), "Theirs")
        page.keyboard.press("Escape")
        page.wait_for_selector(".acts .error:has-text('changed on another screen')")
        self.assertEqual(self.field(page, "Name").input_value(), "Mine")

    def test_mine_is_kept_or_theirs_is_taken(self):
        for answer, name in (("Keep mine", "Mine"), ("Take that one", "Elsewhere")):
            with self.subTest(answer):
                page = self.report_of()
                self.change_elsewhere(name="Elsewhere")
                self.type(page, "Name", "Mine")
                page.click(f"text={answer}")
                self.wait_for_ride(page, name=name)
                page.wait_for_selector(f"h1:text-is('{name}')")
                self.assertEqual(self.field(page, "Name").input_value(), name)
                self.leave(page)

    def change_elsewhere(self, **changes):
        """Another screen changes the ride, which this one does not know yet."""
        changed = {**self.ride(), **changes, "version": self.ride()["version"] + 1}
        self.logbook.activities[:] = [changed if each["id"] == changed["id"] else each for each in self.logbook.activities]
        return changed

    def test_a_change_on_another_screen_is_followed(self):
        page = self.report_of()
        changed = self.change_elsewhere(name="Elsewhere")
        self.report("changed", changed)
        page.wait_for_selector("h1:text-is('Elsewhere')")
        self.assertEqual(self.field(page, "Name").input_value(), "Elsewhere")
        self.type(page, "Note", "Mine")
        self.wait_for_ride(page, name="Elsewhere", note="Mine")

    def type_on(self, page, label, text):
        """Writes into a field and stays there."""
        self.field(page, label).fill(text)

    def report_elsewhere(self, page, **changes):
        """Another screen changes the ride, and this one shows it."""
        changed = self.change_elsewhere(**changes)
        self.report("changed", changed)
        page.wait_for_selector(f"h1:text-is('{changed['name']}')")

    def test_a_change_that_arrives_while_the_rider_types_is_not_overwritten_without_a_question(self):
        for label, member, theirs in (("Name", "name", "Elsewhere"), ("Note", "note", "Theirs")):
            with self.subTest(label):
                page = self.report_of()
                self.type_on(page, label, "Mine")
                self.report_elsewhere(page, **{"name": "Elsewhere", member: theirs})
                self.assertEqual(self.field(page, label).input_value(), "Mine")
                self.field(page, label).blur()
                page.wait_for_selector(f".question:has-text('It is now: {theirs}')")
                self.assertEqual(self.ride()[member], theirs)
                page.click("text=Keep mine")
                self.wait_for_ride(page, **{member: "Mine"})
                self.leave(page)

    def test_theirs_is_taken_after_typing(self):
        page = self.report_of()
        self.type_on(page, "Note", "Mine")
        self.report_elsewhere(page, name="Elsewhere", note="Theirs")
        self.field(page, "Note").blur()
        page.click("text=Take that one")
        page.wait_for_function("() => [...document.querySelectorAll('.acts textarea')].every(area => area.value === 'Theirs')")
        self.assertEqual(self.ride()["note"], "Theirs")

    def test_a_change_of_another_member_is_no_question(self):
        page = self.report_of()
        self.type_on(page, "Note", "Mine")
        self.report_elsewhere(page, name="Elsewhere")
        self.field(page, "Note").blur()
        self.wait_for_ride(page, name="Elsewhere", note="Mine")
        # Neither is it if this screen does not know of it yet.
        self.change_elsewhere(name="Again")
        self.type(page, "Note", "Mine too")
        self.wait_for_ride(page, name="Again", note="Mine too")
        self.assertEqual(page.locator(".question").count(), 0)

    def test_a_ride_that_changes_again_and_again_is_saved_once_more_and_then_named(self):
        page = self.report_of()
        tries = []

        def refuse(route):
            if route.request.method != "PATCH":
                return route.continue_()
            tries.append(route)
            return route.fulfill(status=412, body="it has changed")

        page.route("**/api/1/activities/12", refuse)
        self.type(page, "Name", "Mine")
        page.wait_for_selector(".acts .error:has-text('The ride was changed on another screen. Look at it, then try again.')")
        self.assertEqual((len(tries), self.field(page, "Name").input_value()), (2, "Mine"))

    def test_a_ride_without_a_sport_is_a_ride_in_its_field(self):
        page = self.report_of({key: value for key, value in LONG.items() if key != "sport"})
        sport = self.field(page, "Sport")
        options = sport.locator("option").all_text_contents()
        sport.focus()
        sport.blur()
        self.assertEqual((sport.input_value(), sport.locator("option").all_text_contents()), ("cycling", options))
        self.report_elsewhere(page, name="Elsewhere")
        self.assertEqual((sport.input_value(), sport.locator("option").all_text_contents()), ("cycling", options))

    def test_a_field_without_a_typed_letter_follows_other_screens(self):
        page = self.report_of()
        self.field(page, "Name").focus()
        self.report_elsewhere(page, name="Elsewhere")
        self.assertEqual(self.field(page, "Name").input_value(), "Elsewhere")
        # What was typed and taken back counts as not typed.
        self.type_on(page, "Name", "Elsewhere!")
        self.report_elsewhere(page, name="Again")
        self.type(page, "Name", "Elsewhere")
        page.wait_for_function("() => document.querySelector('.acts input.long').value === 'Again'")
        self.assertEqual(page.locator(".question").count(), 0)

    def test_typing_on_while_the_last_word_is_saved_is_no_conflict(self):
        page = self.report_of()
        page.route("**/api/1/activities/12", lambda route: (page.wait_for_timeout(300), route.continue_()))
        self.type_on(page, "Name", "Lakes")
        self.field(page, "Name").press("Enter")
        self.type(page, "Name", "Lakes and hills")
        self.wait_for_ride(page, name="Lakes and hills")
        self.assertEqual(page.locator(".question").count(), 0)

    # Crop, split, join and revert

    def test_crop(self):
        page = self.report_of()
        self.assertEqual(self.field(page, "Crop to").input_value(), "2:13:20")
        self.type(page, "Crop from", "1:00")
        page.click("text='Crop'")
        page.wait_for_selector("text='Show the whole recording'")
        self.assertEqual(self.logbook.asked("crop"), [{"from_s": 60}])
        self.type(page, "Crop from", "later")
        page.click("text='Crop'")
        page.wait_for_selector(".acts .error:has-text('A time is written as 1:02:30.')")
        self.type(page, "Crop from", "0:00")
        self.type(page, "Crop to", "2:00:00")
        self.logbook.refusals["crop"] = "to_s is after the end"
        page.click("text='Crop'")
        page.wait_for_selector(".acts .error:has-text('to_s is after the end')")
        self.assertEqual(self.logbook.asked("crop"), [{"from_s": 60}, {"to_s": 7200}])

    def test_split_and_open_the_rest(self):
        page = self.report_of()
        self.type(page, "Split at", "1:00:00")
        page.click("text='Split'")
        page.wait_for_selector("#message:has-text('The rest is a ride of its own.')")
        self.assertEqual(self.logbook.asked("split"), [{"at_s": 3600}])
        page.click("text=Open it")
        page.wait_for_url("**/rides/1012")

    def test_the_cursor_of_the_graphs_gives_a_time(self):
        page = self.visit("rides/12")
        self.player.services.reports["12"] = recorded_ride()
        page.reload()
        page.wait_for_selector(".cursor-row input")
        self.assertFalse(page.get_by_text("From the cursor").first.is_visible())
        page.locator(".cursor-row input").evaluate(
            "slider => { slider.value = 3600; slider.dispatchEvent(new Event('input', { bubbles: true })); }")
        page.get_by_label("Split at: From the cursor").click()
        self.assertRegex(self.field(page, "Split at").input_value(), "^(1:00:00|59:[345][0-9])$")

    def test_join_with_others(self):
        page = self.report_of()
        page.click("text=Choose")
        page.click(".question [role=switch]")
        page.click(".question .call")
        page.wait_for_selector("#message:has-text('The rides are joined.')")
        self.assertEqual(self.logbook.asked("join"), [{"ids": [11]}])
        query = [query for method, path, query, _ in self.logbook.requests if (method, path) == ("GET", "activities")][-1]
        self.assertEqual(query, {"limit": "50", "sport": "cycling", "from": "2026-04-26T22:30:00.000Z", "to": "2026-05-10T22:30:00.000Z"})

    def test_rides_to_join_that_come_after_the_page_was_left_ask_nothing(self):
        page = self.report_of()
        held = []
        page.route("**/api/1/activities?*from=*", lambda route: held.append(route))
        with page.expect_request("**/api/1/activities?*from=*"):
            page.click("text=Choose")
        page.click(".back")
        page.wait_for_selector(".ride")
        with page.expect_response("**/api/1/activities?*from=*"):
            held[0].continue_()
        self.wait_for_frames(page)
        self.assertEqual(page.locator(".question").count(), 0)

    def test_no_other_ride_to_join(self):
        page = self.report_of(others=())
        page.click("text=Choose")
        page.wait_for_selector(".acts .error:has-text('There are no other rides')")

    def test_revert(self):
        page = self.report_of({**LONG, "edited": True})
        page.click("text='Revert'")
        page.wait_for_selector("text='Show the whole recording'", state="detached")
        self.assertNotIn("edited", self.ride())

    def test_a_cut_of_a_ride_that_has_changed_shows_the_new_state(self):
        page = self.report_of()
        self.change_elsewhere(name="Elsewhere")
        self.type(page, "Crop from", "1:00")
        page.click("text='Crop'")
        page.wait_for_selector(".acts .error:has-text('Look at it, then try again.')")
        page.wait_for_selector("h1:text-is('Elsewhere')")
        self.assertEqual(self.field(page, "Crop from").input_value(), "1:00")
        page.click("text='Crop'")
        page.wait_for_selector("text='Show the whole recording'")

    def test_times_are_read(self):
        page = self.report_of()
        found = page.evaluate("""async () => {
          const { parseTime } = await import("/js/acts/time-field.js");
          return ["1:02:30", "2:30", "5", " 0:00 ", "1:2:3:4", "x", "1:-2", "0:30,5"].map(parseTime).map(each => each ?? null)
            .map(each => Number.isNaN(each) ? "none" : each); }""")
        self.assertEqual(found, [3750, 150, 300, 0, "none", "none", "none", 30.5])

    # Files

    def test_files(self):
        page = self.report_of()
        links = page.evaluate("[...document.querySelectorAll('.act-buttons a')].map(a => a.getAttribute('href'))")
        self.assertEqual(links, [f"/api/1/activities/12/export?format={name}" for name in ("fit", "gpx", "tcx", "csv")])

    def test_a_file_of_a_ride_without_a_date_asks_for_the_start(self):
        undated = {key: value for key, value in LONG.items() if key != "start"}
        page = self.report_of(undated, script="""
          HTMLAnchorElement.prototype.click = function () { window.saved = this.getAttribute("href"); };""")
        page.locator(".act-buttons a >> nth=1").dispatch_event("click")
        self.field(page, "Start").fill("2026-05-03T09:30")
        page.click("text=Save as GPX")
        self.assertEqual(page.evaluate("window.saved"), "/api/1/activities/12/export?format=gpx&start=2026-05-03T09%3A30%3A00.000Z")
        self.assertEqual(page.locator(".question").count(), 0)

    def test_print(self):
        page = self.report_of(script="window.print = () => { window.printed = true; };")
        page.click("text='Print'")
        self.assertTrue(page.evaluate("window.printed"))

    # Deleting

    def hold(self, page, milliseconds):
        """Holds the button that deletes, by the space bar."""
        page.focus(".acts .danger")
        page.keyboard.down(" ")
        page.clock.run_for(milliseconds)
        page.keyboard.up(" ")

    def test_a_hold_of_a_second_deletes_and_can_be_undone(self):
        page = self.report_of(fake_time=True)
        self.hold(page, 500)
        self.assertIsNone(self.ride().get("deleted"))
        self.hold(page, 1001)
        page.wait_for_selector("#message:has-text('Round the lake was deleted.')")
        page.wait_for_url("**/rides")
        self.assertEqual([each["id"] for each in self.logbook.deleted], [12])
        page.clock.run_for(7000)
        page.click("#message button")
        page.wait_for_selector("#message:has-text('Round the lake was restored.')")
        self.assertEqual(self.logbook.deleted, [])

    def test_the_undo_goes_after_10_s(self):
        page = self.report_of(fake_time=True)
        self.hold(page, 1001)
        page.wait_for_selector("#message:has-text('was deleted.')")
        page.clock.run_for(10_001)
        self.assertFalse(page.is_visible("#message"))

    def test_a_ride_that_has_changed_is_not_deleted(self):
        page = self.report_of(fake_time=True)
        self.change_elsewhere(name="Elsewhere")
        self.hold(page, 1001)
        page.wait_for_selector("#message:has-text('Look at it, then try again.')")
        self.assertEqual(self.logbook.deleted, [])

    # Rights and states

    def sections(self, page):
        """The headings and fields of the acts."""
        return [each.text_content() for each in page.locator(".acts :is(.section-title, .danger .label)").all()]

    def test_each_right_has_its_acts(self):
        for rights, sections in ((["view"], ["Files"]), (["view", "ride"], ["Files", "Name and note"]),
                                 (["view", "ride", "manage"], ["Files", "Name and note", "Crop, split and join", "Hold to delete"])):
            with self.subTest(rights):
                page = self.report_of(rights=rights)
                page.wait_for_timeout(600)
                self.assertEqual(self.sections(page), sections)
                self.assertEqual(self.field(page, "Bike").count(), int("manage" in rights))
                self.leave(page)

    def test_each_state_has_its_acts(self):
        states = (({"state": "recording"}, ["Name and note"]), ({"source": "hand"}, ["Files", "Name and note", "Hold to delete"]),
                  ({"deleted": "2026-05-04T08:00:00.000Z"}, []))
        for change, sections in states:
            with self.subTest(change):
                page = self.report_of({**LONG, **change})
                page.wait_for_timeout(600)
                self.assertEqual(self.sections(page), sections)
                self.leave(page)


if __name__ == "__main__":
    unittest.main()

"""What is added to the logbook on the page: files, and activities by hand."""

import unittest

from test_rides import RIDES, RidesCase

GPX = b"<gpx></gpx>"


def file(name, content=GPX):
    """A file as a browser gives it to the page."""
    return {"name": name, "mimeType": "application/octet-stream", "buffer": content}


class ImportTests(RidesCase):
    """Files."""

    def choose(self, page, *files):
        """Chooses files, and waits until each has a result."""
        before = page.locator(".imports li").count()
        with page.expect_file_chooser() as chooser:
            page.click("text=Choose files")
        chooser.value.set_files(list(files))
        page.wait_for_function("""count => document.querySelectorAll(".imports li").length === count
          && document.querySelectorAll(".imports progress").length === 0""", arg=before + len(files))

    def test_each_file_has_its_own_result(self):
        page = self.visit("rides/import")
        self.logbook.imports = {
            "tour.gpx": {"added": [12], "warnings": ["no heart rate"]}, "broken.fit": "broken.fit: the checksum in byte 12 is wrong",
            "again.tcx": {"added": [], "duplicate_of": [11]}, "way.gpx": {"added": [], "routes": [3]}}
        self.choose(page, *[file(name) for name in self.logbook.imports])
        lines = [[each.text_content() for each in line.locator(".label, .value, .hint, .error, a").all()]
                 for line in page.locator(".imports li").all()]
        lines = [[text.replace("\u202f", " ") for text in line] for line in lines]
        self.assertEqual(lines, [
            ["tour.gpx", "Added", "no heart rate", "Round the lake, Mon, May 4, 12:30 AM"],
            ["broken.fit", "Not added", "broken.fit: the checksum in byte 12 is wrong"],
            ["again.tcx", "Already in the logbook", "Ride, Sun, May 3, 9:30 AM"],
            ["way.gpx", "Route added", "Open the route"]])
        self.assertEqual(self.logbook.asked("import"), [GPX] * 4)
        page.click("text=Round the lake")
        page.wait_for_url("**/rides/12")

    def test_files_become_what_is_chosen(self):
        page = self.visit("rides/import")
        self.choose(page, file("Mühle & Tal.gpx"))
        page.select_option("select", "route")
        self.choose(page, file("b.gpx"))
        self.assertEqual([query for _, path, query, _ in self.logbook.requests if path == "import"],
                         [{"name": "Mühle & Tal.gpx"}, {"name": "b.gpx", "as": "route"}])
        page.wait_for_selector("text=Nothing to add")

    def test_a_file_that_is_too_large_is_not_sent(self):
        # A file of 64 MiB and a byte, as the page sees it.
        large = """Object.defineProperty(File.prototype, "size", {
          get() { return this.name.startsWith("large") ? 64 * 1048576 + 1 : this.name.startsWith("empty") ? 0 : 11; } });"""
        page = self.visit("rides/import", script=large)
        self.choose(page, file("large.fit"), file("empty.fit"), file("small.fit"))
        self.assertEqual([each.text_content() for each in page.locator(".imports .error").all()],
                         ["The file has 65 MiB. At most 64 MiB can be imported.", "The file is empty."])
        self.assertEqual(len(self.logbook.asked("import")), 1)

    def test_without_a_recorder_the_page_says_so(self):
        page = self.visit("rides/import")
        self.logbook.is_present = False
        self.choose(page, file("tour.gpx"))
        page.wait_for_selector(".error:has-text('Rides are not recorded.')")

    def test_the_keyboard_chooses_files(self):
        page = self.visit("rides/import")
        with page.expect_file_chooser():
            page.locator("text=Choose files").press("Enter")


class AddTests(RidesCase):
    """By hand."""

    def test_todays_swim_takes_at_most_8_touches_besides_digits(self):
        page = self.visit("", touch=True, size=(360, 780), fixed_time="2026-05-03T08:30:00")
        touches = []

        def touch(selector):
            touches.append(selector)
            page.tap(selector)

        touch("#bottom button:nth-child(2)")
        touch("text=Add by hand")
        touch("label:text-is('Minutes')")
        page.keyboard.type("45")
        touch("label:text-is('Distance')")
        page.keyboard.type("1500")
        touch("text=Save")
        page.wait_for_url("**/rides")
        self.assertLessEqual(len(touches), 8)
        self.assertEqual([body for method, path, _, body in self.logbook.requests if (method, path) == ("POST", "activities")], [
            {"sport": "swimming", "start": "2026-05-03T08:30:00.000Z", "utc_offset_s": 0, "elapsed_time_s": 2700, "distance_m": 1500}])
        page.wait_for_selector(".ride-link:text-is('Swim')")

    def test_each_sport_has_its_fields(self):
        page = self.visit("rides/add")
        page.wait_for_selector(".sports")
        fields = {}
        for sport in ("Swim", "Run", "Strength", "Ride"):
            page.click(f".sports >> text='{sport}'")
            fields[sport] = [each.text_content() for each in page.locator(".lines .label").all()]
        ends = ["Avg HR", "Energy", "Name", "Note"]
        self.assertEqual(fields, {
            "Swim": ["Start", "Hours", "Minutes", "Distance", *ends], "Run": ["Start", "Hours", "Minutes", "Distance", "Ascent", *ends],
            "Strength": ["Start", "Hours", "Minutes", *ends], "Ride": ["Start", "Hours", "Minutes", "Distance", "Ascent", *ends]})

    def test_what_was_typed_stays_when_the_sport_changes(self):
        page = self.visit("rides/add")
        page.fill("text='Minutes' >> xpath=.. >> input", "50")
        page.fill("text='Name' >> xpath=.. >> input", "Track")
        page.click(".sports >> text='Run'")
        page.fill("text='Distance' >> xpath=.. >> input", "10.5")
        page.fill("text='Ascent' >> xpath=.. >> input", "80")
        page.click("text=Save")
        page.wait_for_url("**/rides")
        [body] = [body for method, path, _, body in self.logbook.requests if (method, path) == ("POST", "activities")]
        self.assertEqual({key: body[key] for key in ("sport", "elapsed_time_s", "name", "distance_m", "ascent_m")},
                         {"sport": "running", "elapsed_time_s": 3000, "name": "Track", "distance_m": 10500, "ascent_m": 80})

    def test_a_mistake_is_said_and_nothing_is_sent(self):
        page = self.visit("rides/add")
        page.click("text=Save")
        page.wait_for_selector(".page-body > .error:has-text('The duration is missing.')")
        self.assertEqual(page.evaluate("document.activeElement.labels[0].textContent"), "Minutes")
        page.fill("text='Minutes' >> xpath=.. >> input", "many")
        page.click("text=Save")
        page.wait_for_selector(".line .error:has-text('This is not a number.')")
        self.assertEqual(self.logbook.requests, [])
        self.logbook.refusals["add"] = "start is a time in the future"
        page.fill("text='Minutes' >> xpath=.. >> input", "45")
        page.click("text=Save")
        page.wait_for_selector(".page-body > .error:has-text('start is a time in the future')")
        self.assertEqual(page.input_value("text='Minutes' >> xpath=.. >> input"), "45")

    def test_a_swim_in_yards(self):
        page = self.visit("rides", rides=RIDES)
        self.player.services.store("settings/rider", {"version": 1, "units": {"system": "imperial"}})
        page.goto(self.player.url + "rides/add")
        page.fill("text='Minutes' >> xpath=.. >> input", "30")
        page.fill("text='Distance' >> xpath=.. >> input", "1000")
        page.click("text=Save")
        page.wait_for_url("**/rides")
        bodies = [body for method, path, _, body in self.logbook.requests if (method, path) == ("POST", "activities")]
        self.assertAlmostEqual(bodies[0]["distance_m"], 914.4)


if __name__ == "__main__":
    unittest.main()

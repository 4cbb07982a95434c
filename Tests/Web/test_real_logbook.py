"""The logbook of the page with the real recorder: import, rename, crop, revert, delete and restore, and
a swim by hand."""

import json
import math
import unittest

from real import PATIENT, WATCH, RealCase

COUNT = 1800


def make_gpx():
    """A ride of half an hour, one position per second."""
    points = "".join(
        f'<trkpt lat="{47 + .00005 * second:.6f}" lon="{7.5 + .01 * math.sin(second / 300):.6f}"><ele>{500 + second % 60}</ele>'
        f"<time>2026-05-01T{8 + second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}Z</time></trkpt>"
        for second in range(COUNT))
    return ('<?xml version="1.0"?><gpx version="1.1" creator="test" xmlns="http://www.topografix.com/GPX/1/1">'
            f"<trk><name>Tour</name><type>cycling</type><trkseg>{points}</trkseg></trk></gpx>").encode()


class RealLogbookTests(RealCase):
    """One logbook for all steps, as a rider takes them."""

    def show(self, number):
        """An activity as the recorder has it."""
        fields = {"Cookie": f'{self.cookie["name"]}={self.cookie["value"]}'}
        status, _, body = self.stack.request("GET", f"/api/1/activities/{number}", fields=fields)
        self.assertEqual(status, 200, body)
        return json.loads(body)

    def wait_for(self, page, number, **members):
        """Waits until an activity has these members."""
        found = {}
        for _ in range(200):
            found = self.show(number)
            if all(found.get(name) == value for name, value in members.items()):
                return found
            page.wait_for_timeout(100)
        self.assertEqual({name: found.get(name) for name in members}, members)
        return found

    def test_a_ride_from_its_import_to_its_deletion(self):
        page = self.open(player=self.stack, query="rides/import", cookie=self.cookie, script=WATCH)
        with page.expect_file_chooser() as chooser:
            page.click("text=Choose files", timeout=PATIENT)
        chooser.value.set_files([
            {"name": "tour.gpx", "mimeType": "application/gpx+xml", "buffer": make_gpx()},
            {"name": "again.gpx", "mimeType": "application/gpx+xml", "buffer": make_gpx()},
            {"name": "broken.gpx", "mimeType": "application/gpx+xml", "buffer": b"<gpx><trk>"}])
        page.wait_for_selector(".imports li:nth-child(1) .value:text-is('Added')", timeout=PATIENT)
        page.wait_for_selector(".imports li:nth-child(2) .value:text-is('Already in the logbook')", timeout=PATIENT)
        page.wait_for_selector(".imports li:nth-child(3) .error", timeout=PATIENT)
        page.click(".imports li:nth-child(1) a", timeout=PATIENT)
        page.wait_for_selector(".acts .danger", timeout=PATIENT)
        number = int(page.evaluate("location.pathname").split("/")[-1])
        self.rename(page, number)
        whole = self.cut(page, number)
        self.assertEqual(self.show(number)["elapsed_time_s"], whole)
        self.delete(page, number)

    def rename(self, page, number):
        """Another name, which the list on another screen follows."""
        other = self.open(player=self.stack, query="rides", cookie=self.cookie, script=WATCH)
        other.wait_for_selector("text='Tour'", timeout=PATIENT)
        other.wait_for_selector(".thumbnail path", timeout=PATIENT)
        name = page.locator(".acts").get_by_label("Name", exact=True)
        name.fill("Round the lake")
        name.blur()
        self.wait_for(page, number, name="Round the lake")
        page.wait_for_selector("h1:text-is('Round the lake')", timeout=PATIENT)
        other.wait_for_selector("text='Round the lake'", timeout=PATIENT)
        self.leave(other)

    def cut(self, page, number):
        """Crops, and reverts. Returns how long the ride was before."""
        whole = self.show(number)["elapsed_time_s"]
        page.locator(".acts").get_by_label("Crop from", exact=True).fill("10:00")
        page.click(".acts button:text-is('Crop')")
        cropped = self.wait_for(page, number, edited=True)
        self.assertAlmostEqual(cropped["elapsed_time_s"], whole - 600, delta=1)
        page.click("text='Revert'", timeout=PATIENT)
        self.wait_for(page, number, edited=None)
        page.wait_for_selector("text='Revert'", state="detached", timeout=PATIENT)
        return whole

    def delete(self, page, number):
        """Deletes by a hold, undoes it, deletes again, and restores it from what was deleted."""
        self.hold(page)
        page.wait_for_url("**/rides", timeout=PATIENT)
        self.assertIn("deleted", self.show(number))
        page.click("#message button")
        page.wait_for_selector(".ride-link:text-is('Round the lake')", timeout=PATIENT)
        self.assertNotIn("deleted", self.show(number))
        page.click(".ride-link:text-is('Round the lake')")
        page.wait_for_selector(".acts .danger", timeout=PATIENT)
        self.hold(page)
        page.click("text='Deleted'", timeout=PATIENT)
        page.click("text='Restore'", timeout=PATIENT)
        page.wait_for_selector("text=Nothing was deleted.", timeout=PATIENT)
        self.assertNotIn("deleted", self.show(number))

    def hold(self, page):
        """Holds the button that deletes, for as long as it takes."""
        page.focus(".acts .danger")
        page.keyboard.down(" ")
        page.wait_for_selector("#message:has-text('was deleted.')", timeout=PATIENT)
        page.keyboard.up(" ")

    def test_a_route_is_drawn_and_a_segment_is_marked(self):
        fields = {"Cookie": f'{self.cookie["name"]}={self.cookie["value"]}', "X-Cyclometer": "1", "Content-Type": "application/octet-stream"}
        status, _, body = self.stack.request("POST", "/api/1/import?name=tour.gpx", make_gpx(), fields=fields)
        self.assertEqual(status, 200, body)
        number = (json.loads(body).get("added") or json.loads(body)["duplicate_of"])[0]
        page = self.open(player=self.stack, query="routes/draw", cookie=self.cookie, script=WATCH)
        page.wait_for_selector("text=Gray lines are past rides.", timeout=PATIENT)
        box = page.locator(".map-face").bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        page.wait_for_selector(".draw-length:has-text('Length')", timeout=PATIENT)
        page.mouse.move(x + 50, y + 20, steps=5)
        page.mouse.up()
        drawn = float(page.text_content(".draw-length").split()[1])
        page.get_by_label("Name", exact=True).fill("To the lake")
        page.click("text=Save the route")
        page.wait_for_selector("h1:text-is('To the lake')", timeout=PATIENT)
        # The recorder's length is that which was shown.
        self.assertAlmostEqual(float(page.text_content(".report-facts").split()[0]), drawn, delta=.02)
        page.click(".back")
        page.wait_for_selector(".ride-link:text-is('To the lake')", timeout=PATIENT)
        page.goto(f"{self.stack.url}rides/{number}")
        page.wait_for_selector("text=No segments yet.", timeout=PATIENT)
        page.get_by_label("Begins at", exact=True).fill("600")
        page.get_by_label("Ends at", exact=True).fill("900")
        page.get_by_label("Name of the segment", exact=True).fill("Wall")
        page.click("text=Save the segment")
        page.wait_for_selector(".segment-here:has-text('This ride: 5:00'), .segment-here:has-text('This ride: 4:59')", timeout=PATIENT)

    def test_a_swim_by_hand(self):
        page = self.open(player=self.stack, query="rides/add", cookie=self.cookie, script=WATCH)
        page.get_by_label("Minutes", exact=True).fill("45")
        page.get_by_label("Distance", exact=True).fill("1500")
        page.click("text=Save")
        page.wait_for_selector(".ride:has-text('Swim'):has-text('1.50 km')", timeout=PATIENT)
        page.click(".ride:has-text('Swim') .ride-link")
        page.wait_for_selector(".acts .danger", timeout=PATIENT)
        found = self.show(page.evaluate("location.pathname").split("/")[-1])
        self.assertEqual([found.get(name) for name in ("source", "sport", "elapsed_time_s", "distance_m")],
                         ["hand", "swimming", 2700, 1500])
        self.check_statistics(page)

    def check_statistics(self, page):
        """The swim is in the totals of this year, in the fitness and among the records."""
        page.goto(self.stack.url + "week")
        page.click("button:text-is('Year')", timeout=PATIENT)
        page.select_option(".statistics select", "swimming")
        page.wait_for_selector(".report-totals .number-text:text-is('0:45 h')", timeout=PATIENT)
        self.assertEqual(page.locator(".report-totals dd").all_text_contents()[:4], ["1", "1.5 km", "0:45 h", "–"])
        self.assertTrue(page.is_visible("text=Without a training load: 1 of 1 activities."))
        page.wait_for_selector(".report-records .line:has-text('Farthest'):has-text('1.50 km')", timeout=PATIENT)
        page.wait_for_selector(".report-fitness dd", timeout=PATIENT)


if __name__ == "__main__":
    unittest.main()

"""The drawer, the status panel, and what the page remembers of the ride."""

import unittest

from browser import BrowserCase
from player import Player
import scenes


class DrawerTests(BrowserCase):
    """One page with every sensor and the course of a ride that began before it."""

    def ride(self, layout=None, scene=scenes.everything, **options):
        """Opens the page in the middle of a ride."""
        self.player = Player(layout)
        self.addCleanup(self.player.close)
        self.player.series = scenes.course(self.player.now)
        self.player.snapshot += scene(self.player.now)
        page = self.open(player=self.player, **options)
        page.wait_for_selector('[data-id="speed"]')
        self.player.send(scene(self.player.now))
        page.wait_for_selector('[data-id="speed"][data-state="live"]')
        return page

    def line(self, page):
        """For each of 24 columns of the first watermark: whether something is drawn there."""
        return page.evaluate("""() => {
          const canvas = document.querySelector(".watermark");
          const { data, width, height } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
          return Array.from({ length: 24 }, (_, column) => {
            const x = Math.floor((column + .5) * width / 24);
            for (let y = 0; y < height; y += 1) if (data[(y * width + x) * 4 + 3] > 0) return true;
            return false;
          });
        }""")

    def test_a_reload_shows_the_course_of_the_ride_with_its_gap(self):
        page = self.ride(layout={"version": 1, "widgets": [{"id": "speed", "size": "1x1"}, {"id": "power", "size": "3x1"}]})
        page.wait_for_function("() => document.querySelector('.watermark')?.width > 300")
        page.wait_for_timeout(1200)
        drawn = self.line(page)
        self.assertEqual([column for column, is_drawn in enumerate(drawn) if not is_drawn], [10])

    def test_drawer_of_the_heart_rate(self):
        page = self.ride()
        page.click('[data-id="heart_rate"] .face')
        page.wait_for_selector("#drawer[open]")
        text = page.inner_text("#drawer")
        for part in ("HEART RATE", "148", "bpm", "139", "171", "31:20", "Polar H10", "82 %", "Watch strap", "sends nothing"):
            self.assertIn(part, text)
        self.assertEqual(page.evaluate("document.activeElement.id"), "drawer-title")
        self.assertEqual(page.locator("#drawer .zone-bars [data-present] .zone").text_content(), "3")
        page.click("#drawer .range-choice button >> nth=2")
        self.assertRegex(page.get_attribute("#drawer .graph", "aria-label"), r"Ride: from 1\d\d to 1\d\d")
        page.keyboard.press("Escape")
        page.wait_for_selector("#drawer", state="hidden")
        self.assertEqual(page.evaluate("document.activeElement.className"), "face")

    def test_another_widget_opens_its_own_drawer(self):
        page = self.ride()
        page.click('[data-id="speed"] .face')
        page.wait_for_selector("#drawer[open] >> text=Wahoo Speed")
        page.click('[data-id="speed"] .face')
        page.click("#drawer .shut")
        page.wait_for_selector("#drawer", state="hidden")
        page.click('[data-id="grade"] .face')
        page.wait_for_selector("#drawer[open] >> text=Grade")

    def test_a_missing_number_has_a_sentence(self):
        page = self.ride(layout={"version": 1, "widgets": [{"id": "speed", "size": "1x1"}, {"id": "cadence", "size": "1x1"}]},
                         scene=lambda now: [scenes.sensor("crank", "Crank", ["cadence"], state="error"),
                                            scenes.state("crank", "error", reason="bond_lost"),
                                            scenes.sample("speed", now, speed_mps=8, source="wheel")])
        page.click('[data-id="cadence"] .face')
        self.assertIn("Crank: forgot this computer: pair it again", page.inner_text("#drawer"))

    def test_status_lists_the_worst_device_first(self):
        page = self.ride()
        self.assertEqual(page.get_attribute("#status", "aria-label"), "Status: GPS good, 7 of 8 devices")
        page.click("#status")
        names = page.locator("#status-panel .device .name").all_text_contents()
        self.assertEqual(names[:2], ["Assioma", "Watch strap"])
        self.assertIn("14 satellites", page.inner_text("#status-panel"))
        self.assertIn("The ride is recorded", page.inner_text("#status-panel"))
        self.player.send([{"class": "recorder", "present": False, "message": "no recorder answers"}])
        page.wait_for_selector('#record[data-record="off"][data-rating="bad"]', state="attached")

    def test_brightness_is_saved(self):
        page = self.ride()
        page.click("#status")
        page.locator("#status-panel input[type=range]").first.fill("50")
        page.wait_for_function("() => document.querySelector('#sun .level').getAttribute('stroke-dasharray').startsWith('33.0')")

    def test_figures_of_widgets(self):
        ids = ["speed", "heart_rate", "tires", "battery", "position", "zone"]
        page = self.ride(layout={"version": 1, "widgets": [{"id": id, "size": "3x1"} for id in ids]}, size=(800, 480))
        text = {id: page.inner_text(f'[data-id="{id}"]') for id in ids}
        self.assertIn("31:20", text["heart_rate"])
        self.assertIn("4.50", text["tires"].replace("\n", ""))
        self.assertIn("TIRES R", text["tires"])
        self.assertEqual(page.locator('[data-id="battery"] .row:visible .name').all_text_contents(),
                         ["Assioma", "Wahoo Speed", "Polar H10"])
        self.assertIn("48.13712", text["position"].replace("\n", ""))
        self.assertEqual(page.get_attribute('[data-id="zone"]', "data-zone"), "3")
        self.assertEqual(page.get_attribute('[data-id="speed"] .trend:not([hidden])', "data-trend"), "up")


if __name__ == "__main__":
    unittest.main()

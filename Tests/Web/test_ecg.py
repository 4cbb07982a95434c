"""The electrocardiogram runs only while a widget shows it on a bright screen, for it costs the strap's battery."""

import unittest

from browser import BrowserCase
from player import Player
import scenes

LAYOUT = {"version": 1, "widgets": [{"id": "ecg", "size": "3x1"}] + [{"id": "speed", "size": "3x1"}] * 6}


class ECGTests(BrowserCase):
    """A ride with a strap that can send its electrocardiogram."""

    def ride(self, rights=("view", "ride", "manage"), layout=None, **options):
        """Opens the page with a ride on it."""
        self.player = Player(layout or LAYOUT)
        self.addCleanup(self.player.close)
        self.player.rights = list(rights)
        page = self.open(player=self.player, **options)
        page.wait_for_selector(".widget")
        self.send()
        return page

    def send(self, has_curve=False):
        """Plays a moment of the ride."""
        now = self.player.now
        curve = [scenes.sample("ecg", now, "strap", timestamp_ns=1, microvolts=[0, 400, 0])] if has_curve else []
        self.player.send(scenes.PAIRED + scenes.riding(now, ride_id="r1") + curve)

    def commands(self):
        """The commands that sensors were sent."""
        return [params["name"] for method, params, _ in self.player.services.requests if method == "command"]

    def wait_for_commands(self, page, *expected):
        """Waits until these have been sent."""
        for _ in range(100):
            if self.commands() == list(expected):
                return
            page.wait_for_timeout(100)
        self.assertEqual(self.commands(), list(expected))

    def test_it_starts_when_it_is_seen_and_stops_when_it_is_not(self):
        page = self.ride()
        self.wait_for_commands(page, "start_ecg")
        for _ in range(4):
            self.send(has_curve=True)
            page.wait_for_timeout(200)
        page.evaluate("document.getElementById('dashboard').scrollTop = 1000")
        self.wait_for_commands(page, "start_ecg", "stop_ecg")
        page.evaluate("document.getElementById('dashboard').scrollTop = 0")
        page.wait_for_timeout(5000)
        self.wait_for_commands(page, "start_ecg", "stop_ecg", "start_ecg")
        page.keyboard.press("d")
        self.wait_for_commands(page, "start_ecg", "stop_ecg", "start_ecg", "stop_ecg")

    def test_leaving_the_page_stops_it(self):
        page = self.ride()
        self.wait_for_commands(page, "start_ecg")
        page.goto("about:blank")
        self.wait_for_commands(page, "start_ecg", "stop_ecg")

    def test_another_page_stops_it(self):
        page = self.ride()
        self.wait_for_commands(page, "start_ecg")
        self.player.send(scenes.riding(self.player.now, ride_id="r1", ended=True))
        page.click("#bottom button:nth-child(3)")
        self.wait_for_commands(page, "start_ecg", "stop_ecg")

    def test_a_strap_that_connects_again_is_started_again(self):
        page = self.ride(fake_time=True)
        self.wait_for_commands(page, "start_ecg")
        for _ in range(12):
            page.clock.run_for(1_000)
            self.send()
            page.wait_for_timeout(50)
        self.wait_for_commands(page, "start_ecg", "start_ecg")

    def test_without_the_right_or_the_widget_nothing_is_started(self):
        for options in ({"rights": ("view", "ride")}, {"layout": {"version": 1, "widgets": [{"id": "speed", "size": "3x1"}]}}):
            with self.subTest(options):
                page = self.ride(**options)
                page.wait_for_selector('[data-id="speed"][data-state="live"]')
                page.wait_for_timeout(800)
                self.assertEqual(self.commands(), [])

    def test_it_is_offered_in_the_sizes_that_show_a_curve(self):
        self.player = Player({"version": 1, "widgets": [{"id": "ecg", "size": "2x1"}, {"id": "speed", "size": "1x1"}]})
        self.addCleanup(self.player.close)
        page = self.open(player=self.player)
        page.wait_for_selector(".widget")
        self.player.send(scenes.riding(self.player.now, speed=0.0, paused=True, pause="standing"))
        page.wait_for_selector('[data-id="speed"][data-state="live"]')
        page.keyboard.press("e")
        page.wait_for_selector("#editbar")
        page.focus('[data-id="ecg"] .face')
        page.keyboard.press("Enter")
        sizes = page.locator("#editbar .size")
        self.assertEqual([sizes.nth(index).is_disabled() for index in range(3)], [True, False, False])
        page.keyboard.press("1")
        self.assertEqual(page.get_attribute('[data-id="ecg"]', "data-size"), "2x1")
        page.keyboard.press("3")
        self.assertEqual(page.get_attribute('[data-id="ecg"]', "data-size"), "3x1")
        page.evaluate("document.querySelector('#editbar .add').click()")
        page.wait_for_selector(".choice")
        self.assertEqual(page.locator(".choice .size[aria-label^='ECG']").all_text_contents(), ["2×1", "3×1"])


if __name__ == "__main__":
    unittest.main()

"""What the page shows: states, radar, a lost connection, buttons."""

import unittest

from browser import BrowserCase
from player import Player
import scenes


class PageTests(BrowserCase):
    """One page and one player per test."""

    def ride(self, **options):
        """Opens the page with a ride on it."""
        self.player = Player()
        self.addCleanup(self.player.close)
        page = self.open(player=self.player, **options)
        self.player.send(scenes.riding(self.player.now))
        page.wait_for_selector('[data-id="speed"][data-state="live"]')
        return page

    def number(self, page, widget):
        """The primary value of a widget as text."""
        return page.text_content(f'[data-id="{widget}"] .primary .number')

    def test_a_ride(self):
        page = self.ride()
        page.wait_for_selector('[data-id="power"][data-state="live"]')
        values = {widget: self.number(page, widget) for widget in ("speed", "heart_rate", "power", "distance")}
        self.assertEqual(values, {"speed": "31.4", "heart_rate": "148", "power": "213", "distance": "41.20"})
        self.assertIn("31.4 kilometres per hour", page.get_attribute('[data-id="speed"] button', "aria-label"))

    def test_without_the_daemon_the_notice_says_so(self):
        page = self.ride()
        self.assertFalse(page.is_visible("#notice"))
        self.player.send([{"class": "daemon", "present": False, "message": "connection refused"}])
        page.wait_for_selector("#notice:text-is('NO SENSOR SERVICE')")
        page.wait_for_selector("#alert:text-is('No sensor service')", state="attached")
        self.player.send([{"class": "daemon", "present": True}])
        page.wait_for_selector("#notice", state="hidden")

    def test_a_chosen_scheme_holds_whatever_the_system_has(self):
        light, dark = "rgb(255, 255, 255)", "rgb(15, 15, 15)"
        for system in ("light", "dark"):
            for query, expected in (("", {"light": light, "dark": dark}[system]), ("?scheme=light", light), ("?scheme=dark", dark)):
                page = self.open(scheme=system, query=query)
                with self.subTest(system=system, query=query):
                    self.assertEqual(page.evaluate("getComputedStyle(document.body).backgroundColor"), expected)

    def test_german_has_a_comma(self):
        page = self.ride(language="de")
        self.assertEqual(self.number(page, "speed"), "31,4")

    def test_a_silent_sensor_becomes_stale_and_is_never_zero(self):
        page = self.ride()
        page.wait_for_selector('[data-id="speed"][data-state="stale"]', timeout=7000)
        self.assertEqual(self.number(page, "speed"), "31.4")
        self.assertRegex(page.text_content('[data-id="speed"] .minor'), r"^\d+ s$")
        self.player.send([scenes.sample("speed", self.player.now, speed_mps=5, source="wheel")])
        page.wait_for_selector('[data-id="speed"][data-state="live"]', timeout=1000)

    def test_a_searching_sensor_is_lost(self):
        page = self.ride()
        self.player.send([scenes.state("wheel", "searching")])
        page.wait_for_selector('[data-id="speed"][data-state="lost"]')
        self.assertEqual(self.number(page, "speed"), "–")

    def test_cut_off_is_shown_and_ends_by_itself(self):
        page = self.ride()
        self.player.hang()
        page.wait_for_selector("#notice:not([hidden])", timeout=4500)
        self.assertRegex(page.text_content("#notice"), r"NO CONNECTION \d s")
        self.assertEqual(page.get_attribute("#status", "aria-label"), "Status: No connection")
        self.player.hang(False)
        page.wait_for_selector("#notice[hidden]", state="attached", timeout=3500)

    def test_a_lost_connection_is_named_within_3_s(self):
        self.player = Player()
        self.addCleanup(self.player.close)
        page = self.open(player=self.player, fake_time=True)
        self.player.send(scenes.riding(self.player.now))
        page.wait_for_selector('[data-id="speed"][data-state="live"]')
        page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 1)
        # A beat comes while the page's clock stands.
        page.wait_for_timeout(1500)
        self.player.hang()
        page.wait_for_timeout(300)
        page.clock.run_for(2400)
        self.assertTrue(page.is_hidden("#notice"))
        page.clock.run_for(650)
        self.assertRegex(page.text_content("#notice:not([hidden])"), "NO CONNECTION [23] s")

    def test_a_lost_connection_and_a_lost_radar_are_both_named(self):
        page = self.ride()
        self.player.send([scenes.state("radar"), scenes.sample("radar", self.player.now, "radar", clear=True, targets=[])])
        page.wait_for_selector('#lane[data-state="clear"]')
        self.player.hang()
        # The band stays for five seconds only.
        page.wait_for_function("""() => {
          const [notice, band] = ["notice", "band"].map(id => document.getElementById(id));
          return !notice.hidden && !band.hidden && band.dataset.rating === "lost"
            && band.getBoundingClientRect().top >= notice.getBoundingClientRect().bottom; }""")

    def test_radar(self):
        page = self.ride()
        send = self.player.send
        send([scenes.state("radar")] + [scenes.sample("radar", self.player.now, "radar", clear=True, targets=[])])
        page.wait_for_selector('#lane[data-state="clear"]')
        send([scenes.sample("radar", self.player.now, "radar", clear=False, targets=scenes.FAST_CAR)], "urgent")
        page.wait_for_selector('#lane[data-state="fast"]')
        self.assertEqual(page.text_content("#band"), "FAST CAR 62 m")
        page.wait_for_selector('#lane[data-state="lost"]', timeout=4000)
        self.assertEqual(page.text_content("#band"), "RADAR LOST")

    def test_stop_is_held_and_lap_is_tapped(self):
        page = self.ride()
        page.click("#bottom button >> nth=-1")
        stop = page.locator("#bottom button").first
        stop.click()
        page.wait_for_timeout(300)
        self.assertEqual([body["action"] for _, body in self.player.posts], ["lap"])
        stop.hover()
        page.mouse.down()
        # A busy computer may take longer than the second that it is held.
        for _ in range(100):
            if len(self.player.posts) > 1:
                break
            page.wait_for_timeout(50)
        page.mouse.up()
        self.assertEqual([body["action"] for _, body in self.player.posts], ["lap", "pause"])

    def test_missing_sensors_say_so(self):
        self.player = Player()
        self.addCleanup(self.player.close)
        page = self.open(player=self.player)
        page.wait_for_selector('[data-id="speed"][data-state="unknown"]')
        self.assertEqual(page.text_content('[data-id="speed"] .unit, [data-id="speed"] .word'), "No sensor")
        self.assertEqual(self.number(page, "cadence"), "–")


if __name__ == "__main__":
    unittest.main()

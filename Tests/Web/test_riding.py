"""Buttons and keys of the ride, brightness, events, and what a screen reader is told."""

import contextlib
import unittest

from playwright.sync_api import TimeoutError

from browser import BrowserCase
from player import Player
import scenes


class RidingTests(BrowserCase):
    """A ride on a page whose time the test moves where it has to."""

    def ride(self, ride=None, **options):
        """Opens the page with a ride on it."""
        self.player = Player()
        self.addCleanup(self.player.close)
        self.player.snapshot += scenes.PAIRED + scenes.riding(self.player.now, ride_id="r1", **(ride or {}))
        page = self.open(player=self.player, **options)
        page.wait_for_selector('[data-id="speed"]')
        self.player.send(scenes.riding(self.player.now, ride_id="r1", **(ride or {})))
        page.wait_for_selector('[data-id="speed"][data-state="live"]')
        return page

    def actions(self):
        """What the page asked of the ride."""
        return [body["action"] for path, body in self.player.posts if path == "/api/1/ride"]

    def wait_for_action(self, page, *expected):
        """Waits until the page has asked for these."""
        for _ in range(60):
            if self.actions() == list(expected):
                return
            page.wait_for_timeout(50)
        self.assertEqual(self.actions(), list(expected))

    def send(self, page, event, text, **fields):
        """Plays an event until its band is there. A page that is slow to begin drops what comes late."""
        for _ in range(10):
            self.player.send([{"class": "event", "event": event, "t": self.player.now, **fields}], "urgent")
            with contextlib.suppress(TimeoutError):
                return page.wait_for_selector(f"#event-band >> text={text}", timeout=3000)
        return self.fail(f"no band says {text}")

    def test_lap_answers_and_a_second_tap_does_nothing(self):
        page = self.ride()
        lap = page.locator("#bottom button").last
        lap.click()
        self.assertRegex(page.inner_text("#bottom .reply"), r"^LAP 3  6:1\d  2\.41 km$")
        lap.click()
        self.wait_for_action(page, "lap")
        page.wait_for_selector("#bottom .reply", state="hidden", timeout=6000)
        self.assertIn("LAP 3", page.text_content("#spoken"))

    def test_stop_is_held_and_finish_leads_to_the_rides(self):
        page = self.ride()
        page.locator("#bottom button").first.hover()
        page.mouse.down()
        page.wait_for_selector("#pause-panel[open]", timeout=4000)
        page.mouse.up()
        self.wait_for_action(page, "pause")
        page.click("#pause-panel button:has-text('Finish')")
        page.wait_for_url("**/rides")
        self.wait_for_action(page, "pause", "end")

    def test_finish_without_a_recorder_shows_the_totals(self):
        page = self.ride(ride={"paused": True, "pause": "by_hand"})
        self.player.send([{"class": "recorder", "present": False, "message": "no recorder answers"}])
        page.wait_for_selector('#record[data-record="off"]', state="attached")
        page.click("#status")
        page.click("#status-panel button:has-text('Finish')")
        page.wait_for_selector("#totals-panel[open] >> text=41.20 km")

    def test_start_taps_the_last_sport_and_a_hold_offers_all(self):
        page = self.ride(ride={"ended": True})
        page.locator("#bottom .call").hover()
        page.mouse.down()
        page.wait_for_selector("#sport-panel[open]", timeout=3000)
        page.mouse.up()
        page.locator("#sport-panel .panel-body button").nth(1).click()
        self.wait_for_action(page, "new")
        page.locator("#bottom .call").click()
        self.wait_for_action(page, "new", "new")
        self.assertEqual([body["sport"] for path, body in self.player.posts if path == "/api/1/ride"], ["running", "running"])

    def test_keys(self):
        page = self.ride(size=(320, 240))
        page.keyboard.press("l")
        self.wait_for_action(page, "lap")
        page.keyboard.down(" ")
        page.wait_for_timeout(300)
        page.keyboard.up(" ")
        self.assertEqual(self.actions(), ["lap"])
        page.keyboard.down(" ")
        page.wait_for_selector("#pause-panel[open]", timeout=4000)
        page.keyboard.up(" ")
        self.wait_for_action(page, "lap", "pause")
        page.keyboard.press("Escape")
        page.wait_for_selector("#pause-panel", state="hidden")
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press("ArrowDown")
        page.wait_for_function("() => document.getElementById('dashboard').scrollTop > 60")
        page.keyboard.press("m")
        page.wait_for_selector("#sound use[href$='volume-xmark']", state="attached")
        page.keyboard.press("d")
        page.wait_for_selector(':root[data-light="dimmed"]', state="attached")

    def test_a_small_screen_stops_by_a_hold_and_offers_the_sports(self):
        page = self.ride(size=(320, 240))
        page.click("#status")
        stop = page.locator("#status-panel button:has-text('Stop')")
        stop.click()
        stop.hover()
        page.wait_for_timeout(300)
        self.assertEqual(self.actions(), [])
        page.mouse.down()
        page.wait_for_selector("#pause-panel[open]", timeout=4000)
        page.mouse.up()
        self.wait_for_action(page, "pause")
        self.player.send(scenes.riding(self.player.now, ride_id="r1", ended=True))
        page.keyboard.press("Escape")
        page.click("#status")
        page.locator("#status-panel button:has-text('Start')").hover()
        page.mouse.down()
        page.wait_for_selector("#sport-panel[open]", timeout=3000)
        page.mouse.up()

    def test_the_screen_dims_and_the_first_touch_only_brightens(self):
        page = self.ride(fake_time=True)
        self.player.services.refusals["/api/1/display"] = 404
        page.mouse.click(10, 700)
        page.clock.run_for(26_000)
        self.assertEqual(page.get_attribute(":root", "data-light"), "bright")
        page.clock.run_for(5_000)
        self.assertEqual(page.get_attribute(":root", "data-light"), "dimmed")
        page.locator("#bottom button").last.click()
        page.clock.run_for(100)
        self.assertEqual(self.actions(), [])
        page.clock.run_for(1_000)
        self.assertEqual(page.get_attribute(":root", "data-light"), "bright")
        page.locator("#bottom button").last.click()
        page.clock.run_for(100)
        self.wait_for_action(page, "lap")

    def test_a_car_brightens_a_dimmed_screen(self):
        page = self.ride()
        page.keyboard.press("d")
        page.wait_for_selector(':root[data-dimmed]', state="attached")
        now = self.player.now
        self.player.send([scenes.state("radar"), scenes.sample("radar", now, "radar", clear=False, targets=scenes.FAST_CAR)], "urgent")
        page.wait_for_selector(':root:not([data-dimmed])', state="attached", timeout=1000)
        self.assertEqual(page.text_content("#alert"), "Fast car")

    def test_the_first_warning_of_a_tire_stays_while_moving(self):
        page = self.ride()
        self.send(page, "tire_low", "Rear tire 3.1 bar, low", sensor="rear", wheel="rear", pressure_gauge_pa=310000)
        page.click("#event-band .shut")
        page.wait_for_selector("#event-band", state="hidden")

    def test_the_radar_displaces_other_bands(self):
        page = self.ride()
        self.send(page, "battery_critical", "Polar H10: battery 9 %", sensor="strap", battery_pct=9)
        self.player.send([scenes.state("radar"), scenes.sample("radar", self.player.now, "radar", clear=False,
                                                               targets=scenes.FAST_CAR)], "urgent")
        page.wait_for_selector("#band:not([hidden])")
        page.wait_for_selector("#event-band", state="hidden")

    def test_a_lost_sensor_is_told_once(self):
        page = self.ride()
        page.evaluate("""() => {
          window.told = [];
          new MutationObserver(() => window.told.push(document.getElementById("spoken").textContent))
            .observe(document.getElementById("spoken"), { childList: true, characterData: true, subtree: true });
        }""")
        self.player.send([scenes.state("strap", "searching")])
        page.wait_for_function("() => window.told.length === 1")
        self.assertEqual(page.evaluate("window.told"), ["Heart rate lost"])

    def test_blocked_sound_is_shown_until_a_touch(self):
        page = self.open_with_audio("suspended")
        page.wait_for_selector('#sound[data-rating="okay"] >> text=TAP')
        page.evaluate("window.audioState = 'running'")
        page.mouse.click(10, 700)
        page.wait_for_selector('#sound:not([data-rating])', timeout=3000)

    def open_with_audio(self, state):
        """A page whose browser allows sound only in this state."""
        self.player = Player()
        self.addCleanup(self.player.close)
        self.player.snapshot += scenes.riding(self.player.now)
        context = self.browser.new_context(viewport={"width": 360, "height": 780}, service_workers="block")
        self.addCleanup(context.close)
        page = context.new_page()
        page.add_init_script(f"""window.audioState = "{state}";
          Object.defineProperty(AudioContext.prototype, "state", {{ get: () => window.audioState }});""")
        page.goto(self.player.url)
        return page


if __name__ == "__main__":
    unittest.main()

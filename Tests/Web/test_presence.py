"""A page that was hidden, a phone that slept, the lock that keeps the screen on, and vibration."""

import unittest

from browser import BrowserCase
from player import Player
import scenes

STUBS = """
  window.asked = [];
  let isHidden = false;
  Object.defineProperty(document, "hidden", { get: () => isHidden });
  Object.defineProperty(document, "visibilityState", { get: () => (isHidden ? "hidden" : "visible") });
  window.hide = hides => {
    isHidden = hides;
    document.dispatchEvent(new Event("visibilitychange"));
    return [...document.querySelectorAll(".widget")].map(widget => `${widget.dataset.id} ${widget.dataset.state}`);
  };
  const makeLock = () => {
    const lock = { released: false, release: async () => { window.asked.push("released"); lock.released = true; } };
    return lock;
  };
  Object.defineProperty(navigator, "wakeLock", { value: { request: async kind => {
    window.asked.push(kind);
    return makeLock();
  } } });
  window.vibrated = [];
  Object.defineProperty(navigator, "vibrate", { value: pattern => window.vibrated.push([pattern].flat().join(" ")) });
  window.isTouched = true;
  Object.defineProperty(navigator, "userActivation", { get: () => ({ hasBeenActive: window.isTouched }) });
"""
LAYOUT = {"version": 1, "widgets": [{"id": id, "size": "1x1"} for id in ("speed", "heart_rate", "power", "ride_time")]}


class PresenceTests(BrowserCase):
    """One ride, on a page whose visibility, lock and vibration the test plays."""

    def ride(self, rider=None, **options):
        """Opens the page with a ride on it, with the settings of this rider."""
        self.player = Player(LAYOUT)
        self.addCleanup(self.player.close)
        if rider:
            self.player.services.store("settings/rider", {"version": 1, **rider})
        page = self.open(player=self.player, script=STUBS, **options)
        page.wait_for_selector('[data-id="power"]')
        self.player.send(scenes.PAIRED + scenes.riding(self.player.now, radar=[], ride_id="r1"))
        page.wait_for_selector('[data-id="power"][data-state="live"]')
        return page

    def wait_for_asked(self, page, expected):
        """Waits until the lock was asked for this."""
        for _ in range(100):
            if page.evaluate("window.asked") == expected:
                return
            page.wait_for_timeout(50)
        self.assertEqual(page.evaluate("window.asked"), expected)

    def wait_for_speed(self, page, speed):
        """Waits for a live speed."""
        page.wait_for_function("""speed => document.querySelector('[data-id="speed"][data-state="live"] .primary .number')
          ?.textContent === speed""", arg=speed, timeout=8000)

    # Hidden and asleep

    def test_a_hidden_page_has_no_stream_and_one_that_is_back_has_the_newest_values(self):
        page = self.ride()
        page.evaluate("window.hide(true)")
        for _ in range(100):
            if not self.player.has_readers:
                break
            # The server finds out with its next message.
            page.wait_for_timeout(100)
        self.assertFalse(self.player.has_readers)
        self.player.snapshot += scenes.riding(self.player.now, speed=5.0, ride_id="r1")
        page.evaluate("window.hide(false)")
        self.wait_for_speed(page, "18.0")

    def test_after_ten_minutes_of_sleep_nothing_old_is_shown_as_live(self):
        page = self.ride(fake_time=True)
        self.assertEqual(page.get_attribute("#lane", "data-state"), "clear")
        page.evaluate("window.hide(true)")
        self.player.hang()
        page.clock.fast_forward(600_000)
        self.player.skip(600)
        # At once, before a message or a tick.
        states = page.evaluate("window.hide(false)")
        self.assertEqual(states, [f"{widget['id']} lost" for widget in LAYOUT["widgets"]])
        self.assertEqual(page.get_attribute("#lane", "data-state"), "lost")
        self.assertEqual(page.locator('[data-id="speed"] .number').text_content().strip("–"), "")
        page.clock.run_for(1_000)
        page.wait_for_selector("#notice:not([hidden])")
        self.player.hang(False)
        self.player.drop_readers()
        for _ in range(20):
            self.player.send(scenes.riding(self.player.now, speed=5.0, radar=[], ride_id="r1"))
            page.wait_for_timeout(500)
            if page.get_attribute('[data-id="speed"]', "data-state") == "live":
                break
        self.wait_for_speed(page, "18.0")

    def test_a_bike_that_has_stood_for_five_minutes_shows_the_clock_only(self):
        page = self.ride(fake_time=True)

        def stand():
            self.player.send(scenes.riding(self.player.now, speed=0.0, ride_id="r1", paused=True, pause="standing",
                                           paused_since_t=self.player.now - 400))
        for _ in range(17):
            stand()
            page.wait_for_timeout(60)
            page.clock.run_for(2_000)
            self.player.skip(2)
        page.wait_for_selector("#rest:not([hidden])")
        self.assertEqual(page.get_attribute(":root", "data-light"), "asleep")
        self.assertRegex(page.inner_text("#rest").replace("\n", ""), r"^\d+:\d\d")
        for _ in range(50):
            if self.player.queries[-1]["hz"] == ["0.1"]:
                break
            page.wait_for_timeout(100)
        self.assertEqual(self.player.queries[-1]["hz"], ["0.1"])
        # The first touch only wakes it.
        page.mouse.click(100, 120)
        page.clock.run_for(200)
        page.wait_for_selector("#rest", state="hidden")
        self.assertFalse(page.is_visible("#drawer"))
        self.assertEqual(page.get_attribute(":root", "data-light"), "bright")

    # The lock

    def test_the_screen_stays_on_while_a_ride_is_active(self):
        page = self.ride()
        self.wait_for_asked(page, ["screen"])
        page.evaluate("window.hide(true)")
        page.evaluate("window.hide(false)")
        self.wait_for_asked(page, ["screen", "screen"])
        self.player.send(scenes.riding(self.player.now, ride_id="r1", ended=True))
        self.wait_for_asked(page, ["screen", "screen", "released"])

    # Vibration

    def vibrated(self, page, event, **fields):
        """What one event vibrates."""
        page.evaluate("window.vibrated.length = 0")
        self.player.send([{"class": "event", "event": event, "t": self.player.now, **fields}], "urgent")
        page.wait_for_timeout(400)
        return page.evaluate("window.vibrated")

    def test_each_event_has_its_vibration(self):
        page = self.ride()
        self.assertEqual(self.vibrated(page, "radar_approach", level=2, cars=1), ["200 80 200 80 400"])
        self.assertEqual(self.vibrated(page, "radar_close"), ["80 60 80 60 80 60 80"])
        self.assertEqual(self.vibrated(page, "radar_lost"), ["400"])
        self.assertEqual(self.vibrated(page, "radar_clear"), [])
        self.assertEqual(self.vibrated(page, "tire_low", sensor="rear", wheel="rear", pressure_gauge_pa=310000), ["250 100 250"])
        page.evaluate("window.vibrated.length = 0")
        page.keyboard.press("l")
        self.assertEqual(page.evaluate("window.vibrated"), ["60"])

    def test_cues_vibrate_unless_the_rider_is_not_to_be_disturbed(self):
        for is_quiet, expected in ((False, ["100"]), (True, [])):
            page = self.ride(rider={"do_not_disturb": is_quiet})
            now = self.player.now
            self.player.send([scenes.guide(), scenes.on_route(now)])
            page.wait_for_timeout(300)
            self.player.send([scenes.off_route(now)])
            page.wait_for_selector("#cue-band:not([hidden])")
            self.assertEqual(page.evaluate("window.vibrated"), expected)

    def test_nothing_vibrates_before_the_first_touch(self):
        page = self.ride()
        page.evaluate("window.isTouched = false")
        self.assertEqual(self.vibrated(page, "radar_approach", level=2, cars=1), [])


if __name__ == "__main__":
    unittest.main()

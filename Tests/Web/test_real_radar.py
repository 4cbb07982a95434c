"""Cars as packets of the radar, on the real programs: seen at once, wherever the page is."""

import contextlib
import unittest

from playwright.sync_api import TimeoutError

from real import PATIENT, RealCase, on_screens

FAST = (62, 19)
SLOW = (110, 9)


class RadarTests(RealCase):
    """A car on every page. `make bench-web` measures how long it takes."""

    def check_car(self, page):
        """A fast car is in the lane and in the band, and nothing covers either; then the road is clear."""
        page.wait_for_selector('#lane[data-state="clear"]', timeout=PATIENT)
        self.sensors.show_cars(FAST, SLOW)
        page.wait_for_selector('#lane[data-state="fast"]', timeout=PATIENT)
        self.assertEqual(page.text_content("#band"), "FAST CAR 62 m")
        self.assertEqual(page.text_content("#alert"), "Fast car")
        self.assertEqual(page.locator("#lane .car:visible").count(), 2)
        on_top = page.evaluate("""() => ["lane", "band"].every(id => {
          const box = document.getElementById(id).getBoundingClientRect();
          return document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2).closest(`#${id}`); })""")
        self.assertTrue(on_top)
        # At once, as a message of its own: a frame would wait for its turn.
        self.assertIn("urgent", page.evaluate("window.messages.filter(({ kinds }) => kinds.includes('radar')).map(({ name }) => name)"))
        self.sensors.show_cars()
        page.wait_for_selector('#lane[data-state="clear"]', timeout=PATIENT)

    @on_screens(0)
    def test_on_the_dashboard_with_a_drawer_and_dimmed(self, screen):
        page = self.visit(screen)
        self.check_car(page)
        self.open_drawer(page, "speed")
        self.check_car(page)
        page.keyboard.press("Escape")
        # The key also brightens a screen that has dimmed by itself on a slow machine.
        for _ in range(6):
            page.keyboard.press("d")
            with contextlib.suppress(TimeoutError):
                page.wait_for_selector(":root[data-dimmed]", state="attached", timeout=8000)
                break
        else:
            self.fail("the screen does not dim")
        page.wait_for_function("() => window.messages.at(-1)?.url.includes('hz=1&')", timeout=PATIENT)
        self.check_car(page)

    @on_screens(5)
    def test_in_edit_mode(self, screen):
        page = self.visit(screen)
        self.edit(page)
        self.check_car(page)
        self.sensors.speed = 8.0

    @on_screens(7)
    def test_on_the_other_pages(self, screen):
        for path in ("settings", "rides"):
            page = self.visit(screen, path)
            page.wait_for_selector("h1:visible", timeout=PATIENT)
            self.check_car(page)

    @on_screens(2)
    def test_a_lost_radar_is_never_a_clear_road(self, screen):
        for lose in (self.sensors.silence, self.sensors.disconnect):
            page = self.visit(screen)
            page.wait_for_selector('#lane[data-state="clear"]', timeout=PATIENT)
            self.observe(page, "#lane")
            lose("radar")
            page.wait_for_selector('#lane[data-state="lost"]', timeout=PATIENT)
            self.assertEqual(page.text_content("#band"), "RADAR LOST")
            # Also on a page that is opened now, and while the radar is searched for.
            other = self.visit(screen)
            other.wait_for_timeout(8000)
            self.assertIn(other.get_attribute("#lane", "data-state"), ("lost", "searching"))
            # Lost follows clear, and nothing follows lost.
            self.assertEqual([each["state"] for each in self.seen(page)][:2], ["clear", "lost"])
            self.assertNotIn("clear", [each["state"] for each in self.seen(page)][1:])
            self.sensors.wake("radar")
            page.wait_for_selector('#lane[data-state="clear"]', timeout=PATIENT)


if __name__ == "__main__":
    unittest.main()

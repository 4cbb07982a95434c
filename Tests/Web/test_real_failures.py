"""Programs that freeze, die or are missing: the page says so, and recovers without a reload."""

import os
import subprocess
import time
import unittest

from real import FULL, PATIENT, RealCase, on_screens
from sensors import Sensors
from stack import Stack

TOTALS = ("distance", "ride_time")
RECORD_MARK = "#record"


class FailureTests(RealCase):
    """Failures of each program, and of the network."""

    def open_marked(self, screen, **options):
        """A page on which the ride has begun, and which would lose its mark by a reload."""
        page = self.visit(screen, **options)
        for widget in TOTALS:
            self.wait_for_state(page, widget, "live")
        page.evaluate("window.mark = 'the same page'")
        return page

    def check_recovered(self, page):
        """All is live again on the page that was there before."""
        page.wait_for_selector("#notice", state="hidden", timeout=PATIENT)
        for widget in ("speed", "heart_rate", *TOTALS):
            self.wait_for_state(page, widget, "live")
        page.wait_for_selector('#lane[data-state="clear"]', state="attached", timeout=PATIENT)
        self.assertEqual(page.evaluate("window.mark"), "the same page")

    def wait_for_notice(self, page, words=r"NO CONNECTION \d+ s"):
        """Waits for the notice that something does not answer, from now on."""
        begin = time.monotonic()
        page.wait_for_selector("#notice:not([hidden])", timeout=PATIENT)
        if FULL:
            self.assertLess(time.monotonic() - begin, 3.5)
        self.assertRegex(page.text_content("#notice"), f"^{words}$")
        # What is on the screen ages by the page's own clock, and the road is not clear.
        page.wait_for_selector('#lane[data-state="lost"]', state="attached", timeout=PATIENT)
        self.wait_for_state(page, "speed", "stale")

    @on_screens(1)
    def test_a_frozen_daemon_makes_every_value_stale_then_lost(self, screen):
        page = self.open_marked(screen)
        self.observe(page, '[data-id="speed"]', ".primary .number")
        self.stack.suspend("daemon")
        try:
            self.wait_for_notice(page, "NO SENSOR SERVICE")
            for widget in ("heart_rate", *TOTALS):
                self.wait_for_state(page, widget, "stale")
            self.wait_for_state(page, "speed", "lost", timeout=120_000)
            self.assertRegex(page.text_content('[data-id="speed"] .word'), r"^Lost \d+ (s|min)$")
            seen = self.seen(page)
            if FULL:
                self.assertGreater(seen[-1]["at"] - seen[0]["at"], 55_000)
            self.assertNotIn("0.0", [each["shown"] for each in seen])
        finally:
            self.stack.resume("daemon")
        self.check_recovered(page)

    @on_screens(2)
    def test_a_killed_server_is_a_lost_connection(self, screen):
        for end in (self.stack.kill, self.stack.end):
            page = self.open_marked(screen)
            end("web")
            try:
                self.wait_for_notice(page)
            finally:
                self.stack.start("web")
            self.check_recovered(page)

    @on_screens(3)
    def test_a_frozen_server_is_a_lost_connection(self, screen):
        page = self.open_marked(screen)
        self.stack.suspend("web")
        try:
            self.wait_for_notice(page)
        finally:
            self.stack.resume("web")
        self.check_recovered(page)

    @on_screens(4)
    def test_without_the_network_the_connection_is_lost(self, screen):
        page = self.open_marked(screen)
        # The browser refuses new requests only, so the server holds back what is on its way.
        page.context.set_offline(True)
        self.stack.suspend("web")
        try:
            self.wait_for_notice(page)
        finally:
            self.stack.resume("web")
        page.wait_for_timeout(1500)
        self.assertTrue(page.is_visible("#notice"))
        page.context.set_offline(False)
        self.check_recovered(page)


class DaemonTests(RealCase):
    """A daemon that dies. Its stack is its own, because the sensors end with it."""

    @on_screens(5)
    def test_a_killed_daemon_makes_every_value_old(self, screen):
        page = self.visit(screen)
        self.wait_for_state(page, "distance", "live")
        page.evaluate("window.mark = 'the same page'")
        self.stack.kill("daemon")
        page.wait_for_selector("#notice:not([hidden]) >> text=NO SENSOR SERVICE", timeout=PATIENT)
        page.wait_for_selector("#notice:text-is('NO SENSOR SERVICE')", timeout=PATIENT)
        page.wait_for_selector('#lane[data-state="lost"]', state="attached", timeout=PATIENT)
        for widget in ("speed", "distance"):
            self.wait_for_state(page, widget, "stale")
        self.stack.start("daemon")
        sensors = Sensors(self.stack)
        try:
            page.wait_for_selector("#notice", state="hidden", timeout=PATIENT)
            self.wait_for_state(page, "speed", "live")
            page.wait_for_selector('#lane[data-state="clear"]', state="attached", timeout=PATIENT)
            self.assertEqual(page.evaluate("window.mark"), "the same page")
        finally:
            sensors.close()


class RecorderTests(RealCase):
    """The record mark, and values that do not suffer."""

    def wait_for_mark(self, page, name):
        """Waits until the record mark shows something."""
        page.wait_for_selector(f'{RECORD_MARK}[data-record="{name}"]', state="attached", timeout=PATIENT)

    @on_screens(6)
    def test_a_killed_recorder_is_shown_and_no_value_suffers(self, screen):
        page = self.visit(screen)
        self.wait_for_mark(page, "recording")
        self.observe(page, '[data-id="speed"]', ".primary .number")
        self.stack.kill("recorder")
        try:
            self.wait_for_mark(page, "off")
            self.assertEqual(page.get_attribute(RECORD_MARK, "data-rating"), "bad")
            self.assertIn("not recorded", page.get_attribute("#status", "aria-label").lower())
            self.sensors.speed = 10.0
            page.wait_for_selector('[data-id="speed"][data-state="live"] .primary >> text=36.0', timeout=PATIENT)
        finally:
            self.stack.start("recorder")
        self.wait_for_mark(page, "recording")
        self.assertEqual({each["state"] for each in self.seen(page)}, {"live"})


class NoRecorderTests(RealCase):
    """A bike computer on which no recorder is installed."""

    has_recorder = False

    @on_screens(7)
    def test_without_a_recorder_the_mark_says_so(self, screen):
        page = self.visit(screen)
        page.wait_for_selector(f'{RECORD_MARK}[data-record="off"][data-rating="bad"]', state="attached", timeout=PATIENT)
        self.wait_for_state(page, "distance", "live")
        page.goto(self.stack.url + "rides")
        page.wait_for_selector("text=Rides are not recorded.", timeout=PATIENT)


@unittest.skipUnless(os.geteuid() == 0, "needs the privilege to mount a file system")
class FullCardTests(RealCase):
    """The recorder's folder is a small file system, which the test fills."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = cls.stack.folder / "recorder"
        cls.stack.end("recorder")
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=12m,mode=700", "tmpfs", folder], check=True)
        cls.addClassCleanup(subprocess.run, ["umount", folder], check=True)
        cls.stack.start("recorder")
        # Its files have to be closed before the file system ends.
        cls.addClassCleanup(cls.stack.end, "recorder")

    def fill(self):
        """Leaves no block free."""
        self.count += 1
        with open(self.stack.folder / f"recorder/filler{self.count}", "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError:
                pass

    @on_screens(0)
    def test_a_full_card_is_shown_and_no_value_suffers(self, screen):
        self.count = 0
        # It begins with a short journal: what the last screen's journal takes is enough for minutes.
        self.stack.end("recorder")
        self.stack.start("recorder")
        page = self.visit(screen)
        page.wait_for_selector(f'{RECORD_MARK}[data-record="recording"]', state="attached", timeout=PATIENT)
        self.observe(page, '[data-id="speed"]', ".primary .number")
        # The recorder frees its reserve once, so the storage is filled until it says that it is full.
        off = page.locator(f'{RECORD_MARK}[data-record="off"][data-rating="bad"]')
        for _ in range(60):
            self.fill()
            if off.count():
                break
            page.wait_for_timeout(500)
        self.assertEqual(off.count(), 1)
        page.wait_for_selector("#event-band >> text=NOT RECORDING", timeout=PATIENT)
        for file in (self.stack.folder / "recorder").glob("filler*"):
            file.unlink()
        page.wait_for_selector(f'{RECORD_MARK}[data-record="recording"]', state="attached", timeout=PATIENT)
        self.assertEqual({each["state"] for each in self.seen(page)}, {"live"})


if __name__ == "__main__":
    unittest.main()

"""The page in cog, the browser of small kiosks: WPE WebKit, which stands for Safari 16.0.

Script errors are collected by a script that is added to a copy of the page, because a driven
WebKit does not write its console. `PlainTests` reads the console of an unchanged page.
"""

import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from player import Player
import scenes
from sensors import Sensors
from stack import ROOT, TIMEOUT, Stack
from test_fit import IDS, MEASURE
from webkit import WebKit

PAGE = ROOT / "Sources/Page"
PAGES = {
    "": ".widget",
    "coach": ".coach-play",
    "wall": ".wall-sentence",
    "week": ".report-totals",
    "rides": ".ride",
    "settings": ".line",
    "settings/general": ".line:nth-child(4)",
    "settings/wheel": ".line",
    "settings/sound": ".line",
    "settings/devices": ".line.link",
    "settings/devices/{strap}": ".danger",
    "settings/add": "button",
    "settings/riders": "input",
    "settings/bikes": ".lines",
    "settings/phones": ".line.phone",
    "settings/about": ".line",
}
COLLECT = """// Collects what goes wrong on the page, for tests.
window.testErrors = [];
const keep = text => window.testErrors.push(String(text));
addEventListener("error", event => keep(event.message ?? `${event.target.src ?? event.target.href} is not loaded`), true);
addEventListener("unhandledrejection", event => keep(event.reason));
addEventListener("securitypolicyviolation", event => keep(`${event.violatedDirective}: ${event.blockedURI}`));
const { error } = console;
console.error = (...words) => { keep(words.join(" ")); error(...words); };
"""
NUMBER = '[data-id="heart_rate"] .primary .number'


def dark(picture):
    """How many pixels have the color of texts."""
    return picture.colors()[(0, 0, 0)]


def await_reader(stack, is_running=lambda: True):
    """Waits until a page reads the values."""
    end = time.monotonic() + TIMEOUT
    while stack.ask_web("status")["readers"] == 0:
        assert is_running(), "the browser has ended"
        assert time.monotonic() < end, "no page reads the values"
        time.sleep(0.1)


class DrivenTests(unittest.TestCase):
    """The real server, its page with one more script, and a strap that sends once a second."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="page-")
        cls.addClassCleanup(folder.cleanup)
        page = pathlib.Path(folder.name) / "page"
        shutil.copytree(PAGE, page)
        (page / "js/collect.js").write_text(COLLECT)
        index = page / "index.html"
        text = index.read_text()
        changed = text.replace("<head>", '<head><script src="/f/0/js/collect.js"></script>', 1)
        assert changed != text, "index.html has no head"
        index.write_text(changed)
        cls.stack = Stack(web_options=["--page", page])
        cls.addClassCleanup(cls.stack.close)
        cls.sensors = Sensors(cls.stack)
        cls.addClassCleanup(cls.sensors.close)
        cls.browser = WebKit()
        cls.addClassCleanup(cls.browser.close)
        cls.browser.open(cls.stack.ask_web("link", right="manage")["url"])
        # The page goes to the dashboard by itself. A command meanwhile can hang the driver.
        await_reader(cls.stack)
        cls.browser.wait_for('[data-id="heart_rate"][data-state="live"]')
        # The page of the rides has one only once it is recorded.
        cls.browser.wait_for('#record[data-record="recording"]')

    def setUp(self):
        # An error may come after the step that a test waited for.
        self.addCleanup(lambda: self.assertEqual(self.browser.run("return window.testErrors"), []))

    def open(self, path, ready):
        """Opens a path and waits for an element of it."""
        self.browser.open(f"{self.stack.origin}/{path}")
        self.browser.wait_for(ready)

    def test_every_page_loads_without_an_error_and_is_painted(self):
        strap = next(each["id"] for each in self.stack.ask("sensors")["sensors"] if each["name"] == "Strap")
        for path, ready in PAGES.items():
            with self.subTest(path=path):
                self.open(path.format(strap=strap), ready)
                painted = self.browser.take_picture(".widget" if path == "" else "#page h1")
                self.assertGreater(dark(painted), 20)
                self.assertEqual(self.browser.run("return window.testErrors"), [])
                fonts = self.browser.run("return [...document.fonts].map(font => `${font.family} ${font.status}`)")
                self.assertIn("Gillius ADF loaded", fonts)

    def test_a_new_value_is_painted(self):
        self.open("", '[data-id="heart_rate"][data-state="live"]')
        seen = []
        for bpm in (111, 188):
            self.sensors.bpm = bpm
            self.browser.wait(f"return document.querySelector('{NUMBER}').textContent === arguments[0]", str(bpm))
            seen.append(dark(self.browser.take_picture(NUMBER)))
        self.assertGreater(seen[0], 100)
        # A 1 has fewer pixels than an 8.
        self.assertGreater(seen[1], seen[0] * 1.2)

    def test_pages_are_changed_by_a_click(self):
        self.stack.ask("ride", action="end")
        self.open("settings", ".line")
        self.browser.click("#bottom button:first-child")
        self.browser.wait("return location.pathname === '/'")
        self.browser.wait_for('[data-id="heart_rate"][data-state="live"]')
        self.browser.click('[data-id="heart_rate"]')
        self.browser.wait("return document.querySelector('dialog[open]') !== null")

    def test_the_stream_comes_back_after_a_restart_of_the_server(self):
        self.open("", '[data-id="heart_rate"][data-state="live"]')
        self.stack.kill("web")
        self.browser.wait_for("#notice:not([hidden])")
        self.stack.start("web")
        self.browser.wait_for("#notice[hidden]")
        self.browser.wait_for('[data-id="heart_rate"][data-state="live"]')
        # The requests that found no server are errors of the browser, not of the page.
        self.browser.run("window.testErrors.length = 0")


class FitTests(unittest.TestCase):
    """What a played server sends, at three sizes of the screen."""

    def test_the_longest_values_fit(self):
        for zoom in (1, 1.6, 2.5):
            browser = WebKit(zoom)
            try:
                for size in ("1x1", "2x1", "3x1"):
                    with self.subTest(zoom=zoom, size=size):
                        self.assertEqual(self.measure(browser, size), [])
            finally:
                browser.close()

    def measure(self, browser, size):
        """Texts that overlap or are cut."""
        player = Player({"version": 1, "widgets": [{"id": id, "size": size} for id in IDS]})
        try:
            browser.open(player.url)
            end = time.monotonic() + TIMEOUT
            while not browser.run("return document.querySelector('[data-id=\"speed\"][data-state=\"live\"]') !== null"):
                self.assertLess(time.monotonic(), end, "no value is live")
                # Again, because a value is live for four seconds only.
                player.send(scenes.longest(player.now))
                time.sleep(0.3)
            browser.wait("return document.fonts.status === 'loaded'")
            return browser.run(f"return ({MEASURE})()")
        finally:
            player.close()


class PlainTests(unittest.TestCase):
    """cog as a kiosk runs it, with an unchanged page."""

    def test_the_console_has_no_error_while_values_arrive(self):
        stack = Stack(scene="bike")
        self.addCleanup(stack.close)
        options = ["--platform=headless", "--enable-write-console-messages-to-stdout=true"]
        log = tempfile.TemporaryFile("w+")
        self.addCleanup(log.close)
        link = stack.ask_web("link", right="manage", name="kiosk")["url"]
        home = {"HOME": str(stack.folder), "XDG_RUNTIME_DIR": str(stack.folder)}
        browser = subprocess.Popen(["cog", *options, link], stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                                   env=os.environ | home, start_new_session=True)
        try:
            await_reader(stack, lambda: browser.poll() is None)
            # So long the reader stays: four frames and a beat.
            time.sleep(2)
            self.assertEqual(stack.ask_web("status")["readers"], 1)
            phones = stack.ask_web("phones")["phones"]
            self.assertEqual([(each["name"], each["right"]) for each in phones], [("kiosk", "manage")])
        finally:
            os.killpg(browser.pid, signal.SIGTERM)
            browser.wait()
        log.seek(0)
        # It does not know all directives of the policy, and says so.
        lines = [line for line in log if "CONSOLE" in line and "Unrecognized Content-Security-Policy directive" not in line]
        self.assertEqual(lines, [])


if __name__ == "__main__":
    unittest.main()

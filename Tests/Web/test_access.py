"""Every page for everybody: axe, what a screen reader gets, targets, texts at twice the size.

`ACCEPT=1` writes the golden files of what a screen reader gets.
"""

import copy
import os
import pathlib
import re
import unittest

from axe_playwright_python.sync_playwright import Axe
from browser import BrowserCase
from player import Player
import scenes
from test_rides import RIDES, TRACK
from test_settings import FOUND, STRAP, WHEEL

GOLDEN = pathlib.Path(__file__).parent / "golden"
LAYOUT = {"version": 1, "widgets": [{"id": "speed", "size": "3x1"}, {"id": "heart_rate", "size": "2x1"},
                                    {"id": "distance", "size": "1x1"}]}

# Name, path, and what is done there before the page is examined.
PAGES = {
    "coach": ("coach", ".coach-play"),
    "rides": ("rides", ".ride"),
    "deleted": ("rides/deleted", ".ride"),
    "import": ("rides/import", ".lines"),
    "add-ride": ("rides/add", ".sports"),
    "settings": ("settings", ".line"),
    "general": ("settings/general", ".line:nth-child(4)"),
    "wheel": ("settings/wheel", ".line"),
    "sound": ("settings/sound", ".line"),
    "devices": ("settings/devices", ".line.link"),
    "device": ("settings/devices/wheel", ".danger"),
    "add": ("settings/add", ".found"),
    "riders": ("settings/riders", "input"),
    "bikes": ("settings/bikes", ".lines .link"),
    "bike": ("settings/bikes/Gravel", ".danger"),
    "phones": ("settings/phones", ".line.phone"),
    "about": ("settings/about", ".line"),
    "pair": ("pair", ".digits"),
    "edit": ("", ".widget"),
    "picker": ("", ".widget"),
    "question": ("", ".widget"),
}

TARGETS = """() => [...document.querySelectorAll("button, a[href], input, select")].filter(element => {
  const box = element.getBoundingClientRect();
  // The bar of the smallest screen is one target of its whole width.
  if (element.id === "status" && innerWidth < 360) return false;
  const isShown = element.checkVisibility() && box.width > 0 && !element.closest("[inert]");
  return isShown && (box.width < 47.5 || box.height < 47.5);
}).map(element => {
  const box = element.getBoundingClientRect();
  return `${element.getAttribute("aria-label") ?? element.textContent} ${box.width} x ${box.height}`;
})"""

SIDEWAYS = """() => [...document.querySelectorAll("#page, #page *, .question *")].filter(element =>
  element.checkVisibility() && element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0
  && !["INPUT", "SELECT"].includes(element.tagName) && !element.closest(".number, .unseen") && getComputedStyle(element).display !== "inline"
).map(element => `${element.tagName}.${element.className} ${element.textContent.slice(0, 40)}`)"""


def read_for_screen_readers(name, page):
    """What a screen reader gets of a page, without what differs from run to run."""
    selector = {"edit": "body", "picker": ".question", "question": ".question"}.get(name, "#page")
    found = page.locator(selector).aria_snapshot() + "\n"
    # The form of a ride begins with the present time.
    found = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d", "NOW", found)
    if name == "wall":
        found = re.sub(r"\d+ s old", "AGE", found)
    if name in ("edit", "picker"):
        found = re.sub(r"\b\d+:\d\d\b", "TIME", found)
        # On a slow machine, values are stale for a moment, and back.
        found = re.sub(r"- status: .*", "- status", found)
    return found


def check_golden(case, name, page):
    """Compares what a screen reader gets with a file, once everything has arrived that the page shows."""
    file = GOLDEN / f"{name}.yml"
    found = read_for_screen_readers(name, page)
    if os.environ.get("ACCEPT"):
        GOLDEN.mkdir(exist_ok=True)
        file.write_text(found)
    expected = file.read_text()
    for _ in range(50):
        if found == expected:
            return
        page.wait_for_timeout(100)
        found = read_for_screen_readers(name, page)
    case.assertEqual(found, expected)


class AccessTests(BrowserCase):
    """One page after another in one browser context for each screen."""

    def sweep(self, names=tuple(PAGES), size=(360, 780), language="en", query="", **options):
        """Visits pages with everything on them that they can have, and gives each to the caller."""
        player = Player(LAYOUT)
        self.addCleanup(player.close)
        services = player.services
        services.sensors = {each["id"]: copy.deepcopy(each) for each in (WHEEL, STRAP)}
        services.logbook.activities = copy.deepcopy(RIDES)
        services.logbook.tracks = {12: TRACK}
        services.logbook.deleted = [{**RIDES[0], "id": 9, "name": "Gone", "deleted": "2026-05-04T08:00:00.000Z"}]
        services.found = [FOUND]
        services.phones = [{"id": 1, "name": "Handlebar", "right": "manage"}]
        page = self.open(size, player=player, language=language, **options)
        stand = {"speed": 0.0, "paused": True, "pause": "by_hand"}
        player.send([{"class": "sensor", "change": "added", "sensor": each} for each in (WHEEL, STRAP)]
                    + scenes.riding(player.now, **stand))
        for name in names:
            path, ready = PAGES[name]
            page.goto(player.url + path + query)
            page.wait_for_selector(ready, timeout=10000)
            if not path:
                player.send(scenes.riding(player.now, **stand))
                page.wait_for_selector('[data-id="speed"][data-state="live"]')
                page.keyboard.press("e")
                page.wait_for_selector("#editbar")
            if name == "picker":
                page.evaluate("document.querySelector('#editbar .add').click()")
            if name == "question":
                page.evaluate("document.querySelector('#editbar .layout-tools button:last-child').click()")
            page.wait_for_timeout(100)
            yield name, page

    def axe(self, page):
        """What axe finds, as sentences."""
        return [f"{each['id']}: {node['html'][:160]} {node.get('failureSummary', '')}"
                for each in Axe().run(page).response["violations"] for node in each["nodes"]]

    def test_upright_and_light(self):
        for name, page in self.sweep():
            with self.subTest(page=name):
                self.assertEqual(self.axe(page), [])
                self.assertEqual(page.evaluate(TARGETS), [])
                check_golden(self, name, page)

    def test_wide_and_dark(self):
        for name, page in self.sweep(size=(800, 480), scheme="dark"):
            with self.subTest(page=name):
                self.assertEqual(self.axe(page), [])
                self.assertEqual(page.evaluate(TARGETS), [])

    def test_large_german_texts_on_the_smallest_screen(self):
        names = ("coach", "rides", "deleted", "import", "add-ride", "general", "device", "add", "riders", "bike", "phones", "pair", "edit", "picker")
        for name, page in self.sweep(names, (320, 240), query="?language=de&text=130"):
            with self.subTest(page=name):
                self.assertEqual(page.evaluate(SIDEWAYS), [])
                self.assertEqual(page.evaluate(TARGETS), [])


if __name__ == "__main__":
    unittest.main()

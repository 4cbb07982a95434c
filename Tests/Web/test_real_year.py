"""The pages of the logbook with a year of rides, runs and swims, in every look. With FULL=1 only.

`.build/web/year` keeps a picture of each page and look.
"""

import itertools
import subprocess
import tempfile
import unittest

from axe_playwright_python.sync_playwright import Axe

from browser import FULL, BrowserCase
from real import PATIENT
from stack import BUILD, ROOT, Stack
from test_access import SIDEWAYS, TARGETS

# A phone whose page is zoomed to 200 %.
ZOOMED = (180, 390)
PICTURES = ROOT / ".build/web/year"
# Each page, and what is on it when it is complete.
PAGES = {"rides": ".ride", "rides/deleted": "#page h1", "rides/add": ".sports", "rides/import": ".lines", "week": ".period-bars",
         "coach": ".coach-play", "routes": "#page h1", "routes/draw": ".draw-length"}


@unittest.skipUnless(FULL, "makes a year of rides")
class YearTests(BrowserCase):
    """One logbook for all pages."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        subprocess.run([BUILD / "make-demo-logbook", folder.name], check=True)
        cls.stack = Stack(logbook=folder.name)
        cls.addClassCleanup(cls.stack.close)
        cls.cookie = cls.stack.pair()
        PICTURES.mkdir(parents=True, exist_ok=True)

    def check(self, path, ready):
        """Opens a page and looks at it in every look."""
        page = self.open(player=self.stack, cookie=self.cookie, query=path)
        page.wait_for_selector(ready, timeout=PATIENT)
        for size, scheme in itertools.chain(self.looks(page), [(ZOOMED, "dark")]):
            page.set_viewport_size({"width": size[0], "height": size[1]})
            with self.subTest(page=path, size=size, scheme=scheme):
                page.wait_for_timeout(300)
                name = path.replace("/", "-")
                page.screenshot(path=PICTURES / f"{name}-{size[0]}x{size[1]}-{scheme}.png")
                self.assertEqual([f"{each['id']}: {node['html'][:160]}" for each in Axe().run(page).response["violations"]
                                  for node in each["nodes"]], [])
                self.assertEqual(page.evaluate(TARGETS), [])
                self.assertEqual(page.evaluate(SIDEWAYS), [])
        self.leave(page)

    def test_every_page(self):
        for path, ready in PAGES.items():
            self.check(path, ready)

    def test_the_report_of_a_ride(self):
        page = self.open(player=self.stack, cookie=self.cookie, query="rides")
        # With a track, whose picture has this width. What was entered by hand has no graphs.
        path = page.get_attribute('.ride:has(.thumbnail [width="64"]) .ride-link', "href", timeout=PATIENT) or ""
        self.leave(page)
        self.assertRegex(path, r"^/rides/\d+$")
        self.check(path[1:], ".ride-graph:visible")


if __name__ == "__main__":
    unittest.main()

"""The installed page: what is kept, how it opens without a server, and the change of a release."""

import json
import unittest

from browser import BrowserCase
from player import PAGE, Player
import scenes


class OfflineTests(BrowserCase):
    """A page whose service worker may work."""

    def install(self):
        """Opens the page and waits until its files are kept."""
        self.player = Player()
        self.addCleanup(self.player.close)
        page = self.open(player=self.player, keeps_files=True)
        page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        page.wait_for_function("() => navigator.serviceWorker.controller !== null")
        return page

    def kept(self, page):
        """The paths in the caches."""
        return page.evaluate("""async () => {
          const names = await caches.keys();
          const requests = await Promise.all(names.map(async name => (await caches.open(name)).keys()));
          return requests.flat().map(request => new URL(request.url).pathname); }""")

    def test_every_file_of_the_page_is_kept_and_nothing_else(self):
        page = self.install()
        page.wait_for_selector(".widget")
        kept = set(self.kept(page))
        files = {f"/f/0/{file.relative_to(PAGE)}" for folder in ("js", "css", "icons")
                 for file in (PAGE / folder).rglob("*") if file.suffix in (".js", ".css", ".svg")}
        self.assertEqual(files - kept, set())
        self.assertEqual(kept - files, {"/", "/manifest.webmanifest", "/fonts/numbers.otf", "/fonts/GilliusADF-Regular.otf", "/fonts/GilliusADF-Bold.otf"})

    def test_without_a_server_the_dashboard_opens_and_says_so(self):
        page = self.install()
        self.player.close()
        page.reload()
        page.wait_for_selector(".widget")
        page.wait_for_selector("#notice:not([hidden])", timeout=5000)
        self.assertIn("NO CONNECTION", page.text_content("#notice"))
        page.click("#bottom button:nth-child(3)")
        page.wait_for_selector("h1:text-is('Settings')")
        page.reload()
        page.wait_for_selector("h1:text-is('Settings')")

    def test_another_release_is_loaded_at_a_stop(self):
        self.player = Player()
        self.addCleanup(self.player.close)
        page = self.open(player=self.player)
        self.player.send(scenes.riding(self.player.now))
        page.wait_for_selector('[data-id="speed"][data-state="live"]')
        page.evaluate("window.isFirst = true")
        self.player.release = "2"
        self.player.drop_readers()
        for _ in range(6):
            self.player.send([scenes.sample("speed", self.player.now, speed_mps=8, source="wheel")])
            page.wait_for_timeout(500)
        self.assertTrue(page.evaluate("window.isFirst === true"))
        self.player.send([scenes.sample("speed", self.player.now, speed_mps=0, source="wheel")])
        page.wait_for_function("() => window.isFirst === undefined", timeout=5000)

    def test_the_manifest(self):
        manifest = json.loads((PAGE / "manifest.webmanifest").read_text())
        self.assertEqual((manifest["start_url"], manifest["display"]), ("/", "standalone"))
        for icon in manifest["icons"]:
            self.assertTrue((PAGE / icon["src"].removeprefix("/f/0/")).is_file(), icon)


if __name__ == "__main__":
    unittest.main()

"""Debian's headless Chromium, driven by playwright. One browser serves all tests of a module. It opens a
page with half the work of the whole Chromium, and text is as wide in it as on a screen."""

import os
import unittest

from playwright.sync_api import sync_playwright

from player import Player

FULL = bool(os.environ.get("FULL"))
SIZES = [(360, 780), (480, 800), (800, 480), (320, 240)]
# On what pages are looked at: each size, light and dark by turns, or in both with FULL=1.
LOOKS = [(size, scheme) for index, size in enumerate(SIZES) for scheme in (("light", "dark") if FULL else (("light", "dark")[index % 2],))]


class BrowserCase(unittest.TestCase):
    """A test with a browser and a player of its own. Any script error, refused load or request to another
    host fails it: the page's own policy refuses these, and the browser finds no host by name."""

    arguments = []

    @classmethod
    def setUpClass(cls):
        cls.playwright = sync_playwright().start()
        cls.addClassCleanup(cls.playwright.stop)
        cls.browser = cls.playwright.chromium.launch(
            executable_path="/usr/bin/chromium-headless-shell", headless=True,
            args=["--no-sandbox", "--font-render-hinting=none", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", *cls.arguments])
        cls.addClassCleanup(cls.browser.close)
        # Contexts in which no page is open, by their options.
        cls.free_contexts = {}

    def setUp(self):
        self.errors = []
        # Each open page with the address of its server and the list that its context returns to.
        self.pages = {}

    def open(self, size=(360, 780), scheme="light", language="en", query="", player=None, touch=False,
             fake_time=False, fixed_time=None, keeps_files=False, cookie=None, script=None, **preferences):
        """Opens the page and waits for its fonts. With `fake_time`, timers follow `page.clock`. A
        `fixed_time` is what its wall clock shows. With `keeps_files`, the service worker works. `script`
        runs before the page's own."""
        if player is None:
            player = Player()
            self.addCleanup(player.close)
        options = {"viewport": {"width": size[0], "height": size[1]}, "color_scheme": scheme, "locale": language, "has_touch": touch,
                   "service_workers": "allow" if keeps_files else "block", "reduced_motion": "reduce", **preferences}
        is_shared = not (fake_time or fixed_time or keeps_files or cookie)
        free = self.free_contexts.setdefault(repr(options), []) if is_shared else []
        context = free.pop() if free else self.browser.new_context(**options)
        if cookie:
            context.add_cookies([cookie])
        page = context.new_page()
        self.pages[page] = (player.url, free if is_shared else None)
        self.addCleanup(self.leave, page)
        if script:
            page.add_init_script(script)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", self._record_console)
        page.on("requestfailed", self._record_failed_request)
        if fake_time:
            page.clock.install()
        if fixed_time:
            page.clock.set_fixed_time(fixed_time)
        page.goto(player.url + query)
        page.evaluate("document.fonts.ready")
        return page

    def leave(self, page):
        """Closes a page with all that it stored. Its context serves other tests, for its cache has the
        files of the page, and loading them is most of the cost of opening it."""
        url, free = self.pages.pop(page, (None, None))
        if url is None:
            return
        if free is None:
            page.context.close()
            return
        session = page.context.new_cdp_session(page)
        session.send("Storage.clearDataForOrigin", {
            "origin": url.rstrip("/"), "storageTypes": "cookies,file_systems,indexeddb,local_storage,service_workers,cache_storage"})
        page.close()
        free.append(page.context)

    def looks(self, page):
        """Gives the page one look after the other."""
        for size, scheme in LOOKS:
            page.set_viewport_size({"width": size[0], "height": size[1]})
            page.emulate_media(color_scheme=scheme)
            self.wait_for_frames(page)
            yield size, scheme

    @staticmethod
    def wait_for_frames(page):
        """Waits until the page has painted what it knows, and has run what that began."""
        page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))")

    def _record_console(self, message):
        # The console reports each refused request. A page without a layout of its own gets 404.
        if message.type == "error" and "the server responded with" not in message.text and "ERR_" not in message.text:
            self.errors.append(message.text)

    def _record_failed_request(self, request):
        # Tests also cut connections to the page's own server.
        if "NAME_NOT_RESOLVED" in (request.failure or ""):
            self.errors.append(f"a request to another host: {request.url}")

    def tearDown(self):
        self.assertEqual(self.errors, [])

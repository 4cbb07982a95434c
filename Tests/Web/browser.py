"""Debian's Chromium, driven by playwright. One browser serves all tests of a run."""

import unittest

from playwright.sync_api import sync_playwright

from player import Player

SIZES = [(360, 780), (480, 800), (800, 480), (320, 240)]


class BrowserCase(unittest.TestCase):
    """A test with a browser and a player of its own. Any script error or refused load fails it."""

    arguments = []

    @classmethod
    def setUpClass(cls):
        cls.playwright = sync_playwright().start()
        cls.addClassCleanup(cls.playwright.stop)
        cls.browser = cls.playwright.chromium.launch(
            executable_path="/usr/bin/chromium", headless=True,
            args=["--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", *cls.arguments])
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        self.errors = []
        self.hosts = set()
        self.served = set()

    def open(self, size=(360, 780), scheme="light", language="en", query="", player=None, touch=False,
             fake_time=False, fixed_time=None, keeps_files=False, cookie=None, script=None, **preferences):
        """Opens the page and waits for its fonts. With `fake_time`, timers follow `page.clock`. A
        `fixed_time` is what its wall clock shows. With `keeps_files`, the service worker works. `script`
        runs before the page's own."""
        if player is None:
            player = Player()
            self.addCleanup(player.close)
        self.served.add(player.url.split("/")[2])
        context = self.browser.new_context(
            viewport={"width": size[0], "height": size[1]}, color_scheme=scheme, locale=language,
            has_touch=touch, service_workers="allow" if keeps_files else "block",
            **{"reduced_motion": "reduce", **preferences})
        self.addCleanup(context.close)
        if cookie:
            context.add_cookies([cookie])
        page = context.new_page()
        if script:
            page.add_init_script(script)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", self._record_console)
        page.on("request", lambda request: self.hosts.add(request.url.split("/")[2]))
        if fake_time:
            page.clock.install()
        if fixed_time:
            page.clock.set_fixed_time(fixed_time)
        page.goto(player.url + query)
        page.evaluate("document.fonts.ready")
        return page

    def _record_console(self, message):
        # The console reports each refused request. A page without a layout of its own gets 404.
        if message.type == "error" and "the server responded with" not in message.text and "ERR_" not in message.text:
            self.errors.append(message.text)

    def tearDown(self):
        self.assertEqual(self.errors, [])
        self.assertLessEqual(self.hosts, self.served)

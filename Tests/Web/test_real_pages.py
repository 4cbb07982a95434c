"""Every page of the real server: what it may load and do, axe, and texts that fit."""

import html.parser
import json
import unittest

from axe_playwright_python.sync_playwright import Axe

from browser import FULL, LOOKS
from real import PATIENT, SCREENS, WATCH, RealCase
from test_access import SIDEWAYS, TARGETS
from test_fit import MEASURE

# Path, and what is there when the page is complete.
PAGES = {
    "": '[data-id="distance"][data-state="live"]',
    "rides": "#page h1",
    "rides/deleted": "#page h1",
    "rides/import": ".lines",
    "coach": ".coach-play",
    "rides/add": ".sports",
    # There is no bridge.
    "wall": ".wall[data-state='no_bridge']",
    "week": ".report-totals",
    "routes": "#page h1",
    "routes/import": ".lines",
    "routes/draw": ".map-face",
    "settings": ".line",
    "settings/general": ".line:nth-child(4)",
    "settings/wheel": ".line",
    "settings/sound": ".line",
    "settings/devices": ".line.link",
    "settings/devices/strap-0001": ".danger",
    "settings/add": "#page h1",
    "settings/riders": "input",
    "settings/bikes": "#page h1",
    "settings/phones": ".line.phone",
    "settings/about": ".line",
}

# What each right is for: method, path, right, body.
ROUTES = [
    ("GET", "/events?hz=4", "view", None),
    ("GET", "/events?wall=*", "view", None),
    ("GET", "/api/1/now", "view", None),
    ("GET", "/api/1/layouts/phone", "view", None),
    ("PUT", "/api/1/layouts/tablet", "ride", {"version": 1, "widgets": []}),
    ("GET", "/api/1/settings/rider", "view", None),
    ("PUT", "/api/1/settings/rider", "ride", {"version": 1}),
    ("POST", "/api/1/ride", "ride", {"action": "lap"}),
    ("POST", "/api/1/display", "ride", {"brightness_pct": 50}),
    ("POST", "/api/1/daemon", "manage", {"method": "rider", "params": {}}),
    ("GET", "/api/1/activities", "view", None),
    ("GET", "/api/1/stats", "view", None),
    ("GET", "/api/1/fitness", "view", None),
    ("GET", "/api/1/records", "view", None),
    ("DELETE", "/api/1/activities/1", "manage", None),
    ("POST", "/api/1/import", "manage", {}),
    ("GET", "/api/1/phones", "manage", None),
    ("POST", "/api/1/phones", "manage", {"right": "view"}),
]
RIGHTS = ["view", "ride", "manage"]

# The status of a request of the page itself.
FETCH = """async ([method, path, body]) => {
  const content = path.endsWith("/import") ? "application/octet-stream" : "application/json";
  const headers = { "X-Cyclometer": "1", "Content-Type": content, "If-Match": '"none"' };
  const abort = new AbortController();
  const response = await fetch(path, { method, headers: method === "GET" ? {} : headers, signal: abort.signal,
                                       body: method === "GET" || method === "DELETE" ? undefined : JSON.stringify(body) });
  abort.abort();
  return response.status;
}"""


class Inline(html.parser.HTMLParser):
    """Collects what of a document would be code or style within it."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        names = dict(attrs)
        if tag == "style" or (tag == "script" and "src" not in names):
            self.found.append(tag)
        self.found += [f"{tag} {name}" for name in names if name == "style" or name.startswith("on")]


class PageTests(RealCase):
    """What holds on every page of the server."""

    def check_each(self, check, size, scheme, language="en", text=100):
        """Opens one page after the other on a screen, and checks each when it is complete."""
        page = self.open(size, scheme, language, query=f"?language={language}&text={text}", player=self.stack,
                         cookie=self.cookie, script=WATCH)
        for path, ready in PAGES.items():
            page.goto(f"{self.stack.url}{path}?language={language}&text={text}")
            page.wait_for_selector(ready, timeout=PATIENT, state="attached")
            with self.subTest(page=path or "dashboard", size=size, scheme=scheme, language=language):
                check(path, page)
        self.leave(page)

    def test_axe_finds_nothing(self):
        def check(_, page):
            found = [f"{each['id']}: {node['html'][:160]}" for each in Axe().run(page).response["violations"]
                     for node in each["nodes"]]
            self.assertEqual(found, [])

        for size, scheme in SCREENS if FULL else [SCREENS[0], SCREENS[5]]:
            self.check_each(check, size, scheme)

    def test_texts_fit_and_targets_are_large_on_every_page(self):
        def check(path, page):
            self.assertEqual(page.evaluate(TARGETS), [])
            if path:
                self.assertEqual(page.evaluate(SIDEWAYS), [])

        for size, scheme in LOOKS:
            language, text = {"light": ("en", 100), "dark": ("de", 130)}[scheme]
            self.check_each(check, size, scheme, language, text)

    def test_the_dashboard_fits_on_every_screen(self):
        for size, scheme in LOOKS:
            for language in ("en", "de"):
                with self.subTest(size=size, scheme=scheme, language=language):
                    page = self.visit((size, scheme), f"?language={language}", language=language)
                    self.sensors.show_cars((62, 19))
                    page.wait_for_selector('#lane[data-state="fast"]', timeout=PATIENT)
                    self.assertEqual(page.evaluate(MEASURE), [])
                    self.sensors.show_cars()
                    self.leave(page)

    def test_no_page_has_code_or_style_within_it_or_asks_another_host(self):
        # A refused load or script and a foreign host fail each test of this class: see `tearDown`.
        for path in PAGES:
            with self.subTest(path):
                status, fields, body = self.stack.request("GET", f"/{path}")
                self.assertEqual(status, 200)
                inline = Inline()
                inline.feed(body)
                self.assertEqual(inline.found, [])
                policy = fields["Content-Security-Policy"]
                self.assertIn("default-src 'none'; script-src 'self'; style-src 'self'", policy)
                self.assertIn("require-trusted-types-for 'script'", policy)
                self.assertNotIn("unsafe", policy)

    def test_a_script_that_is_put_into_the_page_is_refused(self):
        page = self.visit(SCREENS[0])
        page.evaluate("""() => {
          const script = document.createElement("script");
          try { script.text = "window.ran = true"; document.head.append(script); } catch { /* trusted types */ }
          try { document.body.insertAdjacentHTML("beforeend", "<img src=x onerror='window.ran = true'>"); } catch { /* the same */ }
        }""")
        page.wait_for_timeout(200)
        self.assertIsNone(page.evaluate("window.ran ?? null"))
        self.assertGreater(len(page.evaluate("window.refused")), 0)
        page.evaluate("window.refused = []")
        self.errors.clear()

    def test_every_route_refuses_without_its_right(self):
        for right in (None, *RIGHTS[:2]):
            page = self.open(player=self.stack, query="pair", cookie=self.stack.pair(right) if right else None)
            for method, path, needs, body in ROUTES:
                with self.subTest(right=right, method=method, path=path):
                    status = page.evaluate(FETCH, [method, path, body])
                    if right is None:
                        self.assertEqual(status, 401)
                    elif RIGHTS.index(right) < RIGHTS.index(needs):
                        self.assertEqual(status, 403)
                    else:
                        self.assertNotIn(status, (401, 403))
            self.leave(page)

    def test_a_request_of_another_page_is_refused(self):
        fields = {"Cookie": f'{self.cookie["name"]}={self.cookie["value"]}'}
        ride = json.dumps({"action": "lap"})
        for change in ({"Origin": "http://elsewhere.example"}, {"Host": "elsewhere.example"}, {"X-Cyclometer": "0"},
                       {"Content-Type": "text/plain"}, {"Sec-Fetch-Site": "cross-site"}):
            with self.subTest(change):
                status, *_ = self.stack.request("POST", "/api/1/ride", ride, {**fields, **change})
                self.assertIn(status, (403, 415, 421))
        status, *_ = self.stack.request("POST", "/api/1/ride", ride, fields)
        self.assertEqual(status, 200)


if __name__ == "__main__":
    unittest.main()

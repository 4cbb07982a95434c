"""Tests of the page with the real programs, which serve it.

Each test runs on one screen. With FULL=1 it runs on all sizes, light and dark, and also judges
times, which depend on what else the machine does.
"""

import functools

from browser import BrowserCase, FULL, SIZES
from sensors import Sensors
from stack import Stack

SCREENS = [(size, scheme) for size in SIZES for scheme in ("light", "dark")]
# So long a page may take for what it does at once, when other programs use the processor.
PATIENT = 30_000

# Keeps the messages of the stream and what the policy of the page refused.
WATCH = """
window.messages = [];
window.refused = [];
document.addEventListener("securitypolicyviolation", event => window.refused.push(`${event.violatedDirective} ${event.blockedURI}`));
window.EventSource = class extends EventSource {
  constructor(url) {
    super(url);
    for (const name of ["hello", "frame", "urgent", "beat"]) {
      this.addEventListener(name, message => {
        const { records = [] } = JSON.parse(message.data);
        const kinds = records.filter(({ class: kind }) => kind === "sample").map(({ kind }) => kind);
        window.messages.push({ name, url, at: performance.now(), kinds });
      });
    }
  }
};
"""

# Keeps each state of an element with its text, whenever one of them changes.
OBSERVE = """([selector, text]) => {
  const element = document.querySelector(selector);
  window.seen = [];
  const look = () => {
    const shown = (text ? element.querySelector(text) : element)?.textContent ?? "";
    const last = window.seen.at(-1);
    if (last?.state === element.dataset.state && last.shown === shown) return;
    window.seen.push({ state: element.dataset.state, shown, at: performance.now(), messages: window.messages.length });
  };
  look();
  new MutationObserver(look).observe(element, { attributes: true, childList: true, characterData: true, subtree: true });
}"""


def on_screens(index):
    """Runs a test on one of the screens, or on all with FULL=1, one after the other."""
    chosen = SCREENS if FULL else [SCREENS[index % len(SCREENS)]]

    def wrap(test):
        @functools.wraps(test)
        def run(self):
            for screen in chosen:
                with self.subTest(screen=screen):
                    test(self, screen)
                self.doCleanups()
                self.sensors.reset()
        return run
    return wrap


class RealCase(BrowserCase):
    """One stack and its sensors for all tests of a class. The bike moves at the start of each."""

    has_recorder = True
    has_guide = False

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.stack = Stack(has_recorder=cls.has_recorder, has_guide=cls.has_guide)
        cls.addClassCleanup(cls.stack.close)
        cls.cookie = cls.stack.pair()
        cls.sensors = Sensors(cls.stack)
        cls.addClassCleanup(cls.sensors.close)

    def setUp(self):
        super().setUp()
        self.sensors.reset()

    def visit(self, screen, query="", **options):
        """Opens the real page as a paired screen, with a ride on it."""
        size, scheme = screen
        page = self.open(size, scheme, query=query, player=self.stack, cookie=self.cookie, script=WATCH, **options)
        if query == "" or query.startswith("?"):
            self.wait_for_state(page, "speed", "live")
            self.wait_for_state(page, "heart_rate", "live")
        return page

    def wait_for_state(self, page, widget, state, timeout=PATIENT):
        """Waits until a widget of the dashboard has a state."""
        page.wait_for_selector(f'[data-id="{widget}"][data-state="{state}"]', state="attached", timeout=timeout)

    def edit(self, page):
        """Stops the bike, and begins to edit once the page knows that it stands."""
        self.sensors.speed = 0.0
        # A ride that was paused before is so at once, with the speed of then.
        self.wait_for_state(page, "distance", "paused")
        page.wait_for_selector('[data-id="speed"] .primary .number >> text=/^0/', state="attached", timeout=PATIENT)
        page.keyboard.press("e")
        page.wait_for_selector("#editbar", timeout=PATIENT)

    def open_drawer(self, page, widget):
        """Opens the details of a widget. The first touch of a screen that has dimmed only brightens it."""
        for _ in range(20):
            page.locator(f'[data-id="{widget}"] .face').click()
            page.wait_for_timeout(500)
            if page.is_visible("#drawer[open]"):
                return
        self.fail("a touch does not open the drawer")

    def observe(self, page, selector, text=None):
        """Begins to keep the states of an element, and the text of it or of what it contains."""
        page.evaluate(OBSERVE, [selector, text])

    def seen(self, page):
        """What `observe` has kept."""
        return page.evaluate("window.seen")

    def tearDown(self):
        for context in self.browser.contexts:
            for page in context.pages:
                self.assertEqual(page.evaluate("window.refused ?? []"), [])
        super().tearDown()

"""Keeps pages open in Debian's Chromium, and tells when each got a packet of the radar and when it had
painted it. It obeys lines of standard input until its end:

  open NAME URL [COOKIE]   opens a page, and prints `opened`
  forget NAME              forgets what was noted
  collect NAME             prints what was noted since then, in JSON: for each message the
                           metres of its car, the record's `t`, when the page's handler was called and
                           when the frame that shows it was painted (null: it never was), in nanoseconds
                           of CLOCK_BOOTTIME, and by how much these times are wrong at least

A frame counts as painted at the first task after it, when the page's part of painting is done."""
import json
import sys
import time

from playwright.sync_api import sync_playwright

NOTING = """
(() => {
  window.noted = [];
  const waiting = [];
  const after = new MessageChannel();
  after.port1.onmessage = () => {
    const now = performance.now();
    for (const entry of waiting.splice(0)) entry.painted = now;
  };
  const watch = (entry, tries) => requestAnimationFrame(() => {
    const shown = document.getElementById("band").textContent;
    if (shown.endsWith(` ${entry.metres} m`)) {
      waiting.push(entry);
      after.port2.postMessage(null);
    } else if (tries > 0) {
      watch(entry, tries - 1);
    }
  });
  const Source = window.EventSource;
  window.EventSource = class extends Source {
    constructor(...words) {
      super(...words);
      this.addEventListener("urgent", message => {
        const handled = performance.now();
        for (const { kind, t, targets } of JSON.parse(message.data).records) {
          if (kind !== "radar" || !targets?.length) continue;
          const entry = { metres: targets[0].distance_m, t, handled, painted: null };
          window.noted.push(entry);
          watch(entry, 3);
        }
      });
    }
  };
})();
"""


class Pages:
    def __init__(self, browser):
        self.browser = browser
        self.pages = {}
        # By page: how far its clock is behind CLOCK_BOOTTIME, and by how much that is wrong at least.
        self.clocks = {}

    def open(self, name, url, cookie=None):
        context = self.browser.new_context(viewport={"width": 480, "height": 800}, reduced_motion="reduce", service_workers="block")
        if cookie:
            key, _, value = cookie.partition("=")
            context.add_cookies([{"name": key, "value": value, "url": url}])
        page = context.new_page()
        page.add_init_script(NOTING)
        page.goto(url)
        page.wait_for_selector(".widget")
        self.pages[name] = page
        self.clocks[name] = self.clock(page)

    @staticmethod
    def clock(page):
        """The browser knows the date of the origin of its clock. Asking for the time is too slow to find
        it, but shows if it is wrong."""
        date = time.clock_gettime_ns(time.CLOCK_BOOTTIME) - time.clock_gettime_ns(time.CLOCK_REALTIME)
        offset = int(page.evaluate("() => performance.timeOrigin") * 1e6) + date
        error = 0
        for _ in range(20):
            before = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
            now = int(page.evaluate("() => performance.now()") * 1e6) + offset
            after = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
            error = max(error, before - now, now - after)
        return offset, error

    def collect(self, name):
        noted = self.pages[name].evaluate("() => window.noted")
        offset, error = self.clocks[name]
        for entry in noted:
            for time_name in ("handled", "painted"):
                if entry[time_name] is not None:
                    entry[time_name] = int(entry[time_name] * 1e6) + offset
        return {"noted": noted, "error": error}


def main():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", headless=True,
            args=["--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"])
        pages = Pages(browser)
        for line in sys.stdin:
            order, *words = line.split()
            if order == "open":
                pages.open(*words)
                print("opened", flush=True)
            elif order == "forget":
                pages.pages[words[0]].evaluate("() => { window.noted.length = 0; }")
            else:
                print(json.dumps(pages.collect(*words)), flush=True)
        browser.close()


if __name__ == "__main__":
    main()

"""What the page costs the computer on the bike: layouts, processor time and memory.

Processor time and the long ride are measured with FULL=1 only, on an idle machine.
"""

import json
import math
import time
import unittest

from real import FULL, PATIENT, RealCase
from sensors import CIRCUMFERENCE_M, HEAD, HEART_RATE, POWER, RADAR, WHEEL, little
from stack import Lines, Stack

IDS = ["speed", "heart_rate", "cadence", "power", "grade", "elevation", "distance", "ride_time", "lap", "clock"]
LAYOUT = {"version": 1, "widgets": [{"id": "speed", "size": "3x1"}, {"id": "heart_rate", "size": "2x1"}]
          + [{"id": id, "size": "1x1"} for id in IDS[2:]]}
BIKE = (480, 800), "light"
# Budgets: milliseconds per second of all processes of the browser, layouts per second.
BRIGHT_MS, DIMMED_MS, LAYOUTS = 60, 25, 5
MINUTES = 5
HOUR_S, SPEED = 3600, 20
# So long, in real time, until the page has all that it remembers: the values of the last ten minutes.
FILLING_S = 620


def show(figure):
    """Prints a figure, which `run` passes on."""
    print(f"\nfigure: {figure}", flush=True)


class Meter:
    """The counters of one page and of its browser."""

    def __init__(self, page):
        self._page = page.context.new_cdp_session(page)
        self._page.send("Performance.enable")
        self._browser = page.context.browser.new_browser_cdp_session()

    def read(self):
        """Milliseconds of the processor, layouts, and the time in seconds."""
        processes = self._browser.send("SystemInfo.getProcessInfo")["processInfo"]
        metrics = self.metrics()
        return sum(each["cpuTime"] for each in processes) * 1000, metrics["LayoutCount"], time.monotonic()

    def metrics(self):
        """Chromium's own counters."""
        return {each["name"]: each["value"] for each in self._page.send("Performance.getMetrics")["metrics"]}

    def heap(self):
        """Bytes of live objects of the script, and the number of nodes and of listeners."""
        self._page.send("HeapProfiler.collectGarbage")
        metrics = self.metrics()
        return metrics["JSHeapUsedSize"], metrics["Nodes"], metrics["JSEventListeners"]


class CostTests(RealCase):
    """What the page costs while it shows a ride."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        fields = {"Cookie": f'{cls.cookie["name"]}={cls.cookie["value"]}', "If-Match": '"none"'}
        for path, document in (("layouts/bike", LAYOUT), ("settings/bike", {"version": 1, "auto_dim": False})):
            status, *_ = cls.stack.request("PUT", f"/api/1/{path}", json.dumps(document), fields)
            assert status == 204, (path, status)

    def measure(self, page, duration):
        """Milliseconds and layouts per second over so many seconds."""
        meter = Meter(page)
        page.wait_for_timeout(3000)
        before = meter.read()
        for second in range(round(duration)):
            # Each second other values.
            self.sensors.bpm = 140 + second % 7
            self.sensors.watts = 200 + 13 * second % 50
            self.sensors.speed = 8 + second % 5 * .2
            page.wait_for_timeout(1000)
        after = meter.read()
        passed = after[2] - before[2]
        return (after[0] - before[0]) / passed, (after[1] - before[1]) / passed

    def open_bike(self):
        """The page with ten widgets, as on the handlebar."""
        page = self.visit(BIKE)
        page.wait_for_function(f"() => document.querySelectorAll('#widgets > li').length === {len(IDS)}", timeout=PATIENT)
        return page

    def test_a_message_needs_one_layout_at_most(self):
        page = self.open_bike()
        meter = Meter(page)
        page.wait_for_timeout(3000)
        page.evaluate("window.messages.length = 0")
        before = meter.metrics()["LayoutCount"]
        page.wait_for_timeout(10_000)
        layouts = meter.metrics()["LayoutCount"] - before
        self.assertLessEqual(layouts, page.evaluate("window.messages.length") + 2)

    def test_no_text_is_set_twice_in_one_frame(self):
        page = self.open_bike()
        page.evaluate("""() => {
          window.twice = [];
          new MutationObserver(changes => {
            const seen = new Set();
            for (const { target } of changes) {
              if (seen.has(target)) window.twice.push(target.data);
              seen.add(target);
            }
          }).observe(document.body, { characterData: true, subtree: true });
        }""")
        page.wait_for_timeout(3000)
        self.assertEqual(page.evaluate("window.twice"), [])

    @unittest.skipUnless(FULL, "needs an idle machine")
    def test_the_budget_of_a_bright_screen(self):
        page = self.open_bike()
        processor, layouts = self.measure(page, 60 * MINUTES)
        show(f"bright: {processor:.1f} ms/s, {layouts:.2f} layouts/s")
        self.assertLessEqual(processor, BRIGHT_MS)
        self.assertLessEqual(layouts, LAYOUTS)

    @unittest.skipUnless(FULL, "needs an idle machine")
    def test_the_budget_of_a_dimmed_screen(self):
        page = self.open_bike()
        page.keyboard.press("d")
        page.wait_for_selector(':root[data-light="dimmed"]', state="attached")
        processor, layouts = self.measure(page, 60 * MINUTES)
        show(f"dimmed: {processor:.1f} ms/s, {layouts:.2f} layouts/s")
        self.assertLessEqual(processor, DIMMED_MS)
        self.assertLessEqual(layouts, LAYOUTS)


def packets(second):
    """What the sensors send in one second of the ride, as lines of a capture."""
    way = 8 * second / CIRCUMFERENCE_M
    turns = 1.4 * second
    ago = (way - int(way)) * CIRCUMFERENCE_M / 8, (turns - int(turns)) / 1.4
    cars = [0x81, 140 - 12 * (second % 60), 40] if second % 60 < 11 else []
    values = [
        ("strap", HEART_RATE, [0, round(140 + 25 * math.sin(second / 200))]),
        ("wheel", WHEEL, [1, *little(int(way), 4), *little(int((second - ago[0]) * 1024), 2)]),
        ("pedals", POWER, [0x20, 0, *little(round(200 + 80 * math.sin(second / 60)), 2), *little(int(turns), 2),
                           *little(int((second - ago[1]) * 1024), 2)]),
        ("radar", RADAR, [second % 16 << 4 | 2, *cars]),
    ]
    return [f"{second} {sensor} notify {characteristic} {bytes(value).hex()}" for sensor, characteristic, value in values]


@unittest.skipUnless(FULL, "takes minutes")
class LongRideTests(RealCase):
    """An hour of riding at 20 times its speed."""

    def test_memory_is_flat_over_an_hour(self):
        stack = Stack()
        self.addCleanup(stack.close)
        page = self.open(*BIKE, player=stack, cookie=stack.pair())
        daemon = Lines(stack.run / "control.sock")
        self.addCleanup(daemon.close)
        daemon.ask("replay", lines=HEAD.split("\n"), speed=SPEED)
        meter = Meter(page)
        heaps = []
        begin = time.monotonic()
        filling = FILLING_S * SPEED
        for second in range(0, filling + HOUR_S + 60, 60):
            daemon.ask("replay", lines=sum(map(packets, range(second, second + 60)), []), speed=SPEED)
            if second % 300 == 0:
                daemon.ask("ride", action="lap")
            page.wait_for_timeout(max(0, (begin + (second + 60) / SPEED - time.monotonic()) * 1000))
            if second >= filling and second % 600 < 60:
                heaps.append(meter.heap())
        show(f"every 10 minutes of an hour at {SPEED}x: heap in bytes, nodes, listeners: {heaps}")
        first, last = heaps[0], heaps[-1]
        self.assertLess(last[0], first[0] * 1.03)
        self.assertLessEqual(last[1], first[1] * 1.03)
        self.assertEqual(last[2], first[2])
        self.assertGreater(float(page.text_content('[data-id="distance"] .primary .number')), 8 * HOUR_S / 1000 * .9)


if __name__ == "__main__":
    unittest.main()

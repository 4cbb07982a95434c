"""The report of a ride with the real recorder: its numbers, a ride of six hours, and its costs with FULL=1."""

import datetime
import json
import math
import statistics
import subprocess
import unittest

from browser import BrowserCase
from real import FULL, PATIENT
from stack import BUILD, Stack

RIDE_S = 6 * 3600
REPORTS = 100

# Keeps the tasks that take longer than 50 ms.
WATCH = """
window.tasks = [];
new PerformanceObserver(list => window.tasks.push(...list.getEntries().map(({ duration }) => duration)))
  .observe({ type: "longtask", buffered: true });
"""


def tcx(seconds):
    """A ride of so many seconds with everything that graphs show, and a lap each hour."""
    parts = ['<TrainingCenterDatabase xmlns="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2"><Activities>'
             '<Activity Sport="Biking"><Id>2026-05-03T06:00:00Z</Id>']
    distance = 0.0
    for lap in range(0, seconds, 3600):
        length = min(3600, seconds - lap)
        parts.append(f'<Lap StartTime="{clock(lap)}"><TotalTimeSeconds>{length}</TotalTimeSeconds>'
                     f'<DistanceMeters>{length * 7.5:.1f}</DistanceMeters><Intensity>Active</Intensity>'
                     '<TriggerMethod>Manual</TriggerMethod><Track>')
        for second in range(lap, lap + length):
            turn = second / 600
            distance += 7.5 + 2 * math.sin(turn)
            parts.append(
                f'<Trackpoint><Time>{clock(second)}</Time><Position>'
                f'<LatitudeDegrees>{47.2 + .1 * math.sin(turn / 7) + .01 * math.cos(turn):.6f}</LatitudeDegrees>'
                f'<LongitudeDegrees>{8.5 + .1 * math.cos(turn / 5):.6f}</LongitudeDegrees></Position>'
                f'<AltitudeMeters>{600 + 150 * math.sin(turn / 2):.1f}</AltitudeMeters>'
                f'<DistanceMeters>{distance:.1f}</DistanceMeters>'
                f'<HeartRateBpm><Value>{140 + round(25 * math.sin(turn))}</Value></HeartRateBpm>'
                f'<Cadence>{85 + second % 7}</Cadence></Trackpoint>')
        parts.append('</Track></Lap>')
    return ''.join(parts) + '</Activity></Activities></TrainingCenterDatabase>'


def clock(second):
    """The time of a second of the ride."""
    return f"2026-05-03T{6 + second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}Z"


class RealReportTests(BrowserCase):
    """One stack, whose logbook has a ride of six hours."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.stack = Stack()
        cls.addClassCleanup(cls.stack.close)
        cls.cookie = cls.stack.pair()
        fields = {"Cookie": f'{cls.cookie["name"]}={cls.cookie["value"]}', "Content-Type": "application/octet-stream"}
        status, _, text = cls.stack.request("POST", "/api/1/import?name=tour.tcx", tcx(RIDE_S), fields, timeout=300)
        assert status == 200, text
        cls.ride = json.loads(text)["added"][0]

    def visit(self, query="", **options):
        """Opens the report of the ride, with all of its parts."""
        page = self.open(player=self.stack, cookie=self.cookie, query=f"rides/{self.ride}{query}", script=WATCH, **options)
        page.wait_for_selector(".ride-graph:visible", timeout=PATIENT)
        page.wait_for_selector(".map-legend:visible", timeout=PATIENT)
        return page

    def test_numbers_are_those_of_the_command(self):
        page = self.visit()
        command = [BUILD / "cyclo", "logbook", "show", str(self.ride), "--json", "--socket", self.stack.run / "control.sock"]
        shown = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        ride = json.loads(shown)
        numbers = dict(page.evaluate("""[...document.querySelectorAll(".report-numbers > div")].map(each =>
          [each.querySelector("dt").textContent, each.querySelector("dd").firstChild.textContent])"""))
        self.assertEqual(numbers["Distance"], f'{ride["distance_m"] / 1000:.1f}')
        self.assertEqual(numbers["Avg HR"], f'{ride["bpm_avg"]:.0f}')
        self.assertEqual(numbers["Max HR"], f'{ride["bpm_max"]:.0f}')
        self.assertEqual(numbers["Avg speed"], f'{ride["speed_avg_mps"] * 3.6:.1f}')
        self.assertEqual(numbers["Ascent"], f'{ride["ascent_m"]:.0f}')
        self.assertEqual(numbers["Total time"], str(datetime.timedelta(seconds=int(ride["elapsed_time_s"]))))
        self.assertEqual(page.locator(".lap-button").count(), ride["laps"])

    def test_six_hours_open_and_the_cursor_moves(self):
        """Summary and map within a second, and ten seconds of moving the cursor without a task over 100 ms."""
        self.visit().context.close()
        took = []
        for _ in range(5 if FULL else 1):
            page = self.open(player=self.stack, cookie=self.cookie, query="rides", script=WATCH)
            page.wait_for_selector(".ride")
            took.append(page.evaluate("""async () => {
              const began = performance.now();
              document.querySelector(".ride-name a").click();
              const isThere = () => document.querySelector(".report-numbers") && document.querySelector(".map-face")?.checkVisibility();
              while (!isThere()) await new Promise(requestAnimationFrame);
              return performance.now() - began;
            }"""))
            page.context.close()
        print(f"figure: summary and map of six hours: {statistics.median(took):.0f} ms")
        page = self.visit()
        page.wait_for_timeout(500)
        page.evaluate("window.tasks.length = 0")
        frames = page.evaluate("""async seconds => {
          const slider = document.querySelector(".cursor-row .slider");
          const begin = performance.now(), frames = [];
          let last = begin, at = 0;
          while (last - begin < seconds * 1000) {
            at = (at + 37) % 21600;
            slider.value = at;
            slider.dispatchEvent(new Event("input"));
            const now = await new Promise(requestAnimationFrame);
            frames.push(now - last);
            last = now;
          }
          return frames;
        }""", 10 if FULL else 2)
        tasks = page.evaluate("window.tasks")
        self.assertGreater(len(frames), 10)
        print(f"figure: longest task while the cursor moves: {max(tasks, default=0):.0f} ms; "
              f"95 % of frames within {sorted(frames)[int(len(frames) * .95)]:.0f} ms")
        if FULL:
            self.assertLess(statistics.median(took), 1000)
            self.assertLess(max(tasks, default=0), 100)

    @unittest.skipUnless(FULL, "a hundred reports take minutes")
    def test_memory_is_flat_over_a_hundred_reports(self):
        page = self.visit()
        session = page.context.new_cdp_session(page)

        def heap():
            session.send("HeapProfiler.collectGarbage")
            return session.send("Runtime.getHeapUsage")["usedSize"] / 1e6

        found = []
        for count in range(REPORTS):
            page.click(".back")
            page.wait_for_selector(".ride")
            page.click(".ride-name a")
            page.wait_for_selector(".ride-graph:visible", timeout=PATIENT)
            page.wait_for_selector(".map-legend:visible", timeout=PATIENT)
            if count % 10 == 9:
                found.append(heap())
        print(f"figure: heap after 10, 50 and 100 reports: {found[0]:.1f}, {found[4]:.1f}, {found[9]:.1f} MB")
        self.assertLess(found[9], found[0] + 5)


if __name__ == "__main__":
    unittest.main()

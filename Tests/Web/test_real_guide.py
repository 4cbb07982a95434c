"""The dashboard with the real guide: a route from its import to its end, a segment that is ridden, and the
coach. The positions are those of a rider whose way is known."""

import json
import math
import threading
import time
import unittest

from real import PATIENT, WATCH, RealCase

METRE = 1 / (6371008.8 * math.pi / 180)
SOUTH, WEST = 47.0, 7.5
# North, and then east.
NORTH_M, EAST_M = 400, 1600
LENGTH_M = NORTH_M + EAST_M
RIDE_MPS, RUN_MPS = 20.0, 3.2
# A past ride along the route at 8 m/s, and the part of it that is the segment.
PAST_MPS = 8
SEGMENT = (120, 280)
# A step of 1.12 m is too long for this height, so that the target is higher than that of the speed alone.
HEIGHT_M = 1.5
WITH_HEIGHT = round(170 + 8 * (RUN_MPS - 3) + 5)
LAYOUT = {"version": 1, "widgets": [{"id": "speed", "size": "3x1"}, {"id": "heart_rate", "size": "1x1"}, {"id": "route", "size": "3x1"},
                                    {"id": "segment", "size": "1x1"}, {"id": "coach", "size": "1x1"}]}
# Keeps what two widgets show: number and caption of the segment, and the words of the route's cue.
KEEP = """() => {
  const keep = (id, list, parts) => {
    const widget = document.querySelector(`[data-id="${id}"]`);
    const look = () => {
      const shown = parts.map(part => widget.querySelector(part)?.textContent ?? "");
      if (shown.join() !== list.at(-1)?.join()) list.push(shown);
    };
    look();
    new MutationObserver(look).observe(widget, { attributes: true, childList: true, characterData: true, subtree: true });
  };
  keep("segment", window.kept = [], [".primary .number", ".caption"]);
  keep("route", window.cues = [], [".cue-words"]);
}"""
TARGET = """() => Number(document.querySelector(".coach-numbers dd .unseen").textContent)"""


def place(metres):
    """Latitude and longitude so far along the route."""
    north, east = min(metres, NORTH_M), max(0, metres - NORTH_M)
    return SOUTH + north * METRE, WEST + east * METRE / math.cos(math.radians(SOUTH + NORTH_M * METRE))


def make_route():
    """The route, with a point every 50 m and a cue at its corner."""
    points = "".join('<rtept lat="{:.7f}" lon="{:.7f}"{}'.format(*place(metres), "><name>Church Lane</name><type>right</type></rtept>"
                                                                if metres == NORTH_M else "/>")
                     for metres in range(0, LENGTH_M + 1, 50))
    return ('<?xml version="1.0"?><gpx version="1.1" creator="test" xmlns="http://www.topografix.com/GPX/1/1">'
            f"<rte><name>Round the corner</name>{points}</rte></gpx>").encode()


def make_past_ride():
    """A ride along the whole route, one position per second."""
    points = "".join('<trkpt lat="{:.7f}" lon="{:.7f}"><time>2026-05-01T08:{:02}:{:02}Z</time></trkpt>'.format(
        *place(PAST_MPS * second), second // 60, second % 60) for second in range(LENGTH_M // PAST_MPS + 1))
    return ('<?xml version="1.0"?><gpx version="1.1" creator="test" xmlns="http://www.topografix.com/GPX/1/1">'
            f"<trk><name>Past</name><type>cycling</type><trkseg>{points}</trkseg></trk></gpx>").encode()


class Rider:
    """Sends two positions per second along the route. Where the rider is follows from the clock."""

    def __init__(self, sensors):
        self._sensors = sensors
        self._lock = threading.Lock()
        self._ends = threading.Event()
        self._from, self._since, self._speed = 0.0, time.monotonic(), 0.0
        self._thread = threading.Thread(target=self._ride, daemon=True)
        self._thread.start()

    @property
    def way(self):
        """In metres from the start."""
        with self._lock:
            return self._from + self._speed * (time.monotonic() - self._since)

    def ride(self, speed):
        """Goes on at this speed, which the wheel has too."""
        with self._lock:
            now = time.monotonic()
            self._from, self._since, self._speed = self._from + self._speed * (now - self._since), now, speed
        self._sensors.speed = speed

    def close(self):
        """Sends no more."""
        self._ends.set()
        self._thread.join()

    def _ride(self):
        while not self._ends.wait(.5):
            way = self.way
            latitude, longitude = place(way)
            report = {"class": "TPV", "device": "/dev/played", "mode": 3, "lat": round(latitude, 8), "lon": round(longitude, 8),
                      "altMSL": 420.0, "speed": self._speed, "track": 0.0 if way < NORTH_M else 90.0, "eph": 3.0, "epv": 6.0}
            self._sensors.play(f"0 gps {json.dumps(report, separators=(',', ':'))}")


class GuideTests(RealCase):
    """One ride, as a rider sees it."""

    has_guide = True

    def setUp(self):
        super().setUp()
        self.stack.ask("rider", height_m=HEIGHT_M)
        self.rider = Rider(self.sensors)
        self.addCleanup(self.rider.close)

    def call(self, method, path, body=None, **fields):
        """The answer of the server to a request of this screen."""
        cookie = f'{self.cookie["name"]}={self.cookie["value"]}'
        status, answered, text = self.stack.request(method, path, body, {"Cookie": cookie, **fields})
        self.assertIn(status, (200, 201, 204, 404), text)
        return answered, json.loads(text) if status < 300 and text else None

    def prepare(self):
        """Imports the past ride, makes the segment, and stores the layout."""
        _, answer = self.call("POST", "/api/1/import?name=past.gpx", make_past_ride(), **{"Content-Type": "application/octet-stream"})
        # The position at the end of a part is not in it.
        self.call("POST", "/api/1/segments", json.dumps({"activity": answer["added"][0], "name": "Wall", "from_s": SEGMENT[0] / PAST_MPS,
                                                         "to_s": SEGMENT[1] / PAST_MPS + .5}))
        fields, _ = self.call("GET", "/api/1/layouts/tablet")
        tag = fields["ETag"]
        self.call("PUT", "/api/1/layouts/tablet", json.dumps(LAYOUT), **({"If-Match": tag} if tag else {}))

    def wait_until(self, page, holds, what):
        """Waits until something holds outside of the page."""
        for _ in range(300):
            if holds():
                return
            page.wait_for_timeout(100)
        self.fail(f"{what} did not happen")

    def follow(self, page):
        """Imports the route, opens it, and follows it."""
        with page.expect_file_chooser() as chooser:
            page.click("text=Choose files", timeout=PATIENT)
        chooser.value.set_files([{"name": "corner.gpx", "mimeType": "application/gpx+xml", "buffer": make_route()}])
        page.click("text=Open the route", timeout=PATIENT)
        page.wait_for_selector("h1:text-is('Round the corner')", timeout=PATIENT)
        page.click("button:text-is('Follow')", timeout=PATIENT)
        page.wait_for_selector("text=You follow this route.", timeout=PATIENT)
        following = self.stack.ask_guide("status")["following"]
        self.assertEqual((following["name"], following["cues"]), ("Round the corner", 1))
        self.assertAlmostEqual(following["distance_m"], LENGTH_M, delta=2)
        return page.evaluate("location.pathname")

    def check_distance_to_go(self, page):
        """The widget shows the way that is left, in units of 100 m, and as old as the last position and its frame."""
        def is_true():
            shown = 1000 * float(page.text_content('[data-id="route"] .primary .number'))
            return abs(shown - LENGTH_M + self.rider.way) <= 50 + 2 * RIDE_MPS

        self.wait_until(page, is_true, "the true distance to go")

    def ride_the_segment(self, page):
        """Rides to its end, and compares what the widget has shown with the truth."""
        page.evaluate(KEEP)
        self.rider.ride(RIDE_MPS)
        page.wait_for_function("() => window.kept.some(([number, caption]) => number.startsWith('+') && /ahead/i.test(caption))", timeout=PATIENT)
        self.check_distance_to_go(page)
        page.wait_for_function("() => window.cues.some(([words]) => words === 'Church Lane')", timeout=PATIENT)
        self.wait_until(page, lambda: self.rider.way > SEGMENT[1] + 30, "the end of the segment")
        best = (SEGMENT[1] - SEGMENT[0]) / PAST_MPS
        lead = best - (SEGMENT[1] - SEGMENT[0]) / RIDE_MPS
        page.wait_for_function("lead => window.kept.some(([number]) => Math.abs(Number(number.replace('+0:', '')) - lead) <= 1.5)", arg=lead,
                               timeout=PATIENT)
        kept = page.evaluate("window.kept")
        [segment] = [each for each in self.stack.ask_guide("poll", kinds=["segment"])["records"]]
        self.assertEqual((segment["name"], segment["state"]), ("Wall", "finished"), kept)
        self.assertAlmostEqual(segment["best_time_s"], best, delta=.3)
        self.assertAlmostEqual(segment["time_s"], best - lead, delta=1.5)
        self.assertTrue(any("start" in caption.lower() for _, caption in kept), kept)

    def check_coach(self, page):
        """The page follows a runner's speed, and the guide coaches with the same target."""
        self.rider.ride(RUN_MPS)
        page.select_option("select:has(option:text-is('Foot pod or GPS'))", "follow")
        page.get_by_role("switch", name="Coach on all displays").click()
        self.wait_until(page, lambda: self.stack.ask_guide("status")["coach"]["sport"] == "running", "the coach")

        def is_same():
            records = self.stack.ask_guide("poll", kinds=["coach"])["records"]
            return records and records[0]["uses_height"] and WITH_HEIGHT == round(records[0]["target_per_min"]) == page.evaluate(TARGET)

        self.wait_until(page, is_same, "the same target")

    def test_a_route_a_segment_and_the_coach(self):
        self.prepare()
        page = self.open((800, 480), player=self.stack, query="routes/import", cookie=self.cookie, script=WATCH)
        route = self.follow(page)
        self.wait_until(page, lambda: self.stack.ask_guide("status").get("segments") == 1, "a segment")
        page.goto(self.stack.url + "?layout=tablet")
        self.wait_for_state(page, "route", "live")
        self.check_distance_to_go(page)
        self.ride_the_segment(page)
        page.goto(self.stack.url + "coach")
        page.wait_for_selector(".coach-play", timeout=PATIENT)
        self.check_coach(page)
        page.goto(self.stack.origin + route)
        # The drawer of the dashboard has another one.
        page.click(".following button:text-is('Leave')", timeout=PATIENT)
        page.wait_for_selector("button:text-is('Follow')", timeout=PATIENT)
        self.assertNotIn("following", self.stack.ask_guide("status"))
        page.goto(self.stack.url + "?layout=tablet")
        page.wait_for_selector('[data-id="route"] .word:text-is("No route")', timeout=PATIENT)
        page.wait_for_function("""target => document.querySelector('[data-id="coach"] .primary .number').textContent === target""",
                               arg=str(WITH_HEIGHT), timeout=PATIENT)


if __name__ == "__main__":
    unittest.main()

"""Every view of the page in each of its states, for pictures of them."""

import copy
import math

from browser import BrowserCase
import drawn_map
import logbook
from player import Player
from reports import LONG_RIDE, long_ride, recorded_ride, routes
import scenes
from test_rides import RIDES, TRACK
from test_settings import FOUND, STRAP, WHEEL
import training

STANDING = {"paused": True, "pause": "standing", "speed": 0.0}
SHOWCASE = {"version": 1, "widgets": [
    {"id": "speed", "size": "3x1"}, {"id": "heart_rate", "size": "2x1"}, {"id": "cadence", "size": "1x1"},
    {"id": "power", "size": "1x1"}, {"id": "grade", "size": "1x1"}, {"id": "elevation", "size": "1x1"},
    {"id": "distance", "size": "1x1"}, {"id": "ride_time", "size": "1x1"}, {"id": "lap", "size": "1x1"},
    {"id": "clock", "size": "1x1"}]}
PLENTY = ["speed", "heart_rate", "power", "cadence", "zone", "ride_time", "distance", "elevation", "grade", "energy", "lap", "pace",
          "radar", "tires", "hrv", "breathing", "oxygen", "muscle", "body_temperature", "environment", "ecg", "clock", "battery",
          "trainer", "bike", "position"]


UPRIGHT = {"version": 1, "widgets": [
    {"id": "speed", "size": "3x1"}, {"id": "heart_rate", "size": "2x1"}, {"id": "cadence", "size": "1x1"},
    {"id": "power", "size": "3x1"}, {"id": "grade", "size": "1x1"}, {"id": "elevation", "size": "1x1"},
    {"id": "distance", "size": "1x1"}, {"id": "ride_time", "size": "1x1"}, {"id": "lap", "size": "1x1"},
    {"id": "clock", "size": "1x1"}]}
WIDE = {"version": 1, "widgets": [
    {"id": "speed", "size": "3x1"}, {"id": "elevation", "size": "3x1"}, {"id": "heart_rate", "size": "2x1"},
    {"id": "power", "size": "2x1"}, {"id": "cadence", "size": "1x1"}, {"id": "grade", "size": "1x1"},
    {"id": "distance", "size": "2x1"}, {"id": "ride_time", "size": "2x1"}, {"id": "lap", "size": "1x1"},
    {"id": "clock", "size": "1x1"}]}


GUIDED = {"version": 1, "widgets": [
    {"id": "route", "size": "3x1"}, {"id": "segment", "size": "3x1"}, {"id": "coach", "size": "2x1"}, {"id": "speed", "size": "1x1"},
    {"id": "map", "size": "3x1"}, {"id": "segment", "size": "1x1"}, {"id": "coach", "size": "1x1"}, {"id": "route", "size": "1x1"}]}
# Of the ride of reports.py, where the route and the track so far meet.
SO_FAR = 40


def _keep_rides(services):
    services.logbook.activities = copy.deepcopy(RIDES)
    services.logbook.tracks = {12: TRACK}


class Views(BrowserCase):
    """Each public method opens one view. `take` is the picture of one of them."""

    # Without a touch, no sound is blocked.
    arguments = ["--autoplay-policy=no-user-gesture-required"]

    def runTest(self):
        """There is nothing to test here."""

    def take(self, name, paths, size=(360, 780), **options):
        """Takes the picture of a view, one for each scheme of the paths."""
        self.size, self.scheme, self.options = size, next(iter(paths)), options
        page = getattr(self, name)()
        for scheme, path in paths.items():
            if scheme != self.scheme:
                page.emulate_media(color_scheme=scheme)
                if not self.player.is_hanging:
                    self.player.send(self.records(self.player.now))
                page.wait_for_timeout(1200)
            page.screenshot(path=path)

    def visit(self, path="", records=lambda now: [], layout=None, selector="h1", course=scenes.course,
              set_up=lambda services: None):
        """Opens a path of the page, with these records on their way."""
        self.records = records
        self.player = Player(layout)
        self.addCleanup(self.player.close)
        set_up(self.player.services)
        if course:
            self.player.series = course(self.player.now)
        self.player.snapshot += records(self.player.now)
        page = self.open(self.size, self.scheme, query=path, player=self.player, **self.options)
        page.wait_for_selector(selector, state="attached")
        self.player.send(records(self.player.now))
        page.wait_for_timeout(1300)
        self.player.send(records(self.player.now))
        page.wait_for_timeout(200)
        return page

    def ride(self, radar=None, layout=None, **ride):
        """Opens the dashboard in the middle of a ride."""
        return self.visit(layout=layout or SHOWCASE, records=lambda now: self._records(now, radar, **ride))

    def _records(self, now, radar, **ride):
        records = [record for record in scenes.everything(now) if record["class"] != "sample" or record["kind"] != "radar"]
        return records + scenes.riding(now, radar, ride_id="r1", **ride)

    # A ride in which everything works, as the documentation shows it

    def _healthy(self, radar=None, layout=None, **ride):
        return self.visit(layout=layout or UPRIGHT, course=scenes.journey,
                          records=lambda now: scenes.healthy(now, scenes.FAST_CAR if radar is None else radar, **ride))

    def healthy(self):
        """Upright, with a fast car behind."""
        return self._healthy()

    def healthy_wide(self):
        """Wide, with a clear road behind."""
        return self._healthy(radar=[], layout=WIDE)

    def healthy_drawer(self):
        """The drawer of the heart rate."""
        page = self._healthy(radar=[])
        page.click('[data-id="heart_rate"] .face')
        page.click("#drawer .range-choice button >> nth=2")
        page.evaluate("document.activeElement.blur()")
        page.wait_for_timeout(900)
        return page

    def healthy_edit(self):
        """Edit mode, with a widget selected."""
        return self._edit(self._healthy(radar=[], **STANDING))

    def healthy_start(self):
        """Before a ride: the choice of the sport."""
        page = self._healthy(radar=[], ended=True, **STANDING)
        page.locator("#bottom .call").hover()
        page.mouse.down()
        page.wait_for_selector("#sport-panel[open]")
        page.mouse.up()
        return page

    # The dashboard

    def start(self):
        """Before a ride, with nothing paired."""
        return self.visit(course=None, selector='[data-id="speed"]')

    def sports(self):
        """What a hold of START offers."""
        page = self.ride(ended=True, **STANDING)
        if page.is_visible("#bottom .call"):
            page.locator("#bottom .call").hover()
            page.mouse.down()
            page.wait_for_selector("#sport-panel[open]")
            page.mouse.up()
        return page

    def first(self):
        """The first layout, with a strap and power pedals."""
        return self.visit(records=lambda now: scenes.everything(now) + scenes.riding(now, ride_id="r1"))

    def riding(self):
        """A ride with an empty road behind."""
        return self.ride(radar=[])

    def fast(self):
        """A fast car behind."""
        return self.ride(radar=scenes.FAST_CAR)

    def car(self):
        """A car behind that is not fast."""
        return self.ride(radar=scenes.FAST_CAR[1:])

    def radar_lost(self):
        """The radar was lost."""
        page = self.ride(radar=[])
        self.records = lambda now: [scenes.state("radar", "searching")]
        self.player.send(self.records(0))
        return page

    def paused(self):
        """Paused by hand."""
        return self.ride(radar=[], speed=0.0, paused=True, pause="by_hand")

    def stale(self):
        """Every sensor is silent for half a minute."""
        return self.visit(layout=SHOWCASE, records=lambda now: scenes.everything(now - 25) + [scenes.state("strap", "stale", reason="silent")])

    def lost(self):
        """Sensors are lost, in error and missing."""
        def records(now):
            return scenes.PAIRED + scenes.riding(now - 200) + [
                scenes.state("wheel", "searching"), scenes.state("crank", "searching"), scenes.state("strap", "error", reason="bond_lost")]
        return self.visit(layout=SHOWCASE, records=records)

    def searching(self):
        """Nothing arrived yet."""
        def records(now):
            return scenes.PAIRED + [scenes.state(sensor, "searching") for sensor in scenes.SENSORS]
        return self.visit(layout=SHOWCASE, records=records, course=None)

    def cut_off(self):
        """The server does not answer."""
        page = self.ride(radar=[])
        self.player.hang()
        page.wait_for_selector("#notice:not([hidden])")
        page.wait_for_timeout(1500)
        return page

    def band(self):
        """A tire loses air."""
        page = self.ride(radar=[])
        self.player.send([{"class": "event", "event": "tire_low", "t": self.player.now, "sensor": "rear", "wheel": "rear",
                           "pressure_gauge_pa": 310000}], "urgent")
        return page

    def dimmed(self):
        """Dimmed by an overlay."""
        page = self.ride()
        self.player.services._display = lambda *_: (404, {"Content-Type": "text/plain"}, "there is no backlight")
        page.keyboard.press("d")
        page.wait_for_timeout(900)
        return page

    def lap(self):
        """What LAP answers."""
        page = self.ride(radar=[])
        page.keyboard.press("l")
        return page

    def pause_panel(self):
        """What STOP asks."""
        page = self.ride(radar=[])
        page.keyboard.down(" ")
        page.wait_for_selector("#pause-panel[open]", timeout=5000)
        page.keyboard.up(" ")
        return page

    def drawer(self):
        """The drawer of the heart rate."""
        page = self.ride(radar=[])
        page.click('[data-id="heart_rate"] .face')
        page.wait_for_timeout(900)
        return page

    def drawer_of_power(self):
        """The drawer of power, at its second stop."""
        page = self.ride(radar=[])
        page.click('[data-id="power"] .face')
        page.evaluate("document.getElementById('drawer').toggleAttribute('data-full', true)")
        page.wait_for_timeout(900)
        return page

    def status(self):
        """The status panel."""
        page = self.ride(radar=[])
        page.click("#status")
        page.wait_for_timeout(300)
        return page

    # All widgets

    def _widgets(self, ids, widget_size):
        layout = {"version": 1, "widgets": [{"id": each, "size": widget_size} for each in ids]}
        return self.visit(layout=layout, records=lambda now: self._records(now, scenes.FAST_CAR))

    def small_widgets(self):
        """Widgets of 1x1."""
        return self._widgets(PLENTY, "1x1")

    def middle_widgets(self):
        """Widgets of 2x1."""
        return self._widgets(PLENTY[:8], "2x1")

    def middle_widgets_2(self):
        """Widgets of 2x1."""
        return self._widgets(PLENTY[8:17], "2x1")

    def middle_widgets_3(self):
        """Widgets of 2x1."""
        return self._widgets(PLENTY[17:], "2x1")

    def large_widgets(self):
        """Widgets of 3x1."""
        return self._widgets(PLENTY[:5], "3x1")

    def large_widgets_2(self):
        """Widgets of 3x1."""
        return self._widgets(PLENTY[5:10], "3x1")

    def large_widgets_3(self):
        """Widgets of 3x1."""
        return self._widgets(PLENTY[10:14], "3x1")

    def large_widgets_4(self):
        """Widgets of 3x1."""
        return self._widgets(PLENTY[14:18], "3x1")

    def large_widgets_5(self):
        """Widgets of 3x1."""
        return self._widgets(PLENTY[18:22], "3x1")

    def large_widgets_6(self):
        """Widgets of 3x1."""
        return self._widgets(PLENTY[22:], "3x1")

    # Edit mode

    def edit(self):
        """Edit mode with a widget selected."""
        return self._edit(self.ride(radar=[], **STANDING))

    def _edit(self, page):
        page.keyboard.press("e")
        page.wait_for_selector("#editbar")
        page.focus('[data-id="heart_rate"] .face')
        page.keyboard.press("Enter")
        return page

    def picker(self):
        """The picker of widgets."""
        page = self.edit()
        page.evaluate("document.querySelector('#editbar .add').click()")
        page.wait_for_timeout(900)
        return page

    # Other pages

    def _settings(self, path, tall=None):
        def set_up(services):
            services.sensors = {each["id"]: copy.deepcopy(each) for each in (WHEEL, STRAP)}
            services.phones = [{"id": 1, "name": "Handlebar", "right": "manage", "last_used": "2026-05-03T07:30:00Z"},
                               {"id": 2, "name": "Phone", "right": "ride", "last_used": "2026-05-02T07:30:00Z"}]

        def records(_):
            return [{"class": "sensor", "change": "added", "sensor": each} for each in (WHEEL, STRAP)]
        return self.visit(f"settings{path}", records, selector="h1", set_up=set_up)

    def settings(self):
        """The list of sections."""
        return self._settings("")

    def general(self):
        """General settings."""
        return self._settings("/general")

    def wheel(self):
        """Wheel size."""
        return self._settings("/wheel")

    def sound(self):
        """Sounds."""
        return self._settings("/sound")

    def devices(self):
        """The paired devices."""
        return self._settings("/devices")

    def device(self):
        """One device."""
        return self._settings("/devices/wheel")

    def riders(self):
        """The rider."""
        return self._settings("/riders")

    def bikes(self):
        """One bike."""
        return self._settings("/bikes/Gravel")

    def phones(self):
        """A code that lets a phone in."""
        page = self._settings("/phones")
        page.click("button.call")
        page.wait_for_timeout(300)
        return page

    def about(self):
        """About."""
        return self._settings("/about")

    def add(self):
        """A search for devices."""
        page = self._settings("/add")
        found = [FOUND, {**FOUND, "address": "2", "name": "Assioma DUO", "rssi_dbm": -72, "kinds": ["power", "cadence"]},
                 {**FOUND, "address": "3", "name": "Varia RTL515", "rssi_dbm": -58, "kinds": ["radar", "battery"]},
                 {**FOUND, "address": "4", "name": "Wheel", "rssi_dbm": -81, "kinds": ["speed"], "paired": True}]
        for each in found:
            self.player.services.send_task({"class": "found", **each})
        page.wait_for_selector(".found")
        return page

    def passkey(self):
        """A device that asks for a passkey."""
        page = self._settings("/add")
        self.player.services.prompt = "passkey"
        self.player.services.send_task({"class": "found", **FOUND})
        page.click(".found")
        page.wait_for_selector(".prompt-form")
        self.addCleanup(self.player.services.answered.set)
        return page

    def connecting(self):
        """A device that is being paired."""
        page = self.passkey()
        page.fill(".prompt-form input", "123456")
        self.player.services.answered.clear()
        return page

    def rides(self):
        """The rides by week."""
        return self.visit("rides", set_up=_keep_rides)

    def no_rides(self):
        """No ride yet."""
        return self.visit("rides")

    def broken_rides(self):
        """The rides by week, of which the recording of one was interrupted."""
        def set_up(services):
            _keep_rides(services)
            ride = services.logbook.activities[0]
            known = {name: ride[name] for name in ("id", "version", "sport", "start", "utc_offset_s") if name in ride}
            services.logbook.activities[0] = {**known, "state": "interrupted"}
        return self.visit("rides", set_up=set_up)

    def _report(self, report):
        page = self.visit("rides/12", set_up=lambda services: services.reports.update({"12": report}), selector=".report-numbers")
        page.wait_for_selector(".map-face:visible, .report-map button:visible")
        return page

    def report(self):
        """A ride with its track, graphs, laps and zones."""
        return self._report(recorded_ride())

    def report_map(self):
        """The map of it, colored by the heart rate."""
        return self._scroll(self.report(), ".report-map")

    def report_graphs(self):
        """Its graphs, with the cursor on one of them."""
        page = self.report()
        page.wait_for_selector(".ride-graph:visible")
        page.evaluate("""() => {
          const slider = document.querySelector(".cursor-row .slider");
          slider.value = 2400;
          slider.dispatchEvent(new Event("input"));
        }""")
        return self._scroll(page, ".report-graphs")

    def _scroll(self, page, selector):
        page.evaluate("selector => document.querySelector(selector).scrollIntoView()", selector)
        page.wait_for_timeout(300)
        return page

    def broken_report(self):
        """A ride that was interrupted, and whose seconds cannot be read."""
        report = long_ride(id=12, source="recorded", state="interrupted")
        for part in ("track", "series", "laps"):
            report[part] = logbook.Answer(500, "the storage failed: database disk image is malformed")
        return self._scroll(self._report(report), ".report-map")

    def no_statistics(self):
        """Of an empty logbook."""
        return self.visit("week", selector=".report-totals .sentence")

    def statistics(self):
        """Totals by week, fitness, and records."""
        self.options = {**self.options, "fixed_time": training.NOON}
        page = self.visit("week", set_up=lambda services: training.keep(services.logbook))
        page.wait_for_selector(".report-records a")
        return page

    def coach(self):
        """The beat of a runner who follows a foot pod."""
        def set_up(services):
            services.rider["height_m"] = 1.76
            services.store("settings/rider", {"version": 1, "coach": {"source": "follow"}})
        page = self.visit("coach", scenes.running, set_up=set_up)
        page.click(".coach-play")
        page.wait_for_timeout(300)
        return page

    def wall(self):
        """All bikes: one is lost, and behind one is a car."""
        self.player, self.records = Player(), lambda now: []
        self.addCleanup(self.player.close)
        self.player.send_wall(scenes.fleet() + [
            {"class": "receiver", "group": "studio", "receiver": "bike-2", "state": "offline"},
            scenes.of_bike("bike-10", "varia", "radar", clear=False, targets=[{"distance_m": 35, "level": 1}]),
            scenes.of_bike("bike-10", "pedals", "power", age=9, power_w=185)])
        page = self.open(self.size, self.scheme, query="wall", player=self.player, **self.options)
        page.wait_for_selector(".wall-value[data-state='live']")
        return page

    # Routes, and the guide on the dashboard

    def _keep_routes(self, services):
        services.logbook.routes = routes()
        services.logbook.activities = [{**copy.deepcopy(RIDES[0]), "name": "Long ride"}]
        services.logbook.tracks = {12: LONG_RIDE["track"]}

    def routes(self):
        """The list of routes."""
        page = self.visit("routes", set_up=self._keep_routes)
        page.wait_for_selector(".thumbnail path", state="attached")
        page.wait_for_timeout(1000)
        return page

    def no_routes(self):
        """No route yet."""
        return self.visit("routes", selector="text=No routes yet.")

    def route(self):
        """One route: its map."""
        page = self.visit("routes/4", set_up=self._keep_routes, selector=".climbs-table")
        page.wait_for_timeout(300)
        return page

    def route_profile(self):
        """Its profile with a climb that is chosen, and its climbs."""
        page = self.route()
        # The longest one.
        page.click(".climbs-table button >> nth=5")
        return self._scroll(page, ".report-profile")

    def drawing(self):
        """A route that is being drawn, above the gray line of a past ride."""
        page = self.visit("routes/draw", set_up=self._keep_routes, selector="text=Gray lines are past rides.")
        box = page.locator(".map-face").bounding_box()
        places = [(.2, .62), (.27, .5), (.4, .44), (.5, .5), (.6, .42), (.66, .3), (.78, .27)]
        (x, y), *rest = [(box["x"] + left * box["width"], box["y"] + top * box["height"]) for left, top in places]
        page.mouse.move(x, y)
        page.mouse.down()
        page.wait_for_timeout(700)
        for place in rest:
            page.mouse.move(*place, steps=6)
        page.mouse.up()
        page.wait_for_timeout(300)
        return page

    def _guided(self, record=scenes.guided, **more):
        track = LONG_RIDE["track"]["pieces"][0]["points"][:SO_FAR + 1]
        before, here = track[-2:]
        east = (here["longitude_deg"] - before["longitude_deg"]) * math.cos(math.radians(here["latitude_deg"]))
        course = math.degrees(math.atan2(east, here["latitude_deg"] - before["latitude_deg"])) % 360
        place = {"latitude_deg": here["latitude_deg"], "longitude_deg": here["longitude_deg"], "course_deg": round(course, 1)}

        def set_up(services):
            self._keep_routes(services)
            services.logbook.tracks = {12: {"id": 12, "pieces": [{"points": track}]}}
            services.maps = [drawn_map.VALLEY]
            services.draw_tile = drawn_map.draw_tile
        page = self.visit(layout=GUIDED, records=lambda now: record(now, place, **more), course=scenes.journey, set_up=set_up)
        # A radar that was silent for two seconds is lost.
        page.wait_for_timeout(1500)
        self.player.send(self.records(self.player.now))
        page.wait_for_timeout(400)
        return page

    def guided(self):
        """The widgets of the guide: route, segment, coach, and the map with the route."""
        return self._guided()

    def cue(self):
        """A turn that is near."""
        return self._guided(cue="sharp_right", cue_text="Mill Street", cue_distance_m=118)

    def off_route(self):
        """Away from the route."""
        return self._guided(lambda now, place: [each for each in scenes.guided(now, place) if each.get("kind") != "route"] + [scenes.off_route(now)])

    def approaching(self):
        """On the way to a segment."""
        return self._guided(lambda now, place: [each for each in scenes.guided(now, place) if each.get("kind") != "segment"]
                            + [scenes.near_segment(now)])

    def tiles(self):
        """The map of a ride above map tiles."""
        def set_up(services):
            services.reports["12"] = recorded_ride()
            services.maps = [drawn_map.VALLEY]
            services.draw_tile = drawn_map.draw_tile
        page = self.visit("rides/12", set_up=set_up, selector=".report-numbers")
        page.wait_for_selector(".map-face:visible")
        self._scroll(page, ".report-map")
        page.wait_for_selector("img.leaflet-tile-loaded", state="attached")
        page.wait_for_timeout(1000)
        return page

    def pair(self):
        """What a screen sees that is not let in."""
        return self.visit("pair", set_up=lambda services: setattr(services, "is_paired", False))


VIEWS = [name for name in vars(Views) if not name.startswith("_") and name not in ("runTest", "take", "visit", "ride")]

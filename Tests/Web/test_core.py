"""The modules without DOM: clock, states, numbers, layouts, stream."""

import pathlib
import re
import unittest

from browser import BrowserCase

SCRIPTS = pathlib.Path(__file__).parents[2] / "Sources/Page/js"


class CoreTests(BrowserCase):
    """Each test imports modules in the browser and compares what they return."""

    def run_module(self, body):
        """Runs a function body in which `load(name)` imports a module of the core."""
        page = self.open()
        return page.evaluate("async () => { const load = name => import(`/js/core/${name}.js`);" + body + "}")

    def test_numbers_round_half_away_from_zero(self):
        found = self.run_module("""const { fixed } = await load("format");
          return [fixed(1.005, 2), fixed(-0.04, 1), fixed(-0.05, 1), fixed(2.5, 0), fixed(-2.5, 0),
            fixed(41.2, 2, ","), fixed(0, 1)];""")
        self.assertEqual(found, ["1.01", "0.0", "-0.1", "3", "-3", "41,20", "0.0"])

    def test_forms_get_shorter(self):
        found = self.run_module("""const { format } = await load("format");
          const short = { isShort: true };
          return [format("speed", 99.94), format("speed", 99.96), format("distance", 99.99),
            format("distance", 100.04), format("duration", 5527), format("duration", 5527, short),
            format("duration", 372.9), format("pace", 3600), format("pace", 115.5), format("signed", 4.2),
            format("signed", -0.04), format("signed", -18.8), format("one", undefined), format("one", NaN)];""")
        self.assertEqual(found, ["99.9", "100", "99.99", "100.0", "1:32:07", "1:32", "6:12", None, "1:56",
                                 "+4.2", "0.0", "-18.8", None, None])

    def test_units_convert_at_the_last_moment(self):
        found = self.run_module("""const { convert, unitOf } = await load("units");
          const mixed = { system: "imperial", height: "metric" };
          return [convert("speed", 10), unitOf("speed"), convert("temperature", 20, mixed),
            unitOf("height", mixed), Math.round(convert("distance", 1609.344, mixed) * 1e6) / 1e6,
            convert(undefined, 7)];""")
        self.assertEqual(found, [36, "km/h", 68, "m", 1, 7])

    def test_clock_that_stood_while_the_device_slept(self):
        found = self.run_module("""const { ServerClock } = await load("clock");
          let mine = 10, wall = 1000;
          const clock = new ServerClock(() => mine, () => wall);
          clock.record(100);
          clock.hide();
          wall += 600;
          clock.show();
          const woken = clock.now, late = clock.record(701);
          mine += 1;
          return [woken, late, clock.now, clock.record(699)];""")
        self.assertEqual([round(value, 2) for value in found], [700, 0, 702, 3])

    def test_clock_follows_a_slower_server(self):
        found = self.run_module("""const { ServerClock } = await load("clock");
          let mine = 0, late = 0;
          const clock = new ServerClock(() => mine);
          for (; mine < 36000; mine += 1) late = Math.max(late, clock.record(mine * (1 - 1e-4)));
          return late;""")
        self.assertLess(found, .1)

    def test_clock_ages_and_finds_late_frames(self):
        found = self.run_module("""const { ServerClock } = await load("clock");
          let mine = 0;
          const clock = new ServerClock(() => mine);
          const before = clock.now;
          const first = clock.record(100);
          mine = 5;
          const onTime = clock.record(105), late = clock.record(102);
          return [before, first, onTime, late, clock.now];""")
        self.assertEqual(found, [None, 0, 0, 3, 105])

    def test_a_start_brightens_the_screen_for_30_s(self):
        found = self.run_module("""const { Dimmer } = await load("dimmer");
          const dimmer = new Dimmer(0);
          const at = (seconds, paused) => {
            const ride = { paused, pause: "standing", paused_since_t: 0, t: seconds };
            dimmer.update({ seconds, radar: "absent", ride, now: seconds, isAutomatic: true });
            return dimmer.state;
          };
          return [at(0, false), at(29, false), at(31, false), at(40, true), at(100, true), at(101, false), at(130, false), at(132, false)];""")
        self.assertEqual(found, ["bright", "bright", "dimmed", "bright", "bright", "bright", "bright", "dimmed"])

    def test_states_of_a_value(self):
        found = self.run_module("""const { Store } = await load("store");
          const { read } = await load("states");
          const store = new Store();
          const bpm = { kind: "heart_rate", field: "bpm" };
          const at = now => read(store, bpm, undefined, now).state;
          const states = [at(0)];
          const state = name => store.record([{ class: "state", sensor: "strap", state: name }]);
          const sensor = { id: "strap", kinds: ["heart_rate"], state: "searching" };
          store.record([{ class: "sensor", change: "added", sensor }]);
          states.push(at(0));
          state("streaming");
          states.push(at(0));
          store.record([{ class: "sample", sensor: "strap", kind: "heart_rate", t: 10, bpm: 0 }]);
          states.push(at(16), at(16.1), at(70), at(70.1));
          state("stale");
          states.push(at(11));
          state("searching");
          states.push(at(11));
          state("error");
          states.push(at(11));
          return states;""")
        self.assertEqual(found, ["unknown", "searching", "not_yet", "live", "stale", "stale", "lost", "stale",
                                 "lost", "error"])

    def test_without_a_ride_the_sensor_is_read(self):
        found = self.run_module("""const { Store } = await load("store");
          const store = new Store();
          const record = (sensor, t) => store.record([{ class: "sample", sensor, kind: "heart_rate", t }]);
          const read = () => store.newest("heart_rate").sensor;
          record("strap", 10);
          const sensors = [read()];
          record("ride", 10);
          record("strap", 13);
          sensors.push(read());
          record("strap", 15);
          sensors.push(read());
          record("ride", 15);
          return [...sensors, read()];""")
        self.assertEqual(found, ["strap", "ride", "strap", "ride"])

    def test_a_field_that_is_not_there_is_not_zero(self):
        found = self.run_module("""const { Store } = await load("store");
          const { read } = await load("states");
          const store = new Store();
          store.record([{ class: "sample", sensor: "wheel", kind: "speed", t: 10, wheel_revs: 4 }]);
          return read(store, { kind: "speed", field: "speed_mps", needs: "wheel_size" }, undefined, 10);""")
        self.assertEqual((found["state"], found["word"], found.get("value")), ("not_yet", "wheel_size", None))

    def test_radar_is_clear_only_when_live(self):
        found = self.run_module("""const { Store } = await load("store");
          const { readRadar } = await load("states");
          const store = new Store();
          const at = (now, isCutOff = false) => readRadar(store, now, isCutOff).state;
          const states = [at(10)];
          store.record([{ class: "state", sensor: "radar", state: "streaming" },
            { class: "sample", sensor: "radar", kind: "radar", t: 10, clear: true, targets: [] }]);
          states.push(at(11), at(11.9), at(11, true));
          store.record([{ class: "state", sensor: "radar", state: "searching" }]);
          states.push(at(11));
          return states;""")
        self.assertEqual(found, ["absent", "clear", "lost", "lost", "lost"])

    def test_late_frames_count_for_states_only(self):
        found = self.run_module("""const { Store } = await load("store");
          const store = new Store();
          store.record([{ class: "state", sensor: "strap", state: "stale" },
            { class: "sample", sensor: "strap", kind: "heart_rate", t: 1, bpm: 90 }], false);
          return [store.state("strap").state, store.sample("strap", "heart_rate") === undefined];""")
        self.assertEqual(found, ["stale", True])

    def test_layouts_keep_what_is_unknown(self):
        found = self.run_module("""const { parseLayout, moved, resized, removed } = await load("layout");
          const layout = parseLayout({ version: 1, new: 1, widgets: [
            { id: "speed", size: "3x1" }, { id: "later", size: "9x9", extra: true }, { size: "1x1" }] });
          const first = moved(layout, 1, 0);
          return [first, resized(layout, 0, "1x1").widgets[0].size, removed(layout, 0).widgets.length,
            parseLayout({ version: 2, widgets: [] })];""")
        self.assertEqual(found[0], {"version": 1, "new": 1, "widgets": [
            {"id": "later", "size": "9x9", "extra": True}, {"id": "speed", "size": "3x1"}]})
        self.assertEqual(found[1:], ["1x1", 1, None])

    def test_languages_have_the_same_keys(self):
        found = self.run_module("""const keys = async name =>
            Object.keys((await import(`/js/i18n/${name}.js`)).default).sort();
          return [await keys("en"), await keys("de")];""")
        self.assertEqual(found[0], found[1])

    def test_every_key_has_a_text(self):
        sources = {path: path.read_text() for path in SCRIPTS.rglob("*.js") if path.parent.name != "i18n"}
        asked = [part for text in sources.values() for part in re.findall(r'texts\.get\(([^;]*)', text)]
        keys = {key for part in asked for key in re.findall(r'^"([a-z_0-9]+)"', part)}
        keys |= {key for part in asked for pair in re.findall(r'^[^",(]*\? "([a-z_0-9]+)" : "([a-z_0-9]+)"', part) for key in pair}
        # The words in the place of a value, each with the sentence of the drawer.
        core = "".join(text for path, text in sources.items() if path.parent.name == "core")
        words = set(re.findall(r'(?:word|needs): "(\w+)"', core)) | {"segment_left", "segment_lost"} | set(re.findall(r'WAIT = "(\w+)"', core))
        absences = re.search(r"function absenceOf.*?^}", core, re.DOTALL | re.MULTILINE)[0]
        words |= set(re.findall(r'"((?:no|coach)_\w+|wait\w*)"', absences))
        self.assertGreater(len(keys), 200)
        self.assertLessEqual({"wait", "wait_guide", "no_guide", "no_route", "no_segment", "coach_off"}, words)
        known = set(self.run_module('return Object.keys((await import("/js/i18n/en.js")).default);'))
        self.assertEqual(sorted((keys | words | {f"why_{word}" for word in words}) - known), [])

    def test_weeks_begin_on_monday_or_sunday(self):
        found = self.run_module("""const { firstDayOfWeek } = await load("weeks");
          return [["system", "fa-IR"], ["system", "ar-EG"], ["system", "en-US"], ["system", "de-DE"], ["sunday", "de-DE"], ["monday", "en-US"]]
            .map(choice => firstDayOfWeek(...choice));""")
        self.assertEqual(found, [1, 1, 0, 1, 0, 1])

    def test_the_lead_is_behind_or_ahead_as_it_is_rounded(self):
        found = self.run_module("""const { format } = await load("format");
          return [-.4, -.5, 0, .4, .5, -61.6].map(value => format("lead", value));""")
        self.assertEqual(found, ["+0:00", "-0:01", "+0:00", "+0:00", "+0:01", "-1:02"])

    def test_a_silent_stream_is_replaced_every_second(self):
        found = self.run_module("""const { Stream } = await load("stream");
          const { ServerClock } = await load("clock");
          let mine = 0, opened = 0, closed = 0;
          const open = () => {
            opened += 1;
            return { addEventListener() {}, close() { closed += 1; } };
          };
          const clock = new ServerClock(() => mine);
          const stream = new Stream({ open, clock, url: () => "/", handlers: {} });
          stream.restart();
          const counts = [];
          for (mine = 0.5; mine <= 5; mine += 0.5) {
            stream.tick();
            counts.push(opened);
          }
          return [counts, closed];""")
        self.assertEqual(found, [[1, 1, 1, 1, 1, 2, 2, 3, 3, 4], 3])


if __name__ == "__main__":
    unittest.main()

"""The wall: all bikes, each value with its age and state, a lost bike as lost, and no radar that is clear by silence."""

import unittest

from axe_playwright_python.sync_playwright import Axe
from browser import BrowserCase
from player import Player
import scenes
from test_access import SIDEWAYS, TARGETS, check_golden

STUDIO = {"group": "studio", "receiver": "bike-1"}


class WallTests(BrowserCase):
    """The page with played records."""

    def visit(self, path="wall", records=None, **options):
        """Opens the wall."""
        self.player = Player()
        self.addCleanup(self.player.close)
        self.player.send_wall(scenes.fleet() if records is None else records)
        page = self.open(query=path, player=self.player, **options)
        page.wait_for_selector(".wall-sentence")
        return page

    def card(self, page, bike="bike-1"):
        """The element of a bike."""
        return page.locator(".wall-bike", has=page.locator(f".wall-name:text-is('{bike}')"))

    def value(self, page, kind, bike="bike-1"):
        """The element of a value of a bike."""
        return self.card(page, bike).locator(".wall-value", has=page.locator(f"dt:text-is('{kind}')"))

    def wait(self, locator, text, timeout=6000):
        """Waits until the element has this text."""
        locator.filter(has_text=text).wait_for(timeout=timeout)

    def state(self, locator, state, timeout=6000):
        """Waits until the element has this state."""
        locator.and_(locator.page.locator(f"[data-state='{state}']")).wait_for(timeout=timeout)

    def keep_current(self, bikes=("bike-1", "bike-2", "bike-10")):
        """New samples, as each second."""
        self.player.send_wall([record for record in scenes.fleet(bikes) if record["class"] == "sample"])

    def test_each_bike_has_its_values_with_their_ages(self):
        page = self.visit()
        self.wait(page.locator(".wall-sentence"), "3 of 3 bikes are here.")
        self.assertEqual(page.locator(".wall-name").all_text_contents(), ["bike-1", "bike-2", "bike-10"])
        self.assertEqual(self.player.queries[-1].get("wall") or self.player.queries[-2]["wall"], ["*"])
        for kind, number, unit in (("Speed", "36.0", "km/h"), ("Power", "201", "w"), ("Heart rate", "141", "bpm")):
            self.keep_current()
            value = self.value(page, kind, "bike-2")
            self.state(value, "live")
            self.assertEqual(value.locator(".number").text_content(), number)
            self.assertEqual(value.locator(".unit").text_content(), unit)
            self.assertRegex(value.locator(".wall-age").text_content(), r"^\d s old$")
            self.assertRegex(value.locator(".unseen").text_content(), rf"^{number} {unit}, \d s old$")
            # Bikes without a cadence have no place for it.
            self.assertFalse(self.value(page, "Cadence").is_visible())

    def test_a_value_that_grows_old_is_stale_with_its_age_and_then_lost_never_zero(self):
        page = self.visit()
        power = self.value(page, "Power")
        self.state(power, "live")
        self.state(power, "stale")
        self.assertEqual(power.locator(".number").text_content(), "200")
        # Messages from later: the value was measured a minute ago.
        self.player.skip(61)
        self.player.send_wall([scenes.of_bike("bike-2", "strap", "heart_rate", bpm=150)])
        self.state(power, "lost")
        self.assertEqual(power.locator(".number").text_content(), "–")
        self.wait(power.locator(".wall-age"), "Lost, 1 min old")
        self.player.send_wall([scenes.of_bike("bike-1", "pedals", "power", power_w=222)])
        self.state(power, "live")
        self.assertEqual(power.locator(".number").text_content(), "222")

    def test_a_bike_that_is_lost_shows_no_value_as_current(self):
        page = self.visit()
        self.state(self.card(page), "online")
        for state, word, shown in (({"state": "offline"}, "Lost", "lost"),
                                   ({"state": "offline", "reason": "stopped"}, "Switched off", "stopped"),
                                   ({"state": "blind"}, "No sensor service", "blind")):
            with self.subTest(word):
                self.keep_current()
                self.player.send_wall([{"class": "receiver", **STUDIO, **state}])
                self.state(self.card(page), shown)
                self.assertEqual(self.card(page).locator(".wall-state").text_content(), word)
                self.assertEqual(set(self.card(page).locator(".wall-value:visible .number").all_text_contents()), {"–"})
                self.assertEqual(self.card(page).locator(".wall-road").text_content(), "Radar silent")
                self.wait(page.locator(".wall-sentence"), "2 of 3 bikes are here.")
                self.state(self.card(page, "bike-2"), "online")
        self.player.send_wall([{"class": "receiver", **STUDIO, "state": "online"}])
        self.keep_current()
        self.state(self.value(page, "Power"), "live")
        self.player.send_wall([{"class": "receiver", **STUDIO, "state": "removed"}])
        self.wait(page.locator(".wall-sentence"), "2 of 2 bikes are here.")
        self.assertEqual(self.card(page).count(), 0)

    def test_a_radar_is_clear_only_while_it_says_so(self):
        page = self.visit()
        road = self.card(page).locator(".wall-road")

        def radar(**fields):
            self.player.send_wall([scenes.of_bike("bike-1", "varia", "radar", **fields)])

        radar(clear=True, targets=[])
        self.wait(road, "Road clear")
        radar(clear=False, targets=[{"distance_m": 120, "level": 1}, {"distance_m": 35, "level": 1}])
        self.wait(road, "2 cars, nearest 35 m")
        radar(clear=False, targets=[{"distance_m": 35, "level": 2}])
        self.wait(road, "1 car, 35 m, fast")
        radar(clear=True, targets=[])
        self.wait(road, "Road clear")
        # It says nothing more.
        self.wait(road, "Radar silent")
        self.assertEqual(road.get_attribute("data-road"), "lost")
        radar(clear=True, targets=[], age=5)
        page.wait_for_timeout(600)
        self.assertEqual(road.text_content(), "Radar silent", "it was clear five seconds ago")
        radar(clear=True, targets=[], age=None)
        page.wait_for_timeout(600)
        self.assertEqual(road.text_content(), "Radar silent", "its age is unknown")
        self.player.send_wall([{"class": "sensor", **STUDIO, "change": "changed",
                                "sensor": {"id": "varia", "name": "varia", "kinds": ["radar"], "state": "stale"}}])
        radar(clear=True, targets=[])
        page.wait_for_timeout(600)
        self.assertEqual(road.text_content(), "Radar silent", "its sensor is stale")

    def test_a_value_of_unknown_age_is_lost(self):
        records = [each for each in scenes.fleet(["bike-1"]) if each["class"] != "sample"]
        page = self.visit(records=[*records, scenes.of_bike("bike-1", "pedals", "power", age=None, power_w=222)])
        self.state(self.value(page, "Power"), "lost")
        self.assertEqual(self.value(page, "Power").locator(".wall-age").text_content(), "Lost")

    def test_without_a_bridge_or_a_broker_everything_is_lost_and_comes_back(self):
        page = self.visit()
        sentence = page.locator(".wall-sentence")
        self.state(self.card(page), "online")
        self.player.send_wall([{"class": "broker", "state": "waiting", "message": "cannot reach the broker"}])
        self.wait(sentence, "The bridge has no broker: cannot reach the broker.")
        self.state(self.card(page), "lost")
        self.state(self.value(page, "Power"), "lost")
        # Connected again: only what comes again is there.
        self.player.send_wall([{"class": "broker", "state": "connected"}])
        self.wait(sentence, "No bike has sent anything yet.")
        self.player.send_wall(scenes.fleet(["bike-1"])[2:])
        self.state(self.value(page, "Power"), "live")
        self.player.send_wall([{"class": "bridge", "present": False, "message": "no bridge listens at mqtt.sock"}])
        self.wait(sentence, "No bridge: no bridge listens at mqtt.sock.")
        self.state(self.card(page), "lost")
        self.player.send_wall(scenes.fleet(["bike-1"]))
        self.state(self.value(page, "Power"), "live")

    def test_a_server_that_hangs_is_said_within_three_seconds(self):
        page = self.visit()
        self.state(self.card(page), "online")
        self.player.hang()
        self.wait(page.locator(".wall-sentence"), "No connection to the server of this page.", timeout=4000)
        self.state(self.card(page), "lost")
        self.player.hang(False)
        self.player.wall_records = scenes.fleet()
        self.state(self.card(page), "online")

    def test_one_group_is_asked_for_by_its_path_and_several_are_named(self):
        page = self.visit(path="wall/studio-7")
        self.state(self.card(page), "online")
        self.assertIn(["studio-7"], [query.get("wall") for query in self.player.queries])
        self.player.send_wall(scenes.fleet(["bike-1"], group="home")[2:])
        page.wait_for_selector(".wall-name:text-is('home · bike-1')")
        page.wait_for_selector(".wall-name:text-is('studio · bike-1')")

    def test_a_wall_needs_no_daemon_of_its_own(self):
        page = self.visit()
        self.player.send([{"class": "daemon", "present": False, "message": "no daemon"}])
        self.state(self.card(page), "online")
        page.wait_for_timeout(1200)
        self.assertFalse(page.locator("#notice").is_visible())
        page.click(".back")
        page.wait_for_selector("#notice:visible")
        # What is left asks for nothing any more.
        page.wait_for_function("() => true")
        for _ in range(50):
            if not self.player._wall_readers:
                break
            page.wait_for_timeout(100)
            self.player.send_wall([])
        self.assertEqual(self.player._wall_readers, [])

    def test_every_size_light_and_dark_has_no_finding_and_no_text_that_is_cut(self):
        page = self.visit()
        self.player.send_wall([{"class": "receiver", **STUDIO, "state": "offline"}])
        self.state(self.card(page), "lost")
        for size, scheme in self.looks(page):
            with self.subTest(size=size, scheme=scheme):
                self.keep_current()
                self.state(self.value(page, "Power", "bike-2"), "live")
                found = Axe().run(page).response["violations"]
                self.assertEqual([f"{each['id']}: {node['html'][:160]}" for each in found for node in each["nodes"]], [])
                self.assertEqual(page.evaluate(SIDEWAYS), [])
                self.assertEqual(page.evaluate(TARGETS), [])

    def test_a_screen_reader_gets_each_bike_with_its_state_road_and_values(self):
        page = self.visit(records=scenes.fleet() + [
            {"class": "receiver", "group": "studio", "receiver": "bike-2", "state": "offline"},
            scenes.of_bike("bike-10", "varia", "radar", clear=False, targets=[{"distance_m": 35, "level": 1}])])
        self.state(self.value(page, "Power"), "live")
        check_golden(self, "wall", page)

    def test_large_german_texts_fit_on_the_smallest_screen(self):
        page = self.visit(path="wall?language=de&text=130", size=(320, 240))
        self.player.send_wall([{"class": "receiver", **STUDIO, "state": "offline", "reason": "stopped"}])
        self.wait(page.locator(".wall-sentence"), "2 von 3 Rädern sind da.")
        self.assertEqual(page.evaluate(SIDEWAYS), [])

    def test_thirty_bikes_are_drawn_four_times_a_second_at_most(self):
        bikes = [f"bike-{index}" for index in range(30)]
        page = self.visit(records=scenes.fleet(bikes), size=(1280, 800))
        self.wait(page.locator(".wall-sentence"), "30 of 30 bikes are here.")
        page.evaluate("""() => {
          window.changes = [];
          new MutationObserver(() => window.changes.push(performance.now()))
            .observe(document.querySelector(".wall"), { subtree: true, characterData: true, childList: true, attributes: true });
        }""")
        for step in range(40):
            self.player.send_wall([scenes.of_bike(bike, "pedals", "power", power_w=100 + step) for bike in bikes])
            page.wait_for_timeout(50)
        times = page.evaluate("window.changes")
        seconds = (times[-1] - times[0]) / 1000
        # At most four for what arrives, and one for ages.
        self.assertLess(len(times), 5.5 * (seconds + .5))
        self.assertGreater(len(times), 4)


if __name__ == "__main__":
    unittest.main()

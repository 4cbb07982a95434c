"""What the page tells when something is missing: the daemon, the radar, a network for phones."""

import unittest

from browser import BrowserCase
from player import Player
import scenes


class ToldTests(BrowserCase):
    """One page and one player per test."""

    def ride(self, records=(), **options):
        """Opens the page with a ride on it."""
        self.player = Player()
        self.addCleanup(self.player.close)
        page = self.open(player=self.player, **options)
        page.wait_for_selector('[data-id="speed"]')
        self.player.send(scenes.PAIRED + scenes.riding(self.player.now, ride_id="r1") + list(records))
        page.wait_for_selector('[data-id="power"]')
        return page

    def send_car(self, distance):
        """A car that the radar sees for a while, however slow the machine is."""
        car = [{"id": 1, "distance_m": distance, "approach_speed_mps": 9, "level": 1}]
        seen = scenes.sample("radar", self.player.now + 60, "radar", clear=False, targets=car)
        self.player.send([scenes.state("radar"), seen], "urgent")

    def test_without_the_daemon_the_page_says_so(self):
        page = self.ride()
        self.player.send([{"class": "daemon", "present": False, "message": "the daemon does not answer"}])
        page.wait_for_selector("#notice >> text=NO SENSOR SERVICE")
        page.wait_for_selector("#alert >> text=No sensor service", state="attached")
        page.click("#status")
        page.wait_for_selector("#status-panel >> text=the daemon does not answer")
        self.player.send([{"class": "daemon", "present": True}])
        page.wait_for_selector("#notice[hidden]", state="attached")

    def test_a_lost_radar_is_a_crossed_icon_in_the_lane(self):
        page = self.ride()
        self.send_car(62)
        page.wait_for_selector('#lane[data-state="car"]')
        self.assertFalse(page.is_visible("#lane .crossed"))
        self.player.send([scenes.state("radar", "searching")], "urgent")
        page.wait_for_selector('#lane[data-state="lost"] .crossed')

    def test_the_farthest_car_is_at_the_foot_of_what_is_visible(self):
        page = self.ride()
        # As in a phone's browser, whose bars cover a part of the window.
        page.evaluate("document.getElementById('lane').style.bottom = '100px'")
        self.send_car(139)
        page.wait_for_selector('#lane[data-state="car"]')
        box = page.locator(".car svg").bounding_box()
        self.assertGreater(box["y"], 600)
        self.assertLessEqual(box["y"] + box["height"], 680)

    def test_a_phone_page_says_what_a_phone_can_reach(self):
        self.player = Player()
        self.addCleanup(self.player.close)
        page = self.open(player=self.player, query="settings/phones")
        page.click("text=Show the code")
        page.wait_for_selector(".code >> text=not encrypted")
        self.player.services.link = {"url": "http://127.0.0.1:8080/pair#ABCDEF", "local": True}
        page.click("text=Show the code")
        page.wait_for_selector(".code >> text=listens on this computer only")
        self.player.services.link = {"url": "https://bike.example/pair#ABCDEF", "local": False}
        page.click("text=Show the code")
        page.wait_for_selector(".code >> text=bike.example/pair")
        self.assertFalse(page.is_visible(".code .warning"))

    def test_a_zone_has_its_name(self):
        page = self.ride()
        self.player.services.store("layouts/phone", {"version": 1, "widgets": [{"id": "zone", "size": "1x1"}, {"id": "later", "size": "1x1"},
                                                                              {"id": "speed", "size": "2x1"}]})
        self.player.send([{"class": "document", "document": "layouts/phone", "tag": '"new"'}])
        page.wait_for_selector('[data-id="zone"] >> text=tempo', state="attached")
        self.assertEqual(page.get_attribute('[data-id="zone"] .face', "aria-label"), "Zone, 3 tempo")
        page.wait_for_selector('[data-id="later"] >> text=Needs a newer version', state="attached")
        self.player.send([scenes.sample("averages", self.player.now, speed_avg_mps=7, speed_max_mps=14, speed_trend="up")])
        page.wait_for_selector('[data-id="speed"] .trend[data-trend="up"]', state="attached")
        page.wait_for_selector('[data-id="speed"] .face[aria-label*="average rising"]', timeout=10_000)
        page.wait_for_selector('[data-id="speed"] .face[aria-label*=" seconds old"]', timeout=15_000)

    def test_larger_widgets_of_batteries_list_the_names(self):
        page = self.ride()
        self.player.services.store("layouts/phone", {"version": 1, "widgets": [{"id": "battery", "size": size} for size in ("1x1", "2x1")]})
        self.player.send([{"class": "document", "document": "layouts/phone", "tag": '"new"'},
                          scenes.sample("battery", self.player.now, "pedals", battery_pct=9)])
        page.wait_for_selector('[data-id="battery"][data-size="2x1"] .row:visible >> text=Assioma')
        self.assertEqual(page.locator('[data-id="battery"] .head .caption').all_text_contents(), ["Assioma", "Batteries"])

    def test_the_drawer_leads_to_the_device_while_standing(self):
        page = self.ride()
        page.click('[data-id="heart_rate"] .face')
        page.wait_for_selector("#drawer[open] >> text=Zone 3 tempo")
        self.player.send([scenes.sample("speed", self.player.now + 60, speed_mps=8, source="wheel")])
        page.wait_for_selector("#drawer .device-open", state="hidden")
        self.player.send([scenes.sample("speed", self.player.now + 61, speed_mps=0, source="wheel")])
        page.click("#drawer .device-open >> nth=0")
        page.wait_for_url("**/settings/devices/strap")

    def test_a_missing_sensor_can_be_added_while_standing(self):
        self.player = Player()
        self.addCleanup(self.player.close)
        page = self.open(player=self.player)
        page.wait_for_selector('[data-id="speed"][data-state="unknown"]')
        page.click('[data-id="speed"] .face')
        page.click("#drawer button:has-text('Add a device')")
        page.wait_for_url("**/settings/add")

    def test_a_lap_by_distance_is_told(self):
        page = self.ride()
        self.player.send(scenes.riding(self.player.now, ride_id="r1", lap=4, lap_time_s=2, lap_distance_m=15, distance_m=41_300))
        page.wait_for_selector("#bottom .reply >> text=/^LAP 3  6:1[0-9]  2.49 km$/")
        page.wait_for_selector("#spoken >> text=/LAP 3/", state="attached")

    def test_start_fills_the_screen(self):
        page = self.ride()
        page.evaluate("Element.prototype.requestFullscreen = async () => { document.title = 'full'; }")
        self.player.send(scenes.riding(self.player.now, ride_id="r1", ended=True))
        page.click("#bottom .call")
        page.wait_for_function("() => document.title === 'full'")

    def test_the_mark_of_a_bad_fix_is_a_triangle(self):
        page = self.ride()
        self.assertFalse(page.is_visible("#status .warn"))
        self.player.send([scenes.sample("position", self.player.now + 60, sensor="gps", satellites=4, accuracy_m=80, quality="bad")])
        page.wait_for_selector("#status .warn")

    def test_gloves_slide_and_a_long_press_is_nothing(self):
        page = self.ride(touch=True, fake_time=True)
        touch = page.context.new_cdp_session(page)
        box = page.locator('[data-id="heart_rate"]').bounding_box()
        x, y = box["x"] + 40, box["y"] + 50
        page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 1)

        def press(way, milliseconds=0):
            for kind, points in (("touchStart", [{"x": x, "y": y}]), ("touchMove", [{"x": x + way, "y": y}]), ("touchEnd", [])):
                if kind != "touchMove" or way:
                    touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
                # Input comes with the next real frame.
                page.wait_for_timeout(60)
                if kind == "touchStart":
                    page.clock.run_for(milliseconds)
            page.clock.run_for(100)

        press(0, 450)
        press(40)
        self.assertFalse(page.is_visible("#drawer"))
        press(20)
        page.wait_for_selector("#drawer[open]")

    def test_a_paused_ride_beside_the_radar_has_room_in_the_top_bar(self):
        page = self.ride()
        self.player.send(scenes.riding(self.player.now + 60, ride_id="r1", radar=[], paused=True, pause="by_hand"))
        page.wait_for_selector("#lane[data-state]")
        page.wait_for_selector("#paused >> text=PAUSED")
        self.assertTrue(page.evaluate("(paused => paused.scrollWidth <= paused.clientWidth)(document.getElementById('paused'))"))
        box = page.locator("#paused").bounding_box()
        self.assertLessEqual(box["x"] + box["width"], 360)

    def test_stop_and_lap_are_64_high(self):
        page = self.ride()
        heights = [round(button.bounding_box()["height"]) for button in page.locator("#bottom button").all()]
        self.assertEqual(heights, [64, 64])


if __name__ == "__main__":
    unittest.main()

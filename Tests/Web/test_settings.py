"""Settings: documents, the rider, bikes, devices, pairing with a passkey, phones."""

import copy
import unittest

from browser import BrowserCase
from player import Player
import scenes

WHEEL = {"id": "wheel", "name": "Wheel", "address": "C0:FF:EE:00:00:03", "plugins": ["cycling_speed"],
         "kinds": ["speed", "battery"], "state": "streaming", "rssi_dbm": -65, "battery_pct": 82,
         "setting_keys": ["circumference_mm", "wheel_size", "priority", "role", "target_pressure_pa"],
         "settings": {"circumference_mm": 2096, "target_pressure_pa": 450000},
         "commands": [{"name": "zero_offset", "summary": "Calibrate the zero offset",
                       "preparation": "Unclip both feet. Stand the bike upright."},
                      {"name": "crank_length", "summary": "Set the crank length",
                       "parameters": [{"name": "value", "summary": "Length", "unit": "mm", "minimum": 100,
                                       "maximum": 200, "required": True}]}],
         "facts": {"manufacturer": "Cyclometer", "serial_numbers": ["7", "8"]},
         "link": {"reconnects": 2, "longest_gap_s": 14, "packets": 900, "missed": 3}}
STRAP = {"id": "strap", "name": "Red strap", "address": "C0:FF:EE:00:00:01", "plugins": ["heart_rate"],
         "kinds": ["heart_rate"], "state": "error", "reason": "bond_lost"}
FOUND = {"id": "new", "address": "C0:FF:EE:00:00:09", "name": "New strap", "rssi_dbm": -61, "kinds": ["heart_rate"],
         "plugins": ["heart_rate"], "paired": False}
# A line says for 2 s that it is saved, which a browser on a busy machine may not be asked in time.
KEEP_WHAT_LINES_SAY = """
  new MutationObserver(changes => {
    for (const { target } of changes)
      if (target.className === "said" && target.textContent) target.dataset.told = target.textContent;
  }).observe(document, { childList: true, subtree: true });
"""


class SettingsTests(BrowserCase):
    """Each test opens one section."""

    def visit(self, section, setUp=lambda services: None, **options):
        """Opens a section with two paired sensors."""
        self.player = Player()
        self.addCleanup(self.player.close)
        self.services = self.player.services
        self.services.sensors = {each["id"]: copy.deepcopy(each) for each in (WHEEL, STRAP)}
        setUp(self.services)
        page = self.open(query=f"settings/{section}", player=self.player, script=KEEP_WHAT_LINES_SAY, **options)
        self.player.send([{"class": "sensor", "change": "added", "sensor": each}
                          for each in self.services.sensors.values()])
        page.wait_for_selector("h1:visible")
        page.wait_for_timeout(150)
        return page

    def fill(self, page, label, value):
        """Writes a value into a field and leaves the field."""
        field = page.get_by_label(label, exact=True)
        field.fill(value)
        field.blur()

    def saved(self, page, label):
        """Waits until the line of a field says that it is saved, or has said so since the last time."""
        line = page.locator(".line", has=page.get_by_text(label, exact=True)).first
        line.locator(".said[data-told='Saved']").evaluate("said => { delete said.dataset.told; }")

    def asked(self, method):
        """The parameters that the daemon was asked with."""
        return [params for name, params, _ in self.services.requests if name == method]

    # General

    def test_settings_are_saved_at_once_and_have_an_effect(self):
        page = self.visit("general")
        page.get_by_label("Text size").select_option("130")
        self.saved(page, "Text size")
        self.assertEqual(page.evaluate("document.documentElement.dataset.text"), "130")
        self.assertEqual(self.services.document("settings/phone"), {"version": 1, "text_size": 130})
        page.get_by_label("Bold text").select_option("on")
        self.saved(page, "Bold text")
        self.assertEqual(page.evaluate("getComputedStyle(document.querySelector('h1')).fontWeight"), "700")
        page.get_by_label("Colors").select_option("dark")
        self.saved(page, "Colors")
        self.assertEqual(page.evaluate("getComputedStyle(document.body).backgroundColor"), "rgb(15, 15, 15)")
        page.get_by_role("switch", name="Lock layout").click()
        self.saved(page, "Lock layout")
        self.assertEqual(self.services.document("settings/rider"), {"version": 1, "lock_layout": True})

    def test_units_of_one_quantity(self):
        page = self.visit("general")
        page.get_by_label("Speed and distance").select_option("imperial")
        self.saved(page, "Speed and distance")
        self.assertEqual(self.services.document("settings/rider")["units"],
                         {"system": "metric", "speed": "imperial", "distance": "imperial", "pace": "imperial"})
        page.get_by_label("Speed and distance").select_option("")
        page.wait_for_timeout(200)
        self.assertEqual(self.services.document("settings/rider")["units"], {"system": "metric"})

    def test_a_change_of_another_screen_is_kept(self):
        page = self.visit("general")
        self.services.store("settings/rider", {"version": 1, "week_start": "sunday", "later": 1})
        page.get_by_label("Radar lane").select_option("right")
        self.saved(page, "Radar lane")
        self.assertEqual(self.services.document("settings/rider"),
                         {"version": 1, "week_start": "sunday", "later": 1, "radar_side": "right"})

    def test_a_change_of_another_screen_is_shown(self):
        page = self.visit("general")
        self.services.store("settings/phone", {"version": 1, "scheme": "dark"})
        self.player.send([{"class": "document", "document": "settings/phone", "tag": '"new"'}])
        page.wait_for_function("() => getComputedStyle(document.body).backgroundColor === 'rgb(15, 15, 15)'")

    def test_a_language_shows_the_page_again(self):
        page = self.visit("general")
        page.get_by_label("Language").select_option("de")
        page.wait_for_selector("h1:text-is('Allgemein')")
        self.assertEqual(page.evaluate("document.documentElement.lang"), "de")

    def test_auto_pause_goes_to_the_daemon_in_si(self):
        page = self.visit("general")
        self.fill(page, "Standing below", "5,4")
        self.saved(page, "Standing below")
        page.get_by_role("switch", name="Auto pause").click()
        self.saved(page, "Auto pause")
        self.assertEqual(self.asked("ride_settings"),
                         [{}, {"auto_pause_speed_mps": 1.5}, {"auto_pause": False}])

    def test_a_refused_value_stays_with_the_sentence(self):
        page = self.visit("riders")
        page.get_by_label("Age", exact=True).wait_for()
        self.services.refusals["rider"] = "age_years is a number from 5 to 120 years"
        self.fill(page, "Age", "200")
        page.wait_for_selector(".error:text('age_years is a number from 5 to 120 years')")
        field = page.get_by_label("Age", exact=True)
        self.assertEqual(field.input_value(), "200")
        described = field.get_attribute("aria-describedby")
        self.assertIn("5 to 120", page.text_content(f"#{described}"))
        del self.services.refusals["rider"]
        self.fill(page, "Age", "20")
        self.saved(page, "Age")
        self.assertFalse(page.is_visible(".error"))

    def test_what_is_not_a_number_is_not_sent(self):
        page = self.visit("riders")
        self.fill(page, "Age", "old")
        page.wait_for_selector("text=This is not a number.")
        self.assertEqual(self.asked("rider"), [{}])

    def test_without_an_answer_the_reason_stands_there(self):
        def refuse(services):
            services.refusals["rider"] = "the daemon is not running"
        page = self.visit("riders", refuse)
        page.wait_for_selector("text=the daemon is not running")
        del self.services.refusals["rider"]
        page.click("text=Try again")
        page.get_by_label("Age", exact=True).wait_for()

    # Rider and bikes

    def test_weight_in_pounds(self):
        def imperial(services):
            services.store("settings/rider", {"version": 1, "units": {"system": "imperial"}})
        page = self.visit("riders", imperial)
        self.assertEqual(page.get_by_label("Weight", exact=True).input_value(), "159.8")
        self.fill(page, "Weight", "160")
        self.saved(page, "Weight")
        self.assertAlmostEqual(self.asked("rider")[-1]["weight_kg"], 72.5747792)

    def test_zones_are_saved_together(self):
        page = self.visit("riders")
        for zone, floor in enumerate((100, 120, 140, 160), start=1):
            self.fill(page, f"Zone {zone} from", str(floor))
        page.wait_for_selector("text=Fill in all 5 zones")
        self.fill(page, "Zone 5 from", "175")
        self.saved(page, "Zone 5 from")
        self.assertEqual(self.asked("rider"), [{}, {"zone_floors_bpm": [100, 120, 140, 160, 175]}])

    def test_a_bike(self):
        page = self.visit("bikes")
        self.fill(page, "Name of the bike", "Road")
        page.wait_for_selector("h1:text-is('Road')")
        page.get_by_role("switch", name="Red strap").click()
        self.saved(page, "Red strap")
        self.fill(page, "Front tire", "5")
        self.saved(page, "Front tire")
        self.fill(page, "Name", "Race")
        page.wait_for_selector("h1:text-is('Race')")
        bike = self.services.bikes["bikes"][-1]
        self.assertEqual(bike, {"name": "Race", "sensors": ["strap"], "front_pressure_pa": 500000})
        self.hold(page, "Hold to remove")
        page.wait_for_selector("h1:text-is('Bikes')")
        page.wait_for_selector("text=Gravel")
        self.assertEqual([bike["name"] for bike in self.services.bikes["bikes"]], ["Gravel"])

    def hold(self, page, label, milliseconds=1250):
        """Holds a button."""
        page.get_by_role("button", name=label).first.hover()
        page.mouse.down()
        page.wait_for_timeout(milliseconds)
        page.mouse.up()

    # Devices

    def test_devices_in_words(self):
        page = self.visit("devices")
        page.wait_for_selector(".line.link >> text=Wheel")
        lines = page.locator(".line.link").all_text_contents()
        self.assertEqual(lines[:2], ["Red strapforgot this computer: pair it again", "Wheelstreaming, 82 %"])
        self.player.send([{"class": "state", "sensor": "wheel", "state": "stale", "reason": "silent"}])
        page.wait_for_selector("text=connected, but sends nothing, 82 %")

    def test_a_device(self):
        page = self.visit("devices/wheel")
        self.fill(page, "Name", "Front wheel")
        self.saved(page, "Name")
        self.fill(page, "Target pressure", "5")
        self.saved(page, "Target pressure")
        self.fill(page, "Wheel circumference", "")
        self.saved(page, "Wheel circumference")
        page.get_by_label("Position").select_option("rear")
        self.saved(page, "Position")
        page.get_by_role("switch", name="Enabled").click()
        self.saved(page, "Enabled")
        self.assertEqual(self.asked("rename"), [{"sensor": "wheel", "name": "Front wheel"}])
        self.assertEqual(self.asked("set"), [
            {"sensor": "wheel", "key": "target_pressure_pa", "value": 500000},
            {"sensor": "wheel", "key": "circumference_mm"},
            {"sensor": "wheel", "key": "role", "value": "rear"}])
        self.assertEqual(self.asked("disable"), [{"sensor": "wheel"}])

    def test_calibration_shows_its_answer(self):
        page = self.visit("devices/wheel")
        page.get_by_role("button", name="Calibrate the zero offset").click()
        page.wait_for_selector("text=success, offset raw 42")
        self.fill(page, "Length", "172.5")
        page.get_by_role("button", name="Set the crank length").click()
        page.locator(".said", has_text="success").nth(1).wait_for()
        self.assertEqual(self.asked("command"), [
            {"sensor": "wheel", "name": "zero_offset", "params": {}},
            {"sensor": "wheel", "name": "crank_length", "params": {"value": 172.5}}])

    def test_forgetting_needs_a_hold(self):
        page = self.visit("devices/wheel")
        page.get_by_role("button", name="Hold to forget").click()
        page.wait_for_timeout(200)
        self.assertEqual(self.asked("forget"), [])
        self.hold(page, "Hold to forget")
        page.wait_for_selector("text=Wheel was forgotten.")
        self.assertEqual(self.asked("forget"), [{"sensor": "wheel"}])

    # Adding

    def scan(self, prompt=None):
        """Opens the search, which finds two devices."""
        def prepare(services):
            services.found = [FOUND, {**FOUND, "id": "wheel", "address": WHEEL["address"], "name": "Wheel", "paired": True}]
            services.prompt = prompt
        page = self.visit("devices", prepare)
        page.click("main :text('Add a device'):visible")
        page.wait_for_selector(".found")
        return page

    def test_a_search_names_the_stream_of_the_page(self):
        page = self.scan()
        self.assertEqual([request for request in self.services.requests if request[0] == "scan"],
                         [("scan", {"seconds": 60}, "s1")])
        self.assertEqual(page.locator(".found .name").all_text_contents(), ["New strap", "Wheel"])
        self.assertTrue(page.locator(".found").nth(1).is_disabled())

    def test_a_search_waits_for_the_stream_of_a_page_that_was_just_loaded(self):
        def prepare(services):
            services.found = [FOUND]
        page = self.visit("add", prepare)
        page.wait_for_selector(".found")
        self.assertFalse(page.is_visible("text=That did not work"))

    def test_a_newly_paired_sensor_does_not_end_the_stream_of_a_page(self):
        page = self.visit("add")
        self.player.send([{"class": "sensor", "change": "added", "sensor": {**STRAP, "id": "other", "kinds": ["power"]}}])
        page.wait_for_timeout(600)
        self.assertEqual(self.services.streams, ["s1"])

    def test_a_search_and_a_pairing_go_on_while_the_screen_dims(self):
        page = self.visit("add", fake_time=True)
        page.wait_for_selector("text=Searching")
        self.player.send(scenes.riding(self.player.now, ride_id="r1"))
        # The page's clock outruns the player, so the page also finds the stream silent.
        # The thirty seconds begin once the page has the ride.
        for _ in range(20):
            if self.player.queries[-1]["hz"] == ["1"]:
                break
            page.clock.run_for(8_000)
        self.wait_for_rate(page, "1")
        # A stream that the page gives up as silent takes what is under way with it, so this is repeated.
        for _ in range(50):
            self.services.send_task({"class": "found", **FOUND})
            page.wait_for_timeout(200)
            if page.locator(".found").count():
                break
        page.wait_for_selector(".found")
        page.mouse.click(10, 700)
        page.clock.run_for(1_000)
        self.wait_for_rate(page, "4")
        page.click(".found")
        page.wait_for_selector("text=New is paired.")
        streams = [query.get("continues") for query in self.player.queries]
        self.assertEqual(streams, [None] + [["s1"]] * (len(streams) - 1))
        self.assertEqual([request[2] for request in self.services.requests if request[0] in ("scan", "cancel", "pair")], ["s1"] * 3)

    def wait_for_rate(self, page, rate):
        """Waits until the newest stream has this rate, and is open."""
        for _ in range(100):
            if self.player.queries[-1]["hz"] == [rate]:
                break
            page.wait_for_timeout(100)
        self.assertEqual(self.player.queries[-1]["hz"], [rate])
        page.wait_for_timeout(500)

    def test_rows_do_not_jump(self):
        page = self.scan()
        self.services.send_task({"class": "found", **FOUND, "address": "C0:FF:EE:00:00:0A", "name": "Nearer", "rssi_dbm": -30})
        self.services.send_task({"class": "found", **FOUND, "rssi_dbm": -95})
        page.wait_for_selector("text=Nearer")
        self.assertEqual(page.locator(".found .name").all_text_contents(), ["New strap", "Wheel", "Nearer"])
        page.wait_for_selector(".found:first-child [aria-label='signal 0 of 4']")

    def test_pairing_with_a_passkey(self):
        page = self.scan("passkey")
        page.click("text=New strap")
        page.wait_for_selector(".ring, .prompt-form")
        page.get_by_label("Number").fill("123456")
        page.keyboard.press("Enter")
        page.wait_for_selector("text=New is paired.")
        self.assertEqual(self.asked("pair"), [{"address": FOUND["address"]}])
        self.assertEqual(self.asked("answer"), [{"prompt": "p1", "value": "123456"}])
        self.assertEqual(page.evaluate("location.pathname"), "/settings/devices/new")

    def test_pairing_asks_to_confirm(self):
        page = self.scan("confirm")
        page.click("text=New strap")
        page.wait_for_selector("text=Does the sensor show 123456?")
        page.click("text='Yes'")
        page.wait_for_selector("text=New is paired.")
        self.assertEqual(self.asked("answer"), [{"prompt": "p1", "value": True}])

    def test_a_failed_pairing_says_why(self):
        page = self.scan()
        self.services.refusals["pair"] = "the sensor was not found"
        page.click("text=New strap")
        page.wait_for_selector("text=the sensor was not found")
        page.click("text=Search again")
        page.wait_for_selector(".found")

    def test_leaving_ends_the_search(self):
        page = self.scan()
        with page.expect_response("**/api/1/daemon"):
            page.go_back()
        page.wait_for_timeout(200)
        self.assertEqual(len(self.asked("cancel")), 1)

    # Phones

    def phones(self, services):
        """Two screens that were let in."""
        services.phones = [
            {"id": 1, "name": "Handlebar", "right": "manage", "last_used": "2026-11-22T09:00:00.000Z"},
            {"id": 2, "name": "Phone", "right": "ride"}]

    def test_a_code_is_drawn_and_its_digits_stand_below(self):
        page = self.visit("phones", self.phones)
        page.click("text=Show the code")
        page.wait_for_selector(".code-digits")
        self.assertEqual(page.text_content(".code-digits"), "1111 2222")
        dark = page.evaluate("""() => {
          const canvas = document.querySelector(".code canvas");
          const side = canvas.width / 37;
          const data = (x, y) => canvas.getContext("2d").getImageData((x + 4.5) * side, (y + 4.5) * side, 1, 1).data[0];
          return [0, 1, 2, 3, 4, 5].map(x => (data(x, 0) < 128 ? 1 : 0)).join("") + (data(-2, 3) > 128 ? " quiet" : ""); }""")
        rows = format(2654435761 % (1 << 29), "029b")
        self.assertEqual(dark, f"{rows[:6]} quiet")
        self.assertEqual(self.player.posts[-1], ("/api/1/phones", {"right": "ride", "name": "Phone"}))
        page.get_by_label("It may").select_option("manage")
        self.assertFalse(page.is_visible(".code"))

    def test_a_screen_is_revoked(self):
        page = self.visit("phones", self.phones)
        page.wait_for_selector("text=Handlebar")
        self.assertIn("last used Nov 22, 2026", page.text_content(".line.phone:nth-child(1)"))
        self.assertIn("never used", page.text_content(".line.phone:nth-child(2)"))
        self.hold(page, "Hold to revoke: Phone")
        page.wait_for_selector("text=Phone was revoked.")
        page.wait_for_function("() => document.querySelectorAll('.line.phone').length === 1")


if __name__ == "__main__":
    unittest.main()

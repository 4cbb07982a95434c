"""Edit mode: gestures, toolbar, keyboard, the picker, saving and its conflicts."""

import unittest

from browser import BrowserCase
from player import Player
import scenes

LAYOUT = {"version": 1, "widgets": [
    {"id": "speed", "size": "3x1"}, {"id": "heart_rate", "size": "2x1"}, {"id": "power", "size": "1x1"},
    {"id": "distance", "size": "1x1"}, {"id": "clock", "size": "1x1"}]}
STANDING = {"speed": 0.0, "paused": True, "pause": "standing"}


class EditTests(BrowserCase):
    """A standing bike with a layout of its own, unless a test says otherwise."""

    def stand(self, touch=False, **ride):
        """Opens the dashboard with a bike that stands."""
        self.player = Player(LAYOUT)
        self.addCleanup(self.player.close)
        page = self.open(player=self.player, touch=touch)
        self.player.send(scenes.riding(self.player.now, **{**STANDING, **ride}))
        page.wait_for_selector('[data-id="speed"][data-state]:not([data-state="unknown"])')
        page.wait_for_timeout(100)
        return page

    def edit(self):
        """Opens edit mode with the keyboard."""
        page = self.stand()
        page.keyboard.press("e")
        page.wait_for_selector("#editbar")
        return page

    def ids(self, page):
        """The widgets in their order, with their sizes."""
        return page.evaluate("[...document.querySelectorAll('#widgets > li')].map(li => `${li.dataset.id} ${li.dataset.size}`)")

    def saved(self):
        """The layout of the server, as ids and sizes."""
        return [f'{widget["id"]} {widget["size"]}' for widget in self.player.services.document("layouts/phone")["widgets"]]

    def center(self, page, selector):
        """The middle of an element."""
        box = page.locator(selector).bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def is_editing(self, page):
        """Whether the page is in edit mode."""
        return page.evaluate("document.documentElement.hasAttribute('data-editing')")

    # Beginning

    def test_not_while_a_layout_is_loaded(self):
        self.player = Player(LAYOUT)
        self.addCleanup(self.player.close)
        page = self.open(player=self.player, script="""
          const load = window.fetch;
          window.held = [];
          window.fetch = async (url, ...rest) => {
            if (String(url).includes("/layouts/")) await new Promise(resolve => window.held.push(resolve));
            return load(url, ...rest);
          };""")
        page.wait_for_function("() => window.held.length === 1")
        page.keyboard.press("e")
        self.assertFalse(self.is_editing(page))
        self.assertIn("not loaded", page.text_content("#message"))
        page.evaluate("window.held[0]()")
        page.wait_for_function("() => document.querySelectorAll('#widgets > li').length === 5")
        self.player.send(scenes.riding(self.player.now, **STANDING))
        page.wait_for_selector('[data-id="speed"][data-state="live"]')
        for tag in ("one", "two"):
            self.player.send([{"class": "document", "document": "layouts/phone", "tag": tag}])
        page.wait_for_function("() => window.held.length === 3")
        with page.expect_response("**/layouts/**"):
            page.evaluate("window.held[1]()")
        page.wait_for_timeout(200)
        page.keyboard.press("e")
        self.assertFalse(self.is_editing(page))
        with page.expect_response("**/layouts/**"):
            page.evaluate("window.held[2]()")
        page.wait_for_timeout(200)
        page.keyboard.press("e")
        page.wait_for_selector('[data-id="speed"] .handle')

    def touch(self, page, milliseconds, way=0):
        """Puts a finger on the clock, moves it, and lifts it, on the page's own clock."""
        x, y = self.center(page, '[data-id="clock"]')
        cdp = page.context.new_cdp_session(page)

        def send(kind, at):
            points = [{"x": at, "y": y}] if kind != "touchEnd" else []
            cdp.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
            page.wait_for_timeout(60)

        page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 1)
        send("touchStart", x)
        if way:
            send("touchMove", x + way)
        page.clock.run_for(milliseconds)
        editing = self.is_editing(page)
        send("touchEnd", x)
        page.clock.resume()
        return editing

    def held(self, milliseconds, way=0):
        """Whether holding a finger begins to edit."""
        self.player = Player(LAYOUT)
        self.addCleanup(self.player.close)
        page = self.open(player=self.player, touch=True, fake_time=True)
        # The first layout, which is replaced by this one, has a clock as well.
        page.wait_for_function("() => document.querySelectorAll('#widgets > li').length === 5")
        return self.touch(page, milliseconds, way)

    def test_a_hold_of_499_ms_does_nothing_and_501_ms_edits(self):
        self.assertFalse(self.held(499))
        self.assertTrue(self.held(501))

    def test_a_finger_that_moved_11_px_does_not_edit(self):
        self.assertTrue(self.held(600, way=9))
        self.assertFalse(self.held(600, way=11))

    def test_refused_while_moving(self):
        page = self.stand(speed=5.0, paused=False)
        page.keyboard.press("e")
        page.wait_for_selector("text=Stop to edit")
        self.assertFalse(self.is_editing(page))

    def test_refused_when_the_layout_is_locked(self):
        page = self.stand()
        self.player.services.store("settings/rider", {"version": 1, "lock_layout": True})
        page.reload()
        page.wait_for_selector('[data-id="speed"][data-state]')
        page.wait_for_function("() => document.querySelectorAll('#widgets > li').length === 5")
        page.keyboard.press("e")
        page.wait_for_selector("text=The layout is locked")
        self.assertFalse(self.is_editing(page))

    def test_moving_ends_it_after_five_seconds_and_saves(self):
        page = self.edit()
        page.keyboard.press("Tab")
        page.focus('[data-id="clock"] .face')
        page.keyboard.press("Enter")
        page.keyboard.press("Delete")
        for _ in range(8):
            self.player.send([scenes.sample("speed", self.player.now, speed_mps=5, source="wheel")])
            page.wait_for_timeout(900)
            if not self.is_editing(page):
                break
        self.assertFalse(self.is_editing(page))
        self.assertNotIn("clock 1x1", self.saved())

    # Changing

    def test_every_edit_by_keyboard(self):
        page = self.edit()
        page.focus('[data-id="power"] .face')
        page.keyboard.press("Enter")
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("2")
        page.focus('[data-id="clock"] .face')
        page.keyboard.press("Enter")
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Delete")
        expected = ["speed 3x1", "power 2x1", "heart_rate 2x1", "distance 1x1"]
        self.assertEqual(self.ids(page), expected)
        page.focus("text='Done'")
        page.keyboard.press("Enter")
        page.wait_for_selector("#editbar", state="detached")
        self.assertEqual(self.saved(), expected)
        page.reload()
        page.wait_for_function("() => document.querySelectorAll('#widgets > li').length === 4")
        self.assertEqual(self.ids(page), expected)

    def tab_to(self, page, selector):
        """Presses Tab until an element has the focus."""
        for _ in range(120):
            if page.evaluate("selector => document.activeElement.matches(selector)", selector):
                return
            page.keyboard.press("Tab")
        self.fail(f"Tab does not reach {selector}")

    def test_every_edit_by_tab_and_enter_alone(self):
        page = self.edit()

        def press(selector):
            self.tab_to(page, selector)
            page.keyboard.press("Enter")
            page.wait_for_timeout(50)

        press('[data-id="power"] .face')
        press("[aria-label='Earlier']")
        press("[aria-label='Size 2 × 1']")
        self.assertEqual(self.ids(page)[1], "power 2x1")
        press("[aria-label='Later']")
        press("#editbar [aria-label='Remove']")
        self.assertEqual(self.ids(page), ["speed 3x1", "heart_rate 2x1", "distance 1x1", "clock 1x1"])
        press("#message button")
        self.assertEqual(self.ids(page)[2], "power 2x1")
        press("#editbar .add")
        press("[aria-label='Grade, Size 1 × 1']")
        self.assertEqual(self.ids(page)[-1], "grade 1x1")
        press("#editbar .layout-tools button:last-child")
        self.tab_to(page, ".question .answers button:first-child")
        page.keyboard.press("Escape")
        page.wait_for_selector(".question", state="detached")
        self.assertEqual(len(self.ids(page)), 6)
        press("#edittop .call")
        page.wait_for_selector("#editbar", state="detached")
        self.assertEqual(self.saved(), ["speed 3x1", "heart_rate 2x1", "power 2x1", "distance 1x1", "clock 1x1", "grade 1x1"])

    def test_keys_of_the_ride_have_no_effect_while_editing(self):
        page = self.edit()
        before = len(self.player.posts)
        for key in ("l", "Enter", "m", "d"):
            page.keyboard.press(key)
        self.assertEqual(self.player.posts[before:], [])

    def test_toolbar(self):
        page = self.edit()
        page.click('[data-id="power"] .face')
        page.click("[aria-label='Size 3 × 1']")
        page.click("[aria-label='Earlier']")
        page.select_option("#editbar select", "30s")
        self.assertEqual(self.ids(page)[1], "power 3x1")
        page.click("#edittop >> text='Done'")
        page.wait_for_selector("#editbar", state="detached")
        self.assertEqual(self.player.services.document("layouts/phone")["widgets"][1],
                         {"id": "power", "size": "3x1", "of": "30s"})

    def test_remove_and_undo(self):
        page = self.edit()
        page.click('[data-id="speed"] .tools .remove')
        self.assertEqual(self.ids(page)[0], "heart_rate 2x1")
        self.assertIn("Speed removed", page.text_content("#message"))
        page.click("#message button")
        self.assertEqual(self.ids(page)[0], "speed 3x1")

    def test_dragging_the_handle_moves(self):
        page = self.edit()
        x, y = self.center(page, '[data-id="speed"] .handle')
        target = self.center(page, '[data-id="distance"]')
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 20, y + 20)
        page.mouse.move(*target)
        page.wait_for_function("() => document.querySelector('[data-id=\"speed\"]').style.order !== ''")
        self.assertEqual(page.evaluate("getComputedStyle(document.querySelector('[data-dragged]')).opacity"), "0.9")
        page.mouse.up()
        self.assertEqual(self.ids(page), ["heart_rate 2x1", "power 1x1", "distance 1x1", "speed 3x1", "clock 1x1"])

    def test_others_make_room_after_120_ms_over_a_place(self):
        self.player = Player(LAYOUT)
        self.addCleanup(self.player.close)
        page = self.open(player=self.player, fake_time=True)
        self.player.send(scenes.riding(self.player.now, **STANDING))
        page.wait_for_selector('[data-id="speed"][data-state="live"]')
        page.keyboard.press("e")
        page.wait_for_selector("#editbar")
        target = self.center(page, '[data-id="distance"]')
        page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 1)
        page.mouse.move(*self.center(page, '[data-id="speed"] .handle'))
        page.mouse.down()
        page.mouse.move(target[0] - 40, target[1])
        orders = []
        page.mouse.move(*target)
        for milliseconds in (119, 2):
            page.clock.run_for(milliseconds)
            orders.append(page.evaluate("document.querySelector('[data-id=\"distance\"]').style.order"))
        page.mouse.up()
        page.clock.resume()
        self.assertEqual(orders, ["", "2"])

    def test_dragging_by_touch(self):
        page = self.stand(touch=True)
        cdp = page.context.new_cdp_session(page)

        def send(kind, *at):
            points = [{"x": at[0], "y": at[1]}] if at else []
            cdp.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

        clock, power = self.center(page, '[data-id="clock"]'), self.center(page, '[data-id="power"]')
        send("touchStart", *clock)
        page.wait_for_selector("#editbar")
        send("touchEnd")
        clock, power = self.center(page, '[data-id="clock"]'), self.center(page, '[data-id="power"]')
        send("touchStart", *clock)
        for step in range(1, 11):
            share = step / 10
            send("touchMove", clock[0] + (power[0] - clock[0]) * share, clock[1] + (power[1] - clock[1]) * share)
            page.wait_for_timeout(30)
        send("touchEnd")
        page.wait_for_timeout(60)
        self.assertEqual(self.ids(page)[2], "clock 1x1")

    def test_the_picker_adds_at_the_end(self):
        page = self.edit()
        page.click("text='Add widget'")
        page.wait_for_selector(".question")
        groups = page.locator(".picker-group h3").all_text_contents()
        self.assertEqual(groups, ["Ride", "Body", "Pedals", "Bike", "Place", "Other", "Needs a sensor"])
        page.wait_for_function("""() => document.querySelector('.preview [data-id="cadence"] .number')?.textContent === '88'""")
        page.click("[aria-label='Cadence, Size 2 × 1']")
        page.wait_for_selector(".question", state="detached")
        self.assertEqual(self.ids(page)[-1], "cadence 2x1")

    def test_reset_asks_once(self):
        page = self.edit()
        page.click("#editbar >> text='Reset'")
        page.click(".question >> text='Cancel'")
        self.assertEqual(len(self.ids(page)), 5)
        page.click("#editbar >> text='Reset'")
        page.click(".question >> text='Reset'")
        self.assertEqual(self.ids(page)[:3], ["speed 3x1", "heart_rate 2x1", "cadence 1x1"])

    # Ending

    def test_cancel_escape_and_back_restore(self):
        for way in ("click", "Escape", "back"):
            with self.subTest(way):
                page = self.edit()
                before = self.ids(page)
                page.click('[data-id="speed"] .tools .remove')
                if way == "click":
                    page.click("text='Cancel'")
                elif way == "Escape":
                    page.keyboard.press("Escape")
                else:
                    page.go_back()
                page.wait_for_selector("#editbar", state="detached")
                self.assertEqual(self.ids(page), before)
                self.assertEqual(page.evaluate("location.pathname"), "/")
                self.assertEqual(self.saved(), before)

    def conflict(self, answer):
        """Saves a layout that another screen has changed meanwhile, and answers the question."""
        page = self.edit()
        page.click('[data-id="speed"] .tools .remove')
        theirs = {"version": 1, "widgets": [{"id": "grade", "size": "2x1"}]}
        self.player.services.store("layouts/phone", theirs)
        page.click("text='Done'")
        page.wait_for_selector("text=The layout was changed on another screen")
        page.click(f"text='{answer}'")
        page.wait_for_selector("#editbar", state="detached")
        return page

    def test_two_screens_take_that_one(self):
        page = self.conflict("Take that one")
        self.assertEqual(self.ids(page), ["grade 2x1"])
        self.assertEqual(self.saved(), ["grade 2x1"])

    def test_two_screens_keep_mine(self):
        page = self.conflict("Keep mine")
        self.assertEqual(self.ids(page)[0], "heart_rate 2x1")
        self.assertEqual(self.saved(), self.ids(page))

    def test_a_refused_layout_stays_in_edit_mode(self):
        page = self.edit()
        self.player.services.refusals["layouts/phone"] = "the card is full"
        page.click("text='Done'")
        page.wait_for_selector("text=Not saved: the card is full")
        self.assertTrue(self.is_editing(page))

    def test_what_a_newer_version_wrote_is_kept(self):
        self.player = Player({"version": 1, "later": 1, "widgets": [*LAYOUT["widgets"], {"id": "sonar", "size": "1x1", "x": 2}]})
        self.addCleanup(self.player.close)
        page = self.open(player=self.player)
        page.wait_for_selector('[data-id="sonar"]')
        page.keyboard.press("e")
        page.click('[data-id="speed"] .tools .remove')
        page.click("text='Done'")
        page.wait_for_selector("#editbar", state="detached")
        document = self.player.services.document("layouts/phone")
        self.assertEqual((document["later"], document["widgets"][-1]), (1, {"id": "sonar", "size": "1x1", "x": 2}))

    def test_values_and_radar_stay_live(self):
        page = self.edit()
        self.player.send([scenes.sample("heart_rate", self.player.now, bpm=151, source="strap")])
        page.wait_for_function("() => document.querySelector('[data-id=\"heart_rate\"] .primary .number').textContent === '151'")
        page.click("text='Add widget'")
        self.player.send([scenes.state("radar"), scenes.sample("radar", self.player.now, sensor="radar", clear=False,
                                                               targets=scenes.FAST_CAR)], "urgent")
        page.wait_for_selector('#lane[data-state="fast"]')
        on_top = page.evaluate("""() => ["lane", "band"].every(id => {
          const box = document.getElementById(id).getBoundingClientRect();
          return document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2).closest(`#${id}`); })""")
        self.assertTrue(on_top)


if __name__ == "__main__":
    unittest.main()
